#!/usr/bin/env bats
# The life of a run: limits, moments of reports, signals, exit status.
load helper

@test "exactly so many events, over all threads" {
  for n in 1 7 1000; do
    bench -0 cpu --cpu-max-prime=100 --threads=3 --events=$n --time=0 run
    must is "$(number 'total number of events:')" "$n"
  done
}

@test "the time limit" {
  bench -0 cpu --cpu-max-prime=1000 --threads=2 --time=1 --json=r.json run
  # Without the option, the limit is 10 s.
  must holds "$(number 'total time:') >= 1 && $(number 'total time:') < 9"
  check r.json "d['run']['end_reason'] == 'time_limit'"
}

@test "neither limit: a warning, and the mutex test ends by itself" {
  bench -0 mutex --mutex-locks=10 --mutex-loops=10 --time=0 --threads=4 run
  must has "$stderr" '^WARNING: Both event and time limits are disabled, running an endless test$'
  must is "$(number 'total number of events:')" 4
  bench mutex --mutex-locks=10 --mutex-loops=10 --events=2 --threads=4 run
  must is "$(number 'total number of events:')" 2
}

@test "memory does exactly its total" {
  bench memory --memory-total-size=10K --threads=4 run
  must is "$(number 'Total operations:')" 10
  bench memory --memory-block-size=2M --memory-total-size=20M --threads=4 run
  must is "$(number 'Total operations:')" 10
  for scope in global local; do
    for oper in read write none; do
      for mode in seq rnd; do
        bench -0 memory --memory-block-size=8 --memory-total-size=8000 --memory-scope=$scope \
          --memory-oper=$oper --memory-access-mode=$mode --threads=3 run
        must is "$(number 'Total operations:')" 1000
      done
    done
  done
}

@test "memory does its total after the warm-up" {
  bench -0 memory --memory-total-size=10K --threads=2 --warmup-time=1 --time=5 run
  # Of each thread, the event that was open at the end of the warm-up counts too.
  n=$(number 'Total operations:')
  must holds "$n >= 10 && $n <= 12"
}

@test "mutex does its event after the warm-up" {
  bench -0 mutex --mutex-locks=10 --mutex-num=16 --mutex-loops=10 --threads=2 --warmup-time=1 --time=5 run
  # The events that were open at the end of the warm-up count here, too.
  n=$(number 'total number of events:')
  must holds "$n >= 2 && $n <= 4"
}

# With this seed there is an arrival after 0.2 seconds and one after 17.
@test "memory and mutex do not wait for an arrival after their last event" {
  local args=(--rate=0.1 --rand-seed=38 --time=10 --verbosity=4)
  bench -0 memory --memory-block-size=1M --memory-total-size=1M "${args[@]}" run
  must is "$(number 'Total operations:')" 1
  must is "$(grep "Time limit" <<<"$output")" ""
  bench -0 mutex --mutex-locks=10 --mutex-num=16 --mutex-loops=10 "${args[@]}" run
  must is "$(number 'total number of events:')" 1
  must is "$(grep "Time limit" <<<"$output")" ""
}

@test "memory: --events has no effect, and says so" {
  bench memory --memory-total-size=10K --events=3 run
  must is "$(number 'Total operations:')" 10
  must is "$stderr" "WARNING: --events has no effect on the memory test"
  ln -s "$BENCH" sysbench
  BENCH=./sysbench bench memory --memory-total-size=10K --events=3 run
  must is "$(number 'Total operations:')" 10
  must is "$stderr" ""
}

@test "tests without Lua: --luajit-cmd has no effect, and says so" {
  local command
  for command in nosuch off; do
    bench -0 mutex --mutex-num=1 --mutex-locks=1 --mutex-loops=1 --luajit-cmd="$command" run
    must has "$stderr" '^WARNING: --luajit-cmd has no effect on the mutex test$'
  done
  bench -0 mutex --mutex-num=1 --mutex-locks=1 --mutex-loops=1 --luajit-cmd= run
  must is "$(grep luajit <<<"$stderr")" ""
}

@test "the threads test does its events in turn over the mutexes" {
  bench -0 threads --threads=2 --thread-locks=3 --thread-yields=5 --events=6 run
  must is "$(number 'total number of events:')" 6
}

