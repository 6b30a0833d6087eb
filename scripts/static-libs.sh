#!/usr/bin/env bash
# static-libs.sh - the libraries of a static program, built with musl from the
# source packages of Debian (or Ubuntu) that apt-get knows.
#
# usage: static-libs.sh [--machine=x86_64|aarch64] FOLDER [LIBRARY...]
#
# FOLDER gets the sources (src), and for each machine a folder with the compiler's
# wrapper (bin) and what was built (lib, include).  A library that is there is not
# built again.  Nothing outside of FOLDER is changed; apt-get keeps its lists of
# source packages there, too.  Needs a C compiler, and what `deps.sh static`
# installs; for another machine than this one, what `deps.sh cross` installs.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
machine=$(uname -m)
if [[ ${1-} == --machine=* ]]; then
  machine=${1#*=}
  shift
fi
(($# > 0)) || { echo 'usage: static-libs.sh [--machine=x86_64|aarch64] FOLDER [LIBRARY...]' >&2; exit 1; }
mkdir -p "$1"/{src,apt/lists/partial,apt/archives/partial} \
  "$1/$machine"/{bin,lib/pkgconfig,include,done,build}
top=$(cd "$1" && pwd)
prefix=$top/$machine
shift
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
export CC=musl-cc CFLAGS='-O2 -g0 -fPIC' AR=ar RANLIB=ranlib
export PATH=$prefix/bin:$PATH PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
unset PKG_CONFIG_PATH MAKEFLAGS MFLAGS MAKELEVEL

# die TEXT
die() {
  printf 'static-libs.sh: %s\n' "$*" >&2
  exit 1
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
    wrapper musl-gcc
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
  wrapper "$target-gcc -specs '$prefix/lib/musl-gcc.specs'"
}

# apt COMMAND...: apt-get or apt-cache with lists of its own, which have source
# packages.
apt() {
  local list=$top/apt/sources.list
  [[ -s $list ]] ||
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(SIGNED-BY)' \
      'Created-By: Packages' | awk '!seen[$0]++' | while read -r uri suite component key; do
      [[ $key == /* ]] || key=$(ls /usr/share/keyrings/*-archive-keyring.gpg | paste -sd,)
      echo "deb-src [signed-by=$key] $uri $suite $component"
    done >"$list.new" && mv "$list.new" "$list" || die 'apt-get tells no sources of packages'
  "$1" -q -o Dir::Etc::sourcelist="$list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$top/apt/lists" -o Dir::Cache="$top/apt" \
    -o APT::Sandbox::User=root "${@:2}"
}

# fetch PACKAGE [FOLDER...]: its source, with the distribution's changes, is
# src/PACKAGE; of a large one only these folders.  A mirror may lack the newest
# version: then it is the one before.
fetch() {
  local package=$1 from=$1 version
  [[ ! -d $top/src/$package ]] || return 0
  # That source package is named after the version.
  [[ $package != postgresql ]] ||
    from=$(apt-cache show libpq-dev | sed -n 's/^Source: \(postgresql-[0-9]*\).*/\1/p' | head -n 1)
  # The lists of the day before may name versions that are gone.
  [[ -n $(find "$top/apt" -maxdepth 1 -name updated -mmin -1440) ]] ||
    { apt apt-get update && touch "$top/apt/updated"; }
  rm -rf "$top/src/$package.new"
  mkdir -p "$top/src/$package.new"
  (
    cd "$top/src/$package.new"
    for version in $(apt apt-cache showsrc --only-source "$from" |
      sed -n 's/^Version: //p' | sort -ruV); do
      ! apt apt-get source --download-only --only-source "$from=$version" || break
      rm -f -- *
    done
    dpkg-source --no-check -x ./*.dsc tree
    shift
    if (($# > 0)); then
      mkdir part
      (cd tree && cp -a --parents debian/changelog "$@" ../part/)
      rm -rf tree
      mv part tree
    fi
  )
  mv "$top/src/$package.new/tree" "$top/src/$package"
  rm -rf "$top/src/$package.new"
}

# tree PACKAGE: a copy of its source, to be built in; it is the current folder.
tree() {
  rm -rf "$prefix/build/$1"
  cp -a "$top/src/$1" "$prefix/build/$1"
  cd "$prefix/build/$1"
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

build_jansson() {
  tree jansson
  [[ -x configure ]] || autoreconf -i
  ./configure -q "${host[@]}" --prefix="$prefix" --disable-shared --enable-static
  make -s -j"$jobs"
  make -s install
}

# Its one big source is made by programs that run here, once for all machines.
build_sqlite3() {
  if [[ ! -e $top/src/sqlite3/made/sqlite3.c ]]; then
    tree sqlite3
    CC=gcc ./configure -q --disable-tcl --disable-readline
    make -s sqlite3.c sqlite3.h
    mkdir -p "$top/src/sqlite3/made"
    cp sqlite3.h sqlite3.c "$top/src/sqlite3/made/"
  fi
  cd "$top/src/sqlite3/made"
  # shellcheck disable=SC2086 # it is several words
  "$CC" $CFLAGS -ffile-prefix-map="$top"=. -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION=1 \
    -DSQLITE_ENABLE_MATH_FUNCTIONS -c sqlite3.c -o "$prefix/build/sqlite3.o"
  "$AR" rcs "$prefix/lib/libsqlite3.a" "$prefix/build/sqlite3.o"
  cp sqlite3.h "$prefix/include/"
  pc sqlite3 '-lsqlite3 -lm'
}

build_libaio() {
  tree libaio
  make -s -C src libaio.a ENABLE_SHARED=0
  cp src/libaio.a "$prefix/lib/"
  cp src/libaio.h "$prefix/include/"
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

# libpq alone.  Folders are those of Debian, for settings of the machine.
build_postgresql() {
  tree postgresql
  ./configure -q "${host[@]}" --prefix=/usr --sysconfdir=/etc/postgresql-common \
    --with-openssl --without-readline --without-zlib --without-icu \
    CPPFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib"
  make -s -C src/backend generated-headers
  make -s -j"$jobs" -C src/common
  make -s -j"$jobs" -C src/port
  make -s -j"$jobs" -C src/interfaces/libpq libpq.a
  cp src/interfaces/libpq/libpq.a src/common/libpgcommon.a src/port/libpgport.a "$prefix/lib/"
  cp src/interfaces/libpq/{libpq-fe,libpq-events}.h src/include/{postgres_ext,pg_config_ext}.h \
    "$prefix/include/"
  pc libpq '-lpq -lpgcommon -lpgport -lssl -lcrypto -lm'
}

# The client library of MariaDB, with the logins that need no other library.
build_mariadb() {
  tree mariadb
  local plugin plugins=()
  for plugin in DIALOG CLEAR_PASSWORD SHA256_PASSWORD CACHING_SHA2_PASSWORD CLIENT_ED25519; do
    plugins+=("-DCLIENT_PLUGIN_${plugin#CLIENT_}=STATIC" "-DCLIENT_PLUGIN_$plugin=STATIC")
  done
  for plugin in AUTH_GSSAPI_CLIENT ZSTD REMOTE_IO; do
    plugins+=("-DCLIENT_PLUGIN_$plugin=OFF")
  done
  # It could compute that digest, but no login asks for it.
  cmake -S libmariadb -B made -DCMAKE_BUILD_TYPE=None -DCMAKE_SYSTEM_NAME=Linux \
    -DCMAKE_SYSTEM_PROCESSOR="$machine" -DCMAKE_C_COMPILER="$prefix/bin/musl-cc" \
    -DCMAKE_AR="$(command -v "$AR")" -DCMAKE_RANLIB="$(command -v "$RANLIB")" \
    -DCMAKE_C_FLAGS="$CFLAGS -DEVP_ripemd160=EVP_md_null" -DCMAKE_FIND_ROOT_PATH="$prefix" \
    -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY \
    -DCMAKE_INSTALL_PREFIX=/usr -DMARIADB_UNIX_ADDR=/run/mysqld/mysqld.sock \
    -DWITH_SSL=OPENSSL -DOPENSSL_ROOT_DIR="$prefix" -DOPENSSL_USE_STATIC_LIBS=ON \
    -DOPENSSL_INCLUDE_DIR="$prefix/include" -DOPENSSL_SSL_LIBRARY="$prefix/lib/libssl.a" \
    -DOPENSSL_CRYPTO_LIBRARY="$prefix/lib/libcrypto.a" \
    -DWITH_EXTERNAL_ZLIB=ON -DZLIB_INCLUDE_DIR="$prefix/include" -DZLIB_LIBRARY="$prefix/lib/libz.a" \
    -DWITH_UNIT_TESTS=OFF -DWITH_CURL=OFF -DWITH_ICONV=OFF "${plugins[@]}"
  cmake --build made -j "$jobs" --target mariadbclient
  cp made/libmariadb/libmariadbclient.a "$prefix/lib/"
  mkdir -p "$prefix/include/mariadb"
  cp -R libmariadb/include/. made/include/. "$prefix/include/mariadb/"
  pc libmariadb '-lmariadbclient -lssl -lcrypto -lz -lm' /mariadb
}

# pc NAME LIBRARIES [FOLDER]: a file for pkg-config; headers may be in a folder.
pc() {
  cat >"$prefix/lib/pkgconfig/$1.pc" <<PC
Name: $1
Description: static, for bench
Version: 1
Libs: -L$prefix/lib $2
Cflags: -I$prefix/include${3-}
PC
}

# build LIBRARY [FOLDER...]: fetches and builds what is not there.
build() {
  local name=$1
  [[ ! -e $prefix/done/$name ]] || return 0
  echo "static-libs.sh: building $name for $machine"
  fetch "$@"
  set +e # a condition around the subshell would make it go on after errors
  (set -e; "build_$name") >"$prefix/done/$name.log" 2>&1 </dev/null
  local status=$?
  set -e
  ((status == 0)) || {
    tail -n 30 "$prefix/done/$name.log" >&2
    die "$name cannot be built: see $prefix/done/$name.log"
  }
  rm -rf "$prefix/build/$name"
  touch "$prefix/done/$name"
}

cross='' host=()
[[ $machine == "$(uname -m)" ]] || cross=yes
compiler
(($# > 0)) || set -- zlib ck luajit jansson sqlite3 libaio liburing openssl postgresql mariadb
for library; do
  case $library in
  mariadb) build mariadb libmariadb ;;
  *) build "$library" ;;
  esac
done
