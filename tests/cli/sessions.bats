#!/usr/bin/env bats
# What is printed where, and the exit status, when something is wrong with the
# command line.
load helper

# check STATUS STDERR ARG...: stdout holds the header alone.
header_only() {
  local want_status=$1 want_stderr=$2
  shift 2
  bench "$@" </dev/null
  must is "$status" "$want_status"
  must is "$stderr" "$want_stderr"
  must is "$(wc -l <<<"$output")" 1
  must has "$output" '^bench [0-9]+\.[0-9]+\.[0-9]+.* \(using system LuaJIT .*\)$'
}

# The same with nothing on stdout.
silent() {
  local want_status=$1 want_stderr=$2
  shift 2
  bench "$@" </dev/null
  must is "$status" "$want_status"
  must is "$stderr" "$want_stderr"
  must is "$output" ""
}

@test "a built-in test needs a command" {
  for t in cpu memory threads mutex; do
    header_only 1 "The '$t' test requires a command argument. See 'bench $t help'" $t
  done
}

@test "commands that are unknown or not implemented" {
  header_only 1 $'Unknown command: foo\ncommands: run help' cpu foo
  for t in cpu memory threads mutex; do
    for c in prepare cleanup; do
      header_only 1 "'$t' test does not implement the '$c' command." $t $c
    done
  done
}

# Where modules are looked for, but for the home of the user.
FOLDERS="'.', './src/lua', '/usr/local/share/lua/5.1', '/usr/share/lua/5.1'"

@test "neither a test nor a script" {
  header_only 1 "FATAL: the script on the standard input is empty (to run a test, name it: bench cpu run; see bench --help)"
  header_only 1 "FATAL: the script on the standard input is empty (to run a test, name it: bench cpu run; see bench --help)" - run
  # As sysbench does.
  ln -s "$BENCH" sysbench
  run --separate-stderr ./sysbench </dev/null
  must is "$status $stderr" '0 '
  echo 'print(1)' >one.lua
  run -0 --separate-stderr "$BENCH" <one.lua
}

@test "unknown tests and options" {
  unset HOME
  header_only 1 "FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or module"$'\nsearched: '"$FOLDERS, '$BENCH_DATADIR'" nosuch run
  header_only 1 "FATAL: Cannot find benchmark 'a/nosuch.lua': no such built-in test, file or module"$'\nsearched: '"'a', '$BENCH_DATADIR'" a/nosuch.lua run
  header_only 1 "invalid option: --bad=1" cpu --bad=1 run
  header_only 1 $'invalid option: --file-num=1\n--file-num is an option of the fileio test' cpu --file-num=1 run
}

@test "bundled scripts that are nowhere are named with the remedy" {
  needs_files
  unset HOME
  BENCH_DATADIR=$PWD/none bench -1 nosuch run
  must is "$stderr" "FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or module
searched: $FOLDERS, '$PWD/none'
the folder of the bundled scripts, '$PWD/none', does not exist: install bench, or set BENCH_DATADIR"
}

@test "a program finds its scripts in the source, in a build folder and installed" {
  needs_files
  local from=$BENCH_DATADIR place folder
  unset BENCH_DATADIR HOME
  while read -r place folder; do
    mkdir -p "$PWD/$place" "$PWD/$folder"
    cp "$BENCH" "$PWD/$place/bench"
    cp -R "$from/." "$PWD/$folder/"
    run -0 --separate-stderr "$PWD/$place/bench" oltp_read_only help
    must has "$output" 'point.selects='
    run --separate-stderr "$PWD/$place/bench" nosuch run
    # What was installed where configure says comes first.
    must has "$stderr" "'($PWD/$place/.*|/usr(/local)?/share/bench)'\$"
  done <<'PLACES'
tree tree/src/lua/scripts
built/build built/src/lua/scripts
usr/bin usr/share/bench
PLACES
}

@test "an option with a slip gets a suggestion" {
  bench -1 cpu --thread=2 run
  must is "$stderr" $'invalid option: --thread=2\ndid you mean --threads?'
}

@test "a test with a slip gets a suggestion" {
  bench -1 memroy run
  must is "$stderr" $'FATAL: Cannot find benchmark \'memroy\': no such built-in test, file or module\ndid you mean memory?'
  bench oltp_raed_only run
  must has "$stderr" '^did you mean oltp_read_only\?$'
}

