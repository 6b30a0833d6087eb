#!/usr/bin/env bash
# builds.sh - configures, builds and installs in the ways that `make check` of
# one build cannot see.  Takes minutes: `make check-builds`, or with names of
# cases `make check-builds BUILDS='gcc messages'`.
# shellcheck disable=SC2317 # functions are called by check()
set -euo pipefail

src=$(cd "${BENCH_SRC:-$(dirname "$0")/../..}" && pwd)
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-builds.XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
no_libraries=(--without-mysql --without-pgsql --without-sqlite --without-libaio
  --without-liburing)

count=0 failed=0
# check WHAT COMMAND...: it succeeds; its output is shown if it does not.
check() {
  local what=$1 status
  shift
  count=$((count + 1))
  set +e # a condition around the subshell would make it go on after errors
  (
    set -e
    "$@"
  ) >"$work/said" 2>&1
  status=$?
  set -e
  if ((status == 0)); then
    printf 'ok %d - %s\n' "$count" "$what"
  else
    printf 'not ok %d - %s\n' "$count" "$what"
    tail -n 25 "$work/said" | sed 's/^/# /'
    failed=1
  fi
}

# build FOLDER ARGUMENT...: out of tree, warnings are errors.
build() {
  mkdir -p "$work/$1"
  cd "$work/$1"
  shift
  "$src/configure" -q --enable-werror "$@"
  make -s -j"$jobs" 2>said || { cat said; return 1; }
  ! grep 'warning:' said || return 1
  ./bench cpu --cpu-max-prime=10 --events=10 run
}

# The whole program at once, and calls of the library that are checked: both show
# the compiler more than a plain build.  The unit tests as well.
optimized() {
  build optimized CC=gcc AR=gcc-ar RANLIB=gcc-ranlib NM=gcc-nm \
    CFLAGS="-O3 -g -flto=$jobs -D_FORTIFY_SOURCE=3 $*"
  make -s -j"$jobs" check TESTS= 2>said || { cat said; return 1; }
  # Those of the linker's stage do not fail the build.
  ! grep 'warning:' said
}

# kernels COMPILER ARGUMENT...: the kernels of the cpu test compute the same,
# without the whole program; RUN runs it where this machine cannot.  Without
# LuaJIT for a machine, the kernel that needs it is left out.
kernels() {
  local compiler=$1 left_out=()
  shift
  cd "$src/src"
  [[ -z ${RUN-} ]] || left_out=(lua)
  read -ra luajit < <(pkg-config --cflags luajit)
  read -ra libraries < <(pkg-config --libs luajit)
  [[ -z ${RUN-} ]] || libraries=(-static -Wl,--unresolved-symbols=ignore-all)
  "$compiler" -std=gnu11 -Wall -Werror "$@" -I. -I.. "${luajit[@]}" \
    ../tests/unit/tests/test_cpu_kernels.c tests/cpu/kernel_*.c base/err.c \
    "${libraries[@]}" -lm -o "$work/kernels"
  # shellcheck disable=SC2086 # it is nothing, or one word
  ${RUN-} "$work/kernels" "${left_out[@]}" >"$work/kernels.tap"
  ! grep '^not ok' "$work/kernels.tap" || return 1
  grep -q '^1\.\.' "$work/kernels.tap"
}

# has PROGRAM...: all are there; else the case is skipped.
has() {
  local program
  for program; do
    command -v "$program" >/dev/null && continue
    count=$((count + 1))
    printf 'ok %d - %s # SKIP not installed\n' "$count" "$program"
    return 1
  done
}

all_kernels() {
  local compiler level machine
  for compiler in gcc clang; do
    has "$compiler" || continue
    for level in -O0 -O1 -O2 -O3; do
      check "kernels, $compiler $level" kernels "$compiler" "$level"
    done
  done
  # 64-bit ARM has instructions of its own; the other is big-endian.
  for machine in aarch64 s390x; do
    has "$machine-linux-gnu-gcc" "qemu-$machine" || continue
    RUN=qemu-$machine check "kernels, $machine" kernels "$machine-linux-gnu-gcc" -O2
  done
}

# In a folder of its own, with a file that is not there in the way of none.
installs() {
  build install --prefix=/opt/bench --enable-sysbench-alias "${no_libraries[@]}"
  local root=$work/root file
  make -s install DESTDIR="$root"
  cd "$root/opt/bench"
  for file in bin/bench bin/sysbench share/man/man1/bench.1 \
    share/man/man1/bench-compare.1 share/man/man7/bench-lua.7 \
    share/bench/oltp_read_write.lua share/bench/oltp_common.lua \
    share/bench/tests/include/oltp_legacy/oltp.lua \
    share/bash-completion/completions/bench share/zsh/site-functions/_bench \
    share/fish/vendor_completions.d/bench.fish; do
    [[ -s $file ]] || { echo "$file is missing"; return 1; }
  done
  [[ $(readlink bin/sysbench) == bench ]]
  [[ $(bin/sysbench --version) == 'sysbench 1.0.20' ]]
  # Not in the root that it was built for, so the folder has to be named.
  BENCH_DATADIR=$PWD/share/bench bin/bench oltp_read_only help | grep -q -- --tables
  make -s -C "$work/install" install DESTDIR="$root" # over itself
  make -s -C "$work/install" uninstall DESTDIR="$root"
  [[ -z $(find "$root" ! -type d) ]] || { find "$root" ! -type d; return 1; }
  [[ ! -e $root/opt/bench/share/bench ]] || { find "$root"; return 1; }
}