# A line that is late by a whole interval leaves points of the grid out.
@test "interval lines stand on the grid, the last one with the time limit" {
  local at
  bench cpu --cpu-max-prime=1000 --time=2 --report-interval=0.5 --threads=2 run
  at=$(sed -nE 's/^\[ (.*s) \] thds: 2 eps: [0-9.]+ lat \(ms,95%\): [0-9.]+$/\1/p' <<<"$output" | xargs)
  must has "$at" '^(0\.5s )?(1\.0s )?(1\.5s )?2\.0s$'
  must is "$(grep -c '^\[' <<<"$output")" "$(wc -w <<<"$at")"
}

@test "checkpoints are full reports of their own period" {
  bench -0 cpu --cpu-max-prime=1000 --time=3 --report-checkpoints=2,1,1 run
  must is "$(grep -c 'Checkpoint report:' <<<"$output")" 2
  must has "$output" '^\[ 1s \] Checkpoint report:$'
  must has "$output" '^\[ 2s \] Checkpoint report:$'
  must has "$output" '^Report checkpoint\(s\) at 1, '
  must is "$(grep -c '^    total number of events:' <<<"$output")" 3
}

@test "an interval and a checkpoint at the same second both have percentiles" {
  bench cpu --cpu-max-prime=1000 --time=2 --report-interval=1 --report-checkpoints=1 run
  must is "$(grep -c '95th percentile: *0.00$' <<<"$output")" 0
  must is "$(grep -cE 'lat \(ms,95%\): 0.00$' <<<"$output")" 0
}

@test "a warm-up is not counted" {
  bench -0 cpu --cpu-max-prime=1000 --warmup-time=1 --time=1 --report-interval=1 --json=r.json run
  # The intervals and the report are of the time after it.
  check r.json "d['run']['measured_start_monotonic_ns'] >= d['run']['start_monotonic_ns'] + 10**9" \
    "d['totals']['elapsed_s'] * 1e9 <= d['run']['end_monotonic_ns'] - d['run']['measured_start_monotonic_ns'] + 1e6" \
    "sum(i['events'] for i in d['intervals']) == d['totals']['events']"
  must has "$output" '^Warmup time: 1s$'
  must has "$output" '^Warming up for 1 seconds\.\.\.$'
  must is "$(grep -c '^\[' <<<"$output")" 1
}

@test "events count after the warm-up only" {
  bench cpu --cpu-max-prime=100 --warmup-time=1 --events=10 --threads=2 run
  # Of each thread, the event that was open at the end of the warm-up counts too.
  n=$(number 'total number of events:')
  must holds "$n >= 10 && $n <= 12"
}

@test "all rates of a report have one divisor" {
  bench -0 cpu --cpu-max-prime=1000 --time=1 --threads=2 --compat=1.1 run
  eps=$(number 'events/s \(eps\):')
  rate=$(number 'events per second:')
  n=$(number 'total number of events:')
  t=$(number 'time elapsed:')
  must holds "$eps - $rate < 0.01 && $rate - $eps < 0.01"
  must holds "$n / $t / $eps > 0.999 && $n / $t / $eps < 1.001"
  # Mean over the threads times the threads is the total.
  mean=$(number 'events \(avg/stddev\):')
  must holds "2 * $mean == $n"
}

# Arrivals are those of the schedule, however busy the machine is.
@test "a rate is kept, and latency counts from the arrival" {
  bench -0 cpu --cpu-max-prime=100 --rate=200 --time=2 --report-interval=1 --json=r.json run
  check r.json "300 < d['rate']['arrivals'] / d['rate']['offered_s'] * 2 < 500" \
    "abs(d['totals']['events'] + d['rate']['backlog'] - d['rate']['arrivals']) <= 1" \
    "d['totals']['latency_ns']['mean'] >= d['rate']['lag_ns']['mean']"
  must is "$(grep -c '^\[.* queue length: ' <<<"$output")" "$(grep -c '^\[.* thds: ' <<<"$output")"
  must has "$output" '^Target transaction rate: 200/sec$'
}

@test "a rate that cannot be kept is measured to the end" {
  bench -0 cpu --rate=1000000 --time=1 --report-interval=1 run
  must holds "$(number 'queue length:') > 900000"
  must holds "$(number 'max:') > 500"
}

@test "--rate-overload=abort ends with the old message" {
  bench -1 cpu --cpu-max-prime=100000 --rate=1000000 --time=20 --rate-overload=abort run
  must has "$stderr" '^FATAL: The event queue is full: 131072 events are waiting, the worker threads cannot keep up with --rate=1000000$'
  must has "$output" 'total number of events:'
}

