# examples.bats - the scripts of the manual's chapter about scripts run as they
# stand, on the null driver, and on SQLite once their tables exist.
load ../cli/helper

# tables SQL...: make them in t.db.
tables() {
  {
    echo 'function event() end function prepare() local con = sysbench.sql.driver():connect()'
    for sql in "$@"; do echo "con:query([[$sql]])"; done
    echo 'end'
  } >tables.lua
  bench -0 tables.lua --db-driver=sqlite --sqlite-db=t.db prepare
}

# both ARG...: on either driver, without complaint.
both() {
  for driver in null sqlite; do
    bench -0 "$@" --db-driver=$driver --sqlite-db=t.db
    must is "$(grep -v '^WARNING: error 5' <<<"$stderr")" ""
  done
}

@test "functions of a script" {
  cat >t.lua <<'L'
function init() assert(sysbench.opt.threads <= 64, "at most 64 threads") end
function thread_init(id) con = sysbench.sql.driver():connect() end
function event(id) con:query("UPDATE counter SET n = n + 1 WHERE id = " .. id) end
function thread_done(id) con:disconnect() end
function done() print("finished") end
function prepare() sysbench.sql.driver():connect():query("CREATE TABLE counter (id INT PRIMARY KEY, n INT)") end
L
  both t.lua prepare
  both t.lua --threads=2 --events=20 run
  must has "$output" '^finished$'
}

@test "restarts" {
  cat >t.lua <<'L'
function sysbench.hooks.before_restart_event(err)
   if err.connection ~= nil then err.connection:query("SET SESSION lock_timeout = 2000") end
end
function event()
   if sysbench.rand.uniform(1, 100) == 1 then error({errcode = sysbench.error.RESTART_EVENT}) end
end
L
  both t.lua --events=1000 run
  must is "$(number 'total number of events:')" 1000
}

@test "options and commands" {
  cat >t.lua <<'L'
sysbench.cmdline.options = {
   tables   = {"number of tables", 4},
   engine   = {"storage engine", "innodb"},
   ["dry-run"] = {"print only", false},
   limit    = {"upper bound", "64K", sysbench.cmdline.ARG_SIZE},
   columns  = {"columns to read", {"id", "k"}},
   note     = {"free text"},
}
local function check()
   for t = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.tables, sysbench.opt.threads do print("table " .. t) end
   return true
end
sysbench.cmdline.commands = { check = {check, sysbench.cmdline.PARALLEL_COMMAND} }
if sysbench.cmdline.command == nil then error("a command is required") end
L
  both t.lua --threads=3 --tables=5 check
  must is "$(grep ^table <<<"$output" | sort)" "table 1
table 2
table 3
table 4
table 5"
  bench t.lua
  must is "$stderr" "FATAL: t.lua:14: a command is required"
}

@test "random numbers" {
  cat >t.lua <<'L'
sysbench.cmdline.options = { table_size = {"rows", 1000} }
function event()
local id   = sysbench.rand.default(1, sysbench.opt.table_size)
local key  = tonumber(sysbench.rand.uniform_uint64() % 1000)
local text = sysbench.rand.string("user-###-@@@@") .. sysbench.rand.varstring(1, 8)
if sysbench.rand.uniform_double() < 0.1 then id = sysbench.rand.zipfian(1, 100) + sysbench.rand.special(1, 9) end
local u = sysbench.rand.unique() + sysbench.rand.gaussian(1, 5) + sysbench.rand.pareto(1, 5)
end
L
  both t.lua --events=1000 run
}

