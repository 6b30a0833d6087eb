#!/usr/bin/env bash
# builds.sh - configures, builds and installs in the ways that `make check` of
# one build cannot see.  Takes an hour or more: `make check-builds`, or with names
# of cases `make check-builds BUILDS='gcc messages'`.  What was built is removed,
# unless a case has failed.
# shellcheck disable=SC2317 # functions are called by check()
set -euo pipefail

src=$(cd "${BENCH_SRC:-$(dirname "$0")/../..}" && pwd)
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-builds.XXXXXX")
no_libraries=(--without-mysql --without-pgsql --without-sqlite --without-liburing)

count=0 failed=0
leave() {
  if ((failed)); then
    printf '# logs are in %s\n' "$work"
  else
    chmod -R u+w "$work"
    rm -rf "$work"
  fi
}

trap leave EXIT
src=$("$src/scripts/clean-source.sh" "$src" "$work/source")
export BENCH_SRC=$src # for the scripts beside this one

# check WHAT COMMAND...: it succeeds; its output is shown if it does not.  With 77
# its last line says what it lacks.
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
  elif ((status == 77)); then
    printf 'ok %d - %s # SKIP %s\n' "$count" "$what" "$(tail -n 1 "$work/said")"
  else
    printf 'not ok %d - %s\n' "$count" "$what"
    tail -n 25 "$work/said" | sed 's/^/# /'
    failed=1
  fi
}

# makes [ARGUMENT]...: in the current folder.  Warnings of the linker's stage do not fail
# a build, so they are looked for.
makes() {
  make -s -j"$jobs" "$@" 2>said || { cat said; return 1; }
  ! grep 'warning:' said || return 1
}

# build FOLDER ARGUMENT...: out of tree, warnings are errors.
build() {
  mkdir -p "$work/$1"
  cd "$work/$1"
  shift
  "$src/configure" -q --enable-werror "$@"
  makes
  ./bench cpu --cpu-max-prime=10 --events=10 run
}

# build_tests FOLDER ARGUMENT...: the unit tests as well.
build_tests() {
  build "$@"
  makes check TESTS=
}

# The whole program at once, and calls of the library that are checked: both show
# the compiler more than a plain build.  The unit tests as well.
optimized() {
  build_tests optimized CC=gcc AR=gcc-ar RANLIB=gcc-ranlib NM=gcc-nm \
    CFLAGS="-O3 -g -flto=$jobs -D_FORTIFY_SOURCE=3 $*"
}

