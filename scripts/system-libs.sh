#!/usr/bin/env bash
# system-libs.sh - the libraries of bench for macOS, FreeBSD or an old Linux, built on
# Linux by zig's C compiler from the source packages of Debian (or Ubuntu).
#
# usage: system-libs.sh SYSTEM FOLDER [LIBRARY...]
#
# SYSTEM is aarch64-macos, x86_64-macos, x86_64-freebsd, or x86_64-glibc or aarch64-glibc,
# which are Linux with the oldest GNU C library that bench is for.  FOLDER gets the sources
# (src) and a folder SYSTEM with the compiler (bin/zig-cc, zig-ar, zig-ranlib) and
# what was built (lib, include); it may be that of static-libs.sh.  A library that
# is there is not built again.  They are static and serve to see that bench
# links: the client libraries have no TLS.  Needs zig (pip install ziglang), and
# what `deps.sh static` installs.
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"

here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=scripts/libs.sh
. "$here/scripts/libs.sh"

(($# > 1)) || { echo 'usage: system-libs.sh SYSTEM FOLDER [LIBRARY...]' >&2; exit 1; }
system=$1
# The oldest release of each, as zig and as configure scripts name it.
case $system in
aarch64-macos | x86_64-macos) target=$system.13.0 uname=Darwin suffix=apple-darwin22 ;;
x86_64-freebsd) target=$system.14.0 uname=FreeBSD suffix=unknown-freebsd14 ;;
x86_64-glibc | aarch64-glibc) target=${system%-*}-linux-gnu.2.28 uname=Linux suffix=linux-gnu ;;
*) die "'$system' is none of aarch64-macos, x86_64-macos, x86_64-freebsd, x86_64-glibc and aarch64-glibc" ;;
esac
machine=${system%%-*}
folders "$2" "$system"
shift 2

# In Python's package, a program of its own: starting Python costs as much as
# compiling a small file.
zig=$(command -v zig || python3 -c \
  'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).with_name("zig"))' 2>/dev/null) || :
"$zig" version >/dev/null 2>&1 || die "zig was not found: pip install ziglang"

# tool NAME ARGUMENT...: bin/NAME is a part of zig.
tool() {
  printf "#!/bin/sh\nexec '%s' %s \"\$@\"\n" "$zig" "${*:2}" >"$prefix/bin/$1.new"
  chmod +x "$prefix/bin/$1.new"
  mv "$prefix/bin/$1.new" "$prefix/bin/$1"
}
tool zig-cc cc -target "$target"
tool zig-ar ar
tool zig-ranlib ranlib
export CC=zig-cc AR=zig-ar RANLIB=zig-ranlib CFLAGS='-O2 -g0 -fPIC'

# shellcheck disable=SC2034 # libs.sh uses them
{
host=(--host="$machine-$suffix" --build="$(gcc -dumpmachine)")
cmake_system=("-DCMAKE_SYSTEM_NAME=$uname" -DCMAKE_OSX_SYSROOT= -DCMAKE_INSTALL_NAME_TOOL=true)
cmake_tls=(-DWITH_SSL=OFF)
pgsql_tls=--without-openssl tls=''
}

# Its configure asks which system this is, and not which one is meant.  It takes
# macOS for a system of old, which had no fdopen().
build_zlib() {
  tree zlib
  # shellcheck disable=SC2086 # it is several words
  "$CC" $CFLAGS -DHAVE_UNISTD_H -Dfdopen=fdopen -c ./*.c
  "$AR" rcs "$prefix/lib/libz.a" ./*.o
  cp zlib.h zconf.h "$prefix/include/"
  pc zlib -lz
}

build_ck() {
  tree ck
  CC=gcc ./configure --prefix="$prefix" --platform="$machine"
  make -s -C src libck.a CC="$CC" AR="$AR"
  make -s install-headers
  cp src/libck.a "$prefix/lib/"
  pc ck -lck
}

# zig has a library that unwinds stacks of C++ for macOS alone, so LuaJIT does
# without elsewhere.
build_luajit() {
  [[ $uname == Darwin ]] || export XCFLAGS=-DLUAJIT_NO_UNWIND
  MACOSX_DEPLOYMENT_TARGET=13.0 TARGET_SYS=$uname HOST_CC=gcc TARGET_AR="$AR rcs" \
    TARGET_STRIP=true MODULES=/usr/local BUILDMODE=static \
    "$here/third_party/build-luajit.sh" "$top/src/luajit" "$prefix"
}

(($# > 0)) || set -- zlib ck luajit jansson sqlite3 postgresql mariadb
build_all "$@"
