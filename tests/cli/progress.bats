#!/usr/bin/env bats
# Lines of progress: they fit into the terminal, also into one that is resized;
# one vocabulary, and a sum at the end.
load helper

# on_terminal WORD COLUMNS ARG...: see progress.py.
on_terminal() {
  local word=$1 columns=$2
  shift 2
  LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;" run --separate-stderr \
    python3 "$BENCH_SRC/tests/cli/progress.py" "$word" "$columns" "$@"
}

oltp=(oltp_common --db-driver=sqlite --sqlite-synchronous=off)

@test "a line fits into 80 columns, and into 40 after the terminal was resized" {
  needs_driver sqlite
  on_terminal left 80,40,200 "$BENCH" "${oltp[@]}" --sqlite-db="$PWD/t" \
    --tables=3 --table-size=9000000 prepare
  must is "$status" 130
  must has "$output" '^width 80: [67][0-9]$'
  must has "$output" '^width 40: [1-3][0-9]$'
  must has "$output" '^width 200: 1[0-9][0-9]$'
  must has "$output" '^WARNING: interrupted: '
}

@test "the sum is printed for prepare, check and warmup, on stderr" {
  needs_driver sqlite
  local command
  for command in "prepare|Loaded 2000 rows in" "check|Checked 2000 rows in" \
    "warmup|Warmed up 2 tables in"; do
    LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;" bench -0 "${oltp[@]}" \
      --sqlite-db="$PWD/t" --tables=2 --table-size=1000 "${command%%|*}"
    must has "$stderr" "^${command#*|} [0-9.]+ s(, [0-9]+ rows/s)?$"
    must is "$(grep -c ' in [0-9.]* s' <<<"$output")" 0
  done
  LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;" bench "${oltp[@]}" \
    --sqlite-db="$PWD/t" --tables=2 --table-size=1000 --verbosity=2 check
  must is "$stderr" ""
}

@test "fileio shows the same line" {
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe true 2>/dev/null || skip "strace may not trace here"
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" on_terminal Wrote 80 \
    "$(command -v strace)" -f -o trace -e trace=pwrite64 \
    -e inject=pwrite64:delay_enter=400000:when=2+ \
    "$BENCH" fileio --file-num=3 --file-total-size=3M prepare
  must is "$status" 0
  must has "$output" '^width 80: [3-7][0-9]$'
  must has "$output" '^3145728 bytes written in'
}

@test "a run on a terminal has a line, which is removed before the report" {
  # It goes on until the lines have been seen.
  on_terminal left 80,40 "$BENCH" cpu --time=100 run
  must is "$status" 130
  must has "$output" '^width 80: [4-7][0-9]$'
  must has "$output" '^width 40: [1-3][0-9]$'
  must has "$output" '^    total time: '
  must is "$(grep -c ' left: ' <<<"$output")" 0
}

@test "a sweep on a terminal says which step it is, and how long all take" {
  on_terminal "step 1 of 2, about" 80 "$BENCH" cpu --time=3 --sweep=threads:1,2 run
  must is "$status" 0
  must has "$output" '^width 80: [4-7][0-9]$'
  must is "$(grep -c ' left; ' <<<"$output")" 0
}

@test "a run has no line in a pipe, beside intervals, as sysbench, or if it is unwanted" {
  bench cpu --time=2.2 run
  must is "$stderr" ""
  on_terminal left 80 "$BENCH" cpu --time=2.2 --report-interval=1 run
  must has "$output" '^width 80: 0$'
  on_terminal left 80 "$BENCH" cpu --time=2.2 --progress=off run
  must has "$output" '^width 80: 0$'
  ln -s "$BENCH" sysbench
  on_terminal left 80 "$PWD/sysbench" cpu --time=2.2 run
  must has "$output" '^width 80: 0$'
}
