#!/usr/bin/env bash
# static-libs.sh - the libraries of a static program, built with musl from the
# source packages of Debian (or Ubuntu) that apt-get knows.
#
# usage: static-libs.sh FOLDER [LIBRARY...]
#
# FOLDER gets the sources (src), the compiler's wrapper (bin), and what was built
# (lib, include).  A library that is there is not built again.  Nothing outside
# of FOLDER is changed; apt-get keeps its lists of source packages there, too.
# Needs a C compiler, and what `deps.sh static` installs.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
(($# > 0)) || { echo 'usage: static-libs.sh FOLDER [LIBRARY...]' >&2; exit 1; }
mkdir -p "$1"/{src,bin,lib,include,done,apt/lists/partial,apt/archives/partial}
prefix=$(cd "$1" && pwd)
shift
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
export CC=$prefix/bin/musl-cc CFLAGS="-O2 -g0 -fPIC -ffile-prefix-map=$prefix=." AR=ar RANLIB=ranlib
unset PKG_CONFIG_PATH MAKEFLAGS MFLAGS MAKELEVEL

# die TEXT
die() {
  printf 'static-libs.sh: %s\n' "$*" >&2
  exit 1
}

# musl's compiler with the headers of the kernel, which musl has none of.
compiler() {
  local wrapper name
  wrapper=$(command -v musl-gcc) || die 'musl-gcc was not found: install musl-tools'
  mkdir -p "$prefix/kernel"
  for name in linux asm-generic "$(gcc -print-multiarch)/asm"; do
    [[ -d /usr/include/$name ]] || die "/usr/include/$name is missing: install linux-libc-dev"
    ln -sfn "/usr/include/$name" "$prefix/kernel/${name##*/}"
  done
  cat >"$CC" <<WRAPPER
#!/bin/sh
exec '$wrapper' -idirafter '$prefix/kernel' "\$@"
WRAPPER
  chmod +x "$CC"
}

# apt COMMAND...: apt-get or apt-cache with lists of its own, which have source
# packages.
apt() {
  local list=$prefix/apt/sources.list
  [[ -s $list ]] ||
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(SIGNED-BY)' \
      'Created-By: Packages' | awk '!seen[$0]++' | while read -r uri suite component key; do
      [[ $key == /* ]] || key=$(ls /usr/share/keyrings/*-archive-keyring.gpg | paste -sd,)
      echo "deb-src [signed-by=$key] $uri $suite $component"
    done >"$list"
  "$1" -q -o Dir::Etc::sourcelist="$list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$prefix/apt/lists" -o Dir::Cache="$prefix/apt" \
    -o APT::Sandbox::User=root "${@:2}"
}

# fetch PACKAGE: its source, with the distribution's changes, is src/PACKAGE.
# A mirror may lack the newest version: then it is the one before.
fetch() {
  [[ ! -d $prefix/src/$1 ]] || return 0
  [[ -e $prefix/done/update ]] || { apt apt-get update && touch "$prefix/done/update"; }
  mkdir -p "$prefix/src/$1.new"
  (
    cd "$prefix/src/$1.new"
    for version in $(apt apt-cache showsrc "$1" |
      sed -n 's/^Version: //p' | sort -ruV); do
      ! apt apt-get source --download-only "$1=$version" || break
      rm -f -- *
    done
    dpkg-source --no-check -x ./*.dsc tree
  )
  mv "$prefix/src/$1.new/tree" "$prefix/src/$1"
  rm -rf "$prefix/src/$1.new"
}

# configured FOLDER ARGUMENT...: the usual, static libraries alone.
configured() {
  cd "$1"
  shift
  ./configure -q --prefix="$prefix" --disable-shared --enable-static "$@"
  make -s -j"$jobs"
  make -s install
}

build_zlib() {
  cd "$prefix/src/zlib"
  ./configure --static --prefix="$prefix"
  make -s -j"$jobs" libz.a
  make -s install
}

build_ck() {
  "$here/third_party/build-ck.sh" "$prefix/src/ck" "$prefix"
  rm -f "$prefix"/lib/libck.so*
}

build_luajit() {
  # gcc's unwinder would need a function of the GNU C library.  The program looks
  # for modules of users where LuaJIT of a distribution does.
  MODULES=/usr/local BUILDMODE=static TARGET_LDFLAGS=-static XCFLAGS=-DLUAJIT_NO_UNWIND \
    "$here/third_party/build-luajit.sh" "$prefix/src/luajit" "$prefix"
}

build_jansson() {
  [[ -x $prefix/src/jansson/configure ]] ||
    (cd "$prefix/src/jansson" && autoreconf -i)
  configured "$prefix/src/jansson"
}

build_sqlite3() {
  configured "$prefix/src/sqlite3" --disable-tcl --disable-readline \
    --disable-load-extension
}

build_libaio() {
  cd "$prefix/src/libaio"
  make -s -C src libaio.a ENABLE_SHARED=0
  cp src/libaio.a "$prefix/lib/"
  cp src/libaio.h "$prefix/include/"
}

build_liburing() {
  cd "$prefix/src/liburing"
  ./configure --prefix="$prefix" --cc="$CC"
  make -s -C src ENABLE_SHARED=0
  make -s -C src install ENABLE_SHARED=0 prefix="$prefix" \
    includedir="$prefix/include" libdevdir="$prefix/lib" libdir="$prefix/lib"
  pc liburing -luring
}

# pc NAME LIBRARIES: a file for pkg-config.
pc() {
  mkdir -p "$prefix/lib/pkgconfig"
  cat >"$prefix/lib/pkgconfig/$1.pc" <<PC
Name: $1
Description: static, for bench
Version: 1
Libs: -L$prefix/lib $2
Cflags: -I$prefix/include
PC
}

compiler
(($# > 0)) || set -- zlib ck luajit jansson sqlite3 libaio liburing
for library; do
  [[ ! -e $prefix/done/$library ]] || continue
  fetch "$library"
  echo "static-libs.sh: building $library"
  ("build_$library") >"$prefix/done/$library.log" 2>&1 || {
    tail -n 30 "$prefix/done/$library.log" >&2
    die "$library cannot be built: see $prefix/done/$library.log"
  }
  touch "$prefix/done/$library"
done
