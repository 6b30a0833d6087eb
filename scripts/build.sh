#!/usr/bin/env bash
# build.sh - configure and make in a folder, doing only what is not done yet.
#
# usage: build.sh FOLDER [CONFIGURE ARGUMENT]...
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"

src=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
shift

if [[ ! -x $src/configure ]]; then
  "$src/autogen.sh"
fi
mkdir -p "$folder"
cd "$folder"
if [[ ! -f Makefile ]]; then
  "$src/configure" "$@"
fi
exec make -j"$(getconf _NPROCESSORS_ONLN)"
