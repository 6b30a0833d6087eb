#!/usr/bin/env bash
# build-ck.sh - builds ConcurrencyKit into a prefix.
#
# usage: build-ck.sh TARBALL|FOLDER PREFIX
set -euo pipefail
# shellcheck source=third_party/common.sh
. "$(dirname "$0")/common.sh"

(($# == 2)) || die 'usage: build-ck.sh TARBALL|FOLDER PREFIX'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unpack "$1" "$work/src"
prefix=$(absolute "$2")
[[ -f $work/src/include/ck_pr.h ]] || die "'$1' is not ck"

# Its configure is a script of its own and reads CC and CFLAGS itself.
cd "$work/src"
./configure --prefix="$prefix"
make -j"$(processors)"
make install
[[ -f $prefix/lib/pkgconfig/ck.pc ]] || die 'no pkg-config file was installed'
printf 'PKG_CONFIG_PATH=%s\n' "$prefix/lib/pkgconfig"