@test "what newcomers type gets a suggestion" {
  local line hint
  while IFS='|' read -r line hint; do
    # shellcheck disable=SC2086 # arguments
    bench -1 $line </dev/null
    must is "$(tail -n 1 <<<"$stderr")" "$hint"
  done <<'LINES'
cpu --threads 4 run|did you mean --threads=4?
cpu -threads=4 run|did you mean --threads=4?
fileio --file-num 4 prepare|did you mean --file-num=4?
-?|did you mean --help?
version|did you mean --version?
run|'run' is a command: the test comes first, as in 'bench cpu run'
prepare|'prepare' is a command: the test comes first, as in 'bench cpu prepare'
cpu runn|did you mean run?
oltp_read_only --db-driver=null prepar|did you mean prepare?
oltp_read_only --db-driver=null --cpu-max-prime=3 run|--cpu-max-prime is an option of the cpu test
LINES
}

@test "arguments too many" {
  silent 1 "Unrecognized command line argument: extra" cpu run extra
  silent 1 $'Unrecognized command line argument: -x\noptions are written --NAME=VALUE, as in --threads=4' cpu run -x
  silent 1 "Unrecognized command line argument: 4" cpu --threads=1 run 4
}

@test "bad values of core options, before anything is printed" {
  silent 1 "FATAL: Invalid value for --threads: '0' (expected an integer from 1 to 1000000)" cpu --threads=0 run
  silent 1 "FATAL: Invalid value for --threads: '' (expected an integer from 1 to 1000000)" cpu --threads run
  silent 1 "FATAL: Invalid value for --rand-type: 'zzz' (expected one of: uniform, gaussian, special, pareto, zipfian)" cpu --rand-type=zzz run
  silent 1 "FATAL: Invalid value for --report-checkpoints: 'a' (expected a comma-separated list of times from 1 to 4294967295 whole seconds, such as 60, 5m or 1h)" cpu --report-checkpoints=1,a run
  silent 1 "FATAL: Invalid value for --percentile: '101' (expected a number from 0 to 100)" cpu --percentile=101 run
  silent 1 "FATAL: Invalid value for --forced-shutdown: '5x' (expected off, a time such as 30 or 5m, or a percentage of --time)" cpu --forced-shutdown=5x run
  silent 1 "FATAL: --histogram cannot be used with --percentile=0" cpu --histogram --percentile=0 run
}

@test "bad values of the test's options, after the header" {
  header_only 1 "FATAL: Invalid value for --cpu-max-prime: '0' (expected an integer of 1 or more)" cpu --cpu-max-prime=0 run
  header_only 1 "FATAL: Invalid value for --thread-locks: '0' (expected an integer from 1 to 4294967295)" threads --thread-locks=0 run
  header_only 1 "FATAL: Invalid value for --mutex-num: '0' (expected an integer from 1 to 4294967295)" mutex --mutex-num=0 run
  header_only 1 "FATAL: Invalid value for --mutex-locks: '0' (expected an integer of 1 or more)" mutex --mutex-locks=0 run
  header_only 1 "FATAL: Invalid value for --memory-scope: 'x' (expected one of: global, local)" memory --memory-scope=x run
}

@test "memory sizes that make no sense" {
  for v in 0 7 12 3K; do
    header_only 1 "FATAL: Invalid value for --memory-block-size: '$v' (expected a power of two from 8 to 4611686018427387904, such as 1K or 2M)" memory --memory-block-size=$v run
  done
  bench -1 memory --memory-block-size=2M --memory-total-size=20M --threads=16 run
  must has "$stderr" "^FATAL: Invalid value for --memory-total-size: '20971520' \(expected 0 or a size from 33554432 to"
  bench -1 memory --memory-block-size=2M --memory-total-size=1M run
}

@test "--version and --help win over every error" {
  bench -0 --version
  must has "$output" '^bench [0-9]+\.[0-9]+\.[0-9]+'
  must is "${#lines[@]}" 1
  bench -0 --threads=0 --help
  must has "$output" '^  --threads=COUNT +number of worker threads \[1\]$'
  bench -0 cpu --threads=0 --nosuch --help
  must has "$output" '^  --cpu-max-prime=COUNT '
}

