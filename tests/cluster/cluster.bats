#!/usr/bin/env bats
# One run of several processes on one machine: that the whole is the sum.
load helper

sums=("sum(r['events'] for r in d['ranks']) == d['totals']['events']"
  "sum(r['latency_ns']['count'] for r in d['ranks']) == d['totals']['latency_ns']['count']"
  "abs(sum(r['latency_ns']['mean'] * r['events'] for r in d['ranks']) / d['totals']['events'] - d['totals']['latency_ns']['mean']) < 1"
  "min(r['latency_ns']['min'] for r in d['ranks'] if r['events']) == d['totals']['latency_ns']['min']"
  "max(r['latency_ns']['max'] for r in d['ranks']) == d['totals']['latency_ns']['max']"
  "[r['rank'] for r in d['ranks']] == list(range(len(d['ranks'])))"
  "not any(r['lost'] for r in d['ranks'])")

# shares N: events are shared exactly, the whole is the sum of the parts.
shares() {
  ranks -0 "$1" cpu --cpu-max-prime=500 --threads=2 --events=1001 --time=0 --json=run.json run
  must has "$output" 'total number of events: +1001$'
  must has "$output" '^Number of threads: 2$'
  must has "$stderr" "^cluster: $1 processes on 1 host .*, 2 threads each, $((2 * $1)) threads in all\$"
  check run.json "${sums[@]}" "len(d['ranks']) == $1" "d['totals']['events'] == 1001" \
    "d['run']['threads'] == $((2 * $1))" "len(d['threads']['each']) == $((2 * $1))" \
    "max(r['events'] for r in d['ranks']) - min(r['events'] for r in d['ranks']) <= 1"
  [ ! -e run.json.rank1 ]
}

@test "two processes share the events, and the whole is the sum" {
  shares 2
}

@test "four processes do" {
  shares 4
}

@test "eight processes do" {
  shares 8
}

@test "intervals and checkpoints are those of all" {
  ranks -0 3 cpu --cpu-max-prime=2000 --time=2 --report-interval=0.5 --report-checkpoints=1 \
    --json=run.json run
  # On a busy machine a worker may not have begun, or be done, by then, and a line
  # that is late is labelled with its true time.
  (($(grep -c '^\[ [0-9.]*s \] thds: [1-3] eps: ' <<<"$output") >= 2))
  has "$output" 'Checkpoint report'
  check run.json "${sums[@]}" "len(d['checkpoints']) == 1" \
    "sum(i['events'] for i in d['intervals']) == d['totals']['events']"
}

@test "ranks share a load profile, and the whole has what was offered" {
  ranks -0 2 cpu --cpu-max-prime=10 --threads=2 --load-profile="ramp:0..400x1s,1000x1s" --rand-seed=7 \
    --report-interval=0.5 --json=run.json run
  check run.json "${sums[@]}" "1000 < d['rate']['arrivals'] < 1400" \
    "d['totals']['arrivals'] == d['rate']['arrivals']" \
    "sum(i['arrivals'] for i in d['intervals']) == d['rate']['arrivals']"
  has "$output" ', offered: [0-9.]+/s$'
}

@test "percentiles of the whole are those of all event logs together" {
  sleeper
  ranks -0 4 ./sleeper.lua --threads=2 --events=1200 --time=0 --percentiles=50,90,99 \
    --event-log=events --json=run.json run
  cat events events.rank1 events.rank2 events.rank3 | grep -v start_ns >all
  is "$(wc -l <all | xargs)" 1200
  # Every worker has a number of its own.
  is "$(cut -d, -f3 all | sort -n | uniq | xargs)" "0 1 2 3 4 5 6 7"
  check run.json "${sums[@]}"
  python3 - <<'PY'
import json
got = json.load(open("run.json"))["totals"]["latency_ns"]
log = sorted(int(l.split(",")[1]) for l in open("all"))
assert got["min"] == log[0] and got["max"] == log[-1]
assert abs(got["mean"] - sum(log) / len(log)) < 1
for p in ("50", "90", "95", "99"):
    true = log[max(1, int(len(log) * float(p) / 100 + 0.5)) - 1]
    assert abs(got["percentiles"][p] - true) <= true * 0.001, (p, got["percentiles"][p], true)
PY
}

