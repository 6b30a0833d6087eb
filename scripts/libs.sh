# shellcheck shell=bash
# libs.sh - libraries from the source packages of Debian (or Ubuntu), of which
# apt-get knows where they are.  static-libs.sh and system-libs.sh source it.
#
# A script that does so has a function build_LIBRARY for each library that is not
# here, CC, CFLAGS, AR and RANLIB in its environment, and these variables:
#   machine                     the kind of processor, as uname -m says it
#   host                        the arguments that tell a configure script of it
#   cmake_system, cmake_tls     arguments of cmake: the system, and TLS or none
#   pgsql_tls, tls              argument of PostgreSQL's configure; flags to link

# shellcheck disable=SC2034,SC2154 # the variables above, and those of folders()

# folders FOLDER KIND: sets `top` and, for what is built for that kind of
# machine, `prefix`; makes what is not there.
folders() {
  mkdir -p "$1/src" "$1/$2"/{bin,lib/pkgconfig,include,done,build}
  top=$(cd "$1" && pwd)
  prefix=$top/$2
  jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)} release=''
  export PATH=$prefix/bin:$PATH PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
  export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
  unset PKG_CONFIG_PATH MAKEFLAGS MFLAGS MAKELEVEL
}

# die TEXT
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# apt COMMAND...: apt-get or apt-cache with lists of its own, which have source
# packages.  With `release`, those of that release of Debian.
apt() {
  local lists=$top/apt${release:+-$release}
  local list=$lists/sources.list
  mkdir -p "$lists"/{lists,archives}/partial
  # shellcheck disable=SC2012,SC2016 # apt-get replaces it; keyrings have plain names
  [[ -s $list ]] || {
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(SIGNED-BY)' \
      'Created-By: Packages' | awk '!seen[$0]++' | while read -r uri suite component key; do
      [[ $key == /* ]] || key=$(ls /usr/share/keyrings/*-archive-keyring.gpg | paste -sd,)
      if [[ -z ${release-} ]]; then
        echo "deb-src [signed-by=$key] $uri $suite $component"
      elif [[ $uri == */debian/ || $uri == */debian ]]; then
        echo "deb-src [signed-by=$key] $uri $release main"
        break
      fi
    done >"$list.new" && mv "$list.new" "$list"
  } || die 'apt-get tells no sources of packages'
  "$1" -q -o Dir::Etc::sourcelist="$list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$lists/lists" -o Dir::Cache="$lists" \
    -o APT::Sandbox::User=root "${@:2}"
}

# update: the lists of the day before may name versions that are gone.
update() {
  local lists=$top/apt${release:+-$release}
  [[ -n $(find "$lists" -maxdepth 1 -name updated -mmin -1440 2>/dev/null) ]] ||
    { apt apt-get update && touch "$lists/updated"; }
}

