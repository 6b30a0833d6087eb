#!/usr/bin/env bats
# Remarks about the quality of what was measured: when they are printed, what
# they say, and when there is none.
load helper

teardown() {
  local pid
  for pid in ${SPINNERS-}; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  [ -z "${GROUP-}" ] || rmdir "$GROUP"
}

# spin: as many programs as there are processors, each of which keeps one busy.
spin() {
  local i
  SPINNERS=
  for ((i = $(nproc); i > 0; i--)); do
    (exec 3>&- && while :; do :; done) &
    SPINNERS+=" $!"
  done
}

# The warning of a run beside such programs, and figures that agree with it.
@test "busy neighbours: a score says how much of it is missing" {
  local cpus
  cpus=$(nproc)
  spin
  bench_as_it_is -0 cpu --threads="$cpus" --time=1 --json=out.json run
  must has "$stderr" "^WARNING: other programs used [0-9.]+ of the $cpus CPUs during the run, so the score is about [0-9]+ % too low; stop them and repeat the run"
  SAYS=$stderr must python3 - <<'PY'
import json, os, re
d = json.load(open("out.json"))
c = d["client"]
used, low = map(float, re.search(r"used ([0-9.]+) of.* about ([0-9]+) % too low",
                                 os.environ["SAYS"]).groups())
missing = 1 - c["cpus_used"] / c["cpus_allowed"]
assert abs(used - c["other_programs_cpus"]) < 0.06, (used, c)
assert 0.1 < missing < 0.99 and abs(low / 100 - missing) < 0.1, (low, missing)
assert [w["code"] for w in d["warnings"]].count("other_programs") == 1, d["warnings"]
PY
}

# Other programs may be at work here, too: then they have to be in the figures.
@test "own threads that wait for each other are no reason" {
  bench_as_it_is -0 cpu --threads=$((4 * $(nproc))) --time=1 --json=out.json run
  must json out.json 'd["client"]["run_queue_delay_s"] > 2 * d["totals"]["period_s"]'
  must python3 - <<'PY'
import json
d = json.load(open("out.json"))
c = d["client"]
own, others, cpus = c["cpus_used"], c["other_programs_cpus"], c["cpus_allowed"]
# What they have cost is not more than they have used, nor than was missing.
lost = min(others, max(0, cpus - own))
said = "other_programs" in [w["code"] for w in d["warnings"]]
share, seconds = lost / (own + lost), lost * d["totals"]["period_s"]
# Between the two, rounding decides.
if share < 0.045 or seconds < 0.09:
    assert not said, (share, seconds, d["warnings"])
elif share > 0.055 and seconds > 0.11:
    assert said, (share, seconds, d["warnings"])
PY
}

@test "a run that is over at once has no doubts about processors" {
  spin
  bench_as_it_is -0 cpu --events=1 --json=out.json run
  # A machine that is busy enough does not let it be over at once.
  json out.json 'd["totals"]["elapsed_s"] > 0.15' || must is "$stderr" ""
}

# In a group of its own, which may use a quarter of a processor.
quota() {
  local dir
  for dir in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
    GROUP=$dir/bench-doubts-$$
    mkdir "$GROUP" 2>/dev/null || continue
    if [ -e "$GROUP/cpu.max" ]; then
      echo 25000 100000 >"$GROUP/cpu.max" && return
    elif [ -e "$GROUP/cpu.cfs_quota_us" ]; then
      echo 100000 >"$GROUP/cpu.cfs_period_us" &&
        echo 25000 >"$GROUP/cpu.cfs_quota_us" && return
    fi
    rmdir "$GROUP"
  done
  GROUP=
  skip "no control group can be made here"
}