@test "--version names what is built in when asked for details" {
  bench --version
  version=$output
  bench -0 --version --debug
  must is "${lines[0]}" "$version"
  must has "$output" '^Lua: LuaJIT 2\.1'
  drivers=$("$BENCH" --db-driver=help | sed -n 's/^  \([a-z]*\) - .*/\1/p' | paste -sd ' ')
  must has "$output" "^database drivers: $drivers\$"
  modes=()
  for mode in sync async mmap io_uring; do
    "$BENCH" fileio --file-num=1 --file-total-size=16K --file-test-mode=rndrd \
      --file-io-mode=$mode run >refused 2>&1 || :
    grep -q 'was built without it' refused || modes+=("$mode")
  done
  must has "$output" "^file I/O modes: ${modes[*]}\$"
  bench --verbosity=5 --version
  must is "${lines[0]}" "$version"
  must holds "${#lines[@]} > 4"
}

@test "the name sysbench" {
  ln -s "$BENCH" sysbench
  run ./sysbench --version
  must is "$output" "sysbench 1.0.20"
  BENCH_COMPAT=1.1 run ./sysbench --version
  must is "$output" "sysbench 1.1.0"
  run --separate-stderr ./sysbench cpu
  must is "$stderr" "The 'cpu' test requires a command argument. See 'sysbench cpu help'"
}

@test "a wrong BENCH_COMPAT" {
  BENCH_COMPAT=2 bench -1 cpu --time=1 run
  must is "$stderr" "FATAL: Invalid value for BENCH_COMPAT: '2' (expected one of: 1.0, 1.1)"
}

@test "help of a test" {
  bench -0 threads help
  must is "$(sed -n '/options:$/,$p' <<<"$output")" "threads options:
  --thread-yields=COUNT       lock-yield-unlock rounds per event [1000]
  --thread-locks=COUNT        number of mutexes [8]
  --thread-test=handoff|pipe|futex|spawn
                              measure wake-ups, or the start of threads,
                              instead of yields"
}

@test "the 0.5 form" {
  bench -0 --test=cpu --num-threads=2 --max-time=1 --max-requests=0 run
  must is "$(head -n 4 <<<"$stderr" | sed -n '1s/,.*//p;2,4p')" \
"WARNING: --test is deprecated
WARNING: --num-threads is deprecated, use --threads instead
WARNING: --max-requests is deprecated, use --events instead
WARNING: --max-time is deprecated, use --time instead"
  must has "$output" '^Number of threads: 2$'
}

@test "called sysbench: old names with values that do nothing have a warning at verbosity 4" {
  ln -s "$BENCH" sysbench
  run -0 --separate-stderr ./sysbench cpu --num-threads=1 --tx-rate=0 --max-requests=0 --time=1 run
  must is "$stderr" ''
  run --separate-stderr ./sysbench cpu --num-threads=1 --events=1 --verbosity=4 run
  must has "$stderr" '^WARNING: --num-threads is deprecated, use --threads instead$'
}

@test "drivers in the help, and --db-driver=help" {
  bench -0 --db-driver=help
  must is "${lines[0]}" "Compiled-in database drivers:"
  must has "$output" '^  null - '
  drivers=$(sed -nE 's/^  ([a-z]+) - .*/\1/p' <<<"$output")
  list=$output
  bench --help=json
  for name in $drivers; do
    must has "$output" "^ *\"name\": \"$name-"
  done
  bench -0 oltp_read_only --db-driver=help run
  must is "$output" "$list"
}

@test "text that cannot be written is an error, and one line says why" {
  printf 'function event() end function prepare() print("prepared") end' >x.lua
  local args
  for args in "--help" "--version" "cpu help" "cpu --events=1 run" "./x.lua prepare"; do
    status=0
    # shellcheck disable=SC2086 # several arguments
    "$BENCH" $args >/dev/full 2>err || status=$?
    stderr=$(without_machine <err)
    must is "$status" 1
    must is "$stderr" \
      "FATAL: cannot write to the standard output, errno = 28 (No space left on device)"
  done
  # Results tell it of themselves.
  status=0
  "$BENCH" cpu --events=1 --json=- run >/dev/full 2>err || status=$?
  must is "$status" 1
  must is "$(grep -c 'No space left' err)" 1
}

@test "a reader that has seen enough is no error" {
  (
    trap '' PIPE # else the signal ends it, as ever
    "$BENCH" --help 2>err | true
    echo "${PIPESTATUS[0]}" >status
    "$BENCH" cpu --time=1 --report-interval=0.1 run 2>>err | head -n 1 >line
    echo "${PIPESTATUS[0]}" >>status
  )
  must is "$(xargs <status)" "0 0"
  must is "$(without_machine <err)" ""
  must has "$(<line)" '^bench '
}
