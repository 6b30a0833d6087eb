#!/usr/bin/env bats
# shellcheck disable=SC2046 # alone() prints two options
# clients.bats - many clients on few threads: each is to a script what a thread
# is, and while one waits the others run.
load ../cli/helper

null() {
  bench "$1" --db-driver=null "${@:2}" run
}

# alone: the options of one client that has the loop that several have here.
alone() {
  null oltp_point_select --threads=1 --clients=2 --events=2 --json=loop.json
  sed -n 's/.*"loop_engine": "\([a-z_]*\)".*/--clients=1 --client-engine=\1/p' loop.json
}

# overlaps FILE TIMES: clients have waited at the same time: the sum of all
# latencies is so many times the length of the run.
overlaps() {
  check "$1" "d['totals']['latency_ns']['mean'] * d['totals']['events'] > $2 * d['totals']['period_s'] * 1e9"
}

@test "every client has the numbers, globals and locals of a thread" {
  cat >t.lua <<'L'
local id, draws = nil, {}
function thread_init(tid)
  id, mine, count = tid, tid, 0
  sysbench.opt.own = tid
  for i = 1, 50 do
    draws[i] = sysbench.rand.default(1, 100000) .. " " .. sysbench.rand.uniform(1, 1000) .. " " .. sysbench.rand.string("##@@")
  end
end
function event(tid)
  count = count + 1
  assert(tid == id and tid == mine and tid == sysbench.tid and tid == sysbench.opt.own and tid == thread_id)
  assert(sysbench.opt.threads == 8)
end
function thread_done()
  local f = assert(io.open((os.getenv("WHERE") or "") .. id, "w"))
  f:write(table.concat(draws, "\n"), "\n")
  f:close()
  io.stdout:write("events " .. count .. "\n")
end
L
  mkdir threads clients
  WHERE=threads/ bench -0 t.lua --threads=8 --events=400 --rand-seed=5 run
  WHERE=clients/ bench -0 t.lua --threads=1 --clients=8 --events=400 --rand-seed=5 run
  must has "$output" '^Number of clients: 8 on 1 thread$'
  must is "$(awk '/^events [0-9]+$/ { n++; sum += $2 } END { print n, sum }' <<<"$output")" "8 400"
  must is "$(ls threads clients | grep -c '^[0-7]$')" 16
  must diff -r threads clients
}

@test "a client that is alone on its thread gives way now and then only" {
  echo 'function event() end' >t.lua
  null -0 ./t.lua $(alone) --events=200000 --json=a.json
  must json a.json '0 < d["client"]["loop_turns"] < 100000'
  null -0 ./t.lua --threads=1 --clients=2 --events=200000 --json=a.json
  must json a.json 'd["client"]["loop_turns"] >= 100000'
}

@test "a client that has a thread of its own needs no loop" {
  local given
  for given in --clients=1 "--threads=4 --clients=4" "--threads=4 --clients=2" "--threads=3 --clients=2 --storm=1@0.01"; do
    # shellcheck disable=SC2086
    null -0 oltp_point_select $given --time=1 --events=200 --json=a.json
    must json a.json "d['run']['clients'] == d['run']['threads'] > 0 and 'loop_engine' not in d['client']"
  done
  # Those that have to share a thread, or a connection, and those that are to have a loop.
  for given in "--threads=2 --clients=3" "--threads=2 --clients=2 --storm=1@0.01" "--clients=1 --pool=1" \
    "--clients=1 --client-engine=epoll"; do
    # shellcheck disable=SC2086
    null -0 oltp_point_select $given --time=1 --events=200 --json=a.json
    must json a.json "d['client']['loop_engine'] in ('epoll', 'io_uring')"
  done
  must json a.json "d['client']['loop_engine'] == 'epoll'"
}

@test "a loop that the system does not have is refused, and one that nobody wants is not" {
  "${CC:-cc}" -o without_uring "$BENCH_SRC/tests/clients/without_uring.c"
  run -1 ./without_uring "$BENCH" bench oltp_point_select --db-driver=null --threads=1 --clients=2 --events=10 --client-engine=io_uring run
  must has "$output" '^FATAL: cannot wait for many sockets with io_uring: Operation not permitted'
  run -0 ./without_uring "$BENCH" bench oltp_point_select --db-driver=null --threads=1 --clients=2 --events=10 --json=a.json run
  must json a.json "d['client']['loop_engine'] == 'epoll'"
  null -0 oltp_point_select --threads=2 --client-engine=io_uring --client-order=arrival --events=10 # --clients=off
  must has "$stderr" '^WARNING: --client-engine has no effect without --clients$'
  must has "$stderr" '^WARNING: --client-order has no effect: clients go on in the order in which their answers arrive$'
}