@test "a score under a quota of a quarter of a processor says so" {
  quota
  run --separate-stderr bash -c 'echo $$ >"$1/cgroup.procs" || exit 99
    exec "$2" cpu --time=1 --json=out.json run' - "$GROUP" "$BENCH"
  [ "$status" != 99 ] || skip "no process can be put into a control group here"
  must is "$status" 0
  must json out.json 'd["client"]["cpus_quota"] == 0.25'
  # On a machine so busy that bench gets less than that, the group is not stopped.
  if json out.json 'd["client"].get("throttled_s", 0) < 0.1'; then
    must json out.json '"other_programs" in [w["code"] for w in d["warnings"]] and d["client"]["cpus_used"] < 0.25'
    return
  fi
  must has "$stderr" '^WARNING: the control group of bench may use 0.25 of the [0-9]+ CPUs and was stopped for [0-9.]+ s to keep to that, so the figures are those of the quota, not of the machine; raise its quota \(cpu.max\)$'
  must json out.json 'd["warnings"][0]["code"] == "client_quota"'
}

# set_quota US: how much of 100 ms the group may use; -1: all of it.
set_quota() {
  if [ -e "$GROUP/cpu.max" ]; then
    echo "${1/-1/max} 100000" >"$GROUP/cpu.max"
  else
    echo "$1" >"$GROUP/cpu.cfs_quota_us"
  fi
}

# The quota comes when the run is half over.  The clocks of the processors stay
# as they are.
@test "a quota that comes during the run is named, and no slower clock" {
  quota
  set_quota -1
  bash -c 'echo $$ >"$1/cgroup.procs" || exit 99
    exec "$2" cpu --time=2 --report-interval=1 --json=out.json run' - "$GROUP" "$BENCH" \
    >out.txt 2>err.txt 3>&- &
  local pid=$! status=0
  until grep -qs '^\[ 1s \]' out.txt || ! kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
  set_quota 10000
  wait "$pid" || status=$?
  [ "$status" != 99 ] || skip "no process can be put into a control group here"
  must is "$status" 0
  must has "$(<err.txt)" '^WARNING: the control group of bench may use 0.1 of the [0-9]+ CPUs and was stopped for [0-9.]+ s'
  must json out.json 'd["client"]["throttled_s"] > 0.1 and "client_quota" in [w["code"] for w in d["warnings"]]
    and not {"slower_clock", "thermal", "slow_clock"} & {w["code"] for w in d["warnings"]}'
}

bench_on_one() {
  run --separate-stderr taskset -c "$ONE" "$BENCH" "$@"
}

@test "a neighbour on the same processor is noticed, and a calm run has no warning" {
  command -v taskset >/dev/null || skip "no taskset"
  ONE=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
  bench_on_one cpu --time=1 --json=out.json run
  must is "$status" 0
  # Others may be at work on this machine all the time, which the run then says.
  must json out.json 'd["warnings"] == [] or d["client"]["cpus_used"] < 0.96'
  (exec 3>&- && taskset -cp "$ONE" "$BASHPID" >/dev/null && while :; do :; done) &
  SPINNERS=$!
  # It takes half of this processor, and of no other.
  bench_on_one cpu --time=1 --json=out.json run
  must is "$status" 0
  must has "$stderr" '^WARNING: other programs used (0[.][2-9]|1[.]0) of the 1 CPUs during the run, so the score is about [2-9][0-9] % too low'
  must json out.json '[w["code"] for w in d["warnings"]].count("other_programs") == 1'
}

# A server that takes 2 ms, whatever else happens, and a client that gets its processor
# only when the other program has had its share.
late_client_is_noticed() {
  run --separate-stderr nice -n 19 taskset -c "$ONE" "$BENCH" oltp_point_select --db-driver=null \
    --null-latency=2000 --threads=2 --time=1 "$@" --json=out.json run
  is "$status" 0 &&
    has "$stderr" '^WARNING: waiting for a CPU of this machine raised p99 from [0-9.]+ to [0-9.]+ ms, because other programs used the CPUs \(of 1 CPUs, bench used 0[.][0-9], other programs (0[.][5-9]|1[.][0-9])\); stop the other programs' &&
    json out.json '[w["code"] for w in d["warnings"]].count("other_programs") == 1' &&
    json out.json '2e6 < d["client"]["added_latency_ns"]["p99_without"] < 0.9 * d["client"]["added_latency_ns"]["p99"]'
}

