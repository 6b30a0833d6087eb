#!/usr/bin/env bash
# clean-source.sh - prints a folder of sources that can be configured from another
# folder: SOURCE, or if SOURCE was configured in place, a copy without what was built.
#
# usage: scripts/clean-source.sh SOURCE COPY
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"

(($# == 2)) || { echo 'usage: clean-source.sh SOURCE COPY' >&2; exit 1; }
source=$1 copy=$2
if [[ ! -e $source/config.status ]]; then
  printf '%s\n' "$source"
  exit
fi
rm -rf "$copy"
mkdir -p "$copy"
# The copy may be below the source, and is no part of it.
tar -C "$source" --exclude="./${copy#"$source"/}" --exclude=./.git --exclude=./build \
  --exclude=./build-asan --exclude=./build-tsan -cf - . | tar -C "$copy" -xf -
make -s -C "$copy" distclean >/dev/null
printf '%s\n' "$copy"
