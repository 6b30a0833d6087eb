# life.bats - which functions of a script are called, in which state, and what
# follows from their errors and return values.
load ../cli/helper

# Functions that say that they were called.
write_base() {
  cat >base.lua <<'L'
function say(...) io.stdout:write(table.concat({...}, " ") .. "\n") end
function init() say("init", sysbench.tid) end
function thread_init(id) say("thread_init", id, sysbench.tid) end
function event(id) count = (count or 0) + 1 end
function thread_done(id) say("thread_done", id) end
function done() say("done", sysbench.tid) end
L
}

# script LINE...: base.lua and more, as t.lua.
script() {
  write_base
  { cat base.lua; printf '%s\n' "$@"; } >t.lua
}

calls() {
  grep -E '^(init|thread_init|thread_done|done|other)' <<<"$output" | sort
}

@test "order and states of a run" {
  script
  for n in 1 4; do
    bench -0 t.lua --threads=$n --events=20 run
    must is "$stderr" ""
    must [ "$(grep -c '^thread_init' <<<"$output")" = "$n" ]
    must [ "$(grep -c '^thread_done' <<<"$output")" = "$n" ]
    must has "$output" 'total number of events: +20$'
    must is "$(grep -nE '^(init|done|General|Threads started)' <<<"$output" | sed 's/^[0-9]*://')" \
"init 0
Threads started!
General statistics:
done 0"
  done
}

@test "init fails" {
  script 'function init() error("no") end'
  bench -1 t.lua --threads=4 run
  must is "$stderr" "FATAL: init() failed at t.lua:7: no"
  must is "$(calls)" ""
}

@test "no event function, or something else of that name" {
  for line in 'event = nil' 'event = 5'; do
    script "$line"
    bench -1 t.lua run
    must is "$stderr" "FATAL: cannot find the event() function in t.lua"
  done
}

@test "init may define event" {
  echo 'function init() function event() end end' >t.lua
  bench t.lua --events=1 run
  must [ "$status" = 1 ] # workers have a state of their own
  must has "$stderr" "attempt to call a nil value"
}

@test "thread_init fails in one thread" {
  script 'function thread_init(id) if id == sysbench.opt.threads - 1 then error("no") end end'
  for n in 1 4; do
    bench -1 t.lua --threads=$n run
    must is "$stderr" "FATAL: thread_init() failed at t.lua:7: no"
    must is "$(calls)" "init 0"
  done
}

@test "connections that fail in many threads are summed up" {
  echo 'function thread_init() sysbench.sql.driver():connect() end function event() end' >t.lua
  bench -1 t.lua --threads=4 --db-driver=sqlite --sqlite-db=/nosuch/x.db run
  # Two threads say the two lines.
  must is "$(sort <<<"$stderr")" "FATAL: cannot open SQLite database '/nosuch/x.db': unable to open database file: No such file or directory
FATAL: thread_init() failed at t.lua:1: connection creation failed"
  # Others were opened: how many have failed.  The error that ends the run comes last.
  cat >t.lua <<'L'
function thread_init(id)
  local drv = sysbench.sql.driver()
  if id == 0 then
    pcall(drv.connect, drv, {db = "/nosuch/x.db"})
    io.open("tried", "w"):close()
  elseif id == 1 then
    while not io.open("tried") do end
    drv:connect({db = "/nosuch/x.db"})
  else
    drv:connect({db = "x.db"})
  end
end
function event() end
L
  bench -1 t.lua --threads=3 --db-driver=sqlite run
  must has "$stderr" '^FATAL: opening stopped after 2 of 3 connections failed$'
}

@test "event raises an error" {
  script 'function event(id) if id == 0 then error("no") end end'
  for n in 1 4; do
    bench -1 t.lua --threads=$n --time=5 run
    must is "$stderr" "FATAL: event() failed at t.lua:7 in $worker 0: no"
    must [ "$(grep -c '^thread_done' <<<"$output")" = $((n - 1)) ]
    must has "$output" '^done 0$'
  done
}