# compilers: bench is for gcc 10 to 14 and clang 13 to 19.  What is not installed here
# with its tools is in a root with another release; BENCH_ROOTS keeps these.  COMPILERS names some.
compilers() {
  local compiler linker ar lto all=(gcc-{10..14} clang-{13..19})
  for compiler in ${COMPILERS:-"${all[@]}"}; do
    compile "$compiler" "$compiler" CFLAGS=-O2
    ar=gcc-ar linker='' lto=-flto=$jobs # without the number, gcc 11 and 12 warn
    [[ $compiler == gcc-* ]] || ar=llvm-ar linker=-fuse-ld=lld-${compiler#*-} lto=-flto
    compile "$compiler, optimized" "$compiler" CFLAGS="-O3 $lto -D_FORTIFY_SOURCE=2" \
      LDFLAGS="$linker" AR="$ar-${compiler#*-}" RANLIB="${ar%ar}ranlib-${compiler#*-}" \
      NM="${ar%ar}nm-${compiler#*-}"
  done
}

# compile WHAT COMPILER ARGUMENT...: with the unit tests, unless the whole program is
# compiled at once, which takes long for each of them.
compile() {
  local what=$1 compiler=$2 how=build_tests
  shift 2
  [[ $* != *-flto* ]] || how=build
  if command -v "$compiler" >/dev/null &&
    { [[ $compiler == gcc-* ]] ||
      { command -v "lld-${compiler#*-}" && command -v "llvm-ar-${compiler#*-}"; } >/dev/null; }; then
    check "$what" "$how" "$compiler" CC="$compiler" "$@"
    rm -rf "${work:?}/$compiler"
  else
    check "$what, in a root" "$src/tests/lint/compilers.sh" "$compiler" \
      "${BENCH_ROOTS:-$work/roots}" "$@"
  fi
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
  "$compiler" -std=gnu11 -D_GNU_SOURCE -Wall -Werror "$@" -I. -I.. "${luajit[@]}" \
    ../tests/unit/tests/test_cpu_kernels.c tests/cpu/kernel_*.c base/err.c os/linux.c os/elf.c \
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
    ! command -v clang >/dev/null || RUN=qemu-$machine \
      check "kernels, $machine, clang" kernels clang --target="$machine-linux-gnu" -O2
  done
}

# copied [ARGUMENT OF TAR]...: a copy of the source is the current folder.
copied() {
  rm -rf "$work/tree"
  mkdir "$work/tree"
  tar -C "$src" --exclude=./.git --exclude=./build "$@" -cf - . | tar -C "$work/tree" -xf -
  cd "$work/tree"
}

# `./configure && make` in the source: the program finds its scripts from anywhere,
# and says where it has looked for one that is not there.
in_tree() {
  copied
  ./configure -q --enable-werror "${no_libraries[@]}"
  make -s -j"$jobs"
  cd /
  unset BENCH_DATADIR
  "$work/tree/bench" oltp_read_only --db-driver=null --events=5 run
  ! "$work/tree/bench" nosuch run >"$work/tree/said" 2>&1 || return 1
  grep "^searched: .*'$work/tree/src/lua/scripts'" "$work/tree/said"
}

# large_pages BYTES: the unit tests, and what maps memory and files, where the system
# has pages of this size, as 64-bit ARM may have.
large_pages() {
  local file=(fileio --file-num=2 --file-total-size=3M) mode
  if [[ -e $work/pages/bench ]]; then cd "$work/pages"; else build pages CC=gcc; fi
  gcc -O2 -Wall -shared -fPIC "$src/tests/lint/large_pages.c" -o large_pages.so -ldl
  # shellcheck disable=SC2016 # make replaces it
  suites '$(UNIT_TESTS)' env LARGE_PAGE="$1" LOG_COMPILER="env LD_PRELOAD=$PWD/large_pages.so"
  export LARGE_PAGE=$1 LD_PRELOAD=$PWD/large_pages.so BENCH_DATADIR=$src/src/lua/scripts
  for mode in mmap sync async io_uring; do
    ./bench "${file[@]}" --file-io-mode="$mode" prepare
    ./bench "${file[@]}" --file-io-mode="$mode" --file-test-mode=rndrw --events=200 run
    ./bench "${file[@]}" cleanup
  done
  for mode in latency bandwidth; do
    ./bench memory --memory-test="$mode" --memory-size=20M --time=1 run
  done
  ./bench memory --memory-total-size=20M run
  ./bench oltp_read_only --db-driver=null --clients=50 --time=0 --events=500 run
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

# cross_in_place: its error names the ways out.  In a source with manual pages, such as
# a tarball, there is none.
cross_in_place() {
  copied --exclude=./man/bench.1
  if ./configure -q --host=aarch64-linux-gnu --build="$(gcc -dumpmachine)" CC=gcc \
    >said 2>&1; then
    echo 'configure did not fail'
    return 1
  fi
  grep 'error:.*another folder.*GEN_DOCS=' said || { cat said; return 1; }
  [[ $(grep -c 'error:' said) == 1 ]]
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
  check 'liburing is too old' refuses '' \
    '--with-liburing ac_cv_have_decl_IORING_SETUP_SINGLE_ISSUER=no' \
    'liburing is too old' liburing-dev liburing-devel --without-liburing
  check 'a MySQL library is missing' refuses \
    'mysqlclient libmariadb mariadb mysql_config mariadb_config mariadb-config' \
    --with-mysql libmariadb-dev mariadb-connector-c-devel --without-mysql
  check 'a cross build in the source' cross_in_place
  check 'MPI is missing' refuses mpicc --with-mpi \
    libopenmpi-dev openmpi-devel --without-mpi
}

# emulated QEMU COMMAND...: see there.
emulated() {
  "$src/tests/lint/emulated.sh" "$@"
}

# suites TESTS COMMAND...: the tests of the build in the current folder, by make
# with the command before it.
suites() {
  local tests=$1
  shift
  make -s -j"$jobs" check TESTS= >said 2>&1 || { tail -n 20 said; return 1; }
  # What is emulated takes many times as long.
  TEST_LIMIT=3600 "$@" make -k check TESTS="$tests" >said 2>&1 || {
    grep -hE '^ *not ok' test-suite.log
    grep -E '^(FAIL|ERROR|XPASS)|^# (TOTAL|PASS|SKIP|FAIL|ERROR)' said
    return 1
  }
}

# unit_suites TESTS [QEMU]: of a build for this machine, or for one that QEMU emulates.
# Where the kernel cannot start what is emulated, make starts each test by QEMU.
unit_suites() {
  if (($# == 1)); then
    suites "$1" env
  elif emulated --check "$2" >/dev/null; then
    suites "$1" emulated "$2"
  else
    suites "$1" env LOG_COMPILER="$2"
  fi
}

# static_suites: what is tested of a static program with musl, beside the unit tests.
# Under emulation that takes most of an hour.
static_suites() {
  (cd "$src" && printf '%s ' tests/cli/*.bats)
  printf 'tests/lua/%s.bats ' ffi sql rand options hooks docs state
}

# static_program MACHINE [QEMU]: with musl; it runs in an empty root, and passes
# the unit tests, under emulation as well.  BENCH_STATIC_LIBS keeps the libraries
# from one time to the next.
# shellcheck disable=SC2016 # make replaces it
static_program() {
  local out=$work/static-$1
  "$src/scripts/static.sh" --machine="$1" "$out"
  cd "$out/work/$1"
  unit_suites '$(UNIT_TESTS)' "${@:2}"
}

# static_tests MACHINE [QEMU]: that program passes the tests that need no server.
static_tests() {
  cd "$work/static-$1/work/$1"
  if (($# == 1)); then
    suites "$(static_suites)" env
  else
    emulated --check "$2"
    suites "$(static_suites)" emulated "$2"
  fi
}

# all_systems NAME: macos, freebsd or glibc, or all.  BENCH_SYSTEM_LIBS keeps their
# libraries from one time to the next.
all_systems() {
  local system libs=${BENCH_SYSTEM_LIBS:-$work/system-libs}
  if ! command -v zig >/dev/null && ! python3 -m ziglang version >/dev/null 2>&1; then
    count=$((count + 1))
    printf 'ok %d - other systems # SKIP zig is not installed (pip install ziglang)\n' "$count"
    return 0
  fi
  mkdir -p "$libs"
  libs=$(cd "$libs" && pwd)
  for system in x86_64-glibc aarch64-glibc aarch64-macos x86_64-macos x86_64-freebsd; do
    [[ $1 == systems || $system == *-"$1" ]] || continue
    check "$system: compiles and links" "$src/tests/lint/systems.sh" "$system" \
      "$work/$system" "$libs"
    [[ $system != "$(uname -m)-glibc" ]] ||
      check "$system: the unit tests" glibc_units "$system" "$libs"
    [[ $system != aarch64-glibc || $(uname -m) == aarch64 ]] || arm_glibc "$libs"
  done
}

# glibc_units SYSTEM LIBRARIES [QEMU]: of the program with the GNU C library.  The other
# libraries are static, hence without those that tests/unit/Makefile.inc keeps from a
# static program.
# shellcheck disable=SC2016 # make replaces it
glibc_units() {
  local tests='$(filter-out %/test_alloc,$(UNIT_TESTS)) tests/unit/db/test_alloc'
  cd "$work/$1"
  export PATH=$2/$1/bin:$PATH # the compiler, if make looks for it
  unit_suites "$tests" "${@:3}"
}

# arm_glibc LIBRARIES: what else is tested of that for 64-bit ARM.  The C library and
# others of that machine come with the cross compiler.
arm_glibc() {
  has aarch64-linux-gnu-gcc qemu-aarch64-static || return 0
  local qemu
  qemu=$(command -v qemu-aarch64-static)
  export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
  check 'aarch64-glibc: the unit tests' glibc_units aarch64-glibc "$1" "$qemu"
  check 'aarch64-glibc: the counter is the clock' "$src/tests/lint/counter.sh" \
    "$work/aarch64-glibc" "$qemu"
  check 'aarch64-glibc: gcc -O3 -flto -D_FORTIFY_SOURCE=2' arm_optimized "$1" "$qemu"
  unset QEMU_LD_PREFIX
}

# arm_optimized LIBRARIES QEMU: the whole program at once, and checked calls.  From a
# checkout, the manual pages are written by a program of this machine.
arm_optimized() {
  local libs=$1/aarch64-glibc tool=aarch64-linux-gnu
  mkdir -p "$work/arm-optimized"
  cd "$work/arm-optimized"
  PKG_CONFIG_LIBDIR=$libs/lib/pkgconfig PKG_CONFIG_PATH='' "$src/configure" -q --enable-werror \
    --host="$tool" --build="$(gcc -dumpmachine)" CC="$tool-gcc" AR="$tool-gcc-ar" \
    RANLIB="$tool-gcc-ranlib" NM="$tool-gcc-nm" CFLAGS="-O3 -g -flto=$jobs -D_FORTIFY_SOURCE=2" \
    CPPFLAGS="-I$libs/include" LDFLAGS="-L$libs/lib" \
    --with-mysql --with-pgsql --with-sqlite --without-liburing --without-mpi
  makes bench pages
  "$2" ./bench cpu --cpu-max-prime=10 --events=10 run
  "$2" ./bench cpu --cpu-kernel=all --events=20 --time=0 run
}

# As a user would: from the tarball, in a folder that cannot be written to.
distcheck() {
  build dist
  make -s distcheck
}

(($# > 0)) || set -- gcc clang kernels lto none single tree pages install messages distcheck musl aarch64 systems compilers
for name; do
  case $name in
    gcc | clang)
      for compiler in "$name" "$name"-{1..30}; do
        [[ $compiler != "$name" ]] && ! command -v "$compiler" >/dev/null && continue
        ! has "$compiler" || check "$compiler" build_tests "$compiler" CC="$compiler"
      done
      ;;
    compilers) compilers ;;
    kernels) all_kernels ;;
    lto) check 'gcc -O3 -flto -D_FORTIFY_SOURCE=3' optimized ;;
    single)
      for switch in "${no_libraries[@]}" --without-mpi; do
        check "$switch" build "single$switch" "$switch"
      done
      ;;
    pages)
      check 'pages of 16 KiB' large_pages 16384
      check 'pages of 64 KiB' large_pages 65536
      ;;
    tree) check 'configure and make in the source' in_tree ;;
    none) check 'without every optional library' build none "${no_libraries[@]}" ;;
    install)
      check 'install and uninstall, with the link' installs
      check 'a real program called sysbench is spared' spares
      check 'without the link' no_alias
      ;;
    messages) messages ;;
    musl)
      if has musl-gcc; then
        check 'one static file, with musl' static_program "$(uname -m)"
        check 'the static file: command line and scripts' static_tests "$(uname -m)"
      fi
      ;;
    aarch64)
      if [[ $(uname -m) == x86_64 ]] && has aarch64-linux-gnu-gcc qemu-aarch64-static; then
        qemu=$(command -v qemu-aarch64-static)
        check 'one static file for aarch64' static_program aarch64 "$qemu"
        check 'aarch64: the counter is the clock' "$src/tests/lint/counter.sh" \
          "$work/static-aarch64/work/aarch64" "$qemu"
        check 'aarch64: command line and scripts' static_tests aarch64 "$qemu"
      fi
      ;;
    systems | glibc | macos | freebsd) all_systems "$name" ;;
    distcheck) check 'make distcheck' distcheck ;;
    *) check "there is no case '$name'" false ;;
  esac
done
printf '1..%d\n' "$count"
exit "$failed"
