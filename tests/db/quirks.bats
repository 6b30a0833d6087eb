#!/usr/bin/env bats
# quirks.bats - defects of sysbench's drivers that no other test on a server
# looks at.  The tests are named in QUIRKS.md, which says what sysbench does.

load ../lib/servers

setup_file() {
  ! servers has mysql || servers start mysql "$BATS_FILE_TMPDIR/my" --tls --tls-name=127.0.0.1
  ! servers has pgsql || servers start pgsql "$BATS_FILE_TMPDIR/pg"
}

setup() {
  cd "$BATS_TEST_TMPDIR"
}

# on_mysql, on_pgsql: the options of the server are in `target` from now on.
on_mysql() {
  [[ -e $BATS_FILE_TMPDIR/my/state ]] || skip "no mysql server is installed"
  "$BENCH" --db-driver=help | grep -q '^  mysql - ' || skip "built without mysql"
  servers_env "$BATS_FILE_TMPDIR/my"
  target=(--db-driver=mysql --mysql-host=127.0.0.1 "--mysql-port=$MY_PORT")
}

on_pgsql() {
  [[ -e $BATS_FILE_TMPDIR/pg/state ]] || skip "no pgsql server is installed"
  "$BENCH" --db-driver=help | grep -q '^  pgsql - ' || skip "built without pgsql"
  servers_env "$BATS_FILE_TMPDIR/pg"
  target=(--db-driver=pgsql --pgsql-host=127.0.0.1 "--pgsql-port=$PG_PORT")
}

# lua OPTION...: the lines, in a prepare command; `con` is open.
lua() {
  { echo 'function prepare() con = sysbench.sql.driver():connect()'; cat; echo 'end'; } >t.lua
  local expected args
  take_status "$@"
  run --separate-stderr timeout 60 "$BENCH" t.lua "${target[@]}" "${args[@]}" prepare
  printf '%s\n' "$output" "$stderr"
  as_expected
}

shows() {
  grep -qxF -- "$1" <<<"$output"
}

@test "pgsql: bulk inserts open no further session" {
  on_pgsql
  lua -0 <<'L'
con:query("CREATE TABLE bulk (n int)")
for i = 1, 20 do
  con:bulk_insert_init("INSERT INTO bulk VALUES") con:bulk_insert_next("(1)") con:bulk_insert_done()
end
print("sessions", con:query_row("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bench'"))
con:query("DROP TABLE bulk")
L
  shows 'sessions	1'
}

@test "pgsql: a NUL byte in a string is an error" {
  on_pgsql
  lua -0 <<'L'
local st = con:prepare("SELECT CAST(? AS text)")
local p = st:bind_create(sysbench.sql.type.VARCHAR, 20)
st:bind_param(p)
p:set("a\0b")
print("accepted", (pcall(st.execute, st)))
p:set("ab")
print("after", st:execute():fetch_row()[1])
L
  shows 'accepted	false'
  shows 'after	ab'
}

@test "pgsql: after a forgiven error the transaction is over" {
  on_pgsql
  cat >t.lua <<'L'
n = 0
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  n = n + 1
  con:query("BEGIN")
  con:query("SELECT 1 / " .. (n == 1 and 0 or 1))
  con:query("COMMIT")
end
function sysbench.hooks.sql_error_ignorable() return true end
L
  run timeout 60 "$BENCH" t.lua "${target[@]}" --events=5 --time=20 run
  echo "$output"
  [ "$status" -eq 0 ]
  grep -q '^    ignored errors: *1 ' <<<"$output"
  grep -q '^    transactions: *5 ' <<<"$output"
}

@test "mysql: a statement without rows, then results, then closed" {
  on_mysql
  lua -0 <<'L'
local st = con:prepare("DO 1")
st:execute()
for i = 1, 300 do con:query("SELECT REPEAT('x', 5000)") end
st:close()
print("after", con:query_row("SELECT 7"))
L
  shows 'after	7'
}

@test "mysql: a wrong certificate is refused" {
  on_mysql
  lua --mysql-ssl=VERIFY_CA "--mysql-ssl-ca=$MY_WRONG_CA" <<<''
  [ "$status" -eq 1 ]
  grep -q '(error 2026)$' <<<"$stderr"
  lua --mysql-ssl=VERIFY_CA "--mysql-ssl-ca=$MY_CA" <<<''
  [ "$status" -eq 0 ]
}

@test "mysql: rows of prepared statements, unread results" {
  on_mysql
  lua -0 <<'L'
local st = con:prepare("SELECT 5, 'text', NULL, 2.5")
local row = st:execute():fetch_row()
print("row", row[1], row[2], row[3], row[4])
con:query("SELECT 1; SELECT 2; SELECT 3")
print("after", con:query_row("SELECT 7"))
L
  shows 'row	5	text	nil	2.5'
  shows 'after	7'
}

@test "mysql: an update that changes nothing counts as other" {
  on_mysql
  lua <<'L'
con:query("CREATE TABLE same (n int)")
con:query("INSERT INTO same VALUES (1)")
L
  echo 'function thread_init() con = sysbench.sql.driver():connect() end
    function event() con:query("UPDATE same SET n = 1") end' >t.lua
  run timeout 60 "$BENCH" t.lua "${target[@]}" --events=5 run
  grep -q '^        write: *0$' <<<"$output"
  grep -q '^        other: *5$' <<<"$output"
}

@test "mysql: memory does not grow with reconnections" {
  on_mysql
  ! nm "$BENCH" | grep -Eq '__(asan|tsan)_init' ||
    skip 'sanitizers keep what was freed'
  local protocol
  for protocol in wire library; do
    lua -0 --mysql-protocol=$protocol <<'L'
-- Memory of its own: pages of files come and go as other programs need memory.
local function resident()
  collectgarbage() collectgarbage()
  return tonumber(io.open("/proc/self/status"):read("*a"):match("RssAnon:%s+(%d+)"))
end
local size = {}
local text = ("x"):rep(5000)
local statements = {}
for i = 1, 20 do statements[i] = con:prepare("SELECT REPEAT('x', 5000), " .. i) end
for i = 1, 600 do
  -- statements that are prepared again, results that nobody reads
  for k = 1, 20, 7 do statements[k]:execute() end
  local st = con:prepare("SELECT '" .. text .. "'")
  st:execute()
  con:query("SELECT '" .. text .. "'")
  con:reconnect()
  if i % 200 == 0 then size[i] = resident() end
end
-- One result of each of 400 turns would be 2 MB; what malloc and Lua keep settles.
print("grown", size[600] - size[200] < 1200)
print("sizes", size[200], size[400], size[600])
L
    shows 'grown	true'
  done
}