@test "a client that waits for its processor beside others: who, and how much" {
  command -v taskset >/dev/null || skip "no taskset"
  ONE=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
  (exec 3>&- && taskset -cp "$ONE" "$BASHPID" >/dev/null && while :; do :; done) &
  SPINNERS=$!
  must sooner_or_later late_client_is_noticed
  must sooner_or_later late_client_is_noticed --rate=20
}

@test "busy neighbours: what is too low is named" {
  spin
  bench_as_it_is cpu --cpu-kernel=int --threads="$(nproc)" --time=1 run
  must has "$stderr" '^WARNING: other programs used .* so operations per second are about [0-9]+ % too low; '
  bench_as_it_is memory --memory-test=bandwidth --memory-size=1M --threads="$(nproc)" --time=1 run
  must has "$stderr" '^WARNING: other programs used .* so the bandwidth is about [0-9]+ % too low; '
  bench_as_it_is memory --memory-test=latency --memory-size=64K --time=1 run
  must has "$stderr" '^WARNING: other programs used .* so times may be too long; '
  bench_as_it_is mutex --mutex-kind=atomic --threads="$(nproc)" --time=1 run
  must has "$stderr" '^WARNING: other programs used .* so the rate is about [0-9]+ % too low; '
}

# stopped_and_told [OPTION]: a run is stopped for a while, and says so.
stopped_and_told() {
  local pid before
  : >out
  "$BENCH" cpu --time=60 "$@" --report-interval=1 --json=out.json run >out 2>err 3>&- &
  pid=$!
  until_started $pid || return 1
  kill -STOP $pid
  read -rt 1.5 <> <(:) || :
  kill -CONT $pid
  # The thread that prints a line has seen how late it is.
  before=$(grep -c '^\[' out || :)
  until [ "$(grep -c '^\[' out || :)" -gt "$before" ]; do
    kill -0 $pid || return 1
    read -rt 0.1 <> <(:) || :
  done
  kill -INT $pid
  wait $pid || :
  # Reading the clock may be slow here, and events may be few.
  has "$(<err)" '^WARNING: bench was suspended for [1-9][0-9.]* s during the run \(Ctrl-Z, or a paused container or VM\); ' &&
    json out.json '{w["code"] for w in d["warnings"]} - {"slow_clock", "few_samples"} == {"paused"}' &&
    json out.json '1 <= d["client"]["paused_s"]'
}

# What stops a container, or suspends a machine, shows in the same way.  A stop that
# hits the thread that prints while it prints is not seen.
@test "a process that was stopped says so, and not what follows from it" {
  sooner_or_later stopped_and_told
  sooner_or_later stopped_and_told --rate=100
}

