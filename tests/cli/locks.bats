#!/usr/bin/env bats
# locks.bats - `mutex --mutex-kind` and `threads --thread-test`.
load helper

@test "each kind of lock: rate and latencies, and no addition is lost" {
  local kind
  for kind in pthread adaptive spin ticket mcs rwlock atomic; do
    bench mutex --mutex-kind=$kind --mutex-num=1 --mutex-loops=0 --threads=3 --events=3000 --time=0 --json=a.json run
    if [ $kind = adaptive ] && is_static; then # musl has none
      must is "$status" 1
      must is "$stderr" "FATAL: --mutex-kind=adaptive: the C library of this program has no such lock; choose another kind"
      continue
    fi
    must is "$status" 0
    must has "$output" "^Locks: 1 of kind $kind\$"
    must has "$output" "^Lock operations \($kind\):\$"
    must has "$output" '^    per second: +[1-9][0-9]*[.][0-9]{2}$'
    must has "$output" '^    99[.]9%, ns: +[0-9]+$'
    check a.json 'd["totals"]["events"] == 3000' "d['test']['mutex_kind'] == '$kind'"
  done
}

@test "a contention curve, a time limit, a rate" {
  bench -0 mutex --mutex-kind=mcs --mutex-num=1 --sweep=threads:1,2 --time=0.2 --json=s.json run
  must json s.json 'len(d["steps"]) == 2 and all(s["result"]["totals"]["events"] > 0 for s in d["steps"])'
  bench -0 mutex --mutex-kind=spin --rate=200 --time=0.3 --percentile=0 run
  must is "$(grep -c median <<<"$output")" 0
}

@test "each way to wake a thread, and to start one" {
  local test
  for test in handoff pipe futex spawn; do
    bench -0 threads --thread-test=$test --threads=2 --events=200 --time=0 --json=a.json run
    must has "$output" "^Thread test: $test\$"
    must has "$output" "^(Round trips|Threads started and ended) \($test\):\$"
    must has "$output" '^    median, ns: +[1-9][0-9]*$'
    check a.json 'd["totals"]["events"] == 200' "d['test']['thread_test'] == '$test'" \
      'd["totals"]["latency_ns"]["min"] > 0'
    must is "$stderr" ""
  done
}

@test "a pipe that cannot be made ends the run" {
  run -1 --separate-stderr bash -c 'ulimit -n 8; exec "$@"' - "$BENCH" threads --thread-test=pipe --threads=8 --events=10 run
  must has "$stderr" '^FATAL: cannot make a pipe for --thread-test=pipe, .*(open files|No file descriptors)'
}
