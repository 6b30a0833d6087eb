#!/usr/bin/env bats
# One run of several processes: what happens when it is interrupted, or when a
# process dies.
load helper

bats_require_minimum_version 1.5.0

# The numbers of a document, without the rules for complete runs.
document() {
  python3 -c "
import json, sys
d = json.load(open(sys.argv[1]))
for e in sys.argv[2:]:
    if not eval(e, {'d': d}):
        sys.exit('does not hold: ' + e)
" "$@"
}

# await_death PID: 60 seconds at most.
await_death() {
  local i
  for ((i = 0; i < 600; i++)); do
    [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null || return 0
    sleep 0.1
  done
  echo "process $1 is still there" >&2
  return 1
}

# failed STATUS: of the launcher.  MPICH's ends with 0 sometimes, where other
# processes have left before it hears of the death.
failed() {
  [ "$1" -ne 0 ] || [ "$engine" = mpich ]
}

begin() {
  # Between SIGTERM and SIGKILL; one second is little where others are at work.
  export OMPI_MCA_odls_base_sigkill_timeout=8
  sleeper
  start 3 ./sleeper.lua --threads=2 --time=60 --report-interval=1 --json=run.json \
    --report-ranks run
}

@test "SIGINT at the launcher: the report is that of all" {
  begin
  kill -INT "$pid"
  wait "$pid" || true
  must grep -q 'total number of events:' out
  must grep -qE 'WARNING: stopped by SIG(TERM|INT)' err
  is "$(grep -c 'stopped by' err)" 1
  document run.json "len(d['ranks']) == 3" "not any(r['lost'] for r in d['ranks'])" \
    "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0" \
    "d['run']['end_reason'] == 'signal'"
  is "$(find . -name 'run.json.*')" ""
}

@test "SIGINT at one process stops all of them" {
  begin
  kill -INT "$(process 2)"
  wait "$pid" || true
  must grep -q 'WARNING: stopped by SIGINT' err
  document run.json "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0" \
    "d['run']['end_reason'] == 'signal'" "d['run']['exit_status'] == 130" \
    "not any(r['lost'] for r in d['ranks'])"
}

@test "a process that is killed is named, and the others save their part" {
  begin
  kill -KILL "$(process 1)"
  local rc=0
  wait "$pid" || rc=$?
  failed "$rc"
  must grep -qE '^FATAL: process 1 on [^ ]+ has not delivered its results: it was killed' err
  document run.json "[r['lost'] for r in d['ranks']] == [False, True, False]" \
    "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0" \
    "d['run']['end_reason'] == 'error'" "d['run']['exit_status'] == 1"
  grep -qE '^ +1  [^ ]+ +lost$' out
  document run.json.rank2 "d['totals']['events'] > 0" "d['threads']['each'][1]['events'] > 0"
  [ ! -e run.json.rank1 ]
}

@test "when process 0 is killed, all others save their part" {
  begin
  kill -KILL "$(process 0)"
  local rc=0
  wait "$pid" || rc=$?
  failed "$rc"
  must grep -qE '^FATAL: process [12] on [^ ]+: process 0 on [^ ]+ does not answer' err
  document run.json.rank1 "d['totals']['events'] > 0"
  document run.json.rank2 "d['totals']['events'] > 0"
}

@test "MPICH kills its processes when one of them has died, and their work is saved" {
  [ "$engine" = mpich ] || skip "the test is made for MPICH's launcher"
  begin
  local rank pids=()
  for rank in 0 1 2; do
    pids+=("$(process $rank)")
  done
  kill -KILL "$(keeper 1)"
  local rc=0
  wait "$pid" || rc=$?
  [ "$rc" -ne 0 ]
  # The launcher need not wait for those that save, but they are gone soon.
  for rank in 0 1 2; do
    await_death "${pids[$rank]}"
  done
  document run.json "[r['lost'] for r in d['ranks']] == [False] * 3" \
    "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0" \
    "d['run']['end_reason'] == 'signal'" "d['run']['exit_status'] == 143"
}

@test "SIGINT ends a run under MPICH before the others miss the one that was killed" {
  [ "$engine" = mpich ] || skip "the test is made for MPICH's launcher"
  begin
  local victim first
  victim=$(process 1) first=$(process 0)
  kill -KILL "$victim"
  await_death "$victim"
  kill -INT "$pid"
  wait "$pid" || true
  await_death "$first" # which the launcher need not wait for
  document run.json "[r['lost'] for r in d['ranks']] == [False, True, False]" \
    "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0"
}

@test "an error of a worker ends the run of all, with one report" {
  cat >fails.lua <<'LUA'
ffi.cdef("int usleep(unsigned);")
local n = 0
function event()
  ffi.C.usleep(5000)
  n = n + 1
  if sysbench.tid == 1 and n == 100 then
    error("broken")
  end
end
LUA
  ranks 3 ./fails.lua --time=60 --json=run.json run
  [ "$status" -ne 0 ]
  must has "$stderr" '^FATAL: process 1 on [^ ]+: .*broken'
  check run.json "d['run']['end_reason'] == 'error'" "d['run']['exit_status'] == 1" \
    "'process 1 on' in d['run']['error'] and 'broken' in d['run']['error']" \
    "[r['exit_status'] for r in d['ranks']] == [1, 1, 1]" \
    "all(r['events'] > 0 for r in d['ranks'])"
}

@test "a process with errors stays in step" {
  cat >errors.lua <<'LUA'
ffi.cdef("int usleep(unsigned);")
function thread_init()
  con = sysbench.sql.driver():connect()
end
function event()
  ffi.C.usleep(5000)
  if sysbench.tid == 1 then
    con:query("SELECT nothing FROM nowhere")
  end
end
LUA
  ranks 3 ./errors.lua --db-driver=sqlite --sqlite-db="$PWD/db" --db-ignore-errors=all \
    --time=2 --report-interval=1 --json=run.json run
  must is "$status" 0
  has "$output" '^\[ [12]s \] thds: 3 '
  check run.json "d['ranks'][1]['events'] == 0" "d['ranks'][1]['errors'] > 0" \
    "d['ranks'][0]['errors'] == d['ranks'][2]['errors'] == 0" \
    "d['totals']['errors'] == d['ranks'][1]['errors']" \
    "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0"
}

@test "a signal while threads get ready" {
  cat >slow.lua <<'LUA'
ffi.cdef("int sleep(unsigned);")
function thread_init(id)
  print("waits")
  io.stdout:flush()
  ffi.C.sleep(60)
end
function event() end
LUA
  "${launcher[@]}" -n 2 "$BENCH" ./slow.lua --events=1 run >out 2>err &
  pid=$!
  await out waits
  kill -INT "$pid"
  wait "$pid" || true
  ! grep -q 'total number of events' out
}
