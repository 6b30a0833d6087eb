#!/usr/bin/env bash
# build-luajit.sh - builds LuaJIT in its GC64 mode into a prefix.
#
# usage: build-luajit.sh TARBALL|FOLDER PREFIX
#
# Modules of Lua are searched in PREFIX, or in MODULES/share and MODULES/lib if
# that variable is set: for a library that is linked into another program.
# For another machine, CC is its compiler and HOST_CC that of this one; TARGET_SYS
# is its system, as uname -s says it.
set -euo pipefail
# shellcheck source=third_party/common.sh
. "$(dirname "$0")/common.sh"

(($# == 2)) || die 'usage: build-luajit.sh TARBALL|FOLDER PREFIX'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unpack "$1" "$work/src"
prefix=$(absolute "$2")
[[ -f $work/src/src/luajit.h || -f $work/src/src/luajit_rolling.h ]] ||
  die "'$1' is not LuaJIT 2.1"

# make's command line wins over the settings in LuaJIT's makefile.
settings=(PREFIX="$prefix" XCFLAGS="-DLUAJIT_ENABLE_GC64 ${XCFLAGS-}")
[[ -z ${CC-} ]] || settings+=(CC="$CC")
[[ -z ${CFLAGS-} ]] || settings+=(CCOPT="$CFLAGS")
for name in TARGET_FLAGS TARGET_LDFLAGS TARGET_AR TARGET_STRIP TARGET_SYS BUILDMODE HOST_CC CROSS; do
  [[ -z ${!name-} ]] || settings+=("$name=${!name}")
done
make -C "$work/src" -j"$(processors)" amalg "${settings[@]}" PREFIX="${MODULES-$prefix}"
make -C "$work/src" install "${settings[@]}"

# A snapshot calls itself luajit-2.1.VERSION and installs no plain name.
[[ -e $prefix/bin/luajit ]] || {
  cd "$prefix/bin" && ln -s luajit-2.1* luajit
}
# Other machines than x86-64 have no other mode.
if [[ -n ${HOST_CC-} ]]; then
  printf 'PKG_CONFIG_PATH=%s\n' "$prefix/lib/pkgconfig"
  exit 0
fi
bits=$("$prefix/bin/luajit" -e \
  'print(require("ffi").abi("gc64") and "GC64" or "not GC64")')
[[ $bits == GC64 ]] || die "the LuaJIT that was built is $bits"
printf 'PKG_CONFIG_PATH=%s\n' "$prefix/lib/pkgconfig"
