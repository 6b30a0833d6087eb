#!/usr/bin/env bash
# static-libs.sh - the libraries of a static program, built with musl from the
# source packages of Debian (or Ubuntu) that apt-get knows.
#
# usage: static-libs.sh [--machine=x86_64|aarch64] FOLDER [LIBRARY...]
#
# FOLDER gets the sources (src), and for each machine a folder with the compiler's
# wrapper (bin), what was built (lib, include) and, if all libraries are built, their
# notices (THIRD-PARTY).  A library that is there is not built again.  Nothing outside
# of FOLDER is changed; apt-get keeps its lists of source packages there, too.  Needs a
# C compiler, and what `deps.sh static` installs; for another machine than this one,
# what `deps.sh cross` installs.
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"

here=$(cd "$(dirname "$0")/.." && pwd)
machine=$(uname -m)
if [[ ${1-} == --machine=* ]]; then
  machine=${1#*=}
  shift
fi
(($# > 0)) || { echo 'usage: static-libs.sh [--machine=x86_64|aarch64] FOLDER [LIBRARY...]' >&2; exit 1; }
# shellcheck source=scripts/libs.sh
. "$here/scripts/libs.sh"
folders "$1" "$machine"
shift
export CC=musl-cc CFLAGS='-O2 -g0 -fPIC' AR=ar RANLIB=ranlib

# shellcheck disable=SC2034 # libs.sh uses them
{
cmake_system=(-DCMAKE_SYSTEM_NAME=Linux)
cmake_tls=(-DWITH_SSL=OPENSSL "-DOPENSSL_ROOT_DIR=$prefix" -DOPENSSL_USE_STATIC_LIBS=ON
  "-DOPENSSL_INCLUDE_DIR=$prefix/include" "-DOPENSSL_SSL_LIBRARY=$prefix/lib/libssl.a"
  "-DOPENSSL_CRYPTO_LIBRARY=$prefix/lib/libcrypto.a")
pgsql_tls=--with-openssl tls='-lssl -lcrypto'
}

# position_independent SPECS: those of musl-gcc, but what is linked with -static can be
# loaded anywhere in memory.
position_independent() {
  sed -E -e '/^\*startfile:/{n;s|%\{!shared: ([^ ]*)Scrt1\.o\}|%{static: \1rcrt1.o; !shared: \1Scrt1.o}|}' \
    -e '/^\*link:/{n;s|^(-dynamic-linker [^ ]+)|%{!static:\1}|;s|%\{static:-static\}|%{static:-static -pie --no-dynamic-linker -z text}|}' \
    "$1" >"$prefix/lib/static-pie.specs"
  grep -q 'rcrt1\.o' "$prefix/lib/static-pie.specs" && grep -q -- '-static -pie' "$prefix/lib/static-pie.specs" ||
    die "$1 is not as expected: no rcrt1.o or no -static"
}

# wrapper COMMAND: the compiler, as bin/musl-cc.  It has the headers of the kernel,
# which musl has none of, and leaves no names of folders of the build in objects:
# some libraries keep the compiler's command, so it is not in CFLAGS.
wrapper() {
  cat >"$prefix/bin/musl-cc.new" <<WRAPPER
#!/bin/sh
exec $1 -ffile-prefix-map='$prefix'=. "\$@" -idirafter '$prefix/kernel'
WRAPPER
  chmod +x "$prefix/bin/musl-cc.new"
  mv "$prefix/bin/musl-cc.new" "$prefix/bin/musl-cc"
}

# kernel FOLDER...: the headers are in the first of them that has each.
kernel() {
  local name folder
  mkdir -p "$prefix/kernel"
  for name in linux asm-generic asm; do
    for folder; do
      [[ ! -d $folder/$name ]] || break
    done
    [[ -d $folder/$name ]] || die "$folder/$name is missing: install linux-libc-dev"
    ln -sfn "$folder/$name" "$prefix/kernel/$name"
  done
}

compiler() {
  case $machine in
  x86_64 | aarch64) ;;
  *) die "'$machine' is none of x86_64 and aarch64" ;;
  esac
  if [[ $machine == "$(uname -m)" ]]; then
    [[ -n $(command -v musl-gcc) ]] || die 'musl-gcc was not found: install musl-tools'
    kernel "/usr/include/$(gcc -print-multiarch)" /usr/include
    position_independent "/usr/lib/$machine-linux-musl/musl-gcc.specs"
    wrapper "gcc -specs '$prefix/lib/static-pie.specs'"
  else
    cross_compiler
  fi
}

# Debian has no musl for another machine: it is built, and gcc is told to use it.
cross_compiler() {
  local target=$machine-linux-gnu
  command -v "$target-gcc" >/dev/null ||
    die "$target-gcc was not found: install gcc-${machine/_/-}-linux-gnu"
  AR=$target-ar RANLIB=$target-ranlib
  host=(--host="$machine-linux-musl" --build="$(gcc -dumpmachine)")
  kernel "/usr/$target/include"
  wrapper "$target-gcc"
  build musl
  position_independent "$prefix/lib/musl-gcc.specs"
  wrapper "$target-gcc -specs '$prefix/lib/static-pie.specs'"
}

build_musl() {
  tree musl
  ./configure --target="$machine-linux-musl" --prefix="$prefix" \
    --syslibdir="$prefix/lib" --disable-shared --enable-wrapper=gcc CROSS_COMPILE="$machine-linux-gnu-"
  make -s -j"$jobs"
  make -s install
}

build_zlib() {
  tree zlib
  ./configure --static --prefix="$prefix"
  make -s -j"$jobs" libz.a
  make -s install
}

build_ck() {
  PLATFORM=${cross:+$machine} "$here/third_party/build-ck.sh" "$top/src/ck" "$prefix"
  rm -f "$prefix"/lib/libck.so*
}

build_luajit() {
  local flags=-static
  # gcc's unwinder would need a function of the GNU C library.  On ARM, LuaJIT's
  # machine code still names its own part of it, which nothing calls.
  [[ $machine != aarch64 ]] || flags+=' -Wl,--defsym=lj_err_unwind_dwarf=abort'
  [[ -z $cross ]] || export HOST_CC=gcc TARGET_AR="$AR rcs" TARGET_STRIP=true
  # The program looks for modules of users where LuaJIT of a distribution does.
  MODULES=/usr/local BUILDMODE=static TARGET_LDFLAGS=$flags XCFLAGS=-DLUAJIT_NO_UNWIND \
    "$here/third_party/build-luajit.sh" "$top/src/luajit" "$prefix"
  [[ $machine == aarch64 ]] || return 0
  echo 'void abort(void); void lj_err_unwind_dwarf(void) { abort(); }' >"$prefix/build/unwind.c"
  "$CC" -O2 -c "$prefix/build/unwind.c" -o "$prefix/build/luajit_unwind.o"
  "$AR" rcs "$prefix/lib/libluajit-5.1.a" "$prefix/build/luajit_unwind.o"
}

build_liburing() {
  tree liburing
  ./configure --prefix="$prefix" --cc="$CC"
  make -s -C src ENABLE_SHARED=0
  make -s -C src install ENABLE_SHARED=0 prefix="$prefix" \
    includedir="$prefix/include" libdevdir="$prefix/lib" libdir="$prefix/lib"
  pc liburing -luring
}

# What TLS and logins need.  It looks for certificates where distributions have
# them; programs, providers in files and protocols of other uses are left out.
build_openssl() {
  tree openssl
  perl ./Configure "linux-$machine" --prefix=/usr --openssldir=/etc/ssl --libdir=lib \
    no-shared no-tests no-dso no-engine no-module no-legacy no-async no-afalgeng \
    no-cms no-ts no-srp no-dtls no-sctp no-comp no-ct no-gost no-idea no-seed \
    no-camellia no-aria no-cast no-bf no-rc2 no-rc4 no-mdc2 no-md4 no-rmd160 \
    no-whirlpool no-sm2 no-sm3 no-sm4 no-siphash no-blake2 no-ui-console
  make -s -j"$jobs" build_generated
  make -s -j"$jobs" libcrypto.a libssl.a
  cp libcrypto.a libssl.a "$prefix/lib/"
  cp -R include/openssl "$prefix/include/"
  pc libcrypto -lcrypto
  pc libssl '-lssl -lcrypto'
  pc openssl '-lssl -lcrypto'
}

cross='' host=()
[[ $machine == "$(uname -m)" ]] || cross=yes
compiler
if (($# > 0)); then
  build_all "$@"
  exit
fi
libraries=(zlib ck luajit jansson sqlite3 liburing openssl postgresql mariadb)
build_all "${libraries[@]}"
"$here/scripts/notices.sh" "$machine" "$top" "${libraries[@]}" >"$prefix/THIRD-PARTY.new"
mv "$prefix/THIRD-PARTY.new" "$prefix/THIRD-PARTY"
