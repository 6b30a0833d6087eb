#!/usr/bin/env bash
# systems.sh - bench for macOS, FreeBSD or an old Linux, and its unit tests: compiled and
# linked by zig's C compiler, with all its libraries.  Warnings are errors.  Only those of
# Linux run here, by an emulator if they are for another processor.
#
# usage: systems.sh SYSTEM FOLDER LIBRARIES
#
# SYSTEM is one of scripts/system-libs.sh; FOLDER gets the build.  LIBRARIES has the
# libraries, or gets them: that takes minutes, once.
set -euo pipefail

src=$(cd "${BENCH_SRC:-$(dirname "$0")/../..}" && pwd)
(($# == 3)) || { echo 'usage: systems.sh SYSTEM FOLDER LIBRARIES' >&2; exit 1; }
system=$1
case $system in
*-macos) host=${system%-*}-apple-darwin22 ;;
*-glibc) host=${system%-*}-linux-gnu ;;
*) host=${system%-*}-unknown-freebsd14 ;;
esac

"$src/scripts/system-libs.sh" "$system" "$3"
libs=$(cd "$3/$system" && pwd)
mkdir -p "$2"
cd "$2"

# Manual pages are the same for all systems, and are made once, by a program that this
# build makes for itself; elsewhere they are empty.
pages=("GEN_DOCS=$(type -P true)") targets=(bench tools/gen_docs)
if [[ $system == aarch64-glibc ]]; then
  pages=() targets+=(pages completions/{bench,_bench,bench.fish})
fi
PATH=$libs/bin:$PATH PKG_CONFIG_LIBDIR=$libs/lib/pkgconfig PKG_CONFIG_PATH='' \
  "$src/configure" -q --host="$host" --build="$(gcc -dumpmachine)" --enable-werror \
  CC=zig-cc AR=zig-ar RANLIB=zig-ranlib NM=true "${pages[@]}" CFLAGS=-O1 \
  CPPFLAGS="-I$libs/include" LDFLAGS="-L$libs/lib" \
  --with-mysql --with-pgsql --with-sqlite --without-liburing --without-mpi

# makes ARGUMENT...: without a word.
makes() {
  PATH=$libs/bin:$PATH make -s -k -j"${JOBS:-$(getconf _NPROCESSORS_ONLN)}" "$@" 2>said ||
    { grep -E 'error:|warning:|undefined' said || cat said; exit 1; }
  ! grep -E 'warning:' said || exit 1
}
makes "${targets[@]}"
makes check TESTS= # the unit tests, and what else only tests need

# fails TEXT
fails() {
  echo "$system: $1"
  exit 1
}

# lists WHAT: what the linker has put into the program.
case $system in
aarch64-macos) kind='Mach-O 64-bit arm64 executable' ;;
x86_64-macos) kind='Mach-O 64-bit x86_64 executable' ;;
x86_64-glibc) kind='ELF 64-bit LSB .*x86-64.*for GNU/Linux' ;;
aarch64-glibc) kind='ELF 64-bit LSB .*ARM aarch64.*for GNU/Linux' ;;
*) kind='ELF 64-bit LSB .*x86-64.*for FreeBSD 14' ;;
esac
file -b bench | grep -q "$kind" || fails "bench is $(file -b bench)"

# What the system lacks, bench --version says: tests/unit/program/test_version.c.
lacks=io_uring
[[ $system != *-macos ]] || lacks='O_DIRECT (F_NOCACHE is used)'
if [[ $system != *-glibc ]]; then
  texts=$(strings -a bench)
  grep -qx 'not on this system: %s' <<<"$texts" || fails '--version does not say what is missing'
  grep -q "$lacks.*NUMA nodes on request" <<<"$texts" || fails "$lacks is not said to be missing"
fi

# It needs the system's own libraries, and no others.
case $system in
*-macos)
  needed=$(llvm-objdump --macho --dylibs-used bench | sed -n 's/^\t\([^ ]*\) .*/\1/p')
  allowed='^/usr/lib/libSystem\.B\.dylib$'
  exported=$(llvm-objdump --macho --exports-trie bench | sed -n 's/^0x[0-9A-F]* *_\([a-z_0-9]*\).*/\1/p')
  ;;
*)
  needed=$(readelf -dW bench | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  allowed='^(lib(c|m|thr|pthread|dl|rt|util|gcc_s|ssp)|ld-linux-(x86-64|aarch64))\.so\.[0-9]+$'
  exported=$(readelf --dyn-syms -W bench | awk '$7 != "UND" { print $8 }')
  ;;
esac
[[ -n $needed ]] || fails 'it needs no library'
! grep -vE "$allowed" <<<"$needed" || fails 'it needs other libraries than those of the system'

# Scripts find the functions of their interface.
for name in $(grep -oE '^ *[a-z_0-9]+;' src/lua/exports.list | tr -d ' ;'); do
  grep -qx "$name" <<<"$exported" || fails "$name is not exported"
done

# Nothing of a newer C library than 2.28, and what a first user does.
if [[ $system == *-glibc ]]; then
  newest=$(readelf -VW bench | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
  [[ -n $newest ]] || fails 'it names no version of the C library'
  [[ $(printf 'GLIBC_2.28\n%s\n' "$newest" | sort -V | tail -n 1) == GLIBC_2.28 ]] ||
    fails "it needs $newest"
  mkdir -p tried/bin tried/share
  cp bench tried/bin/
  ln -sfn "$src/src/lua/scripts" tried/share/bench
  program=$PWD/tried/bin/bench
  if [[ $system != "$(uname -m)"-* ]]; then
    qemu=$(command -v "qemu-${system%-*}-static") ||
      { echo "qemu-${system%-*}-static is not installed"; exit 77; }
    program=$PWD/tried/emulated
    printf "#!/bin/sh\nexec '%s' -L '%s' '%s' \"\$@\"\n" "$qemu" "/usr/${system%-*}-linux-gnu" \
      "$PWD/tried/bin/bench" >"$program"
    chmod +x "$program"
  fi
  "$src/tests/packages/try.sh" "$program"
fi

# The pages have the options of all drivers, and the program that wrote them is of this
# machine.
if [[ $system == aarch64-glibc ]]; then
  for option in --mysql-host --pgsql-host --sqlite-db; do
    grep -q -- "${option//-/\\\\-}" man/bench.1 || fails "bench.1 lacks $option"
    grep -q -- "$option" completions/bench || fails "the completion of bash lacks $option"
  done
  [[ $(uname -m) == aarch64 || $(file -b native/tools/gen_docs) != *aarch64* ]] ||
    fails 'gen_docs is of the other machine'
fi