@test "messages say client where they say thread of a thread" {
  echo 'function event(id) if id == 1 then return 5 end require("ffi").C.sb_more_events(7) end' >t.lua
  null -0 ./t.lua --threads=1 --clients=2 --events=40 --verbosity=5
  must has "$stderr" '^DEBUG: Worker client \(#1\) started$'
  must has "$stderr" '^ALERT: client number 7 is not that of the calling client, call ignored$'
  must has "$stderr" 'returned a value \(number\), which ends its client \(1 of 2 clients\)$'
  must has "$output" '^Number of clients: 2 on 1 thread$'
  must has "$output" '^Threads fairness:$'
}

@test "what a client writes to its declared options, others do not see" {
  cat >t.lua <<'L'
require("oltp_common")
sysbench.cmdline.options.mine = {"mine", 5}
function thread_init() end
function event()
  local o, tid = sysbench.cmdline.options, sysbench.tid
  if wrote then
    io.stdout:write(("%d %d %d %s\n"):format(o.tables[2] - tid, o.mine[2] - tid, o.mark - tid, tostring(rawget(sysbench.cmdline, "options") == o)))
    return true
  end
  wrote = true
  io.stdout:write(("new %d %d %s\n"):format(o.tables[2], o.mine[2], tostring(o.mark)))
  o.tables[2], o.mine[2], o.mark = tid, tid, tid
end
function thread_done() end
L
  null -0 ./t.lua --threads=1 --clients=4 --time=60 --think-time=1
  must is "$(grep -c '^new 1 5 nil$' <<<"$output")" 4
  must is "$(grep -c '^0 0 0 true$' <<<"$output")" 4
}

