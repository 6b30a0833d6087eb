#!/bin/sh
# clean-source.sh - prints a folder of sources that can be configured from another
# folder: SOURCE, or if SOURCE was configured in place, a copy without what was built.
#
# usage: scripts/clean-source.sh SOURCE COPY
set -eu
source=$1 copy=$2
if [ ! -e "$source/config.status" ]; then
  printf '%s\n' "$source"
  exit
fi
rm -rf "$copy"
mkdir -p "$copy"
tar -C "$source" --exclude=./.git --exclude=./build --exclude=./build-asan \
  --exclude=./build-tsan -cf - . | tar -C "$copy" -xf -
make -s -C "$copy" distclean >/dev/null
printf '%s\n' "$copy"