# It waits for a processor, as if the threads were many hundreds.
@test "the thread of the reports gets no processor: nothing stands still" {
  local pid task
  command -v taskset >/dev/null && command -v chrt >/dev/null || skip "no taskset or chrt"
  ONE=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
  : >out
  taskset -c "$ONE" "$BENCH" cpu --threads=20 --time=4 --report-interval=1 --json=out.json run >out 2>err 3>&- &
  pid=$!
  until_started $pid
  task=$(grep -lx reports "/proc/$pid"/task/*/comm)
  chrt -i -p 0 "$(basename "$(dirname "$task")")"
  wait $pid
  must json out.json '"paused" not in [w["code"] for w in d["warnings"]] and d["client"]["paused_s"] == 0'
}

@test "percentiles from too few events are one line" {
  bench -0 cpu --events=50 --cpu-max-prime=10 --percentiles=99,99.9,99.99 --percentile=0 run
  must is "$stderr" "WARNING: 50 events are too few for p99, p99.9, p99.99, which is simply the maximum here; at least 10000 are needed"
  bench cpu --events=49 --cpu-max-prime=10 --percentile=99 run
  must is "$stderr" "WARNING: 49 events are too few for p99, which is simply the maximum here; at least 100 are needed"
  bench cpu --events=100 --cpu-max-prime=10 --percentile=99 run
  must is "$stderr" ""
}

@test "rates that count a long last event are called too low; the offered rate is not" {
  cat >long.lua <<'LUA'
ffi.cdef("int usleep(unsigned);")
function event() ffi.C.usleep(sysbench.tid == 0 and 1500000 or 100) end
LUA
  bench_as_it_is -0 ./long.lua --threads=2 --rate=100 --time=1 --json=out.json run
  must has "$stderr" '^WARNING: the last event ended [0-9.]+ s after the time limit, and rates count that time, so they are up to [0-9]+% too low; use a longer --time$'
  must json out.json 'abs(d["totals"]["offered_per_s"] * d["rate"]["offered_s"] / d["rate"]["arrivals"] - 1) < 0.01'
}

@test "a rate that cannot be sustained: which one was reached, what to change" {
  bench -0 cpu --rate=100000 --time=1 run
  must has "$stderr" '^WARNING: --rate=100000 was not sustained \(about [0-9]+/s reached\), [0-9]+ of [0-9]+ scheduled events never started; lower --rate or use more --threads$'
  bench cpu --rate=10 --cpu-max-prime=10 --time=1 run
  must is "$stderr" ""
}

# What programs read that take stdout and stderr together and split at colons.
@test "remarks and the table of errors have one colon" {
  cat >f.lua <<'LUA'
function thread_init() drv = sysbench.sql.driver() con = drv:connect() end
function event() con:query("SELECT * FROM nowhere") end
LUA
  spin
  {
    "$BENCH" fileio --file-total-size=64K --file-num=2 prepare >/dev/null
    "$BENCH" fileio --file-total-size=64K --file-num=2 --file-test-mode=rndrd --time=1 run
    "$BENCH" cpu --threads="$(nproc)" --time=1 --rate=100000 --percentiles=99.9999 run
    "$BENCH" cpu --threads="$(nproc)" --time=1 run
    if "$BENCH" --db-driver=help | grep -q '^  sqlite - '; then
      "$BENCH" ./f.lua --db-driver=sqlite --db-ignore-errors=all --events=10 run
    fi
  } 2>err >/dev/null
  stderr=$(<err)
  must has "$stderr" '^WARNING: the files \(64KiB\) fit into memory \(.*\), so without direct'
  must has "$stderr" '^WARNING: --rate=100000 was not sustained'
  must is "$(awk -F: '/^WARNING/ && NF > 2' err)" ""
  if "$BENCH" --db-driver=help | grep -q '^  sqlite - '; then
    must has "$stderr" '^WARNING: error 1 \(42P01\) [0-9]+ times?, no such table; nowhere$'
  fi
}

@test "called sysbench: remarks at verbosity 4 and in files, other warnings as ever" {
  ln -s "$BENCH" sysbench
  local args=(cpu --events=10 --cpu-max-prime=10 --percentile=99)
  run -0 --separate-stderr ./sysbench "${args[@]}" --json=out.json run
  must is "$stderr" ""
  must json out.json '[w["code"] for w in d["warnings"]] == ["few_samples"]'
  run --separate-stderr ./sysbench "${args[@]}" --verbosity=4 run
  must has "$stderr" '^WARNING: 10 events are too few for p99'
  run --separate-stderr ./sysbench mutex --mutex-num=1 --mutex-loops=1 --mutex-locks=1 --max-requests=1 run
  must has "$stderr" '^WARNING: '
  bench "${args[@]}" --verbosity=2 run
  must has "$stderr" '^WARNING: 10 events are too few for p99'
  bench "${args[@]}" --verbosity=1 run
  must is "$stderr" ""
}

@test "the table of a sweep marks steps with doubts" {
  # The few events are the slow ones.
  cat >nap.lua <<'LUA'
ffi.cdef("int usleep(unsigned);")
function event() ffi.C.usleep(sysbench.opt.events < 100 and 50000 or 100) end
LUA
  bench -0 ./nap.lua --time=0 --percentile=99 --sweep=events:10,1000 run
  # Other programs may be a doubt about any step.
  must has "$output" '^ +10 .* ! ([a-z_]+, )*few_samples'
  must has "$output" '^ +1000 .* best, knee'
  ! has "$output" '^ +1000 .* few_samples'
  must has "$output" '^!: the step has a warning;'
  bench cpu --cpu-max-prime=10 --percentile=99 --sweep=events:1000,2000 run
  ! has "$output" ' few_samples'
  has "$output" '^ +[12]000 .* ! ' || must is "$(grep '^!' <<<"$output")" ""
}

@test "conflicts of threads: what becomes of the events, and what makes it rarer" {
  bench -0 oltp_point_select --db-driver=null --null-error=deadlock --null-error-rate=0.2 \
    --threads=2 --time=0 --events=100 run
  must has "$stderr" '^WARNING: error 1213 \(40001\) [0-9]+ times?, '
  must is "$(grep -c '^WARNING: events that conflict start again if the error is ignored; fewer threads or clients,' <<<"$stderr")" 1
}

@test "after a warm-up the time limit counts from the moment at which counting begins" {
  local i
  for i in 1 2 3 4 5; do
    bench -0 oltp_point_select --db-driver=null --warmup-time=0.1 --time=0.2 --json=out.json run
    must json out.json 'd["totals"]["period_s"] >= 0.2'
  done
}

@test "duplicate keys: where they come from" {
  bench -0 oltp_point_select --db-driver=null --null-error=duplicate --null-error-rate=0.2 --db-ignore-errors=all \
    --threads=2 --time=0 --events=100 run
  must is "$(grep -c '^WARNING: keys are there already if another client inserts a row that both have deleted' <<<"$stderr")" 1
}

@test "intervals without events have no percentile, and the last one is there" {
  bench cpu --rate=0.001 --time=1 --report-interval=1 run
  must is "$(grep -c '^\[ 1s \] thds: [01] eps: 0\.00 lat (ms,95%): -$' <<<"$output")" 1
  ln -s "$BENCH" sysbench
  run --separate-stderr ./sysbench cpu --rate=0.001 --time=1 --report-interval=1 run
  must has "$output" 'lat \(ms,95%\): 0\.00$'
}

@test "one cause of many threads is one message" {
  needs_driver sqlite
  at=(--db-driver=sqlite --sqlite-db="$PWD/a.db" --table-size=10)
  bench -1 oltp_read_only "${at[@]}" run
  must is "$stderr" "FATAL: the database file '$PWD/a.db' does not exist
FATAL: did you run the prepare command?"
  must is "$(ls -I 'separate-*')" ''
  bench oltp_read_only "${at[@]}" prepare
  bench -1 oltp_read_only "${at[@]}" --tables=30 --threads=16 run
  must is "$(grep -c 'no such table' <<<"$stderr")" 1
  must is "$(grep -c 'did you run' <<<"$stderr")" 1
}

@test "the clock of the processors is measured, and nothing is printed of it" {
  bench -0 cpu --cpu-max-prime=1000 --time=4 --json=a.json run
  check a.json '0.05 < d["client"]["first_quarter_ghz"] < 10' '0.05 < d["client"]["last_quarter_ghz"] < 10'
  must is "$(grep -c GHz <<<"$output")" 0
  bench threads --time=0.1 --json=b.json run
  check b.json '"first_quarter_ghz" not in d["client"]'
}