# A sysbench that is a real program is not replaced, nor removed.
spares() {
  local bin=$work/root/opt/bench/bin
  mkdir -p "$bin"
  echo other >"$bin/sysbench"
  ! make -s -C "$work/install" install DESTDIR="$work/root" || return 1
  make -s -C "$work/install" uninstall DESTDIR="$work/root"
  [[ $(cat "$bin/sysbench") == other ]]
}

no_alias() {
  build plain "${no_libraries[@]}" --prefix=/usr
  make -s install DESTDIR="$work/plain-root"
  [[ -e $work/plain-root/usr/bin/bench ]]
  [[ ! -e $work/plain-root/usr/bin/sysbench ]]
}

# Tools and pkg-config files of this system, without those that match.
hide() {
  local dir
  rm -rf "${work:?}/pc" "${work:?}/bin"
  mkdir -p "$work/pc" "$work/bin"
  for dir in $(pkg-config --variable pc_path pkg-config | tr : ' '); do
    [[ ! -d $dir ]] || cp -s "$dir"/*.pc "$work/pc/" 2>/dev/null || :
  done
  for dir in /usr/local/bin /usr/bin /bin; do
    cp -s "$dir"/* "$work/bin/" 2>/dev/null || :
  done
  for name; do
    rm -f "$work/pc/$name.pc" "$work/bin/$name"
  done
}

# refuses "HIDDEN..." "CONFIGURE ARGUMENT..." PATTERN...: configure ends with an
# error in which all the patterns stand.
refuses() {
  local hidden arguments pattern
  read -ra hidden <<<"$1"
  read -ra arguments <<<"$2"
  shift 2
  hide "${hidden[@]}"
  mkdir -p "$work/refused"
  cd "$work/refused"
  if PATH=$work/bin PKG_CONFIG_LIBDIR=$work/pc PKG_CONFIG_PATH='' \
    "$src/configure" -q "${arguments[@]}" >said 2>&1; then
    echo 'configure did not fail'
    return 1
  fi
  grep 'error:' said
  for pattern; do
    grep 'error:' said | grep -q -- "$pattern"
  done
}

messages() {
  check 'a system of 32 bits' refuses '' ac_cv_sizeof_void_p=4 \
    'needs a 64-bit system' '32 bits'
  check 'a compiler without __int128' refuses '' ac_cv_type___int128=no __int128
  check 'LuaJIT is missing' refuses luajit '' \
    libluajit-5.1-dev luajit-devel third_party/README.md
  check 'ck is missing' refuses ck '' libck-dev ck-devel third_party/README.md
  check 'Jansson is missing' refuses jansson '' libjansson-dev jansson-devel
  check 'libpq is missing' refuses libpq --with-pgsql \
    libpq-dev libpq-devel --without-pgsql
  check 'SQLite is missing' refuses sqlite3 --with-sqlite \
    libsqlite3-dev sqlite-devel --without-sqlite
  check 'liburing is missing' refuses liburing --with-liburing \
    liburing-dev liburing-devel --without-liburing
  check 'libaio is missing' refuses '' \
    '--with-libaio ac_cv_header_libaio_h=no' \
    libaio-dev libaio-devel --without-libaio
  check 'a MySQL library is missing' refuses \
    'mysqlclient libmariadb mariadb mysql_config mariadb_config mariadb-config' \
    --with-mysql libmariadb-dev mariadb-connector-c-devel --without-mysql
  check 'MPI is missing' refuses mpicc --with-mpi \
    libopenmpi-dev openmpi-devel --without-mpi
}

# static_program MACHINE [RUN]: with musl; it runs in an empty root, and its unit
# tests pass.  RUN runs programs of another machine.  BENCH_STATIC_LIBS keeps the
# libraries from one time to the next.
static_program() {
  local out=$work/static-$1
  [[ $1 == "$(uname -m)" ]] || {
    build native "${no_libraries[@]}"
    export GEN_DOCS=$work/native/tools/gen_docs
  }
  "$src/scripts/static.sh" --machine="$1" "$out"
  cd "$out/work/$1"
  # shellcheck disable=SC2016 # make replaces it
  make -s -j"$jobs" check TESTS='$(UNIT_TESTS)' ${2:+LOG_COMPILER="$2"}
}

# zig_as TOOL FOLDER ARGUMENT...: a program that is zig's compiler, or another tool.
zig_as() {
  local zig=(zig)
  command -v zig >/dev/null || zig=(python3 -m ziglang)
  printf '#!/bin/sh\nexec %s %s "$@"\n' "${zig[*]}" "$1 ${*:3}" >"$2/$1"
  chmod +x "$2/$1"
}

# Headers of libraries are the same on all systems; Debian's are beside those of
# the system, so they get a folder of their own.
library_headers() {
  local folder name
  mkdir -p "$1/include" "$1/pc"
  for folder in /usr/include "/usr/include/$(gcc -print-multiarch)"; do
    for name in jansson jansson_config zlib zconf sqlite3; do
      [[ ! -e $folder/$name.h ]] || ln -sf "$folder/$name.h" "$1/include/"
    done
    for name in "$folder"/ck_*.h "$folder"/{gcc,spinlock,postgresql,mariadb,luajit-2.1}; do
      [[ ! -e $name ]] || ln -sfn "$name" "$1/include/${name##*/}"
    done
  done
  for name in luajit:/luajit-2.1 libpq:/postgresql libmariadb:/mariadb ck: jansson: zlib: sqlite3:; do
    printf 'Name: x\nDescription: headers\nVersion: 9\nLibs:\nCflags: -isystem %s\n' \
      "$1/include${name#*:} -isystem $1/include" >"$1/pc/${name%%:*}.pc"
  done
}