@test "what a warm-up leaves behind is no full queue" {
  # Events are slow until the warm-up is over, whatever time the machine takes.
  cat >slow.lua <<'L'
ffi.cdef("int usleep(uint32_t); int clock_gettime(int, struct { long s, ns; } *);")
local t = ffi.new("struct { long s, ns; }[1]")
local function now()
  ffi.C.clock_gettime(1, ffi.cast("void *", t))
  return tonumber(t[0].s) + tonumber(t[0].ns) / 1e9
end
local slow_until
function event()
  slow_until = slow_until or now() + 1.05
  if now() < slow_until then ffi.C.usleep(5000) end
end
L
  bench -0 ./slow.lua --rate=140000 --rate-overload=abort --warmup-time=1 \
    --time=0 --events=1000 --json=r.json run
  must is "$(grep -Ec 'queue|had not begun' <<<"$stderr")" 0
  check r.json "d['rate']['arrivals'] >= 1000" "d['rate']['backlog'] == 0"
}

@test "after the last event and after the end no event is due" {
  cat >last.lua <<'L'
require("ffi").cdef "int usleep(uint32_t);"
local n = 0
function event()
  n = n + 1
  if n == 50 then ffi.C.usleep(500000) end
end
L
  bench -0 ./last.lua --rate=500 --time=0 --events=50 --json=r.json run
  must is "$(grep -c 'had not begun' <<<"$stderr")" 0
  check r.json "d['rate']['arrivals'] == 50" "d['rate']['backlog'] == 0"
}

@test "the wait for a processor is that of the measured part" {
  local n=$((4 * $(nproc)))
  bench -0 cpu --threads=$n --warmup-time=2 --time=1 --json=r.json run
  # Not more than all that all of them could wait; the warm-up has twice as much.
  check r.json "d['client']['run_queue_delay_s'] < 1.2 * $n * d['totals']['elapsed_s']"
}

# interrupted SIGNAL STATUS
interrupted() {
  rm -f out err
  "$BENCH" cpu --cpu-max-prime=1000 --time=60 --report-interval=0.2 run >out 2>err 3>&- &
  local pid=$!
  until grep -q '^\[' out; do read -rt 0.05 <> <(:) || :; done
  kill -"$1" $pid
  status=0
  wait $pid || status=$?
  output=$(cat out) stderr=$(without_machine <err)
  must is "$status" "$2"
  must is "$stderr" "WARNING: stopped by SIG$1"
  must has "$output" 'execution time \(avg/stddev\):'
  must holds "$(number 'total number of events:') > 0"
}

@test "SIGINT and SIGTERM print the full report" {
  interrupted INT 130
  interrupted TERM 143
}

@test "events that do not end are left behind at the deadline" {
  bench -2 cpu --cpu-max-prime=2000000000 --time=1 --forced-shutdown=1 --threads=2 run
  must holds "$(number 'total time:') >= 2"
  must is "$stderr" "FATAL: The --max-time limit has expired, forcing shutdown..."
  must has "$output" '^Forcing shutdown in 2 seconds$'
  must has "$output" '^Number of unfinished transactions on forced shutdown: 2$'
  must has "$output" 'total number of events: *0$'
}

@test "a forced shutdown in percent does not race with the normal end" {
  # Fractions of a second are kept: nine tenths of this one are left to end in.
  bench -0 cpu --cpu-max-prime=1000 --time=1 --forced-shutdown=90% run
  # More than nanoseconds can hold is after the time limit, too.
  bench -0 cpu --cpu-max-prime=10 --events=1 --time=3600 --forced-shutdown=999999999% run
  must has "$output" '^Forcing shutdown in 1[0-9]{10} seconds$'
}

@test "no time to end in is enough when no event is in progress" {
  # With this seed there is an arrival after 0.2 seconds and one after 17.
  bench -0 cpu --cpu-max-prime=10 --rate=0.1 --rand-seed=38 --time=1 --forced-shutdown=0 run
  must is "$(number 'total number of events:')" 1
  must is "$stderr" ""
}

@test "a second signal ends at once" {
  "$BENCH" cpu --cpu-max-prime=2000000000 --time=60 run >out 2>err 3>&- &
  pid=$!
  until_started "$pid"
  # The same one a moment later is an echo of the first.
  while kill -INT $pid 2>/dev/null; do read -rt 0.05 <> <(:) || :; done
  status=0
  wait $pid || status=$?
  must is "$status" 130
}

