#!/usr/bin/env bats
# One run of several processes: what happens when it is interrupted, or when a
# process dies.
load helper


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
  must grep -qE '^FATAL: process 1 on [^ ]+ did not deliver its results: it was killed' err
  document run.json "[r['lost'] for r in d['ranks']] == [False, True, False]" \
    "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0" \
    "d['run']['end_reason'] == 'error'" "d['run']['exit_status'] == 1" \
    "'process 1 on' in d['run']['error'] and 'was killed' in d['run']['error']" \
    "[r['exit_status'] is None for r in d['ranks']] == [False, True, False]" \
    "all(i['events'] > 0 for i in d['intervals'])"
  grep -qE '^ +1  [^ ]+ +lost$' out
  # What intervals have more than totals is said.
  local warning
  warning=$(python3 -c 'import json
d = json.load(open("run.json"))
print([w["text"] for w in d["warnings"] if w["code"] == "lost_process"][0])
print(sum(i["events"] for i in d["intervals"]) - d["totals"]["events"])')
  must has "$warning" '^process 1 on [^ ]+ is lost, and with it 33 % of the load \(2 of 6 threads\); totals are without all that it did; intervals have the [1-9][0-9]* events that it had reported before$'
  must has "$warning" "^$(sed -nE 's/.* have the ([0-9]+) events .*/\1/p' <<<"$warning")\$"
  must grep -qF "WARNING: $(head -n 1 <<<"$warning")" err
  document run.json.rank2 "d['totals']['events'] > 0" "d['threads']['each'][1]['events'] > 0"
  [ ! -e run.json.rank1 ]
}

@test "there are no lines after the end, while process 0 waits for another one" {
  cat >lingers.lua <<'LUA'
ffi.cdef("int usleep(unsigned);")
function event()
end
function thread_done()
  if sysbench.tid == 1 then
    ffi.C.usleep(2500000)
  end
end
LUA
  ranks -0 2 ./lingers.lua --events=2 --report-interval=1 --json=run.json run
  must is "$(grep -c '^\[ [2-9]s \]' <<<"$output")" 0
  check run.json "d['totals']['events'] == 2" "len(d['intervals']) <= 2"
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

# A process that stands still from its 20th event on, until process 0 has worked
# for at least two seconds.
frozen_at_start() {
  cat >frozen.lua <<'LUA'
ffi.cdef[[
int usleep(unsigned);
int getpid(void);
int kill(int, int);
int rename(const char *, const char *);
]]
local SIGCONT, SIGSTOP = 18, 19
local n, since = 0, nil

local function freeze()
  local f = io.open("pid.new", "w")
  f:write(ffi.C.getpid())
  f:close()
  ffi.C.rename("pid.new", "pid")
  ffi.C.kill(ffi.C.getpid(), SIGSTOP)
end

-- Again and again: it may not have stopped yet.
local function thaw()
  local f = io.open("pid")
  if f then
    ffi.C.kill(tonumber(f:read("*a")), SIGCONT)
    f:close()
  end
end

function event()
  ffi.C.usleep(5000)
  n = n + 1
  since = since or os.time()
  if sysbench.tid == 2 and n == 20 then
    freeze()
  elseif sysbench.tid == 0 and os.time() - since >= 3 then
    thaw()
  end
end
LUA
}

@test "a process that is late for a checkpoint is in it" {
  frozen_at_start
  ranks -0 2 ./frozen.lua --threads=2 --time=6 --report-checkpoints=1 --debug \
    --json=run.json run
  must has "$output" 'Checkpoint report'
  # What the two reports say is all that was done, thread by thread too.
  check run.json "d['totals']['events'] == \
    $(sed -nE 's/.*total number of events: +([0-9]+)$/\1/p' <<<"$output" | paste -sd+)" \
    "d['totals']['events'] == \
    $(sed -nE 's/.*thread #.* events: ([0-9]+)$/\1/p' <<<"$output$stderr" | paste -sd+)" \
    "len(d['checkpoints']) == 1"
  is "$(grep -c 'thread #' <<<"$output$stderr")" 8
}

@test "a checkpoint that process 0 has not made is in the last report" {
  # Its report thread is busy until the others have ended.
  cat >busy.lua <<'LUA'
ffi.cdef("int usleep(unsigned);")
function event()
  ffi.C.usleep(5000)
end
function sysbench.hooks.report_intermediate()
  local f
  repeat
    ffi.C.usleep(20000)
    f = io.open("run.json.rank1")
  until f
  f:close()
end
LUA
  ranks -0 2 ./busy.lua --threads=2 --time=3 --report-interval=1 --report-checkpoints=2 \
    --json=run.json run
  must is "$(grep 'Checkpoint report' <<<"$output")" ""
  check run.json "d['totals']['events'] == \
    $(sed -nE 's/.*total number of events: +([0-9]+)$/\1/p' <<<"$output")" \
    "d['checkpoints'] == []"
}

@test "a checkpoint does not wait for longer than the end of the run leaves time for" {
  # Process 1 has nothing more to do, and stands still until there is a checkpoint.
  cat >idle.lua <<'LUA'
ffi.cdef[[
int usleep(unsigned);
int getpid(void);
int kill(int, int);
]]
local SIGSTOP = 19
local n, pid, seen = 0

function event()
  n = n + 1
  if sysbench.tid == 1 then
    return
  end
  ffi.C.usleep(10000)
  -- Half a second after its thread was done, and long before the checkpoint.
  local f = not pid and io.open("pid")
  if f then
    pid, seen = tonumber(f:read("*a")), n
    f:close()
  end
  if pid and n == seen + 50 and n < 500 then
    ffi.C.kill(pid, SIGSTOP)
  end
end

function thread_done()
  if sysbench.tid == 1 then
    local f = io.open("pid.new", "w")
    f:write(ffi.C.getpid())
    f:close()
    os.rename("pid.new", "pid")
  end
end
LUA
  "${launcher[@]}" -n 2 "$BENCH" ./idle.lua --events=2000 --time=8 --report-checkpoints=6 \
    --forced-shutdown=2 --json=run.json run >out 2>err 3>&- &
  pid=$!
  await out 'Checkpoint report'
  kill -CONT "$(cat pid)"
  local rc=0
  wait "$pid" || rc=$?
  must is "$(grep -c 'forcing shutdown' err)" 0
  must is "$rc" 0
  check run.json "d['ranks'][1]['events'] == 1000" "d['totals']['events'] == \
    $(sed -nE 's/.*total number of events: +([0-9]+)$/\1/p' out | paste -sd+)"
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
  ranks -0 3 ./errors.lua --db-driver=sqlite --sqlite-db="$PWD/db" --db-ignore-errors=all \
    --time=2 --report-interval=1 --json=run.json run
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