@test "error values: numbers, tables with and without a text" {
  local at=t.lua:7 value
  script 'function event() error(setmetatable({}, {__tostring = function() return "text" end})) end'
  bench t.lua run
  must is "$stderr" "FATAL: event() failed at $at in $worker 0: text"
  for value in "{}" nil true print; do
    script "function event() error($value) end"
    bench t.lua run
    must has "$stderr" "^FATAL: event\(\) failed at $at in $worker 0: \(error object is a [a-z]+ value\)$"
  done
  script 'function event() error(setmetatable({}, {__tostring = function() error("no") end})) end'
  bench t.lua run
  must has "$stderr" "^FATAL: event\(\) failed at $at in $worker 0: \(error object is a table value, whose __tostring fails: $at: no\)$"
  script 'function event() error(42, 0) end'
  bench t.lua run
  must is "$stderr" "FATAL: event() failed in $worker 0: 42"
}

@test "at --verbosity=4 an error has its traceback, once, and one that is caught has none" {
  script 'local function inner() error(nil) end' 'function event() pcall(inner) inner() end'
  bench -1 t.lua --verbosity=4 run
  must is "$(grep -c '^stack traceback:' <<<"$output")" 1
  must is "$(grep -A 3 '^stack traceback:' <<<"$output" | tail -n 2)" \
"	t.lua:7: in function 'inner'
	t.lua:8: in function <t.lua:8>"
  bench t.lua --verbosity=3 run
  must is "$(grep -c 'stack traceback' <<<"$output$stderr")" 0
  script 'error({})'
  bench t.lua --verbosity=4 run
  must is "$(grep -c '^stack traceback:' <<<"$output")" 1
}

@test "thread_run that is no function" {
  for value in nil 5; do
    script "thread_run = $value"
    bench -1 t.lua run
    must has "$stderr" "^FATAL: thread_run\(\) failed: attempt to call a (nil|number) value"
  done
  script 'init = 5'
  bench t.lua run
  must is "$stderr" "FATAL: init() failed: attempt to call a number value"
}

@test "thread_done and done fail: the report is printed" {
  script 'function thread_done(id) if id == 0 then error("no") end end'
  bench -1 t.lua --threads=2 --events=4 run
  must is "$stderr" "FATAL: thread_done() failed at t.lua:7: no"
  must has "$output" 'total number of events: +4$'
  script 'function done() error("no") end'
  bench -1 t.lua --threads=2 --events=4 run
  must is "$stderr" "FATAL: done() failed at t.lua:7: no"
  must has "$output" 'total number of events: +4$'
}

@test "values that event returns" {
  for value in nil false; do
    script "function event() return $value end"
    bench t.lua --threads=2 --events=10 run
    must has "$output" 'total number of events: +10$'
  done
  for value in true 0 "''" '{}'; do
    script "n = 0 function event(id) n = n + 1 if id == 0 and n == 3 then return $value end end"
    bench -0 t.lua --threads=1 --events=10 run
    must has "$output" 'total number of events: +2$'
    must has "$output" '^thread_done 0$'
  done
  script "function event(id) if id == 0 then return true end end"
  bench -0 t.lua --threads=2 --time=1 run
  must [ "$(number 'total number of events:')" -gt 10 ]
}

@test "event may be replaced at run time" {
  script 'function event() event = function() other = (other or 0) + 1 end end' \
    'function thread_done() say("other", other) end'
  bench t.lua --events=10 run
  must has "$output" '^other 9$'
}

@test "prepare, cleanup, help: called in the main state, results ignored" {
  for name in prepare cleanup help; do
    script "function $name() say('other', sysbench.tid, sysbench.opt.threads) return false end"
    bench -0 t.lua --threads=3 $name
    must is "$(calls)" "other 0 3"
    script "function $name() error('no') end"
    bench -1 t.lua $name
    must is "$stderr" "FATAL: $name() failed at t.lua:7: no"
    script
    bench -1 t.lua $name
    must is "$stderr" "'t.lua' test does not implement the '$name' command."
  done
  bench -1 t.lua nosuch
  must is "$stderr" $'Unknown command: nosuch\ncommands: run'
}

