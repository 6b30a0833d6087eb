#!/usr/bin/env bash
# build-ck.sh - builds ConcurrencyKit into a prefix.
#
# usage: build-ck.sh TARBALL|FOLDER PREFIX
#
# For another machine, PLATFORM is its name (aarch64) and CC its compiler.
set -euo pipefail
# shellcheck source=third_party/common.sh
. "$(dirname "$0")/common.sh"

(($# == 2)) || die 'usage: build-ck.sh TARBALL|FOLDER PREFIX'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unpack "$1" "$work/src"
prefix=$(absolute "$2")
[[ -f $work/src/include/ck_pr.h ]] || die "'$1' is not ck"

# Its configure is a script of its own and reads CC and CFLAGS itself.  It runs
# what it has compiled, so it sees the compiler of this machine alone.
cd "$work/src"
settings=()
if [[ -n ${PLATFORM-} ]]; then
  settings=(CC="$CC" LD="$CC" ${AR:+AR="$AR"})
  CC=gcc ./configure --prefix="$prefix" --platform="$PLATFORM"
else
  ./configure --prefix="$prefix"
fi
make -j"$(processors)" "${settings[@]}"
make install "${settings[@]}"
[[ -f $prefix/lib/pkgconfig/ck.pc ]] || die 'no pkg-config file was installed'
printf 'PKG_CONFIG_PATH=%s\n' "$prefix/lib/pkgconfig"