# Arrivals are random: the seed is fixed, so that chance is no reason to fail.
rate_of_all() {
  ranks 4 ./sleeper.lua --threads=8 --rate=1000 --time=4 --rand-seed=7 --json=run.json run
  must is "$status" 0 &&
    check run.json "${sums[@]}" "0.98 <= d['rate']['arrivals'] / 4000 <= 1.02" \
      "d['totals']['events'] + d['rate']['backlog'] >= 0.98 * d['rate']['arrivals']"
}

@test "what is no file is process 0's alone, whatever it is called" {
  local folder
  folder=$(mktemp -d /dev/shm/bench-XXXXXX) || skip "there is no /dev/shm"
  ranks 2 cpu --cpu-max-prime=500 --events=2000 --time=0 --json="$folder/run.json" \
    --event-log="$folder/events" run
  cp "$folder"/* .
  rm -r "$folder"
  must is "$status" 0
  check run.json "${sums[@]}"
  is "$(cat events events.rank1 | grep -v start_ns | grep -cE '^[0-9]+,[0-9]+,[01],,0$')" 2000
  [ ! -e run.json.rank1 ]
  mkfifo pipe
  cat pipe >events 3>&- &
  ranks 2 cpu --cpu-max-prime=500 --events=2000 --time=0 --event-log=pipe run
  wait $!
  must is "$status" 0
  is "$(grep -v start_ns events | grep -cE '^[0-9]+,[0-9]+,0,,0$')" 1000
  is "$(grep -c start_ns events)" 1
  [ ! -e pipe.rank1 ]
}

@test "a file that another process has not made is not removed" {
  echo mine >run.json.rank1
  mkdir events.rank1
  ranks -0 2 cpu --cpu-max-prime=500 --events=10 --time=0 --json=run.json --event-log=events run
  must has "$stderr" "^WARNING: process 1 .*'events.rank1'.*Is a directory"
  check run.json "${sums[@]}"
  must is "$(cat run.json.rank1)" mine
}

@test "a rate is that of all, within two percent" {
  sleeper
  sooner_or_later rate_of_all
}

# skews PROCESSES: the median of the start skew of five runs, in nanoseconds.
skews() {
  local i
  for i in 1 2 3 4 5; do
    ranks "$1" threads --events="$1" --json=run.json run
    must is "$status" 0 || return
    must has "$stderr" '^cluster: started within [0-9.]+ ms \(clocks known to [0-9.]+ ms\)$' || return
    check run.json "all(r['start_offset_ns'] is not None for r in d['ranks'])" || return
    python3 -c 'import json; print(json.load(open("run.json"))["run"]["start_skew_ns"])' >>skews
  done
  median=$(sort -n skews | sed -n 3p)
  rm skews
}

# within_a_millisecond PROCESSES: on a machine that is busy with other things a
# process waits for its turn first, 50 ms at most.
within_a_millisecond() {
  local limit=1000000
  rm -f skews
  skews "$1" || return
  if is_busy; then
    limit=50000000
    printf '# the machine is busy: %s ms count as together\n' $((limit / 1000000)) >&3
  fi
  printf '# the median skew is %s us\n' $((median / 1000)) >&3
  [ "$median" -lt "$limit" ]
}

@test "a rate that a process cannot keep is named as it was given" {
  ranks 2 cpu --cpu-max-prime=100000 --rate=600000 --time=60 --rate-overload=abort run
  [ "$status" -ne 0 ]
  must has "$stderr" '^FATAL: .*cannot keep up with --rate=600000$'
  must is "$(grep 'cannot keep up' <<<"$stderr" | grep -v -- '--rate=600000$')" ""
}

@test "all start within a millisecond" {
  sooner_or_later within_a_millisecond "$(($(nproc) < 4 ? $(nproc) : 4))"
}

@test "more processes than processors start within a millisecond" {
  sooner_or_later within_a_millisecond $((2 * $(nproc)))
}

@test "numbers of threads and random numbers are different everywhere" {
  cat >who.lua <<'LUA'
function thread_init(id)
  print(("who %d %d %d %d"):format(id, sysbench.tid, sysbench.opt.threads, sysbench.rand.uniform(1, 1e9)))
end
function event() end
LUA
  ranks -0 3 ./who.lua --threads=2 --events=6 run
  is "$(grep '^who' <<<"$output" | cut -d' ' -f2,3,4 | sort | xargs -n3)" "$(printf '%s\n' '0 0 6' '1 1 6' '2 2 6' '3 3 6' '4 4 6' '5 5 6')"
  is "$(grep '^who' <<<"$output" | cut -d' ' -f5 | sort -u | wc -l | xargs)" 6
}

@test "clients of several processes are those that threads would be" {
  cat >who.lua <<'LUA'
function thread_init(id)
  print(("who %d %d %d %d"):format(id, sysbench.tid, sysbench.opt.threads, sysbench.rand.uniform(1, 1e9)))
end
function event(id) if id >= 3 then error("more", 0) end end
LUA
  ranks 2 ./who.lua --threads=3 --time=20 --rand-seed=11 run
  local threads
  threads=$(grep '^who' <<<"$output" | sort)
  ranks -1 2 ./who.lua --threads=2 --clients=3 --idle-clients=1 --time=20 --rand-seed=11 --json=run.json run
  must is "$(grep '^who' <<<"$output" | sort)" "$threads"
  must has "$stderr" '^cluster: 2 processes on 1 host \(.*\), 3 clients each, 6 clients in all$'
  must has "$stderr" 'event\(\) failed in client [345]: more$'
  check run.json "d['run']['threads'] == 4" "d['run']['clients'] == 6" "d['run']['idle_clients'] == 2"
}

@test "the same seed gives the same numbers to as many threads" {
  cat >seed.lua <<'LUA'
function thread_init(id)
  print(("draw %d %d"):format(id, sysbench.rand.uniform(1, 1e9)))
end
function event() end
LUA
  bench ./seed.lua --threads=4 --events=4 --rand-seed=11 run
  local alone
  alone=$(grep '^draw' <<<"$output" | sort)
  ranks 2 ./seed.lua --threads=2 --events=4 --rand-seed=11 run
  must is "$(grep '^draw' <<<"$output" | sort)" "$alone"
}

@test "a script with a database: tables are divided, the run is one" {
  local args=(oltp_read_write --db-driver=sqlite --sqlite-db="$PWD/db%d" --tables=5 --table-size=100)
  args[2]=--sqlite-db=$PWD/db
  ranks -0 2 "${args[@]}" --threads=1 prepare
  is "$(grep -o "Creating table 'sbtest[1-5]'" <<<"$output" | sort | uniq | wc -l | xargs)" 5
  is "$(grep -c "Creating table" <<<"$output")" 5
  ranks -0 2 "${args[@]}" --threads=1 --events=20 --time=0 --json=run.json run
  check run.json "${sums[@]}" "d['totals']['events'] == 20" \
    "sum(r['reads'] for r in d['ranks']) == 20 * 14"
  ranks -0 2 "${args[@]}" cleanup
  is "$(grep -c "Dropping table" <<<"$output")" 5
}

@test "what scripts count is the sum of all, errors by code too" {
  cat >own.lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  tried, size = sysbench.counter.new("tried"), sysbench.histogram.new("size", "bytes")
end
function event()
  tried:add()
  size:update(5)
  con:query("SELECT 1")
end
LUA
  ranks -0 3 ./own.lua --db-driver=null --null-error-rate=0.2 --null-error=deadlock --null-latency=1 \
    --threads=2 --events=600 --time=0 --json=run.json run
  check run.json "${sums[@]}" "d['totals']['events'] == 600" "d['totals']['errors'] > 0" \
    "d['totals']['counters']['tried'] == 600 + d['totals']['errors']" \
    "d['totals']['histograms']['size']['count'] == 600 + d['totals']['errors']" \
    "all(d['totals']['histograms']['size'][k] == 5 for k in ('min', 'max', 'mean', 'p50'))" \
    "d['totals']['errors_by_code'][0]['count'] == d['totals']['errors'] == d['errors'][0]['count']"
}

@test "fileio: processes that share a folder share its files, others have their own" {
  local args=(fileio --file-num=5 --file-total-size=5M)
  ranks -0 3 "${args[@]}" prepare
  is "$(find . -name 'test_file.*' | sort | xargs)" "$(echo ./test_file.{0..4})"
  is "$(find . -name 'test_file.*' -size 1024k | wc -l | xargs)" 5
  is "$(find . -name '.bench-*')" ""
  ranks -0 3 "${args[@]}" --file-test-mode=rndrw --events=300 --time=0 --json=run.json run
  check run.json "${sums[@]}" "d['totals']['events'] >= 300"
  ranks -0 3 "${args[@]}" cleanup
  is "$(find . -name 'test_file.*')" ""
  mkdir a b
  run timeout --kill-after=10 120 "${launcher[@]}" -n 1 -wdir "$PWD/a" "$BENCH" "${args[@]}" prepare : \
    -n 1 -wdir "$PWD/b" "$BENCH" "${args[@]}" prepare
  is "$(find a b -name 'test_file.*' | wc -l | xargs)" 10
}

@test "memory: the volume is that of all" {
  ranks -0 3 memory --memory-total-size=64M --threads=2 run
  has "$output" '^Total operations: 65536 '
}

@test "only process 0 needs files and variables" {
  local variable=(-x PGPASSWORD=secret)
  [ "$engine" = openmpi ] || variable=(-env PGPASSWORD secret)
  mkdir here there
  cat >here/part.lua <<'LUA'
return { number = 42 }
LUA
  cat >here/main.lua <<'LUA'
local part = require("part")
sysbench.cmdline.options = { level = { "a level", 0 } }
function thread_init(id)
  print(("part %d %d %d %s"):format(id, part.number, sysbench.opt.level, tostring(os.getenv("PGPASSWORD"))))
end
function event() end
LUA
  printf 'threads = 1\nevents = 2\nlevel = 5\n' >here/options
  run -0 --separate-stderr timeout --kill-after=10 120 "${launcher[@]}" \
    -n 1 -wdir "$PWD/here" "${variable[@]}" "$BENCH" ./main.lua --config-file=options run : \
    -n 1 -wdir "$PWD/there" "$BENCH" ./main.lua --config-file=options run
  is "$(grep '^part' <<<"$output" | sort)" "$(printf '%s\n' 'part 0 42 5 secret' 'part 1 42 5 secret')"
}

@test "parallel commands run everywhere, others once" {
  cat >commands.lua <<'LUA'
local function all()
  print("all " .. sysbench.tid)
end
local function one()
  print("one " .. sysbench.tid)
end
sysbench.cmdline.commands = { all = { all, sysbench.cmdline.PARALLEL_COMMAND }, one = { one } }
LUA
  ranks 3 ./commands.lua all
  must is "$(grep '^all' <<<"$output" | sort | xargs)" "all 0 all 1 all 2"
  ranks 3 ./commands.lua one
  must is "$(grep '^one' <<<"$output")" "one 0"
}

@test "few events for a percentile are few of all processes" {
  local args=(cpu --cpu-max-prime=100 --time=0 --percentiles=99.9) files
  for files in "" --json=run.json; do
    ranks -0 2 "${args[@]}" --events=1500 $files run
    must is "$(grep WARNING <<<"$stderr" | without_machine)" ""
  done
  check run.json "'few_samples' not in [w['code'] for w in d['warnings']]" "d['totals']['events'] == 1500"
  ranks -0 2 "${args[@]}" --events=900 --json=run.json run
  must is "$(grep WARNING <<<"$stderr" | without_machine)" \
    "WARNING: 900 events are too few for p99.9, beyond which there is less than one event; at least 1000 are needed"
  check run.json "[w['code'] for w in d['warnings']].count('few_samples') == 1"
}

@test "--report-ranks prints a table of the processes" {
  ranks -0 2 cpu --cpu-max-prime=500 --events=100 --time=0 --report-ranks run
  has "$output" '^Processes:$'
  has "$output" '^ +0  [^ ]+ +1 +50 +[0-9.]+ +0 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+% +-?[0-9.]+$'
  has "$output" '^ +1  [^ ]+ +1 +50 '
  local title row
  ranks -0 2 cpu --cpu-max-prime=500 --events=100 --time=0 --percentile=99.999 --report-ranks run
  title=$(grep -m 1 '^    rank ' <<<"$output")
  row=$(grep -m 1 -E '^ +0 ' <<<"$output")
  must has "$title" ' max, ms 99\.999th, ms     CPU '
  # Columns end where their titles do.
  is "${#row}" "${#title}"
  bench -0 cpu --events=1 --report-ranks run
  ! has "$output" 'Processes:'
}

@test "--cluster=off makes each process a run of its own" {
  ranks -0 2 cpu --cpu-max-prime=500 --events=10 --cluster=off run
  is "$(grep -c 'total number of events: *10$' <<<"$output")" 2
  printf 'cluster = off\n' >options
  ranks -0 2 cpu --cpu-max-prime=500 --events=10 --config-file=options run
  is "$(grep -c 'total number of events: *10$' <<<"$output")" 2
}

@test "one process is an ordinary run" {
  ranks -0 1 cpu --cpu-max-prime=500 --events=10 run
  is "$(without_machine <<<"$stderr")" ""
  has "$output" 'total number of events: *10$'
}

@test "what is wrong is said once, and help is printed once" {
  ranks 3 cpu --time=never run
  [ "$status" -ne 0 ]
  is "$(grep -c 'Invalid value for --time' <<<"$stderr")" 1
  ranks -0 3 cpu help
  is "$(grep -c 'cpu options:' <<<"$output")" 1
  ranks 2 --version
  is "$output" "bench $("$BENCH" --version | cut -d' ' -f2)"
}

@test "rerun of a run of several processes is refused, because it would be one" {
  ranks -0 2 cpu --cpu-max-prime=500 --events=10 --time=0 --json=run.json run
  bench -2 rerun run.json
  must has "$stderr" "^FATAL: 'run.json' is of a run of 2 processes, and rerun starts only one: .*mpirun -n 2 --bind-to none bench cpu ... run, or add --cluster=off"
  is "$output" ""
  bench -0 rerun run.json --cluster=off
  must has "$output" 'total number of events: *10$'
}

@test "a process with another command line is named" {
  run -0 --separate-stderr timeout --kill-after=10 120 "${launcher[@]}" \
    -n 1 "$BENCH" cpu --cpu-max-prime=500 --threads=1 --events=10 --time=0 run : \
    -n 1 "$BENCH" cpu --cpu-max-prime=500 --threads=2 --events=10 --time=0 run
  must has "$stderr" "WARNING: process 1 on [^ ]+: the arguments of this process differ from those of process 0 \\('--threads' is the first one\\): all processes use those of process 0$"
  ranks -0 2 cpu --cpu-max-prime=500 --events=10 --time=0 run
  ! has "$stderr" 'the arguments of this process'
}

@test "rerun is refused, and the other tools work as ever" {
  bench -0 cpu --cpu-max-prime=500 --events=10 --time=0 --json=run.json run
  ranks -2 2 rerun run.json
  must is "$(grep -c '^FATAL: rerun cannot be used by several processes in one run (see --cluster)$' <<<"$stderr")" 1
  must is "$output" ""
  ranks -0 2 rerun run.json --cluster=off
  must is "$(grep -c 'total number of events: *10$' <<<"$output")" 2
  ranks -0 2 report run.json --format=text
  must is "$(grep -c '^bench report: cpu$' <<<"$output")" 1
}

@test "a process that does not get ready keeps all from starting" {
  cat >broken.lua <<'LUA'
function thread_init(id)
  if id == 1 then
    error("no luck")
  end
end
function event() end
LUA
  ranks 3 ./broken.lua --events=10 run
  [ "$status" -ne 0 ]
  must has "$stderr" '^FATAL: process 1 on [^ ]+: .*no luck'
  has "$stderr" '^FATAL: process 1 on [^ ]+ did not get ready$'
  ! has "$output" 'total number of events'
}

@test "the plug-in is wanted only under a launcher" {
  cp "$BENCH" ./alone
  BENCH_LIBDIR=$PWD run -0 --separate-stderr ./alone cpu --events=1 run
  is "$(ldd ./alone | grep -i mpi)" ""
  BENCH_LIBDIR=$PWD run --separate-stderr timeout --kill-after=10 120 "${launcher[@]}" -n 2 ./alone cpu --events=1 run
  [ "$status" -ne 0 ]
  must has "$stderr" "FATAL: launched by .* as one of 2 processes .*: the MPI plug-in bench_$engine.so is not installed in $PWD: install the package bench-$engine \\(Debian, Ubuntu\\), or "
}

@test "the plug-in is that of the launcher where there are several" {
  cp "$BENCH" ./alone
  mkdir libraries
  cp "$BENCH_BUILD/.libs/bench_mpi.so" "libraries/bench_$engine.so"
  echo 'of another kind' >libraries/bench_mpi.so
  BENCH_LIBDIR=$PWD/libraries run -0 --separate-stderr timeout --kill-after=10 120 "${launcher[@]}" -n 2 ./alone \
    cpu --cpu-max-prime=100 --events=10 --time=0 run
  must has "$stderr" '^cluster: 2 processes on 1 host '
  must has "$output" 'total number of events: +10$'
}

@test "processes that are bound to a part of the machine are warned of it" {
  only_openmpi
  local cpus
  cpus=$(nproc)
  [ "$cpus" -gt 1 ] || skip "the machine has one processor"
  run --separate-stderr timeout --kill-after=10 120 "${launcher[0]}" --allow-run-as-root --oversubscribe --bind-to core \
    -n 2 "$BENCH" cpu --events=10 run
  [ "$status" -eq 0 ] || skip "mpirun cannot bind here: $stderr"
  must has "$stderr" 'WARNING: mpirun has bound this process to 1 of [0-9]+ CPUs.*--bind-to none'
  ranks 2 cpu --events=10 run
  ! has "$stderr" 'bound'
}

# posts: what the threads for messages of each process have used, nanoseconds;
# those that the engine's library has started are called the same.
posts() {
  local rank task used sum
  for rank in 0 1; do
    sum=0
    for task in /proc/"$(process $rank)"/task/*; do
      [ "$(cat "$task/comm")" = bench-post ] || continue
      read -r used _ <"$task/schedstat"
      ((sum += used))
    done
    printf '%s\n' $sum
  done
}

@test "messages take less than a hundredth of a processor" {
  [ -e /proc/self/schedstat ] || skip "the system does not tell what threads use"
  sleeper
  start 2 ./sleeper.lua --time=60 --report-interval=1 run
  local before after from to i
  from=$(date +%s%N) before=($(posts))
  await out '^\[ ([6-9]|[0-9]{2,})s \]'
  to=$(date +%s%N) after=($(posts))
  kill -INT "$pid"
  wait "$pid" || true
  must [ "${before[0]}" -gt 0 ] && must [ "${before[1]}" -gt 0 ]
  for i in 0 1; do
    printf '# process %s: %s of a million\n' $i \
      $(((after[i] - before[i]) * 1000000 / (to - from))) >&3
    if ! grep -q -e '--enable-sanitizers' "$BENCH_BUILD/config.log"; then
      [ $(((after[i] - before[i]) * 100)) -lt $((to - from)) ]
    fi
  done
}

@test "a mix: its members are added up, and each process has its clients" {
  echo 'function event() end' >one.lua
  ranks -0 2 --mix=oltp_point_select@3,./one.lua --db-driver=null --threads=2 --events=2000 \
    --time=0 --json=run.json run
  check run.json "sum(m['events'] for m in d['members']) == 2000" \
    "[m['name'] for m in d['members']] == ['oltp_point_select', 'one']" \
    "abs(d['members'][0]['events'] - 1500) < 120"
  ranks -0 2 --mix=oltp_point_select:2,./one.lua:1 --db-driver=null --events=2000 --time=0 \
    --json=run.json run
  check run.json "d['run']['threads'] == 6"
}

@test "a history is refused, because it needs one clock" {
  needs_driver sqlite
  local to=(bank --db-driver=sqlite --sqlite-db="$PWD/t.db")
  bench -0 "${to[@]}" prepare
  ranks 2 "${to[@]}" --events=2 --time=0 --history-file=h.log run
  [ "$status" -ne 0 ]
  must has "$stderr" '^FATAL: init\(\) failed: --history-file needs one clock: it is not possible with several processes$'
  [ ! -e h.log ]
  # Nobody has begun.
  bench -0 "${to[@]}" --events=10 --time=0 --history-file=h.log run
}

@test "--pool: leases and connections are those of all processes, and so is the longest wait" {
  cat >pool.lua <<'LUA'
ffi.cdef("int usleep(unsigned);")
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  con:query("SELECT 1")
  if sysbench.tid == 5 then ffi.C.usleep(20000) end
end
LUA
  ranks -0 2 ./pool.lua --db-driver=null --threads=1 --clients=4 --pool=1 --null-latency=1000 \
    --events=40 --time=0 --json=run.json run
  must has "$output" '^Pool: 2 connections; [0-9]+ of 40 leases had to wait, [0-9.]+ ms each and [2-9][0-9]\.[0-9]+ ms at most$'
  check run.json "d['database']['pool_connections'] == 2" "d['database']['pool_leases'] == 40" \
    "d['database']['pool_longest_wait_s'] >= 0.02" "d['database']['pool_waits'] > 20" \
    "d['database']['pool_wait_s'] > d['database']['pool_longest_wait_s']"
  # The same without results in files.
  ranks -0 2 ./pool.lua --db-driver=null --threads=1 --clients=4 --pool=1 --null-latency=1000 \
    --events=40 --time=0 run
  must has "$output" '^Pool: 2 connections; [0-9]+ of 40 leases had to wait'
}