@test "custom commands" {
  script 'function mine() say("other", sysbench.tid) end' \
    'sysbench.cmdline.commands = { mine = {mine}, all = {mine, sysbench.cmdline.PARALLEL_COMMAND},' \
    '  bad = {function() return false end}, err = {function() error("no") end},' \
    '  run = {function() say("other run") end}, one = {function() if sysbench.tid == 1 then error("no") end mine() end, true} }'
  bench t.lua --threads=3 mine
  must is "$(calls)" "other 0"
  must [ "$status" = 0 ]
  bench -0 t.lua --threads=3 all
  must is "$(calls)" "other 0
other 1
other 2"
  must has "$output" '^Initializing worker threads...$'
  bench t.lua --threads=1 all
  must is "$(calls)" "other 0"
  must [ "$(grep -c Initializing <<<"$output")" = 0 ]
  bench -1 t.lua bad
  must is "$stderr" ""
  bench -1 t.lua err
  must is "$stderr" "FATAL: the command 'err' failed at t.lua:9: no"
  bench -1 t.lua --threads=3 one
  must is "$stderr" "FATAL: the command 'one' failed at t.lua:10: no"
  must is "$(calls)" "other 0
other 2"
  bench t.lua run
  must is "$(calls)" "other run"
}

@test "the body fails: at once, in a worker, in the background" {
  echo 'error("no")' >t.lua
  bench -1 t.lua run
  must is "$stderr" "FATAL: t.lua:1: no"
  script 'if sysbench.tid == 1 then error("no") end'
  bench -1 t.lua --threads=2 run
  must is "$stderr" "FATAL: t.lua:7: no"
  bench -1 t.lua --threads=1 --report-interval=1 run
  must is "$stderr" "FATAL: t.lua:7: no"
}

@test "an event that is always restarted ends with the run" {
  script 'function event() error({errcode = sysbench.error.RESTART_EVENT}) end'
  SECONDS=0
  bench -0 t.lua --threads=2 --time=1 run
  must [ "$SECONDS" -lt 60 ]
  must has "$output" 'total number of events: +0$'
  must [ "$(grep -c '^thread_done' <<<"$output")" = 2 ]
}

@test "restarts: one event, one ticket, the hook before each" {
  script 'tries, hooks = 0, 0' \
    'function event() tries = tries + 1 if tries % 3 ~= 0 then error({errcode = 1, mine = 7}) end end' \
    'function sysbench.hooks.before_restart_event(err) hooks = hooks + err.mine end' \
    'function thread_done() say("other", tries, hooks) end'
  bench -0 t.lua --events=10 run
  must has "$output" 'total number of events: +10$'
  must has "$output" '^other 30 140$'
}

@test "restarts: the latency is that of all attempts, pauses begin anew with each event" {
  # after ten attempts 1, 2, 4, 8 and 16 ms
  script 'tries = 0' \
    'function event() tries = tries + 1 if tries % 16 ~= 0 then error({errcode = 1}) end end' \
    'function thread_done() say("other", tries) end'
  bench -0 t.lua --events=2 run
  must has "$output" 'total number of events: +2$'
  must has "$output" '^other 32$'
  must [ "$(sed -n 's/^ *min: *\([0-9]*\)\..*/\1/p' <<<"$output")" -ge 31 ]
}

@test "errors of the hook before a restart" {
  script 'n = 0 function event() n = n + 1 if n == 1 then error({errcode = 1}) end end' \
    'function sysbench.hooks.before_restart_event(err) if not err.again then error({errcode = 1, again = true}) end end'
  bench -0 t.lua --events=10 run
  must has "$output" 'total number of events: +10$'
  script 'function event() error({errcode = 1}) end' \
    'function sysbench.hooks.before_restart_event(err) error("hook") end'
  bench -1 t.lua --events=10 run
  must is "$stderr" "FATAL: event() failed at t.lua:8 in $worker 0: hook"
}

@test "the number of the event" {
  script 'function thread_init() say("other init", sysbench.iteration()) end' \
    'tries = 0' \
    'function event() tries = tries + 1 if tries == 2 then error({errcode = 1}) end last = sysbench.iteration() end' \
    'function thread_done() say("other", tries, last) end'
  bench t.lua --events=5 run
  must is "$(calls)" "done 0
init 0
other 6 5
other init 0"
}

