# sql.bats - sysbench.sql: drivers, connections, results, statements, errors.
load ../cli/helper
NEEDS_DRIVER=sqlite

# lua LINE...: a prepare command on SQLite that runs the lines; `con` is open.
lua() {
  {
    echo 'function event() end'
    echo 'function prepare()'
    echo 'con = sysbench.sql.driver():connect()'
    cat
    echo 'end'
  } >t.lua
  bench t.lua --db-driver="${DRIVER:-sqlite}" --sqlite-db=t.db ${MODE:+--db-ps-mode=$MODE} "$@" prepare
}

@test "drivers" {
  lua <<'L'
local drv = sysbench.sql.driver("null")
print(drv:name(), tostring(drv), ffi.string(drv.lname), drv == sysbench.sql.driver("null"))
print(sysbench.sql.driver():name(), con.driver:name())
print(pcall(sysbench.sql.driver, "nosuch"))
print(pcall(sysbench.sql.driver, 5))
L
  must [ "$status" = 0 ]
  must is "$(lines)" "null	<sql_driver>	discards every statement	true
sqlite	sqlite
false	failed to initialize the DB driver
false	bad argument #1 to 'driver' (string expected, got number)"
  must has "$stderr" "^FATAL: invalid database driver name: 'nosuch' \(expected one of: .*null\)$"
}

@test "rows and values" {
  for mode in auto disable; do
    rm -f t.db
    MODE=$mode lua <<'L'
con:query("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, n INT)")
print(con:query("INSERT INTO t VALUES (1, 'one', 10), (2, NULL, 20), (3, '', NULL)") == nil)
local rs = con:query("SELECT id, name, n FROM t ORDER BY id")
print(tostring(rs), type(rs), rs.nrows, rs.nfields)
for i = 1, rs.nrows do
  local row = rs:fetch_row()
  print(row[1], row[2], row[3], type(row[1]))
end
print(rs:fetch_row())
print(rs:free(), rs.nrows, rs.nfields)
print(pcall(rs.free, rs))
print(con:query_row("SELECT COUNT(*), MAX(name), NULL FROM t"))
print(select("#", con:query_row("SELECT 1, NULL, 3, NULL")))
print(con:query_row("SELECT 1 WHERE 1 = 0"), con:query_row("UPDATE t SET n = 1 WHERE id = 9"))
local none = con:query("UPDATE t SET n = n WHERE id = 1")
print(none == nil, none and "true in a condition")
print(con:query("SELECT 1") == con:query("SELECT 2"))
local r = con:query("SELECT 1 WHERE 0")
print(r.nrows, r:fetch_row())
L
    must [ "$status" = 0 ]
    must is "$(lines)" "true
<sql_result>	cdata	3	3
1	one	10	string
2	nil	20	string
3		nil	string
nil
true	0	0
false	db_free_results() failed
3	one	nil
4
nil	nil
true	true in a condition
true
0	nil"
    must has "$stderr" '^ALERT: attempt to free an invalid result set$'
    must has "$stderr" '^ALERT: attempt to fetch row from an empty result set$'
  done
}

@test "a prepared statement has the columns that its table has now" {
  cat >t.lua <<'L'
function event()
  local con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE t (a INTEGER, b INTEGER)")
  con:query("INSERT INTO t VALUES (1, 2)")
  local st = con:prepare("SELECT * FROM t")
  local function show()
    local rs = st:execute()
    print(rs.nfields, table.concat(rs:fetch_row(), ","))
    rs:free()
  end
  show()
  con:query("ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 3")
  show()
  con:query("ALTER TABLE t DROP COLUMN b")
  show()
end
L
  bench -0 t.lua --db-driver=sqlite --sqlite-db=columns.db --events=1 run
  must is "$(grep '^[0-9]	' <<<"$output")" "2	1,2
3	1,2,3
2	1,3"
}

@test "executions with drawn numbers: those of set() and execute()" {
  for mode in auto disable; do
    rm -f t.db
    MODE=$mode lua <<'L'
con:query("CREATE TABLE seen (a BIGINT, b BIGINT)")
local T  = sysbench.sql.type
local st = con:prepare("INSERT INTO seen VALUES (?, ?)")
local a, b = st:bind_create(T.INT), st:bind_create(T.BIGINT)
st:bind_param(a, b)
print(select("#", st:execute_drawn(1000, 50, a, b, 9)))
print(con:query_row("SELECT COUNT(*), MIN(a) >= 1 AND MAX(a) <= 50 AND COUNT(DISTINCT a) > 9, SUM(b - a) FROM seen"))
con:query("DELETE FROM seen")
b:set(nil) st:execute_drawn(2, 1, a)
print(con:query_row("SELECT COUNT(*), SUM(a), COUNT(b) FROM seen"))
st:execute_drawn(0, 1, a)
print(con:query_row("SELECT COUNT(*), 0, 0 FROM seen"))
local s = st:bind_create(T.VARCHAR, 5)
print(pcall(st.execute_drawn, st, 1, 1, s))
print(pcall(st.execute_drawn, st, 1, "x", a))
con:query("CREATE UNIQUE INDEX one ON seen (b)")
con:query("DELETE FROM seen")
print(pcall(st.execute_drawn, st, 5, 1, a, b, 0))
print(con:query_row("SELECT COUNT(*), 0, 0 FROM seen"))
st:close()
print(pcall(st.execute_drawn, st, 1, 1, a))
print(pcall(st.execute_drawn, nil, 1, 1, a))
L
    must is "$(lines)" "0
1000	1	9000
2	2	0
2	0	0
false	execute_drawn: integer parameters expected
false	execute_drawn: numbers of 0 to 2^53 expected
false	t.lua:21: SQL error, errno = 2067, state = '23505': UNIQUE constraint failed: seen.b
1	0	0
false	t.lua:24: attempt to use a closed statement
false	there is no statement (a dot where a colon belongs?)"
  done
}

