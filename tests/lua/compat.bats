# compat.bats - the interface of release 1.0: global functions and options.
load ../cli/helper
NEEDS_DRIVER=sqlite

@test "statements on the implicit connection" {
  cat >t.lua <<'L'
function event() end
function prepare()
  db_query("CREATE TABLE t (id INT, s TEXT, f INT)")
  print(db_driver, db_query("INSERT INTO t VALUES (1, 'x', 0)"))
  db_connect() db_connect()
  stmt = db_prepare("UPDATE t SET id = ?, s = ?") params = {1, "x"}
  print(type(stmt), tostring(stmt))
  db_bind_param(stmt, params)
  params[1] = 3000000000.7 params[2] = ("long"):rep(100)
  local rs = db_execute(stmt)
  print(type(rs)) db_store_results(rs) db_free_results(rs) db_free_results(rs)
  local con = sysbench.sql.driver():connect()
  print(con:query_row("SELECT id, LENGTH(s) FROM t"))
  params[2] = nil
  db_execute(stmt)
  print(con:query_row("SELECT id, s FROM t"))
  db_close(stmt)
  local q = db_prepare("SELECT * FROM t") local r = db_execute(q) db_free_results(r) db_free_results(r) db_close(q)
  db_bulk_insert_init("INSERT INTO t VALUES")
  for i = 1, 10 do db_bulk_insert_next("(" .. i .. ",'b',0)") end
  db_bulk_insert_done()
  print(con:query_row("SELECT COUNT(*) FROM t"))
  sysbench.db.query("DELETE FROM t")
  db_disconnect() db_disconnect()
  db_query("INSERT INTO t VALUES (5, 'x', 0)")
  print(con:query_row("SELECT COUNT(*) FROM t"))
end
L
  bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db prepare
  must is "$stderr" ""
  must is "$(lines)" "sqlite
userdata	<sql_statement>
userdata
3000000000	400
3000000000	nil
11
1"
}

@test "errors" {
  cat >t.lua <<'L'
local function e(f, ...) local args = {...} print(select(2, pcall(function() local x = f(unpack(args)) end))) end
function event() end
function prepare()
  e(db_bulk_insert_next, "(1)") e(db_bulk_insert_done)
  e(db_query, "SELEC") e(db_query) e(db_prepare, "SELEC") e(db_execute, 5)
  local s = db_prepare("SELECT ?")
  e(db_bind_param, s, 5) e(db_bind_param, s, {}) e(db_bind_param, s, {true}) e(db_bind_param, 5, {1})
  e(db_bind_result, s, 5) e(db_free_results, s)
  db_bulk_insert_init("INSERT INTO nosuch VALUES") db_bulk_insert_next("(1)") e(db_bulk_insert_done)
end
L
  bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db prepare
  must is "$(lines)" "t.lua:1: Uninitialized database connection
t.lua:1: Uninitialized database connection
t.lua:1: db_query() failed
t.lua:1: bad argument #1 to 'db_query' (string expected, got nil)
t.lua:1: db_prepare() failed
t.lua:1: bad argument #1 to 'db_execute' (statement expected, got number)
t.lua:1: table was expected
t.lua:1: table is empty
t.lua:1: Unsupported variable type: boolean
t.lua:1: bad argument #1 to 'db_bind_param' (statement expected, got number)
t.lua:1: table was expected
t.lua:1: bad argument #1 to 'db_free_results' (result set expected, got userdata)
t.lua:1: db_bulk_insert_done() failed"
  cat >t.lua <<'L'
function prepare() print(pcall(db_connect)) db_query("SELECT 1") end
L
  bench -1 t.lua --db-driver=sqlite --sqlite-db=/nosuch/dir/t.db prepare
  must has "$output" 'Failed to connect to the database$'
}

@test "errors of the implicit connection have the position of the script's call" {
  local call
  for call in 'db_connect()' 'db_query("SELECT 1")' 'local s = db_prepare("SELECT 1")' \
    'db_bulk_insert_init("INSERT INTO t VALUES")'; do
    printf 'function prepare()\n  %s\nend\n' "$call" >t.lua
    bench -1 t.lua --db-driver=sqlite --sqlite-db=/nosuch/dir/t.db prepare
    must has "$stderr" "^FATAL: prepare\(\) failed at t\.lua:2: Failed to connect to the database\$"
    bench t.lua --db-driver=nosuch prepare
    must has "$stderr" "^FATAL: prepare\(\) failed at t\.lua:2: DB initialization failed\$"
  done
}

