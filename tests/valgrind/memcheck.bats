#!/usr/bin/env bats
# memcheck.bats - a short run of each test under valgrind: no invalid access, no
# use of undefined values, nothing lost.  Run by `make check-valgrind`.
#
# Sanitizers do not see what LuaJIT's machine code and libraries that were built
# without them do; valgrind does.

setup() {
  command -v valgrind >/dev/null || skip 'valgrind is not installed'
  work=$(mktemp -d)
  cd "$work" || return 1
}

teardown() {
  [[ -z ${work:-} ]] || rm -rf "$work"
}

# Exit status 99: valgrind has found something, and says what.
checked() {
  valgrind -q --error-exitcode=99 --leak-check=full \
    --errors-for-leak-kinds=definite,possible --fair-sched=yes \
    --suppressions="$BENCH_SRC/tests/valgrind/memcheck.supp" "$@"
}

# clean ARGUMENT...: a run that ends well and has nothing against it.
clean() {
  run checked "$BENCH" "$@"
  printf '%s\n' "$output" >&2
  [[ $status == 0 && $output != *'=='[0-9]*'=='* ]]
}

@test 'what is wrong is found' {
  cat >wrong.c <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
  char *p = malloc(8);
  (void)argv;
  p[argc + 7] = 1; /* one too far */
  p = NULL;        /* lost */
  return 0;
}
END
  ${CC:-cc} -O0 -o wrong wrong.c
  run checked ./wrong
  [[ $status == 99 && $output == *'Invalid write'* && $output == *'definitely lost'* ]]
}

@test 'help, and a refused option' {
  clean --help
  run checked "$BENCH" cpu --threads=abc run
  [[ $status == 1 && $output != *'=='[0-9]*'=='* ]]
}

@test 'cpu, with all results for machines' {
  clean cpu --cpu-max-prime=50 --events=50 --threads=2 --histogram \
    --percentiles=50,99 --json=out.json --csv=out.csv --stream=out.jsonl \
    --hdr-log=out.hlog --event-log=events.csv run
  clean report out.json -o out.html
  clean compare out.json out.json
}

@test 'threads' {
  clean threads --events=20 --threads=3 --thread-yields=10 --thread-locks=2 run
}

@test 'mutex' {
  clean mutex --threads=3 --mutex-num=4 --mutex-locks=50 --mutex-loops=10 run
}

@test 'memory' {
  for oper in read write none; do
    clean memory --memory-block-size=1K --memory-total-size=64K --threads=2 \
      --memory-oper="$oper" run
    clean memory --memory-block-size=1K --memory-total-size=64K --threads=2 \
      --memory-oper="$oper" --memory-access-mode=rnd run
  done
}

# One engine: prepare, all modes, cleanup.
fileio() {
  local sizes=(--file-num=2 --file-total-size=256K --file-block-size=4K
    --validate=on)
  clean fileio "${sizes[@]}" prepare
  for mode in seqwr seqrd rndrw; do
    clean fileio "${sizes[@]}" --file-test-mode="$mode" --file-io-mode="$1" \
      --threads=2 --events=40 run
    [[ $mode != seqwr ]] || clean fileio "${sizes[@]}" prepare
  done
  clean fileio "${sizes[@]}" cleanup
}

# has ENGINE: this build offers it.
has() {
  "$BENCH" fileio help | grep -A 1 'file-io-mode' | grep -q "$1"
}

@test 'fileio: sync' {
  fileio sync
}

@test 'fileio: async' {
  has async || skip 'built without libaio'
  fileio async
}

@test 'fileio: mmap' {
  fileio mmap
}

@test 'fileio: io_uring' {
  has io_uring || skip 'built without liburing'
  fileio io_uring
}

# oltp DRIVER ARGUMENT...
oltp() {
  local options=(--db-driver="$@" --tables=2 --table-size=100)
  clean oltp_read_write "${options[@]}" prepare
  clean oltp_read_write "${options[@]}" --threads=2 --events=10 run
  clean oltp_read_write "${options[@]}" --threads=2 --events=4 \
    --db-ps-mode=disable run
  clean oltp_read_write "${options[@]}" cleanup
}

@test 'oltp: null' {
  oltp null
}

@test 'oltp: SQLite' {
  "$BENCH" --db-driver=help 2>&1 | grep -q sqlite || skip 'built without SQLite'
  oltp sqlite --sqlite-db="$work/db"
}