@test "results, statements, bulk inserts" {
  tables "CREATE TABLE users (id BIGINT PRIMARY KEY, name VARCHAR(20), score INT, credit DOUBLE)" \
    "CREATE TABLE log (id INT, msg TEXT)" "INSERT INTO users VALUES (1, 'a', 1, 1), (2, NULL, 2, 2)"
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
local rs = con:query("SELECT id, name FROM users ORDER BY id LIMIT 10")
for i = 1, rs.nrows do
   local row = rs:fetch_row()
   print(row[1], row[2] or "(null)")
end
rs:free()
local n, last = con:query_row("SELECT COUNT(*), MAX(name) FROM users")
if con:query("UPDATE users SET name = 'x' WHERE id = 0") == nil then print(tonumber(n) + 1, last) end
local st = con:prepare("UPDATE users SET name = ?, score = ?, credit = ? WHERE id = ?")
local T  = sysbench.sql.type
local name, score, credit, id = st:bind_create(T.VARCHAR, 20), st:bind_create(T.INT), st:bind_create(T.DOUBLE), st:bind_create(T.BIGINT)
st:bind_param(name, score, credit, id)
name:set_rand_str("@@@@-####"); score:set(nil); credit:set(0.25); id:set(7)
st:execute(); st:close()
con:bulk_insert_init("INSERT INTO log (id, msg) VALUES")
for i = 1, 1000 do con:bulk_insert_next(string.format("(%d,'m')", i)) end
con:bulk_insert_done()
con:query("SELECT balance FROM (SELECT 1 AS balance) acct WHERE 1 = " .. 1, "read balance")
if sysbench.iteration() % 1000 == 0 then con:query("ANALYZE TABLE t") end
end
L
  both t.lua --events=3 run
  must has "$output" '^2	\(null\)$'
  must has "$output" '^3	a$'
  cat >t.lua <<'L'
function event()
  local con = sysbench.sql.driver():connect()
  local rs = con:query("CALL monthly_report()")
  while rs ~= nil do print(rs.nrows); rs = con:next_result() end
end
L
  bench -0 t.lua --db-driver=null --null-rows=4 --events=1 run
  must has "$output" '^4$'
}

@test "histograms, hooks, counters" {
  cat >t.lua <<'L'
function thread_init()
  h = sysbench.histogram.new(64, 1, 1000)
  retries = sysbench.counter.new("retries")
  wait = sysbench.histogram.new("queue wait", "ms")
end
function event()
  h:update(sysbench.rand.default(1, 1000))
  if sysbench.rand.uniform(1, 10) == 1 then retries:add() end
  wait:update(sysbench.rand.uniform_double() * 5)
end
function thread_done() h:print() end
function sysbench.hooks.report_intermediate(stat)
   sysbench.report_csv(stat)
end
function sysbench.hooks.report_cumulative(stat)
   print(string.format("events %d, p%d %.3f ms", stat.events, sysbench.opt.percentile, stat.latency_pct * 1000))
end
function sysbench.hooks.sql_error_ignorable(err) return err.sql_errno == 1047 end
L
  both t.lua --events=1000 run
  must has "$output" '^events 1000, p95 [0-9.]+ ms$'
  must has "$output" '^ +value  -+ distribution -+ count$'
}

@test "the interface of release 1.0" {
  tables "CREATE TABLE sbtest1 (id INT, k INT, c TEXT)" "CREATE TABLE log (id INT, msg TEXT)"
  cat >t.lua <<'L'
function event(thread_id)
   local n = sb_rand_uniform(1, tonumber(oltp_tables_count) or 1)
   db_query("SELECT c FROM sbtest" .. n .. " WHERE id = " .. sb_rand(1, tonumber(oltp_table_size) or 10000))
   db_query("INSERT INTO log (id, msg) VALUES (" .. sb_rand_uniq(1, 1000000) .. ", '" .. sb_rand_str("@@@###") .. "')")
end
function thread_init(thread_id)
   db_connect()
   stmt = db_prepare("UPDATE sbtest1 SET k = ? WHERE id = ?"); params = {0, 0}
   db_bind_param(stmt, params); params[1] = 5; params[2] = thread_id; local rs = db_execute(stmt)
   db_store_results(rs); db_free_results(rs); db_close(stmt)
end
L
  both t.lua --threads=2 --events=50 run
  must is "$(number 'total number of events:')" 50
}

@test "an aborted attempt leaves nothing in the table" {
  cat >t.lua <<'L'
function thread_init()
  con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE IF NOT EXISTS a (n INT)")
  con:query("CREATE TABLE IF NOT EXISTS u (id INTEGER PRIMARY KEY)")
  con:query("INSERT INTO u VALUES (1)")
end
tries = 0
function event()
  tries = tries + 1
  con:query("BEGIN")
  con:query("INSERT INTO a VALUES (1)")
  con:query("INSERT INTO u VALUES (" .. (tries <= 2 and 1 or tries) .. ")")
  con:query("COMMIT")
end
function done()
  print("rows", sysbench.sql.driver():connect():query_row("SELECT COUNT(*) FROM a"))
end
L
  bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db --db-ignore-errors=23505 --events=1 run
  must has "$output" '^rows	1$'
  must is "$(number 'ignored errors:')" 2
}