@test "no result set: fields and methods of it" {
  lua <<'L'
con:query("CREATE TABLE t (a INT)")
for _, rs in ipairs{con:query("DELETE FROM t"), con:prepare("DELETE FROM t"):execute()} do
  print(rs == nil, rs.nrows, rs.nfields, rs:fetch_row(), tostring(rs))
  print(pcall(function() rs:free() end))
end
L
  must [ "$status" = 0 ]
  must is "$(lines | sort -u)" "false	t.lua:7: db_free_results() failed
true	0	0	nil	<sql_result>"
}

@test "a result that is larger than its limit" {
  cat >t.lua <<'L'
con = sysbench.sql.driver():connect()
function rows(n) return "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < " .. n .. ") SELECT i, 'abcdefgh' FROM r" end
function help()
  print(tonumber(con:query(rows(1000)).nrows))
  print(pcall(con.query, con, rows(100000)))
  print(con:query_row(rows(3)))
end
L
  bench -0 t.lua --db-driver=sqlite --sqlite-db=x.db --db-max-result-size=1M help
  must is "$(tail -n 3 <<<"$output")" "1000
false	t.lua:5: SQL error, errno = 18, state = 'HY000': the result is larger than --db-max-result-size allows
1	abcdefgh"
  bench t.lua --db-driver=sqlite --sqlite-db=x.db --db-max-result-size=0 help
  must has "$output" '^true	'
}