@test "an execution without its parameters says so" {
  cat >t.lua <<'L'
function prepare()
  local s = db_prepare("SELECT ?")
  print(select(2, pcall(function() db_execute(s) end)))
  print(select(2, pcall(function() db_bind_param(s, {1, 2}) end)))
  local params = {1}
  db_bind_param(s, params)
  params[1] = "none"
  print(select(2, pcall(function() db_execute(s) end)))
  print(select(2, pcall(function() db_query("SELEC") end)))
  db_disconnect()
  print(select(2, pcall(function() db_execute(s) end)))
end
L
  bench -0 t.lua --db-driver=sqlite prepare
  must is "$(lines)" "t.lua:3: db_execute() failed: parameters are not bound
t.lua:4: wrong number of parameters: 1 expected, 2 given
t.lua:8: db_execute() failed
t.lua:9: db_query() failed
t.lua:11: db_execute() failed"
}

@test "ignorable errors restart the event" {
  cat >t.lua <<'L'
n = 0
function event() n = n + 1 db_query("SELECT 1") local s = db_prepare("SELECT 1") db_free_results(db_execute(s)) db_close(s) end
function thread_done() print("n", n) end
L
  bench -0 t.lua --db-driver=null --null-error-rate=0.2 --events=50 run
  must is "$(number 'total number of events:')" 50
  must [ "$(number 'ignored errors:')" -gt 0 ]
}

@test "global options and functions of random numbers" {
  cat >t.lua <<'L'
print(type(oltp_table_size), thread_id, test, db_driver)
pathtest = string.match(test, "(.*/)") or ""
dofile(pathtest .. "common.lua")
function prepare()
  print(oltp_table_size, oltp_flag == "", db_driver, num_threads, threads, mysql_table_engine, myisam_max_rows, common, test)
  print(sb_rand(1, 1), sb_rand_uniform(2, 2), sb_rand_gaussian(3, 3), sb_rand_special(4, 4), #sb_rand_str("@#x"))
  print(sb_rnd() >= 0, sb_rnd() < 2 ^ 32, sb_rand_uniq() ~= sb_rand_uniq())
  local seen = {} for i = 1, 20 do local n = sb_rand_uniq(1, 1000) assert(n >= 1 and n <= 1000 and not seen[n]) seen[n] = true end
end
L
  echo 'common = "common"' >common.lua
  bench -0 ./t.lua --oltp-table-size=100 --oltp_flag --num-threads=2 --db-driver=null --mysql-table-engine=myisam prepare
  must is "$(lines)" "nil	0	./t.lua	nil
100	true	null	2	2	myisam	1000000	common	./t.lua
1	2	3	4	3
true	true	true"
}

@test "an error of a random function has the name that the script called" {
  cat >t.lua <<'L'
function prepare()
  for _, f in ipairs{ function() return 1 + sb_rand() end, function() return 1 + sysbench.rand.uniform(1) end,
                      function() return 1 + sysbench.rand.default(1, "x") end } do
    print(select(2, pcall(f)))
  end
end
L
  bench ./t.lua prepare
  must has "$output" "bad argument #1 to 'sb_rand' "
  must has "$output" "bad argument #2 to 'uniform' "
  must has "$output" "bad argument #2 to 'default' "
}

@test "functions that are loaded late: visible, replaceable, and themselves" {
  cat >t.lua <<'L'
local mine = function() return "mine" end
local early = db_query
db_close = mine
sysbench.report_csv = sysbench.report_default
print(type(db_bind_param), type(sysbench.db.execute))
db_connect()
print(db_close == mine, sysbench.db.close ~= mine, db_close())
print(db_prepare == sysbench.db.prepare, sysbench.report_csv == sysbench.report_default)
early("CREATE TABLE late (id INT)")
db_query("DROP TABLE late")
local names = {}
for name, value in pairs(sysbench.cmdline) do
  if type(value) == "function" then names[#names + 1] = name end
end
table.sort(names)
print(table.concat(names, " "))
print(sysbench.cmdline.command_defined("x"))
L
  bench -0 t.lua --db-driver=sqlite
  must is "$(lines)" "function	function
true	true	mine
true	true
call_command command_begin command_defined command_failed command_parallel print_test_options read_cmdline_options
false"
}

@test "the options of a script may be read by the script itself" {
  cat >t.lua <<'L'
sysbench.cmdline.options = { mine = {"mine", 5} }
print("body", sysbench.cmdline.read_cmdline_options())
function thread_init() print("thread", sysbench.cmdline.read_cmdline_options(), sysbench.opt.mine) end
function event() end
L
  bench -0 t.lua --mine=6 --events=1 run
  must is "$(grep -E '^(body|thread)' <<<"$output")" "body	true
body	true
thread	true	6"
}

@test "unique numbers: all of a range, whichever state draws" {
  cat >t.lua <<'L'
function prepare()
  local seen, n = {}, 0
  for _ = 1, 1000 do
    local x = sb_rand_uniq(1, 1000)
    if not seen[x] then seen[x], n = true, n + 1 end
  end
  print("values", n)
end
function event() prepare() end
L
  bench t.lua --threads=8 prepare
  must has "$output" '^values	1000$'
  bench t.lua --threads=1 --events=1 run
  must has "$output" '^values	1000$'
}