@test "a signal that comes to the process and to its group is one signal" {
  for i in 1 2; do
    rm -f out err
    setsid "$BENCH" cpu --cpu-max-prime=1000 --time=60 run >out 2>err 3>&- &
    pid=$!
    until_started "$pid"
    kill -INT -- $pid -$pid
    status=0
    wait $pid || status=$?
    must is "$status" 130
    must has "$(<out)" '^    execution time'
    must is "$(without_machine <err)" "WARNING: stopped by SIGINT"
  done
}

@test "the same seed and threads: the same draws" {
  run_seed() { "$BENCH" mutex --mutex-locks=1000 --mutex-loops=1 --threads=2 --rand-seed="$1" run; }
  run -0 run_seed 7
  must has "$output" '^Initializing random number generator from seed \(7\)\.$'
}

@test "verbosity" {
  bench cpu --cpu-max-prime=100 --events=10 --verbosity=0 run
  must is "$output$stderr" ""
  bench cpu --cpu-max-prime=100 --events=10 --threads=2 --verbosity=4 run
  must has "$output" '^Doing CPU performance benchmark$'
  must has "$output" '^Done\.$'
  must has "$output" '^Event limit exceeded, exiting\.\.\.$'
}

@test "--debug shows threads" {
  bench cpu --cpu-max-prime=100 --events=10 --threads=2 --debug run
  must has "$output" '^Debug mode enabled\.$'
  must has "$stderr" '^DEBUG: Worker thread \(#1\) started$'
  must has "$stderr" '^DEBUG: Verbose per-thread statistics:$'
  must has "$stderr" '^DEBUG:     thread #  1: min: '
}

@test "a histogram and more percentiles" {
  bench -0 cpu --cpu-max-prime=1000 --events=100 --histogram --percentiles=50,99.9 run
  must has "$output" '^Latency histogram \(values are in milliseconds\)$'
  rows=$(sed -nE 's/^ +[0-9.]+ \|.* ([0-9]+)$/\1/p' <<<"$output" | awk '{n += $1} END {print n}')
  must is "$rows" 100
  must is "$(tail -n 3 <<<"$output" | sed -E 's/ +[0-9.]+$//')" \
"Latency distribution (ms):
         p50
         p99.9"
}

@test "the usual percentiles follow the block of latencies under the name bench alone" {
  bench -0 cpu --cpu-max-prime=10 --events=1000 run
  must has "$output" '^         p50 [0-9.]+, p95 [0-9.]+, p99 [0-9.]+, p99.9 [0-9.]+$'
  must is "$(grep -c percentile <<<"$output")" 1
  bench -0 cpu --cpu-max-prime=10 --events=20 run
  must has "$output" '^         p50 [0-9.]+, p95 [0-9.]+$'
  bench -0 cpu --cpu-max-prime=10 --events=1000 --percentile=0 run
  must lacks "$output" '^ +p50 '
  ln -sf "$BENCH" sysbench
  must lacks "$(./sysbench cpu --cpu-max-prime=10 --events=1000 run)" '^ +p50 '
}

@test "the smallest thread stack is enough for each test" {
  local test
  for test in cpu memory threads mutex "fileio --file-num=1 --file-total-size=16K --file-test-mode=seqwr"; do
    # shellcheck disable=SC2086
    bench $test --thread-stack-size=20K --threads=2 --events=3 run
    must is "$status $test" "0 $test"
  done
}

@test "a thread stack that the system refuses" {
  bench -1 cpu --thread-stack-size=1 run
  must has "$stderr" '^FATAL: Invalid value for --thread-stack-size'
  # A system may be set to promise any memory.
  [ "$(cat /proc/sys/vm/overcommit_memory)" != 1 ] || return 0
  bench -1 cpu --thread-stack-size=1T --events=1 run
  must is "${stderr/Out of/Cannot allocate}" "FATAL: cannot use a thread stack of 1099511627776 bytes: Cannot allocate memory (see --thread-stack-size)" # or musl's words
}

@test "stdout closed early does not hang the run" {
  run bash -c '"$BENCH" cpu --cpu-max-prime=1000 --time=2 --report-interval=0.1 run | head -n 1'
  must has "$output" '^bench '
}