# fetch_newer PACKAGE RELEASE: src/PACKAGE is its source in another release of Debian,
# without the changes of Debian, whose version is in the file `release`.  Fails where
# the archive that apt-get knows has none.
fetch_newer() {
  local package=$1 release=$2 version tarball
  update || return
  version=$(apt apt-cache showsrc --only-source "$package" | sed -n 's/^Version: //p' | sort -rV | head -n 1)
  [[ -n $version ]] || return
  rm -rf "$top/src/$package.new"
  mkdir -p "$top/src/$package.new/tree"
  # apt-get compares its checksum with the one that Debian has signed.
  (cd "$top/src/$package.new" &&
    apt apt-get source --download-only --tar-only --only-source "$package=$version") || return
  tarball=$(ls "$top/src/$package.new/$package"_*.orig.tar.*)
  tar -xf "$tarball" -C "$top/src/$package.new/tree" --strip-components=1 || return
  echo "$version" >"$top/src/$package.new/tree/release"
  mv "$top/src/$package.new/tree" "$top/src/$package"
  rm -rf "$top/src/$package.new"
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
  update
  # The beta of Debian 12 makes wrong machine code for 64-bit ARM (sysbench.lua).
  if [[ $package == luajit && $(apt apt-cache showsrc --only-source luajit) == *'Version: 2.1.0~beta'* ]]; then
    ! fetch_newer luajit trixie || return 0
    echo "${0##*/}: the archive has no LuaJIT of Debian 13, so it is 2.1.0-beta3, whose machine code is not used on 64-bit ARM" >&2
  fi
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
      (cd tree && cp -a --parents debian/changelog debian/copyright "$@" ../part/)
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

build_jansson() {
  tree jansson
  [[ -x configure ]] || autoreconf -i
  ./configure -q "${host[@]}" --prefix="$prefix" --disable-shared --enable-static
  make -s -j"$jobs"
  make -s install
}

# Its one big source is made by programs that run here, once for all machines.  What it
# is not told that the system has, it does without: it sleeps for whole seconds where it
# means microseconds, and writes the times of files with their data.
build_sqlite3() {
  local has=(-DHAVE_USLEEP=1 -DUSE_PREAD=1 -DHAVE_LOCALTIME_R=1 -DHAVE_GMTIME_R=1)
  [[ ${uname-} == Darwin ]] || has+=(-DHAVE_FDATASYNC=1)
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
    -DSQLITE_ENABLE_MATH_FUNCTIONS "${has[@]}" -c sqlite3.c -o "$prefix/build/sqlite3.o"
  "$AR" rcs "$prefix/lib/libsqlite3.a" "$prefix/build/sqlite3.o"
  cp sqlite3.h "$prefix/include/"
  pc sqlite3 '-lsqlite3 -lm'
}

# libpq alone.  Folders are those of Debian, for settings of the machine.
build_postgresql() {
  tree postgresql
  # shellcheck disable=SC2086 # it is nothing, or one word
  ./configure -q "${host[@]}" --prefix=/usr --sysconfdir=/etc/postgresql-common \
    $pgsql_tls --without-readline --without-zlib --without-icu \
    CPPFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib"
  make -s -C src/backend generated-headers
  make -s -j"$jobs" -C src/common
  make -s -j"$jobs" -C src/port
  make -s -j"$jobs" -C src/interfaces/libpq libpq.a
  cp src/interfaces/libpq/libpq.a src/common/libpgcommon.a src/port/libpgport.a "$prefix/lib/"
  cp src/interfaces/libpq/{libpq-fe,libpq-events}.h src/include/{postgres_ext,pg_config_ext}.h \
    "$prefix/include/"
  pc libpq "-lpq -lpgcommon -lpgport $tls -lm"
}

# The client library of MariaDB, with the logins that need no library
# but that of TLS.
build_mariadb() {
  tree mariadb
  local plugin plugins=() static=STATIC
  [[ -n $tls ]] || static=OFF
  # `dialog` that is built in would come before bench's own, which does not send the
  # password in plain text (cleartext.c).
  plugins=(-DCLIENT_PLUGIN_DIALOG=OFF -DCLIENT_PLUGIN_CLEAR_PASSWORD=STATIC)
  for plugin in SHA256_PASSWORD CACHING_SHA2_PASSWORD CLIENT_ED25519; do
    plugins+=("-DCLIENT_PLUGIN_${plugin#CLIENT_}=$static" "-DCLIENT_PLUGIN_$plugin=$static")
  done
  for plugin in AUTH_GSSAPI_CLIENT ZSTD REMOTE_IO; do
    plugins+=("-DCLIENT_PLUGIN_$plugin=OFF")
  done
  # It could compute that digest, but no login asks for it.
  cmake -S libmariadb -B made -DCMAKE_BUILD_TYPE=None "${cmake_system[@]}" \
    -DCMAKE_SYSTEM_PROCESSOR="$machine" -DCMAKE_C_COMPILER="$(command -v "$CC")" \
    -DCMAKE_AR="$(command -v "$AR")" -DCMAKE_RANLIB="$(command -v "$RANLIB")" \
    -DCMAKE_C_FLAGS="$CFLAGS -DEVP_ripemd160=EVP_md_null" -DCMAKE_FIND_ROOT_PATH="$prefix" \
    -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY \
    -DCMAKE_INSTALL_PREFIX=/usr -DMARIADB_UNIX_ADDR=/run/mysqld/mysqld.sock \
    "${cmake_tls[@]}" \
    -DWITH_EXTERNAL_ZLIB=ON -DZLIB_INCLUDE_DIR="$prefix/include" -DZLIB_LIBRARY="$prefix/lib/libz.a" \
    -DWITH_UNIT_TESTS=OFF -DWITH_CURL=OFF -DWITH_ICONV=OFF "${plugins[@]}"
  cmake --build made -j "$jobs" --target mariadbclient
  cp made/libmariadb/libmariadbclient.a "$prefix/lib/"
  mkdir -p "$prefix/include/mariadb"
  cp -R libmariadb/include/. made/include/. "$prefix/include/mariadb/"
  pc libmariadb "-lmariadbclient $tls -lz -lm" /mariadb
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

# build LIBRARY [FOLDER...]: fetches and builds what is not there, or was built in
# another way.
build() {
  local name=$1 way
  way=$(declare -f "build_$name")
  [[ ! -e $prefix/done/$name || $(<"$prefix/done/$name") != "$way" ]] || return 0
  echo "${0##*/}: building $name for ${prefix##*/}"
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
  printf '%s\n' "$way" >"$prefix/done/$name"
}

# build_all LIBRARY...
build_all() {
  local library
  for library; do
    case $library in
    mariadb) build mariadb libmariadb ;;
    *) build "$library" ;;
    esac
  done
}