# Names of functions that the libraries have, of which there are only headers.
libraries_have='_?(lua|luaL|luaJIT|json|jsonp|PQ|pg|mysql|mariadb|sqlite3|deflate|inflate|crc32|compress|gz|ck)[A-Z_0-9]?'

# system_objects TARGET HOST: every object compiles for that system, without
# warnings, and the system has all that they call.
system_objects() {
  local dir=$work/$1
  library_headers "$dir"
  zig_as cc "$dir" -target "$1"
  zig_as ar "$dir"
  zig_as ranlib "$dir"
  mkdir "$dir/build"
  cd "$dir/build"
  PKG_CONFIG_LIBDIR=$dir/pc PKG_CONFIG_PATH='' "$src/configure" -q --host="$2" \
    CC="$dir/cc" AR="$dir/ar" RANLIB="$dir/ranlib" NM=true GEN_DOCS=false CFLAGS=-O1 --enable-werror \
    --with-mysql --with-pgsql --with-sqlite --without-libaio --without-liburing --without-mpi
  make -s -k -j"$jobs" libbench.a src/main.o 2>said || { grep -E 'error:|warning:' said; return 1; }
  ! "$dir/cc" -O1 src/main.o libbench.a -lm -lpthread -Wl,--error-limit=0 -o bench 2>said || return 0
  grep 'undefined symbol' said | sed 's/.*symbol: *//' | sort -u >missing
  [[ -s missing ]] || { cat said; return 1; }
  ! grep -vE "^$libraries_have" missing
}

# all_systems NAME: macos or freebsd, or both.
all_systems() {
  local target
  if ! command -v zig >/dev/null && ! python3 -m ziglang version >/dev/null 2>&1; then
    count=$((count + 1))
    printf 'ok %d - macOS and FreeBSD # SKIP zig is not installed (pip install ziglang)\n' "$count"
    return 0
  fi
  for target in aarch64-macos.13.0:aarch64-apple-darwin22 x86_64-macos.13.0:x86_64-apple-darwin22 \
    x86_64-freebsd.14.0:x86_64-unknown-freebsd14; do
    [[ $1 == systems || $target == *-"$1".* ]] || continue
    check "objects for ${target%%:*}" system_objects "${target%%:*}" "${target#*:}"
  done
}

# As a user would: from the tarball, in a folder that cannot be written to.
distcheck() {
  build dist
  make -s distcheck
}

(($# > 0)) || set -- gcc clang kernels lto none single install messages distcheck musl aarch64 systems
for name; do
  case $name in
    gcc | clang)
      if command -v "$name" >/dev/null; then
        check "$name" build "$name" CC="$name"
      else
        count=$((count + 1))
        printf 'ok %d - %s # SKIP not installed\n' "$count" "$name"
      fi
      ;;
    kernels) all_kernels ;;
    lto) check 'gcc -O3 -flto -D_FORTIFY_SOURCE=3' optimized ;;
    single)
      for switch in "${no_libraries[@]}" --without-mpi; do
        check "$switch" build "single$switch" "$switch"
      done
      ;;
    none) check 'without every optional library' build none "${no_libraries[@]}" ;;
    install)
      check 'install and uninstall, with the link' installs
      check 'a real program called sysbench is spared' spares
      check 'without the link' no_alias
      ;;
    messages) messages ;;
    musl) ! has musl-gcc || check 'one static file, with musl' static_program "$(uname -m)" ;;
    aarch64)
      if [[ $(uname -m) == x86_64 ]] && has aarch64-linux-gnu-gcc qemu-aarch64-static; then
        check 'one static file for aarch64' static_program aarch64 "$(command -v qemu-aarch64-static)"
      fi
      ;;
    systems | macos | freebsd) all_systems "$name" ;;
    distcheck) check 'make distcheck' distcheck ;;
    *) check "there is no case '$name'" false ;;
  esac
done
printf '1..%d\n' "$count"
exit "$failed"