@test "prepared statements and parameters" {
  for mode in auto disable; do
    rm -f t.db
    MODE=$mode lua <<'L'
con:query("CREATE TABLE users (id BIGINT PRIMARY KEY, name VARCHAR(20), score INT, credit DOUBLE)")
con:query("INSERT INTO users VALUES (7, 'x', 1, 1)")
local st = con:prepare("UPDATE users SET name = ?, score = ?, credit = ? WHERE id = ?")
local T  = sysbench.sql.type
local name, score, credit, id = st:bind_create(T.VARCHAR, 20), st:bind_create(T.INT), st:bind_create(T.DOUBLE), st:bind_create(T.BIGINT)
print(tostring(st), tostring(name), name.type, name.max_len, score.type, credit.type, name.is_null[0])
print(st:bind_param(), st:bind_param(name, score, credit, id))
name:set_rand_str("@@@@-####"); score:set(nil); credit:set(0.25); id:set(7)
print(st:execute() == nil)
local n, s, c = con:query_row("SELECT name, score, credit FROM users")
print(#n, n:match("^%l%l%l%l%-%d%d%d%d$") ~= nil, s, c)
name:set(("long"):rep(10)); score:set(true); credit:set(-1.5)
st:execute()
print(con:query_row("SELECT name, score, credit FROM users"))
score:set(3000000000) name.buffer[0] = 65 name.data_len[0] = 1
st:execute()
print(con:query_row("SELECT name, score FROM users"))
score:set(12LL) st:execute() print(con:query_row("SELECT score FROM users"))
print(pcall(score.set, score, "x"))
print(pcall(name.set, name, 5))
print(pcall(function() score:set({}) end))
print(pcall(function() credit:set(print) end))
print(pcall(score.set_rand_str, score, "#"))
print(pcall(st.bind_create, st, T.DATE))
print(pcall(st.bind_param, st, name))
print(st:close(), st:close())
print(pcall(st.execute, st))
print(pcall(st.bind_param, st, name))
local q = con:prepare("SELECT name FROM users WHERE id = ?")
print(pcall(q.execute, q))
local id2 = q:bind_create(T.INT) q:bind_param(id2)
id2:set(7) print(q:execute():fetch_row()[1])
id2:set(8) print(q:execute().nrows)
L
    must [ "$status" = 0 ]
    must is "$(lines)" "<sql_statement>	<sql_param>	12	20	4	6	1
nil	0
true
9	true	nil	0.25
longlonglonglonglong	1	-1.5
A	3000000000
12
false	cannot convert 'string' to 'int64_t'
false	cannot convert 'number' to 'string'
false	t.lua:24: cannot convert 'table' to 'int64_t'
false	t.lua:25: cannot convert 'function' to 'double'
false	Unsupported argument type: 4
false	Unsupported argument type: 8
false	wrong number of parameters: 4 expected, 1 given
0	0
false	t.lua:30: attempt to use a closed statement
false	attempt to use a closed statement
false	t.lua:33: parameters are not bound
A
0"
    must has "$stderr" '^ALERT: wrong number of parameters in prepared statement$'
  done
}

@test "parameters live as long as their binding, whatever else is bound and closed" {
  needs_driver sqlite
  cat >t.lua <<'L'
local con
local function new(n, first)
  local st = con:prepare("SELECT " .. ("?, "):rep(n - 1) .. "?")
  local params = {}
  for i = 1, n do
    params[i] = st:bind_create(i % 2 == 0 and sysbench.sql.type.VARCHAR or sysbench.sql.type.INT, 20)
    params[i]:set(i % 2 == 0 and tostring(first + i) or first + i)
  end
  st:bind_param(unpack(params)) -- nothing else keeps them
  return st
end
local function check(st, n, first)
  local row = st:execute():fetch_row()
  for i = 1, n do assert(tonumber(row[i]) == first + i, n .. ": " .. tostring(row[i])) end
end
function event()
  con = sysbench.sql.driver():connect()
  local live, counts = {}, { 1, 2, 4, 31, 32, 3 }
  for round = 1, 40 do
    for k, n in ipairs(counts) do
      local first = round * 1000 + k * 100
      live[#live + 1] = { new(n, first), n, first }
    end
    for i = #live, 1, -3 do -- closed ones, and forgotten ones
      if round % 2 == 0 then live[i][1]:close() end
      table.remove(live, i)
    end
    for _ = 1, 2 do collectgarbage() end
    for _, s in ipairs(live) do check(unpack(s)) end
  end
  -- The same statement again, with other parameters.
  local st = con:prepare("SELECT ?, ?")
  for i = 1, 50 do
    local a, b = st:bind_create(sysbench.sql.type.BIGINT), st:bind_create(sysbench.sql.type.DOUBLE)
    a:set(i)
    b:set(i + 1)
    st:bind_param(a, b)
    a, b = nil, nil
    collectgarbage()
    check(st, 2, i - 1)
  end
  io.stdout:write("all right\n")
  return true
end
L
  for with in --threads=1 '--threads=1 --clients=2'; do
    # shellcheck disable=SC2086 # several arguments
    bench -0 ./t.lua --db-driver=sqlite --sqlite-db=t.db $with run
    must has "$output" '^all right$'
  done
}

@test "errors have the position of the script's call" {
  lua <<'L'
print(select(2, pcall(function() con:query("SELEC") end)))
print(select(2, pcall(function() local x = con:query_row("SELEC") end)))
print(select(2, pcall(function() local x = con:prepare("SELEC") end)))
print(con.error == ffi.C.DB_ERROR_FATAL, tonumber(con.error), con.sql_errno, ffi.string(con.sql_state), ffi.string(con.sql_errmsg))
con:query("SELECT 1")
print(tonumber(con.error), con.sql_errno, con.sql_state == nil)
print(select(2, pcall(con.query, con, 5)))
con:query("SELEC")
L
  must [ "$status" = 1 ]
  must is "$(lines)" "t.lua:4: SQL error, errno = 1, state = '42601': near \"SELEC\": syntax error
t.lua:5: SQL error, errno = 1, state = '42601': near \"SELEC\": syntax error
t.lua:6: SQL error, errno = 1, state = '42601': near \"SELEC\": syntax error
true	2	1	42601	near \"SELEC\": syntax error
0	0	true
bad argument #1 to 'query' (string expected, got number)"
  must has "$stderr" "^FATAL: prepare\(\) failed at t.lua:11: SQL error, errno = 1"
}

@test "ignorable errors are tables, and restart the event" {
  lua --db-ignore-errors=23505 <<'L'
con:query("CREATE TABLE t (id INTEGER PRIMARY KEY)")
con:query("INSERT INTO t VALUES (1)")
local ok, err = pcall(con.query, con, "INSERT INTO t VALUES (1)")
print(type(err), err.errcode, err.sql_errno, err.sql_state, err.query, err.connection == con, err.reconnected)
print(tostring(err))
local names = {} for k in pairs(err) do names[#names + 1] = k end table.sort(names)
print(table.concat(names, " "))
con:query("INSERT INTO t VALUES (1)")
L
  must [ "$status" = 1 ]
  must is "$(lines)" "table	1	1555	23505	INSERT INTO t VALUES (1)	true	false
SQL error, errno = 1555, state = '23505': UNIQUE constraint failed: t.id
connection errcode query reconnected sql_errmsg sql_errno sql_state"
  must is "$stderr" "FATAL: prepare() failed: SQL error, errno = 1555, state = '23505': UNIQUE constraint failed: t.id"
}

@test "a message about a statement of several lines has one prefix" {
  lua <<'L'
con:query("SELECT 1,\n  two\nFROM nowhere")
L
  must is "$(head -n 3 <<<"$stderr")" "FATAL: SQLite error 1 (42P01): no such table: nowhere for query 'SELECT 1,
  two
FROM nowhere' (at t.lua:4)"
}

@test "a message about an emulated statement has its values" {
  MODE=disable lua <<'L'
con:query("CREATE TABLE t (id INTEGER PRIMARY KEY)")
local st = con:prepare("INSERT INTO t VALUES (?)")
local p = st:bind_create(sysbench.sql.type.INT)
st:bind_param(p)
p:set(7)
st:execute()
st:execute()
L
  must has "$stderr" "for query 'INSERT INTO t VALUES \(7\)' \(at t.lua:10\)$"
}

@test "deadlocks on the null driver: restarted, counted, exit 0" {
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
n = 0
function event() n = n + 1 con:query("SELECT 1") end
function thread_done() print("attempts", n) end
L
  bench -0 t.lua --db-driver=null --null-error-rate=0.5 --events=100 run
  must is "$(number 'total number of events:')" 100
  must is "$(number 'read:')" 100
  errors=$(number 'ignored errors:')
  must [ "$errors" -gt 20 ]
  must has "$output" "^attempts	$((errors + 100))$"
}

@test "the hook about fatal errors" {
  cat >t.lua <<'L'
function thread_init()
  con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY)")
  con:query("DELETE FROM t")
end
n = 0
function event() n = n + 1 con:query("INSERT INTO t VALUES (" .. (n == 2 and 1 or n) .. ")") end
function sysbench.hooks.sql_error_ignorable(err)
  print("hook", err.errcode, err.sql_errno, err.query)
  con:query("SELECT 1")
  return answer
end
L
  echo 'answer = true' >>t.lua
  bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db --events=3 run
  must is "$(grep ^hook <<<"$output")" "hook	nil	1555	INSERT INTO t VALUES (1)"
  must is "$(number 'ignored errors:')" 1
  must is "$(number 'total number of events:')" 3
  must [ "$(grep -c FATAL <<<"$stderr")" = 0 ]
  echo 'answer = false' >>t.lua
  bench -1 t.lua --db-driver=sqlite --sqlite-db=t.db --events=3 run
  must has "$stderr" "^FATAL: SQLite error 1555 \(23505\): UNIQUE constraint failed: t.id for query 'INSERT INTO t VALUES \(1\)' \(at t.lua:7\)$"
  must is "$(grep -c FATAL <<<"$stderr")" 1
  echo 'function sysbench.hooks.sql_error_ignorable() error("hook fails") end' >>t.lua
  bench -1 t.lua --db-driver=sqlite --sqlite-db=t.db --events=3 run
  must has "$stderr" "^FATAL: SQLite error 1555"
  must has "$stderr" "^FATAL: event\(\) failed at t.lua:15 in $worker 0: hook fails"
}

@test "an error is raised by hand" {
  lua <<'L'
local rs = con:query("SELECT 1")
print(con:check_error(rs, "x") == rs, con:check_error(nil, "nothing failed"))
pcall(con.query, con, "SELECT * FROM nowhere")
local ok, raised = pcall(con.check_error, con, nil, "the text")
print(ok, tostring(raised):match("no such table: nowhere"))
L
  must [ "$status" = 0 ]
  must is "$(lines)" "true	nil
false	no such table: nowhere"
}

@test "closed connections" {
  lua <<'L'
local st = con:prepare("SELECT 1")
print(con:disconnect(), con:disconnect())
print(select(2, pcall(function() con:query("SELECT 1") end)))
print(select(2, pcall(function() con:query_row("SELECT 1") end)))
print(select(2, pcall(function() local x = con:prepare("SELECT 1") end)))
print(select(2, pcall(function() con:bulk_insert_init("INSERT INTO t VALUES") end)))
print(con:more_results(), st:close())
print(con:reconnect(), con:query_row("SELECT 5"))
L
  must [ "$status" = 0 ]
  must is "$(lines)" "true	true
t.lua:6: SQL API error
t.lua:7: SQL API error
t.lua:8: SQL API error
t.lua:9: db_bulk_insert_init() failed
false	0
true	5"
  must has "$stderr" '^ALERT: attempt to close an already closed connection$'
  must has "$stderr" '^ALERT: attempt to use an already closed connection$'
}

@test "an event that is given up leaves no transaction to thread_done" {
  cat >t.lua <<'L'
sysbench.cmdline.options = { fails = {"why an event fails", "key"} }
function thread_init()
  con, other = sysbench.sql.driver():connect(), sysbench.sql.driver():connect()
  con:query("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)")
  con:query("INSERT INTO t VALUES (1, 0)")
end
function event()
  con:query("BEGIN")
  if sysbench.opt.fails == "key" then
    con:query("INSERT INTO t VALUES (100, 0)")
    con:query("INSERT INTO t VALUES (1, 0)")
  elseif sysbench.opt.fails == "snapshot" then
    con:query("SELECT n FROM t")
    other:query("UPDATE t SET n = n + 1")
    con:query("INSERT INTO t VALUES (100, 0)")
  else -- it waits for a reader until the run is over
    con:query("INSERT INTO t VALUES (100, 0)")
    other:query("BEGIN")
    other:query("SELECT n FROM t")
    con:query("COMMIT")
  end
end
function thread_done()
  other:disconnect()
  con:query("INSERT INTO t VALUES (42, 0)")
  pcall(con.query, con, "COMMIT") -- there is nothing to commit
  con:disconnect()
  con = sysbench.sql.driver():connect()
  print("rows", con:query_row("SELECT COUNT(*), MAX(id) FROM t"))
end
L
  for fails in key snapshot lock; do
    rm -f t.db*
    mode=wal
    [ $fails != lock ] || mode=delete
    bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db --sqlite-journal-mode=$mode \
      --sqlite-busy-timeout=60000 --db-ignore-errors=23505 --fails=$fails --time=1 run
    must is "$(grep ^rows <<<"$output")" "rows	2	42"
    must is "$(number 'total number of events:')" 0
  done
}

@test "the end of the run is no error of thread_run and thread_done" {
  cat >t.lua <<'L'
function event() end
function thread_init()
  con, other = sysbench.sql.driver():connect(), sysbench.sql.driver():connect()
  con:query("CREATE TABLE t (id INTEGER PRIMARY KEY)")
end
-- Waits for a lock until the run is over.
function thread_run(id)
  other:query("BEGIN IMMEDIATE")
  while ffi.C.sb_more_events(id) do
    ffi.C.sb_event_start(id)
    con:query("INSERT INTO t VALUES (1)")
    ffi.C.sb_event_stop(id)
  end
end
function thread_done() print("done", con:query_row("SELECT COUNT(*) FROM t")) end
L
  bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db --sqlite-busy-timeout=60000 --time=1 run
  must is "$stderr" ""
  must has "$output" '^done	0$'
  must is "$(number 'total number of events:')" 0
  # A statement that does not end before the deadline.
  cat >t.lua <<'L'
function event() end
function thread_init() con = sysbench.sql.driver():connect() end
function thread_done() con:query("SET x") end
L
  bench -2 t.lua --db-driver=null --null-error=hang --null-error-rate=1 --events=1 --forced-shutdown=1 run
  must is "$stderr" "FATAL: The --max-time limit has expired, forcing shutdown..."
}

@test "objects outlive what they were made from" {
  lua <<'L'
local function gc() collectgarbage() collectgarbage() end
con:query("CREATE TABLE t (id INT, v INT)")
con:query("INSERT INTO t VALUES (1, 4242), (2, 4343)")
con = nil gc()
local function statement()
  local c = sysbench.sql.driver():connect()
  local st = c:prepare("SELECT v FROM t WHERE id = ?")
  local p = st:bind_create(sysbench.sql.type.INT)
  st:bind_param(p)
  p:set(2)
  return st
end
local st = statement()
gc()
local fill = {} for i = 1, 1000 do fill[i] = ffi.new("int64_t[1]", i) end
print(st:execute():fetch_row()[1])
local rs = sysbench.sql.driver():connect():query("SELECT v FROM t ORDER BY id")
st = nil
gc() gc()
print(rs.nrows, rs:fetch_row()[1], rs:fetch_row()[1], rs:fetch_row())
local c2 = rs.statement == nil and sysbench.sql.driver():connect()
local st2 = c2:prepare("SELECT 1")
c2:disconnect() c2 = nil gc()
print(pcall(st2.execute, st2))
L
  must [ "$status" = 0 ]
  must is "$(lines | sed 's/t.lua:[0-9]*: //')" "4343
2	4242	4343	nil
false	SQL API error"
}

@test "bulk inserts" {
  lua <<'L'
con:query("CREATE TABLE log (id INT, msg TEXT)")
print(select("#", con:bulk_insert_done()), con:bulk_insert_done())
print(con:bulk_insert_init("INSERT INTO log (id, msg) VALUES"))
for i = 1, 1000 do con:bulk_insert_next(string.format("(%d,'m')", i)) end
print(con:query_row("SELECT 1"), select("#", con:bulk_insert_next("(0,'n')")))
print(con:bulk_insert_done(), con:query_row("SELECT COUNT(*), MAX(id) FROM log"))
print(select(2, pcall(function() con:bulk_insert_next("(1)") end)))
con:bulk_insert_init("INSERT INTO nosuch VALUES") con:bulk_insert_next("(1)")
print(select(2, pcall(function() con:bulk_insert_done() end)))
L
  must [ "$status" = 0 ]
  must is "$(lines)" "1	true
true
1	1
true	1001	1000
t.lua:10: db_bulk_insert_next() failed
t.lua:12: db_bulk_insert_done() failed: SQL error, errno = 1, state = '42P01': no such table: nosuch"
  must has "$stderr" '^ALERT: attempt to call bulk_insert_next\(\) before bulk_insert_init\(\)$'
}

@test "bulk inserts in a transaction of the script restart the event" {
  cat >t.lua <<'L'
function thread_init()
  con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE t (id INTEGER PRIMARY KEY)")
  con:query("CREATE TABLE other (n INTEGER)")
  con:query("INSERT INTO t VALUES (1)")
end
n = 0
function event()
  n = n + 1
  con:query("BEGIN")
  con:query("INSERT INTO other VALUES (" .. n .. ")")
  con:bulk_insert_init("INSERT INTO t VALUES")
  con:bulk_insert_next(n == 1 and "(1)" or "(2)")
  con:bulk_insert_done()
  con:query("COMMIT")
end
function sysbench.hooks.before_restart_event(err)
  print("again", err.sql_state, err.query, err.connection == con)
end
function thread_done()
  print("rows", con:query_row("SELECT COUNT(*), MAX(n) FROM other"))
  print("keys", con:query_row("SELECT COUNT(*), MAX(id) FROM t"))
end
L
  bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db --db-ignore-errors=23505 --events=1 run
  must is "$(grep -E '^(again|rows|keys)' <<<"$output")" "again	23505	INSERT INTO t VALUES	true
rows	1	2
keys	2	2"
  must is "$(number 'ignored errors:')" 1
  must is "$(number 'total number of events:')" 1
}

@test "bulk inserts: rows of an attempt that has failed are not sent" {
  cat >t.lua <<'L'
sysbench.cmdline.options = { fails = {"what fails in the second event", "packet"} }
function thread_init()
  con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE t (event INTEGER, row INTEGER, text TEXT, PRIMARY KEY (event, row))")
  con:query("INSERT INTO t VALUES (2, 1, NULL)")
  con:bulk_insert_init("INSERT INTO t VALUES")
end
local fails = {}
-- The packet that is full: with the last row of the first event, and the first of this one.
function fails.packet(tries)
  if tries == 2 then con:query("DELETE FROM t WHERE text IS NULL") end
  con:query("BEGIN")
  for i = 1, 3 do con:bulk_insert_next(("(%d,%d,'%s')"):format(event_number, i, ("x"):rep(200000))) end
  con:query("COMMIT")
end
function fails.other(tries)
  for i = 1, 3 do con:bulk_insert_next(("(%d,%d,'')"):format(event_number, i)) end
  if event_number == 2 and tries < 3 then con:query("INSERT INTO t VALUES (2, 1, NULL)") end
  if event_number == 2 then con:query("DELETE FROM t WHERE text IS NULL") end
end
-- It is repeated until the run is over.
function fails.always()
  for i = 1, 3 do con:bulk_insert_next(("(%d,%d,'')"):format(event_number, i)) end
  if event_number == 2 then con:query("INSERT INTO t VALUES (2, 1, NULL)") end
end
function event()
  local tried = event_number == sysbench.iteration()
  event_number, tries = sysbench.iteration(), tried and tries + 1 or 1
  fails[sysbench.opt.fails](tries)
end
function thread_done()
  con:query("DELETE FROM t WHERE text IS NULL")
  con:bulk_insert_done()
  print("rows", con:query_row("SELECT COUNT(*), MAX(event) FROM t"))
end
L
  for fails in packet other; do
    rm -f t.db*
    bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db --db-ignore-errors=23505 --fails=$fails --events=5 --time=30 run
    must is "$(grep ^rows <<<"$output")" "rows	15	5"
    must [ "$(number 'ignored errors:')" -gt 0 ]
  done
  rm -f t.db*
  bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db --db-ignore-errors=23505 --fails=always --time=1 run
  must is "$(grep ^rows <<<"$output")" "rows	3	1"
  must is "$(number 'total number of events:')" 1
}

@test "bulk inserts: a transaction of the script, straight from C" {
  lua --db-ignore-errors=23505 <<'L'
con:query("CREATE TABLE t (id INTEGER PRIMARY KEY)")
con:query("BEGIN") con:query("INSERT INTO t VALUES (1)")
local C, head = ffi.C, "INSERT INTO t VALUES"
print(C.db_bulk_insert_init(con, head, #head), C.db_bulk_insert_next(con, "(1)", 3))
print(C.db_bulk_insert_done(con), con.error == C.DB_ERROR_IGNORABLE, ffi.string(con.sql_state))
con:query("ROLLBACK")
print(con:query_row("SELECT COUNT(*) FROM t"))
L
  must [ "$status" = 0 ]
  must is "$(lines)" "0	0
1	true	23505
0"
}

@test "bulk inserts that fail again and again end a command" {
  cat >t.lua <<'L'
function event() end
function prepare()
  local con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE t (id INTEGER PRIMARY KEY)")
  con:query("INSERT INTO t VALUES (1)")
  con:bulk_insert_init("INSERT INTO t VALUES")
  con:bulk_insert_next("(1)")
  con:bulk_insert_done()
end
L
  run -1 --separate-stderr timeout -s KILL 60 "$BENCH" t.lua --db-driver=sqlite --sqlite-db=t.db \
    --db-ignore-errors=23505 prepare
  must is "$stderr" "FATAL: prepare() failed: SQL error, errno = 1555, state = '23505': UNIQUE constraint failed: t.id"
}

@test "explicit parameters of a connection" {
  lua <<'L'
local other = sysbench.sql.driver():connect{db = "other.db"}
other:query("CREATE TABLE here (a INT)")
print(pcall(con.query, con, "SELECT * FROM here"))
print(select(2, pcall(function() sysbench.sql.driver():connect{host = "x"} end)))
print(select(2, pcall(function() sysbench.sql.driver():connect{db = 5} end)))
print(select(2, pcall(function() sysbench.sql.driver():connect("x") end)))
L
  must [ "$status" = 0 ]
  must [ -s other.db ]
  must is "$(lines | tail -n 3)" "t.lua:7: connect: unknown key 'host'
t.lua:8: connect: 'db' must be a string
t.lua:9: bad argument #1 to 'connect' (table expected, got string)"
}

@test "copied rows: all or none" {
  lua <<'L'
con:query("CREATE TABLE users (id INT PRIMARY KEY, name TEXT, x DOUBLE, b INT)")
local function row(i) if i == 3 then return i end return i, "user '" .. i .. "'", i / 4, i % 2 == 0 end
local columns = {"id", "name", "x", "b"}
print(con:copy_rows{table = "users", columns = columns, last = 30000, row = row})
print(con:query_row("SELECT COUNT(*), COUNT(name), SUM(id), SUM(x), SUM(b) FROM users"))
print(con:query_row("SELECT name, x FROM users WHERE id = 5"))
print(con:copy_rows{table = "users", columns = columns, first = 5, last = 4, row = row})
local function again() local n = con:copy_rows{table = "users", columns = columns, first = 40000, last = 80000, row = function(i) return i == 70000 and 1 or i end} end
print(select(2, pcall(again)))
print(con:query_row("SELECT COUNT(*) FROM users"))
con:query("BEGIN") con:query("DELETE FROM users WHERE id = 1")
pcall(con.copy_rows, con, {table = "users", columns = columns, first = 2, last = 2, row = row})
con:query("COMMIT")
print(con:query_row("SELECT COUNT(*) FROM users"))
print(select(2, pcall(function() con:copy_rows{table = "t", columns = {"a"}, last = 1, row = row, x = 1} end)))
print(select(2, pcall(function() con:copy_rows{table = "t", columns = {"a"}, row = row} end)))
print(select(2, pcall(function() con:copy_rows{table = "users", columns = {"id"}, last = 1, row = row} end)))
L
  must [ "$status" = 0 ]
  must is "$(lines)" "30000
30000	29999	450015000	112503749.25	15000
user '5'	1.25
0
t.lua:11: SQL error, errno = 1555, state = '23505': UNIQUE constraint failed: users.id
30000
29999
t.lua:18: copy_rows: unknown key 'x'
t.lua:19: copy_rows: 'last' must be an integer
t.lua:20: copy_rows: 4 values for 1 columns"
}

# What ends attempts inside of an event, the end of the run, ends none elsewhere.
@test "copied rows: once more, before and after the events" {
  cat >t.lua <<'L'
local function copy(first)
  local tries = 0
  local n = con:copy_rows{table = "t", columns = {"id"}, first = first, last = first + 9, row = function(i)
    if i == first + 5 then
      tries = tries + 1
      if tries < 3 then error{errcode = sysbench.error.RESTART_EVENT} end
    end
    return i
  end}
  print(n, tries, (con:query_row("SELECT COUNT(*) FROM t")))
end
function thread_init()
  con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE t (id INTEGER PRIMARY KEY)")
  copy(1)
end
function event() con:query("SELECT 1") end
function thread_done() copy(11) end
L
  for limit in --time=1 --events=1; do
    rm -f t.db
    bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db $limit run
    must is "$(grep '^10' <<<"$output")" "10	3	10
10	3	20"
  done
}

@test "labels" {
  lua <<'L'
print(con:query("SELECT 1", "a label"):fetch_row()[1], con:query_row("SELECT 2", "other"))
print(con:prepare("SELECT 3", "third"):execute():fetch_row()[1])
print(select(2, pcall(function() con:query("SELECT 1", ("x"):rep(65)) end)))
L
  must [ "$status" = 0 ]
  must is "$(lines)" "1	2
3
t.lua:6: a label is a string of at most 64 bytes"
}

@test "statements are counted from the start to the end of thread_run" {
  cat >t.lua <<'L'
local function some() con:query("SELECT 1") con:query("INSERT INTO t VALUES (1)") con:query("BEGIN") con:query("COMMIT") end
function thread_init() con = sysbench.sql.driver():connect() some() end
function event() some() end
function thread_done() some() end
L
  bench t.lua --db-driver=null --threads=2 --events=10 run
  must is "$(number 'read:')" 10
  must is "$(number 'write:')" 10
  must is "$(number 'other:')" 20
}

@test "pipelines" {
  for driver in sqlite null; do
    rm -f t.db
    DRIVER=$driver lua <<'L'
con:query("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
local st = con:prepare("INSERT INTO t VALUES (?, ?)")
local id, name = st:bind_create(sysbench.sql.type.INT), st:bind_create(sysbench.sql.type.VARCHAR, 10)
st:bind_param(id, name)
local p = con:pipeline(function(p)
  for i = 1, 3 do
    id:set(i)
    name:set(i == 2 and nil or "n" .. i)
    print(p:execute(st))
  end
  print(p:query("INSERT INTO t VALUES (4, 'x')", "label"))
  print(pcall(con.pipeline, con, print))
  print(pcall(p.query, p, nil))
  print(pcall(p.error, p, 1))
end)
print(tostring(p), p.n, p[1] == nil, p:error(4), p[0], p[5], p[1.5])
print(pcall(con.pipeline, con, function() error({ 1 }) end))
print(pcall(con.pipeline, con))
print(con:pipeline(function() end).n)
print(pcall(st.execute_bulk, st, { { 7, "a" }, "b" }))
print(pcall(st.execute_bulk, st, { { 7, "a" }, { 8, "b", "c" } }))
print(pcall(st.execute_bulk, st))
print(pcall(con:prepare("SELECT 1").execute_bulk, st, {}))
print(st:execute_bulk({}))
st:close()
print(pcall(con.pipeline, con, function(p) p:execute(st) end))
L
    must [ "$status" = 0 ]
    must has "$output" '^<pipeline>	4	true	nil	nil	nil	nil$'
    must has "$output" '^false	.*a pipeline of this connection is open already$'
    must has "$output" "^false	.*bad argument #1 to 'query' \(string expected, got nil\)$"
    must has "$output" '^false	.*the pipeline has no results yet'
    must has "$output" '^false	table: '
    must has "$output" "^false	.*bad argument #1 to 'pipeline' \(function expected, got nil\)$"
    must has "$output" '^false	.*execute_bulk: row 2 is not a table$'
    must has "$output" '^false	.*execute_bulk: row 2 has more values than the statement has parameters \(2\)$'
    must has "$output" "^false	.*bad argument #1 to 'execute_bulk' \(table expected, got nil\)$"
    must has "$output" '^false	.*attempt to use a closed statement$'
  done
}

@test "an error in a pipeline starts the event again" {
  cat >t.lua <<'L'
function prepare()
  sysbench.sql.driver():connect():query("CREATE TABLE t (id INTEGER PRIMARY KEY)")
end
function thread_init() con = sysbench.sql.driver():connect() end
n = 0
function event()
  con:pipeline(function(p)
    p:query("BEGIN")
    p:query("INSERT INTO t VALUES (" .. n .. ")", "first")
    if n % 4 > 0 and not again then p:query("INSERT INTO t VALUES (" .. n - 1 .. ")", "second") end
    p:query("COMMIT")
  end)
  n, again = n + 1, false
end
function sysbench.hooks.before_restart_event(err)
  assert(err.sql_state == "23505" and err.query:find("INSERT"), err.query)
  again = true
end
L
  bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db prepare
  bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db --db-ignore-errors=23505 --events=8 --time=0 --json=a.json run
  must is "$(number 'ignored errors:')" 6
  must is "$(number 'total number of events:')" 8
}

@test "a finalizer cannot use a connection of which rows are read" {
  cat >t.lua <<'L'
local refused, done = 0, 0
local function lost(...)
  local ways = {...}
  getmetatable(newproxy(true)).__gc = function()
    for _, way in ipairs(ways) do
      local ok, err = pcall(way)
      if ok then
        done = done + 1
      else
        refused = refused + 1
        assert(tostring(err):find("finalizers? cannot use"), tostring(err))
      end
    end
  end
end
function thread_init()
  con = sysbench.sql.driver():connect()
  stmt = con:prepare("SELECT 'a statement'")
end
local function query() con:query("SELECT " .. ("'other',"):rep(200) .. "1") end
function event()
  local columns = {}
  for i = 1, 300 do columns[i] = ("%050d"):format(math.random(1e9)) end
  local rs = con:query("SELECT '" .. table.concat(columns, "','") .. "'")
  for i = 1, 20 do
    lost(query, function() stmt:execute() end, function() con:reconnect() end, function() con:prepare("SELECT 2") end)
  end
  local row = rs:fetch_row()
  for i = 1, 300 do assert(row[i] == columns[i], row[i]) end
  columns = {con:query_row("SELECT '" .. table.concat(columns, "','") .. "'")}
  for i = 1, 300 do assert(row[i] == columns[i], columns[i]) end
end
function thread_done()
  print("refused", refused > 1000, done)
  at_end = newproxy(true)
  getmetatable(at_end).__gc = function() pcall(query) pcall(stmt.execute, stmt) pcall(con.disconnect, con) print("at the end") end
end
L
  bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db --events=100 --time=0 run
  must has "$output" '^refused	true	0$'
  must has "$output" '^at the end$'
  must has "$output" 'total number of events: +100$'

  # Where none are read, it can; a collector that was stopped is no finalizer.
  lua <<'L'
local function once(f)
  local ran
  getmetatable(newproxy(true)).__gc = function() ran = {pcall(f)} end
  while not ran do local _ = tostring({}) end
  return unpack(ran)
end
con:query("CREATE TABLE t (id INT)")
print(once(function() con:query("INSERT INTO t VALUES (1)") end))
print(con:query_row("SELECT COUNT(*) FROM t"))
print(once(function() con:query("INSERT INTO t VALUES (2)") end))
collectgarbage("stop")
con:query("INSERT INTO t VALUES (3)")
print(con:query_row("SELECT COUNT(*) FROM t"))
con:query("INSERT INTO t VALUES (4)")
collectgarbage("restart")
print(con:query_row("SELECT COUNT(*) FROM t"), select("#", collectgarbage("count")))
print(pcall(collectgarbage, "nothing"))
L
  must is "$status" 0
  must is "$(lines | sed 's/t.lua:[0-9]*: //')" "true
1
false	a finalizer cannot use a connection of which rows are read, since the garbage collector calls it in the middle of that
2
3	1
false	bad argument #1 to '?' (invalid option 'nothing')"
}