@test "a thread_run of the script's own" {
  cat >t.lua <<'L'
ffi.cdef[[ void sb_counter_inc(int, sb_counter_type); typedef uint32_t useconds_t; int usleep(useconds_t useconds); ]]
function thread_run(id)
   while ffi.C.sb_more_events(id) do
      ffi.C.sb_event_start(id)
      if pcall(event, id) then ffi.C.sb_counter_inc(id, ffi.C.SB_CNT_READ) end
      ffi.C.sb_event_stop(id)
      ffi.C.usleep(100)
   end
   print("reads", tonumber(ffi.C.sb_counter_val(id, ffi.C.SB_CNT_READ)),
      tonumber(ffi.C.sb_counter_val(id, ffi.C.SB_CNT_TRX)))
end
function event() end
L
  bench -0 t.lua --events=30 run
  must has "$output" 'total number of events: +30$'
  must has "$output" '^reads	30	30$'
}

# ends_as ORDER OPTION...: one worker has an event less than the other.  ORDER has a
# line for each row of calls: how many, and of what.
ends_as() {
  bench t.lua --db-driver=null --null-latency=30000 --events=3 "${@:2}" run
  is "$status" 0 &&
    is "$(grep -oE '^(event|thread_done)' <<<"$output" | uniq -c | awk '{ print $1, $2 }')" "$1"
}

@test "no worker closes while another is about to leave" {
  script 'function thread_init() con = sysbench.sql.driver():connect() end' \
    'function event(id) con:query("SELECT 1"); say("event", id) end'
  must sooner_or_later ends_as $'3 event\n2 thread_done' --threads=2
  must ends_as $'3 event\n2 thread_done' --threads=1 --clients=2
}

@test "a transaction that is open is given up before the others leave" {
  script 'function thread_init() con = sysbench.sql.driver():connect() end' \
    'function event(id) con:query("BEGIN"); say("event", id) end'
  must sooner_or_later ends_as $'2 event\n1 thread_done\n1 event\n1 thread_done' --threads=2
  must ends_as $'2 event\n1 thread_done\n1 event\n1 thread_done' --threads=1 --clients=2
}

# one_is_forced OPTION...: the first worker does not come back before the end by
# force, and the others have ended long before.
one_is_forced() {
  bench t.lua --db-driver=null --null-latency=9000000 --time=0.2 --forced-shutdown=2 "$@" run
  is "$status" 2 && is "$(grep -c '^thread_done' <<<"$output")" 3
}

@test "workers that have ended before an end by force call thread_done" {
  script 'function thread_init() con = sysbench.sql.driver():connect() end' \
    'function event(id) if id == 0 then con:query("SELECT 1") end end'
  must one_is_forced --threads=4
  must one_is_forced --threads=2 --clients=4
}

@test "a start without a stop is not recorded; wrong thread numbers do nothing" {
  cat >t.lua <<'L'
function event() end
function thread_run(id)
   local n = 0
   while ffi.C.sb_more_events(id) do
      n = n + 1
      ffi.C.sb_event_start(id)
      if n % 2 == 0 then ffi.C.sb_event_stop(id) end
      ffi.C.sb_event_stop(id + 5)
      ffi.C.sb_counter_inc(-1, ffi.C.SB_CNT_READ)
   end
end
L
  bench -0 t.lua --events=10 run
  must has "$output" 'total number of events: +5$'
  must has "$stderr" "^ALERT: $worker number 5 is not that of the calling $worker"
}

@test "thousands of threads" {
  echo 'function event() end' >t.lua
  local n=4000
  # Each thread of such a build takes sixteen of the areas of memory that a
  # process may have, which are 65530.
  ! nm "$BENCH" | grep -q __tsan_init || n=2000
  bench -0 t.lua --threads=$n --events=$n run
  must has "$output" "total number of events: +$n\$"
}