@test "libraries that a client has not used yet are there as those of a thread" {
  cat >names.lua <<'L'
function event()
  local seen = {}
  local function show(name, t, depth)
    local names = {}
    for key in pairs(t) do names[#names + 1] = tostring(key) end
    table.sort(names)
    for _, key in ipairs(names) do
      io.stdout:write("name ", name, ".", key, " ", type(t[key]), "\n")
      if type(t[key]) == "table" and not seen[t[key]] and depth > 0 then
        seen[t[key]] = true
        show(name .. "." .. key, t[key], depth - 1)
      end
    end
  end
  show("", _G, tonumber(os.getenv("DEPTH")))
  return true
end
L
  for depth in 0 3; do
    DEPTH=$depth null -0 ./names.lua --threads=1
    grep '^name ' <<<"$output" | grep -v '\._G\.\|loaded\|\.opt\.' >thread
    DEPTH=$depth null -0 ./names.lua $(alone)
    grep '^name ' <<<"$output" | grep -v '\._G\.\|loaded\|\.opt\.' >client
    must diff thread client
    (($(wc -l <client) > 40))
  done

  cat >own.lua <<'L'
local function all()
  return tostring(bit), type(math), type(rawget(_G, "os")), tostring(string.mine), type(sysbench.db), type(sysbench.sql.error),
    type(sysbench.sql.type), type(sysbench.histogram.new), type(require("bit").band), type(getmetatable(_G))
end
function event(tid)
  if tid == 1 and not done then
    done, bit, sysbench.db, sysbench.sql.error, string.mine = true, nil, nil, nil, tid
    return
  elseif tid ~= 1 and not done then
    done = true
    return
  end
  io.stdout:write(("own %d %s %s %s %s %s %s %s %s %s %s\n"):format(tid, all()):gsub("table: 0x%x+", "table"), "")
  return true
end
L
  null -0 ./own.lua --threads=1 --clients=3 --time=60 --think-time=1
  must is "$(grep '^own' <<<"$output" | sort | sed 's/1$//')" "own 0 table table table nil table table table function function nil
own 1 nil table table 1 nil nil table function function nil
own 2 table table table nil table table table function function nil"
}

@test "a client at work takes little memory, and has only the statements that it wants" {
  cat >work.lua <<'L'
require("oltp_read_write")
local own, events = event, 0
function event(tid)
  own(tid)
  events = events + 1
  if tid == 0 and events == 4 then
    io.stdout:write(("kib %d\n"):format(collectgarbage("count")))
  end
end
L
  null -0 ./work.lua --threads=1 --clients=1000 --events=8000
  must holds "$(awk '$1 == "kib" { print $2 }' <<<"$output") < 16500"
  cat >some.lua <<'L'
require("oltp_common")
function prepare_statements()
  prepare_point_selects()
  if thread_id == 1 then prepare_sum_ranges() end
  prepare_index_updates()
end
function event(tid)
  local names = {}
  local _ = stmt[2].sum_ranges, stmt[2].index_updates, stmt[2].point_selects, stmt[3], param[0]
  for name in pairs(param[2]) do names[#names + 1] = name end
  table.sort(names)
  io.stdout:write(("has %d %s %s %s\n"):format(tid, table.concat(names, " "), tostring(stmt[3]), tostring(param[0])))
  return true
end
L
  null -0 ./some.lua --threads=1 --clients=3 --tables=2
  must is "$(grep '^has' <<<"$output" | sort)" "has 0 index_updates point_selects nil nil
has 1 index_updates point_selects sum_ranges nil nil
has 2 index_updates point_selects nil nil"
}

@test "classes of statements take little memory for each client" {
  cat >work.lua <<'L'
require("oltp_point_select")
local own, events = event, 0
function event(tid)
  own(tid)
  events = events + 1
  if tid == 0 and events == 4 then
    for line in io.lines("/proc/self/status") do
      local kib = line:match("^VmRSS:%s*(%d+)")
      if kib then io.stdout:write("kib ", kib, "\n") end
    end
  end
end
L
  local kib=()
  for more in --verbosity=3 --json=a.json; do
    null ./work.lua --threads=1 --clients=1000 --events=8000 "$more"
    must is "$status" 0
    kib+=("$(awk '$1 == "kib" { print $2 }' <<<"$output")")
  done
  must holds "${kib[1]} - ${kib[0]} < 10000"
}

@test "errors of all kinds are those that a thread has" {
  needs_driver sqlite
  cat >t.lua <<'L'
local named = { __tostring = function(t) return "named " .. t.code end }
local forms = {
  function(e) error(e) end, -- an error of SQL, again
  function() error({ code = 5 }) end,
  function() error(setmetatable({ code = 7 }, named)) end,
  function() error(42) end,
  function() error() end,
  function() error(print) end,
  function() assert(nil) end,
  function() assert(false, { code = 1 }) end,
  function() con:query("SELECT nowhere") end,
  function(e) if n < 3 then error({ errcode = sysbench.error.RESTART_EVENT }) end return 1 end,
  function(e)
    local ok, x = coroutine.resume(coroutine.create(function() con:query("SELECT 1") error(e) end))
    io.stdout:write("coroutine ", tostring(ok), " ", tostring(x == e or tostring(x):find(tostring(e), 1, true) ~= nil), "\n")
    return 1
  end,
  function()
    local ok, x = xpcall(function() con:query("SELECT nowhere") end, function(x) return { was = x } end)
    io.stdout:write("handler ", tostring(ok), " ", type(x.was), " ", tostring(x.was), "\n")
    return 1
  end,
  function(e)
    io.stdout:write(type(e), " ", tostring(e), " ", tostring(type(e) == "table" and e.errcode), "\n")
    local ok, x, y = pcall(pcall, error, e)
    io.stdout:write(tostring(ok), " ", tostring(x), " ", tostring(y == e), "\n")
    return 1
  end,
}
function thread_init() con, n = sysbench.sql.driver():connect(), 0 end
function event()
  n = n + 1
  local ok, e = pcall(con.query, con, "SELECT nowhere")
  assert(not ok)
  if os.getenv("LOOK") then
    assert(type(e) == "table" and e.sql_errmsg and e.errcode == 1)
  end
  return forms[tonumber(os.getenv("FORM"))](e)
end
L
  # what_is_seen ARG...: without figures and times.
  what_is_seen() {
    null=$(FORM=$form "$BENCH" ./t.lua --db-driver=sqlite --sqlite-db=t.db --events=1 "$@" run 2>&1) && status=0 || status=$?
    printf 'status %s\n' "$status"
    grep -E '^(FATAL|ALERT|coroutine|handler|table|string|true|false|WARNING: event)' <<<"$null" | sed 's/thread/client/g' || true
  }
  client=$(alone)
  # shellcheck disable=SC2086 # two options
  for form in {1..13}; do
    must is "$(what_is_seen $client)" "$(what_is_seen --threads=1)"
    (( $(what_is_seen $client | wc -l) > 1 ))
    [[ $form =~ ^(1|9)$ ]] || # an ignored error restarts the event, for ever
      must is "$(LOOK=1 what_is_seen $client --db-ignore-errors=1)" "$(LOOK=1 what_is_seen --threads=1 --db-ignore-errors=1)"
  done
}

@test "a run that ends late because of a client says so" {
  cat >t.lua <<'L'
local ffi = require("ffi")
ffi.cdef("int poll(void *fds, unsigned long n, int ms);")
function event()
  if os.getenv("BLOCKS") then
    ffi.C.poll(nil, 0, 2200)
  else
    local till = os.time() + 3
    while os.time() < till do end
  end
end
L
  null ./t.lua --threads=1 --clients=2 --time=1 --forced-shutdown=off
  must has "$stderr" '^WARNING: the run ended [0-9.]+ s late, since code of a client has kept its thread busy; rates count that time'
  BLOCKS=1 null ./t.lua --threads=1 --clients=2 --time=1 --forced-shutdown=off
  must has "$stderr" '^WARNING: the run ended [0-9.]+ s late, since a client has called a function that stops its thread; rates'
}

@test "finalizers cannot use connections, in whatever way they are set" {
  cat >t.lua <<'L'
local ffi = require("ffi")
local forms = {
  function(f) ffi.gc(ffi.new("char[100]"), f) end,
  function(f) ffi.gc(ffi.new("char[100]"), setmetatable({}, { __call = f })) end,
  function(f) getmetatable(newproxy(true)).__gc = f end,
  function(f) rawset(getmetatable(newproxy(true)), "__gc", f) end,
  function(f) local mt = getmetatable(newproxy(true)) debug.setmetatable(mt, nil) mt.__gc = f end,
}
function thread_init()
  con = sysbench.sql.driver():connect()
  stmt = con:prepare("SELECT 2")
end
function event(tid)
  local ran = {}
  for i, form in ipairs(forms) do
    form(function()
      local ok, err = pcall(con.query, con, "SELECT 1")
      local again, why = pcall(stmt.execute, stmt)
      ran[i] = not ok and not again and err
      assert(ok or tostring(why):find("cannot use connections"))
    end)
  end
  for i = 1, #forms do
    while ran[i] == nil do con:query("SELECT 1") stmt:execute() local _ = ("x"):rep(1000) .. tostring({}) end
    assert(tostring(ran[i]):find("^%./t.lua:%d+: with %-%-clients, finalizers cannot use connections"), tostring(ran[i]))
  end
  collectgarbage("stop") -- that is no finalizer
  con:query("SELECT 1")
  collectgarbage("restart")
  con:query("SELECT 1")
end
L
  null -0 ./t.lua --threads=1 --clients=3 --events=9 --time=0
  must has "$output" 'total number of events: +9$'
}

@test "an error that is no text has its type, its place and its traceback" {
  echo 'function event() error({}) end' >t.lua
  null -1 ./t.lua --threads=1 --clients=2 --verbosity=4
  must has "$stderr" '^FATAL: event\(\) failed at \./t\.lua:1 in client [01]: \(error object is a table value\)$'
  must is "$(grep -c '^stack traceback:' <<<"$output")" 1
}

@test "an error in a finalizer is that of the next call of a client" {
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
local function lost(f) getmetatable(newproxy(true)).__gc = f end
function event()
  lost(function() error("mine") end)
  while true do con:query("SELECT 1") local _ = tostring({}) end
end
L
  null -1 ./t.lua --threads=1 --clients=3 --time=0 --events=3
  must has "$stderr" '^FATAL: event\(\) failed at \./t\.lua:4 in client [0-2]: mine \(in a finalizer, __gc\)$'

  # Events make no calls.
  cat >t.lua <<'L'
function event() getmetatable(newproxy(true)).__gc = function() error("mine") end end
L
  null -1 ./t.lua --threads=1 --clients=3 --time=0 --events=100000
  must has "$stderr" '^FATAL: event\(\) failed at \./t\.lua:1 in client [0-2]: mine \(in a finalizer, __gc\)$'

  # Nobody makes a call any more.
  cat >t.lua <<'L'
function thread_init() kept = newproxy(true) getmetatable(kept).__gc = function() error("late") end end
function event() end
L
  null -0 ./t.lua --threads=1 --clients=3 --events=9
  must is "$(grep -c 'WARNING: \./t\.lua:1: late (in a finalizer, __gc)' <<<"$stderr")" 1
}

@test "a script that wraps a function wraps it once per client" {
  cat >helper.lua <<'L'
calls = (calls or 0) + 1
local M = { n = 0 }
function M.next() M.n = M.n + 1; return M.n end
return M
L
  cat >t.lua <<'L'
local helper = require("helper")
local old = sysbench.rand.default
function sysbench.rand.default(a, b) depth = depth + 1; return old(a, b) end
string.twice = function(s) return s .. s end
function event()
  depth = 0
  sysbench.rand.default(1, 10)
  assert(depth == 1 and calls == 1)
  n = (n or 0) + 1
  assert(helper.next() == n and ("ab"):twice() == "abab")
end
L
  bench t.lua --threads=2 --clients=50 --events=2000 run
  must is "$stderr" ""
  must is "$status" 0
  must has "$output" 'total number of events: +2000$'
}

@test "while a client waits, others run, wherever it waits" {
  cat >t.lua <<'L'
function thread_init()
  con = sysbench.sql.driver():connect()
  stmt = con:prepare("SELECT 1")
end
local function query() con:query("SELECT 1") end
local places = {
  query,
  function() stmt:execute() end,
  function() assert(pcall(query)) end,
  function() return nil, ("x"):gsub("x", function() query() end) end,
  function()
    local t = { 2, 1 }
    table.sort(t, function(a, b) query(); return a < b end)
  end,
  function()
    local co = coroutine.wrap(function() query(); coroutine.yield(1); query() end)
    co()
    co()
  end,
  function()
    local t = setmetatable({}, { __newindex = query })
    t.x = 1
  end,
  function() assert(loadstring("con:query('SELECT 2')"))() end,
  function() xpcall(query, debug.traceback) end,
  function() ffi.C.db_query(con, "SELECT 3", 8) end,
}
function event()
  n = (n or 0) + 1
  places[n % #places + 1]()
end
L
  null -0 ./t.lua --null-latency=2000 --threads=1 --clients=50 --events=1000 --json=a.json
  must has "$output" 'total number of events: +1000$'
  overlaps a.json 10
  check a.json "d['run']['threads'] == 1" "d['run']['clients'] == 50" \
    "d['client']['blocking_calls'] == 0" "d['client']['loop_turns'] > 0" \
    "d['threads']['each'][49]['events'] > 0"
}

# counts OPTION...: a run of so many clients that write how many events they had;
# `had` is the number of those with some, the number of all, and the sum.
counts() {
  null ./t.lua --null-latency=1000 --time=0 --json=a.json "$@"
  must is "$status: $stderr" "0: "
  had=$(awk '/^had [0-9]+$/ { some += $2 > 0; n++; sum += $2 } END { print some, n, sum }' <<<"$output")
}

@test "idle clients connect, begin no events, and end with the others" {
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event() n = (n or 0) + 1; con:query("SELECT 1") end
function thread_done() io.stdout:write("had " .. (n or 0) .. "\n") end
L
  local had
  counts --threads=2 --clients=20 --idle-clients=75% --idle-ping=0.01 --events=500
  must has "$had" '^[1-5] 20 500$'
  must has "$output" '^Number of clients: 20 on 2 threads$' '^Idle clients: 15$' 'events \(avg/stddev\): +100\.0000/'
  check a.json "d['run']['idle_clients'] == 15" "'idle_pings' not in d['database']"
  counts --threads=4 --idle-clients=3 --events=100
  must is "$had" "1 4 100"
  # The control: without it all of them work.
  counts --threads=2 --clients=20 --events=500
  must has "$had" '^(1[0-9]|20) 20 500$'
  must is "$(grep -c 'Idle clients' <<<"$output")" 0
  # A time limit ends them, too; and so does the last of the others.
  null -0 ./t.lua --null-latency=1000 --threads=2 --clients=400 --idle-clients=99% --time=0.3
  # On a slow machine the others have none either.
  must holds "$(grep -c '^had 0$' <<<"$output") >= 396"
  must is "$(grep -c '^had ' <<<"$output")" 400
  sed -i 's/^function event.*/function event() return true end/' t.lua
  null -0 ./t.lua --threads=3 --idle-clients=1 --time=600
}

# kept SCRIPT: the KiB in the Lua state of 300 clients, of which 299 are idle and
# have made 100 KiB each.
kept() {
  null -0 "./$1" --threads=1 --clients=300 --idle-clients=299 --time=60
  kib=$(awk '$1 == "kib" { print $2 }' <<<"$output")
}

@test "clients that are still in thread_done() are not cut off when only idle ones are left" {
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
function thread_done(id)
  local until_s = os.clock() + 0.3
  while os.clock() < until_s do end
  io.stdout:write(("done %s\n"):format(tostring(pcall(con.query, con, "SELECT 1"))))
end
L
  null -0 ./t.lua --threads=1 --clients=4 --idle-clients=2 --events=20 --time=0
  must holds "$(grep -c '^done true' <<<"$output") >= 2"
}

@test "the guests of a storm do not wait for each other to leave" {
  # The first one stays until another one has left.
  cat >t.lua <<'L'
local function has_left()
  local f = io.open("left")
  return f and f:close()
end
function thread_init() con = sysbench.sql.driver():connect() end
function event(id)
  con:query("SELECT 1")
  for _ = 1, id == 2 and 5000 or 0 do
    if has_left() then return io.stdout:write("another one has left\n") end
    con:query("SELECT 1")
  end
end
function thread_done(id) if id > 2 then io.open("left", "w"):close() end end
L
  null -0 ./t.lua --threads=1 --clients=2 --storm=20@0.1 --connect-rate=1000 --null-latency=1000 --time=0.5
  must is "$(grep -c '^another one has left' <<<"$output")" 1
}

@test "an idle client gives up its Lua environment, unless thread_done() is the script's own" {
  local kib
  cat >bundled.lua <<'L'
require("oltp_common")
local init = thread_init
function prepare_statements() prepare_point_selects() end
function thread_init(tid)
  init(tid)
  big = ("x%d"):format(tid + 100):rep(25600)
end
function event()
  io.stdout:write(("kib %d\n"):format(collectgarbage("count")))
  return true
end
L
  kept bundled.lua
  must holds "$kib < 15000"
  sed 's/^require.*//; s/^local init.*/function init() end/' bundled.lua >without.lua
  kept without.lua
  must holds "$kib < 15000"
  # What the script does at the end, it does for all.
  { cat bundled.lua; echo 'local done = thread_done; function thread_done() done(); io.stdout:write("done ", #big, "\n") end'; } >own.lua
  kept own.lua
  must holds "$kib > 29900"
  must is "$(grep -c '^done 102400$' <<<"$output")" 300
  { cat bundled.lua; echo 'local close = close_statements; function close_statements() close(); io.stdout:write("closed ", #big, "\n") end'; } >replaced.lua
  kept replaced.lua
  must holds "$kib > 29900"
  must is "$(grep -c '^closed 102400$' <<<"$output")" 300
}

@test "threads of clients keep the scheduling policy of the process" {
  cat >policy.lua <<'L'
function event()
  local stat = io.open("/proc/thread-self/stat"):read("*a"):match(".*%) (.*)")
  local n = 2
  for field in stat:gmatch("%S+") do
    n = n + 1
    if n == 41 then print("policy " .. field) end
  end
end
L
  null ./policy.lua --threads=1 --clients=2 --events=1
  must is "$(grep -c '^policy 0$' <<<"$output")" 1
}

@test "errors, restarts and hooks belong to one client" {
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
sysbench.hooks.before_restart_event = function(err) hooked = (hooked or 0) + 1; assert(err.connection == con) end
function event()
  attempts = (attempts or 0) + 1
  con:query("SELECT 1")
  done_events = (done_events or 0) + 1
end
function thread_done()
  -- A client may have had no event at all: the others were quicker.
  assert((attempts or 0) == (done_events or 0) + (hooked or 0))
  io.stdout:write("hooked " .. (hooked or 0) .. "\n")
end
L
  null -0 ./t.lua --null-error-rate=0.2 --null-error=deadlock --threads=2 --clients=40 --events=4000 --json=a.json
  must is "$(grep -v '^WARNING' <<<"$stderr")" ""
  must has "$output" 'total number of events: +4000$'
  must is "$(awk '$1 == "hooked" { sum += $2 } END { print (sum > 400) }' <<<"$output")" 1
  check a.json "d['totals']['errors'] > 400"
}

@test "thousands of clients, all of which get their turn" {
  local clients=5000
  # Under a sanitizer, a client takes a megabyte, and ten times as long.
  ! nm "$BENCH" | grep -qE '__[at]san_init' || clients=1000
  null -0 oltp_point_select --threads=2 --clients=$clients --time=0 --events=50000 --thread-init-timeout=600 --json=a.json
  must has "$output" "^Number of clients: $clients on 2 threads\$"
  must has "$output" 'total number of events: +50000$'
  check a.json "min(t['events'] for t in d['threads']['each']) > 0"
}

@test "a schedule of arrivals, and its latencies" {
  null -0 oltp_point_select --null-latency=1000 --threads=2 --clients=100 --rate=2000 --events=1000 --json=a.json
  must has "$output" 'total number of events: +1000$'
  check a.json "d['totals']['latency_ns']['min'] >= 1000000" "d['rate']['arrivals'] >= 1000"
}

@test "a run with clients ends on time, by a signal, and by force" {
  null -0 oltp_point_select --null-latency=1000 --threads=2 --clients=200 --time=0.3 --json=a.json
  check a.json "d['run']['end_reason'] == 'time_limit'"
  "$BENCH" oltp_point_select --db-driver=null --null-latency=1000 --threads=2 --clients=200 \
    --time=600 --report-interval=0.1 run >out 2>err 3>&- &
  local pid=$!
  until grep -q '^\[.* thds: 200 ' out; do read -rt 0.05 <> <(:) || :; done
  kill -INT $pid
  status=0
  wait $pid || status=$?
  must is "$status" 130
  must has "$(cat out)" 'total number of events: +[1-9]'
  null oltp_point_select --null-error=hang --null-error-rate=0.01 --threads=2 --clients=100 --time=0.3 --forced-shutdown=0.2
  must has "$stderr" 'forcing shutdown'
  must has "$output" 'total number of events: +[1-9]'
}

@test "an event of a script of its own loop, straight from C" {
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
function thread_run(id)
  while ffi.C.sb_more_events(id) do
    ffi.C.sb_event_start(id)
    event(id)
    ffi.C.sb_event_stop(id)
  end
end
L
  null -0 ./t.lua --null-latency=1000 --threads=1 --clients=20 --events=400 --json=a.json
  must has "$output" 'total number of events: +400$'
  overlaps a.json 5
}

@test "sqlite: clients that wait for each other's locks" {
  needs_driver sqlite
  local args=(--db-driver=sqlite --sqlite-db=t.db --sqlite-synchronous=off)
  cat >t.lua <<'L'
function prepare()
  local con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE t (n INTEGER)")
  con:query("INSERT INTO t VALUES (0)")
end
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  con:query("BEGIN IMMEDIATE")
  con:query("UPDATE t SET n = n + 1")
  con:query("COMMIT")
end
function cleanup()
  io.stdout:write("sum " .. sysbench.sql.driver():connect():query_row("SELECT n FROM t") .. "\n")
end
L
  bench t.lua "${args[@]}" prepare
  bench -0 t.lua "${args[@]}" --threads=2 --clients=40 --events=400 run
  must has "$output" 'total number of events: +400$'
  bench t.lua "${args[@]}" cleanup
  must has "$output" '^sum 400$'
}

@test "clients have time to start as long as another one gets ready" {
  cat >t.lua <<'L'
local ffi = require("ffi")
ffi.cdef("int poll(void *fds, unsigned long n, int ms);")
function thread_init(id) ffi.C.poll(nil, 0, id == tonumber(os.getenv("STUCK")) and 5000 or 200) end
function event() end
L
  null -0 ./t.lua --threads=1 --clients=8 --events=8 --thread-init-timeout=1
  STUCK=3 null -2 ./t.lua --threads=1 --clients=8 --events=8 --thread-init-timeout=1
  must has "$stderr" '^FATAL: 3 of 8 clients are ready, and no other one within 1 seconds \(--thread-init-timeout\)$'
}

@test "clients that use up the memory as they start are refused before the system ends something" {
  unshare -rm true 2>/dev/null || skip "no namespaces of mounts"
  printf '%s kB\n' 'MemTotal: 999999' 'MemFree: 60000' 'MemAvailable: 60000' >meminfo
  run -1 --separate-stderr unshare -rm sh -c 'mount --bind meminfo /proc/meminfo && exec "$BENCH" "$@"' - \
    oltp_point_select --db-driver=null --clients=2000 --threads=2 --events=1 run
  must has "$stderr" '^FATAL: [0-9]+ of 2000 clients are ready, and only 58 MiB of memory are left; use fewer --clients$'
  must is "$(wc -l <<<"$stderr")" 1
  run -0 --separate-stderr unshare -rm sh -c 'mount --bind meminfo /proc/meminfo && exec "$BENCH" "$@"' - \
    oltp_point_select --db-driver=null --clients=200 --threads=2 --events=1 run
}

@test "what has no clients says so" {
  bench -1 cpu --clients=10 run
  must is "$stderr" "FATAL: --clients: the cpu test has no clients, because its events wait for no server; use --threads"
  bench -1 oltp_point_select --clients=0 run
  must has "$stderr" "clients.*off, or a number from 1 to 1000000"
  # Where guards of stacks are no maps of memory, memory is the limit.
  if [ "$(cat /proc/sys/vm/max_map_count 2>/dev/null || echo 9999999)" -lt 2000000 ] &&
    [ "$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)" -lt 16000000 ]; then
    bench -1 oltp_point_select --db-driver=null --clients=1000000 --threads=2 run
    must has "$stderr" "^FATAL: 1000000 clients need (about 2002048 maps of memory, and a process may have [0-9]+; use fewer --clients, or raise vm.max_map_count|more than 15625 MiB of memory, and [0-9]+ MiB are left; use fewer --clients)$"
  fi
  # prepare is the work of threads
  null -0 oltp_point_select --clients=10 --threads=2 --events=10
  bench -0 oltp_point_select --db-driver=null --clients=1000 --threads=2 --table-size=10 prepare
}

@test "clients and threads pause between events, outside of latency" {
  for who in --threads=4 "--threads=1 --clients=4"; do
    # shellcheck disable=SC2086 # two options
    null -0 oltp_point_select $who --think-time=50ms --time=0 --events=20 --json=a.json
    # Four workers pause at least sixteen times, and events are not part of it.
    check a.json "d['totals']['events'] == 20" \
      "d['totals']['period_s'] * 4e9 >= d['totals']['latency_ns']['mean'] * 20 + 16 * 50e6"
  done
}

@test "the end of a run does not wait for pauses" {
  local who lines
  echo 'function event() io.stderr:write("event\n") end' >one.lua
  for who in --threads=4 "--threads=1 --clients=4"; do
    # shellcheck disable=SC2086
    null -0 oltp_point_select $who --think-time=exp:20h --time=1 --json=a.json
    check a.json "d['run']['end_reason'] == 'time_limit'" "d['totals']['events'] == 4" \
      "d['totals']['elapsed_s'] == 1" "1 <= d['totals']['period_s'] < 3600"
    # shellcheck disable=SC2086
    "$BENCH" ./one.lua --db-driver=null $who --think-time=24h --time=0 \
      --report-interval=0.1 run >out 2>err 3>&- &
    local pid=$!
    until [ "$(grep -c '^event$' err)" -eq 4 ]; do read -rt 0.05 <> <(:) || :; done
    # A whole interval later they have been counted.
    lines=$(grep -c '^\[' out) || :
    until [ "$(grep -c '^\[' out)" -gt $((lines + 1)) ]; do read -rt 0.05 <> <(:) || :; done
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    must is "$status" 143
    must has "$(cat out)" 'total number of events: +4$'
  done
}

@test "pauses do not change what a seeded run draws" {
  cat >t.lua <<'L'
function event() io.stdout:write("draw " .. sysbench.rand.uniform(1, 1000000) .. "\n") end
L
  bench -0 t.lua $(alone) --time=0 --events=20 --rand-seed=3 run
  grep '^draw' <<<"$output" >a
  bench -0 t.lua $(alone) --time=0 --events=20 --rand-seed=3 --think-time=uniform:0:2ms run
  grep '^draw' <<<"$output" >b
  must is "$(wc -l <a)" 20
  must diff a b
}

@test "--connection-lifetime closes and opens connections again between events" {
  local who
  for who in --threads=4 "--threads=1 --clients=4"; do
    # Lives of 5 events, the first one shorter: 400 events have 76 to 80 of them.
    # shellcheck disable=SC2086
    null -0 oltp_read_write $who --connection-lifetime=5 --time=0 --events=400 --rand-seed=1 --json=a.json
    check a.json "70 <= d['totals']['reconnects'] <= 84" \
      "[c['count'] for c in d['classes'] if c['name'] == 'reconnect'] == [d['totals']['reconnects']]" \
      "d['totals']['errors'] == 0"
    # shellcheck disable=SC2086
    null oltp_read_write $who --connection-lifetime=1..3 --time=0 --events=400 --rand-seed=1 --json=a.json
    check a.json "150 <= d['totals']['reconnects'] <= 250"
    # The control: without it, none.
    # shellcheck disable=SC2086
    null oltp_read_write $who --time=0 --events=400 --json=a.json
    check a.json "d['totals']['reconnects'] == 0" "'reconnect' not in [c['name'] for c in d['classes']]"
    # By time: each worker at least every 20 ms, and a run of a second.
    # shellcheck disable=SC2086
    null oltp_point_select $who --null-latency=1000 --connection-lifetime=10ms..20ms --time=1 --json=a.json
    check a.json "5 <= d['totals']['reconnects'] <= 800"
  done
  # By the old names, without a warning, and both at a time.
  bench oltp_point_select --db-driver=null --null-latency=1000 --churn=50 --churn-time=0.01..0.02 --time=1 --rand-type=uniform --json=a.json run
  must is "$status: $stderr" '0: '
  check a.json "15 <= d['totals']['reconnects']"
}

@test "--connection-lifetime leaves an open transaction alone, and files of SQL have it, too" {
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  n = (n or 0) + 1
  con:query(n % 4 == 1 and "BEGIN" or n % 4 == 0 and "COMMIT" or "SELECT 1")
end
L
  null -0 ./t.lua $(alone) --connection-lifetime=1 --time=0 --events=40 --json=a.json
  # Only after events 4, 8, ... 36 no transaction is open; the run ends after 40.
  check a.json "d['totals']['reconnects'] == 9"
  printf 'SELECT 1;\n' >t.sql
  null -0 ./t.sql --clients=3 --connection-lifetime=1 --time=0 --events=60 --json=a.json
  check a.json "d['totals']['reconnects'] == 57"
}

@test "clients leave no garbage behind, though their events never call the collector" {
  echo 'function event() end' >t.lua
  # resident EVENTS: KiB at most.
  resident() {
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
      "$BENCH" ./t.lua --threads=1 --clients=2 --time=0 --events="$1" run
  }
  few=$(resident 1000)
  many=$(resident 1500000)
  echo "$few $many"
  # It was 48 bytes for each: 72 MB.
  ((many - few < 30000))
}

# Calls of C functions inside of calls of C functions, which need much stack.
@test "the stack of a client has the size that the option names" {
  cat >t.lua <<'L'
local function nest(n)
  return (("x"):gsub("x", function() return n > 0 and nest(n - 1) or "y" end))
end
function event() assert(nest(60) == "y") end
L
  bench -0 t.lua --threads=1 --clients=3 --thread-stack-size=8M --events=30 run
  must has "$output" '^    total number of events: +30$'
}