@test "a long message of an error is not cut soon" {
  echo 'function event() error(("x"):rep(1500) .. "END", 0) end' >t.lua
  bench t.lua --events=1 run
  must has "$stderr" 'x{1500}END$'
  echo 'function event() error(("x"):rep(3000) .. "END", 0) end' >t.lua
  bench t.lua --events=1 run
  must has "$stderr" 'x{1500}x*\.\.\.$'
}

@test "scripts hear how programs ended where SIGCHLD is ignored" {
  cat >t.lua <<'L'
function event()
  print(os.execute("exit 3"), os.execute("true"), io.popen("exit 4"):close())
end
L
  run -0 python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$BENCH" t.lua --events=1 run
  must has "$output" '^768	0	true$'
}

@test "programs that a script starts have no signals blocked" {
  cat >t.lua <<'L'
local function blocked(where)
  local file = assert(io.popen("grep SigBlk /proc/self/status"))
  print(where, "popen", (file:read("*a"):match(":%s*(%x+)")))
  assert(file:close())
  os.execute("exec >>out; echo " .. where .. " execute $(grep SigBlk /proc/self/status)")
end
function thread_init()
  blocked("thread_init")
  local file = io.popen("sleep 100 >/dev/null 2>&1 & echo $!")
  pid = file:read("*l")
  file:close()
end
function event() blocked("event") end
function thread_done()
  print("kill", os.execute("kill " .. pid), os.execute("exit 3"), os.execute())
  blocked("thread_done")
end
function done() blocked("done") end
L
  bench -0 t.lua --events=1 run
  must is "$stderr" ""
  local where
  for where in thread_init event thread_done done; do
    must has "$output" "^$where	popen	0000000000000000$"
    must grep -qx "$where execute SigBlk:.0000000000000000" out
  done
  must has "$output" '^kill	0	768	1$'
}

@test "rest: the client waits between events, others do not, and no latency has it" {
  cat >t.lua <<'L'
local events = 0
function event(id)
  events = events + 1
  if id == 0 then sysbench.rest(1000) end
end
function thread_done(id) print("events", id, events == 1 and "one" or "more") end
L
  local of
  for of in --threads=2 "--clients=2 --threads=1"; do
    # shellcheck disable=SC2086
    bench -0 t.lua $of --events=0 --time=2 --json=t.json run
    must is "$(grep '^events' <<<"$output" | sort)" $'events\t0\tone\nevents\t1\tmore'
    must check t.json 'd["totals"]["latency_ns"]["max"] < 1.9e9' 'd["totals"]["elapsed_s"] > 1.9'
  done
  # before the first event, too, and in the warm-up
  cat >t.lua <<'L'
function thread_init(id) if id == 0 then sysbench.rest(1) sysbench.rest(1) end end
function event(id) if id == 0 then print("first of", id) sysbench.rest(1000) end end
L
  bench -0 t.lua --threads=2 --events=0 --warmup-time=1 --time=2 --json=t.json run
  must is "$(grep -c '^first of' <<<"$output")" 1
  must check t.json 'd["totals"]["latency_ns"]["max"] < 1.9e9'
  # each of the events is counted, however long the client rests
  cat >t.lua <<'L'
function event(id) sysbench.rest(0.001) end
L
  bench -0 t.lua --threads=3 --events=30 --time=0 --json=t.json run
  must check t.json 'd["totals"]["events"] == 30'
  cat >t.lua <<'L'
function event() sysbench.rest(-1) end
L
  bench -1 t.lua --events=1 run
  must has "$stderr" 'rest: the time is a number of seconds, 0 or more'
}

@test "a done() that does not end, and a finalizer, end like an event that does not" {
  cat >t.lua <<'L'
function event() end
function done() while true do end end
L
  bench -2 t.lua --time=0.1 --forced-shutdown=1 --json=t.json run
  must has "$stderr" '^FATAL: done\(\) does not end, forcing shutdown\.\.\.$'
  must has "$output" 'total number of events: +[1-9]'
  must check t.json 'd["run"]["exit_status"] == 2 and d["totals"]["events"] > 0'
  cat >t.lua <<'L'
kept = {}
function thread_init()
  local p = newproxy(true)
  getmetatable(p).__gc = function() while true do end end
  table.insert(kept, p)
end
function event() end
L
  bench -2 t.lua --threads=1 --clients=4 --time=0.1 --forced-shutdown=1 --json=t.json run
  must has "$stderr" '^FATAL: a finalizer \(__gc\) of the script does not end, forcing shutdown\.\.\.$'
  must check t.json 'd["run"]["exit_status"] == 2 and d["totals"]["events"] > 0'
}

@test "a signal ends a done() that does not end" {
  cat >t.lua <<'L'
function event() end
function done() io.open("begun", "w"):close() while true do end end
L
  rm -f begun
  "$BENCH" t.lua --events=3 run >out 2>&1 3>&- &
  local pid=$!
  within 60 test -e begun
  kill -INT $pid
  status=0
  wait $pid || status=$?
  must is "$status" 130
  must has "$(<out)" '^FATAL: done\(\) does not end, forcing shutdown\.\.\.$'
}

@test "an event that does not end is named two seconds after the time" {
  cat >t.lua <<'L'
require("ffi").cdef "int usleep(uint32_t);"
function event()
  if sysbench.tid == 0 then
    repeat ffi.C.usleep(10000) until io.open("go")
  end
end
L
  local name
  "$BENCH" t.lua --threads=2 --time=1 run >out 2>err 3>&- &
  name=$!
  until grep -q '^WARNING: 2 s after the end' err; do
    kill -0 $name
    read -rt 0.05 <> <(:) || :
  done
  touch go
  wait $name
  must is "$(without_machine <err)" "WARNING: 2 s after the end of the time, 1 of 2 ${worker}s are still in an event, and the run waits for them for 30 s at most (see --forced-shutdown); Ctrl-C ends it with a report"
}

# lost CODE: each event loses an object whose finalizer fails, and executes the code.
lost() {
  cat >t.lua <<L
local ffi = require("ffi")
ffi.cdef("typedef struct { int n; } lost_t;")
local lost_t = ffi.metatype("lost_t", {__gc = function() error("mine") end})
function event()
  local p = newproxy(true)
  getmetatable(p).__gc = function() error("mine") end
  p = nil
  ffi.gc(ffi.new("int[1]"), function() error("mine") end)
  lost_t()
  $1
end
L
}

@test "an error in a finalizer ends the run with one line and a report" {
  local jit code
  for code in 'collectgarbage()' 'local t = {} for i = 1, 1000 do t[i] = {} end'; do
    lost "$code"
    for jit in on off; do
      bench t.lua --luajit-cmd=$jit --threads=1 --events=5000 --json=t.json run
      must is "$status" 1
      must has "$stderr" "^FATAL: event\\(\\) failed at t\\.lua:[368] in $worker 0: mine \\(in a finalizer, __gc\\)\$"
      must is "$(grep -c FATAL <<<"$stderr")" 1
      must has "$output" 'total number of events: +[0-9]+$'
      must json t.json "d['run']['exit_status'] == 1"
    done
  done
}

@test "an error in a finalizer that was set past the metatable ends the run with one line, too" {
  local set
  for set in 'rawset(getmetatable(p), "__gc", gc)' 'debug.setmetatable(p, {__gc = gc})'; do
    cat >t.lua <<L
local function gc() error("mine") end
function event()
  local p = newproxy(true)
  $set
end
L
    bench t.lua --threads=2 --time=0 --events=100000 run
    must is "$status" 1
    must is "$(grep -c 'PANIC\|FATAL' <<<"$stderr")" 1
    must has "$stderr" "^FATAL: event\\(\\) failed at t\\.lua:1 in $worker [01]: mine\$"
    must has "$output" 'total number of events: +[0-9]+$'
  done
}

@test "an error in a finalizer of a state that is closed gets a line" {
  cat >t.lua <<'L'
local kept = newproxy(true)
getmetatable(kept).__gc = function() error("late") end
function event() return kept == nil end
L
  bench t.lua --events=3 run
  must has "$stderr" '^WARNING: t\.lua:2: late \(in a finalizer, __gc\)$'
}
