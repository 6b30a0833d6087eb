#!/usr/bin/env bats
# mysql.bats - faults of a MySQL server and of the way to it, for real: what is
# said, counted and returned, and that it ends in time.

setup_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  servers has mysql || skip "no mysql server is installed"
  servers start mysql "$BATS_FILE_TMPDIR/my" --max-connections=30 \
    --lock-wait-timeout=1 --max-prepared-stmt-count=40
  servers_env "$BATS_FILE_TMPDIR/my"
  "$BENCH" oltp_point_select --mysql-host=127.0.0.1 --mysql-port="$MY_PORT" \
    --tables=1 --table-size=100 prepare
}

# Plain connections are served without the client library unless it is asked
# for.
setup() {
  . "$BENCH_SRC/tests/db/servers.sh"
  my=$BATS_FILE_TMPDIR/my
  servers_env "$my"
  tcp=(--mysql-host=127.0.0.1 --mysql-port="$MY_PORT")
  point=("$BENCH" oltp_point_select "${tcp[@]}" --tables=1 --table-size=100)
  out=$BATS_TEST_TMPDIR/out
  err=$BATS_TEST_TMPDIR/err
}

teardown_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  servers stop "$BATS_FILE_TMPDIR/my"
}

sql() {
  servers sql "$my" "$1"
}

# What a test says when it fails.
show() {
  tail -n 40 "$out" "$err"
}

# Run with a limit for failure; the status is in $status.
bounded() {
  local limit=$1
  shift
  status=0
  timeout --signal=KILL "$limit" "$@" >"$out" 2>"$err" || status=$?
  show
}

# in_background COMMAND...: its process is $job, its status comes from ended.
in_background() {
  "$@" >"$out" 2>"$err" 3>&- &
  job=$!
}

ended() {
  status=0
  wait "$job" || status=$?
  show
}

# Until the server has N sessions of ours in a statement or idle.
sessions() {
  local limit=$((SECONDS + 10))
  until [[ $(sql "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'sbtest'") -ge $1 ]]; do
    ((SECONDS < limit)) || return 1
    sleep 0.05
  done
}

# lacks TEXT FILE...: the text is in none of them.
lacks() {
  run grep -q "$@"
  ((status == 1))
}

# counter NAME: from the report.
counter() {
  sed -n "s/^ *$1: *\([0-9]*\).*/\1/p" "$out"
}

@test "nobody listens: port, socket, name" {
  bounded 20 "$BENCH" oltp_point_select --mysql-host=127.0.0.1 --mysql-port=1 run
  ((status == 1))
  grep -qx "FATAL: unable to connect to MySQL server on host '127.0.0.1', port 1, aborting..." "$err"
  grep -qE '^FATAL: error 200[23]: ' "$err"
  grep -q 'use --db-driver=sqlite' "$err"

  bounded 20 "$BENCH" oltp_point_select --mysql-socket=/nonexistent/s run
  ((status == 1))
  grep -qx "FATAL: unable to connect to MySQL server on socket '/nonexistent/s', aborting..." "$err"
  grep -q '^FATAL: error 2002: ' "$err"

  bounded 20 "$BENCH" oltp_point_select --mysql-host=no.such.name.invalid run
  ((status == 1))
  grep -qE '^FATAL: error (2003|2005): ' "$err"
}

@test "wrong password, unknown user, unknown database: no hint about sqlite" {
  bounded 20 "${point[@]}" --mysql-user=sbpass --mysql-password=wrong run
  ((status == 1))
  grep -q '^FATAL: error 1045: ' "$err"
  bounded 20 "${point[@]}" --mysql-user=nobody_here run
  ((status == 1))
  grep -qE '^FATAL: error (1045|1698): ' "$err"
  bounded 20 "${point[@]}" --mysql-db=no_such_db run
  ((status == 1))
  grep -qE "^FATAL: error (1044|1049): " "$err"
  lacks sqlite "$err"
}

@test "TLS is demanded and not offered" {
  bounded 20 "${point[@]}" --mysql-ssl=REQUIRED run
  ((status == 1))
  grep -q '^FATAL: error 2026: ' "$err"
  bounded 20 "${point[@]}" --mysql-ssl=PREFERRED --events=1 run
  ((status == 0))
}

@test "more connections than the server allows" {
  bounded 30 "${point[@]}" --threads=60 --time=2 run
  ((status == 1))
  grep -q '^FATAL: error 1040: ' "$err"
  # Those that were opened are closed.
  sql "SELECT 1"
}

killed() {
  in_background "${point[@]}" --threads=1 --time=10 run
  sessions 1
  sql "KILL USER sbtest"
  ended
  ((status == 1))
  grep -qE '^FATAL: mysql_stmt_execute\(\) returned error (2013|2006|1927) ' "$err"

  in_background "${point[@]}" --threads=4 --time=3 --mysql-ignore-errors=2013 run
  sessions 4
  for _ in {1..20}; do
    sql "KILL USER sbtest"
  done
  ended
  ((status == 0))
  [[ $(counter reconnects) -gt 4 ]]
  [[ $(counter 'ignored errors') -eq 0 ]]
  grep -q '^WARNING: reconnected after ' "$err"
}

@test "a session is killed while it works: fatal, or else replaced" {
  killed
}

@test "a session is killed while it works: fatal, or else replaced (client library)" {
  point+=(--mysql-protocol=library)
  killed
}

comes_back() {
  in_background "${point[@]}" --threads=2 --time=5 --db-ignore-errors=connection run
  sessions 2
  servers kill9 "$my"
  servers restart "$my"
  ended
  ((status == 0))
  [[ $(counter reconnects) -eq 2 ]]
  grep -q "^WARNING: connection to host '127.0.0.1', port $MY_PORT lost (20" "$err"
}

@test "the server is killed and comes back" {
  comes_back
}

@test "the server is killed and comes back (client library)" {
  point+=(--mysql-protocol=library)
  comes_back
}

@test "the server is gone for good: the run ends in time" {
  in_background "${point[@]}" --threads=2 --time=4 --db-ignore-errors=connection run
  sessions 2
  servers kill9 "$my"
  ended
  ((status == 0))
  grep -q '^WARNING: 2 threads were still reconnecting at the end: ' "$err"
  servers restart "$my"
}

frozen() {
  in_background "${point[@]}" --threads=2 --time=3 --forced-shutdown=1 run
  sessions 2
  servers freeze "$my"
  SECONDS=0
  ended
  servers thaw "$my"
  ((status == 2))
  ((SECONDS <= 7))
  grep -q 'total number of events' "$out"
}

@test "a frozen server during the run: report, exit 2, in time" {
  frozen
}

@test "a frozen server during the run: report, exit 2, in time (client library)" {
  point+=(--mysql-protocol=library)
  frozen
}

@test "a frozen server, and statements that may take a second" {
  in_background "${point[@]}" --threads=2 --time=4 --db-query-timeout=1 \
    --db-connect-timeout=1 --db-ignore-errors=connection,1317 run
  sessions 2
  servers freeze "$my"
  SECONDS=0
  ended
  servers thaw "$my"
  ((status == 0))
  ((SECONDS <= 7))
}

frozen_start() {
  servers freeze "$my"
  SECONDS=0
  bounded 20 "${point[@]}" --db-connect-timeout=2 run
  servers thaw "$my"
  ((status == 1))
  ((SECONDS <= 5))
  grep -qE '^FATAL: error (2013|2003): ' "$err"
}

@test "a frozen server at the start" {
  frozen_start
}

@test "a frozen server at the start (client library)" {
  point+=(--mysql-protocol=library)
  frozen_start
}

lua() {
  cat >"$BATS_TEST_TMPDIR/script.lua"
}
script() {
  echo "$BATS_TEST_TMPDIR/script.lua"
}

@test "deadlocks: as many increments as events" {
  sql "DROP TABLE IF EXISTS sbtest.inc; CREATE TABLE sbtest.inc (id INT PRIMARY KEY, n INT); INSERT INTO sbtest.inc VALUES (1, 0), (2, 0), (3, 0)"
  lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  local a = sysbench.rand.uniform(1, 3)
  con:query("BEGIN")
  con:query("UPDATE inc SET n = n + 1 WHERE id = " .. a)
  con:query("UPDATE inc SET n = n + 1 WHERE id = " .. a % 3 + 1)
  con:query("COMMIT")
end
LUA
  bounded 60 "$BENCH" "$(script)" "${tcp[@]}" --threads=8 --events=2000 --time=30 run
  ((status == 0))
  [[ $(counter 'ignored errors') -gt 0 ]]
  [[ $(sql "SELECT SUM(n) FROM sbtest.inc") -eq $((2 * $(counter 'total number of events'))) ]]
}

@test "lock wait timeout: the whole transaction is rolled back" {
  sql "DROP TABLE IF EXISTS sbtest.lw; CREATE TABLE sbtest.lw (id INT PRIMARY KEY, n INT); INSERT INTO sbtest.lw VALUES (1, 0), (2, 0)"
  lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  other = sysbench.sql.driver():connect()
  first = true
end
function event()
  if first then
    other:query("BEGIN")
    other:query("UPDATE lw SET n = n + 100 WHERE id = 2")
  end
  con:query("BEGIN")
  con:query("UPDATE lw SET n = n + 1 WHERE id = 1")
  if not first then other:query("ROLLBACK") end
  first = false
  con:query("UPDATE lw SET n = n + 1 WHERE id = 2")
  con:query("COMMIT")
end
LUA
  bounded 30 "$BENCH" "$(script)" "${tcp[@]}" --threads=1 --events=1 run
  ((status == 0))
  [[ $(counter 'ignored errors') -eq 1 ]]
  [[ $(sql "SELECT GROUP_CONCAT(n) FROM sbtest.lw") == 1,1 ]]
}

# failing SQL: one event with this statement.
failing() {
  lua <<LUA
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query([[$1]]) end
LUA
  bounded 20 "$BENCH" "$(script)" "${tcp[@]}" --events=1 "${@:2}" run
}

@test "statements that fail: their messages" {
  failing "INSERT INTO sbtest1 (id, k, c, pad) VALUES (1, 1, '', '')"
  ((status == 1))
  grep -qE "^FATAL: mysql_drv_query\(\) returned error 1062 \(Duplicate entry '1' for key 'PRIMARY'\) for query 'INSERT INTO sbtest1" "$err"
  failing "SELECT * FROM no_such_table"
  grep -q '^FATAL: mysql_drv_query() returned error 1146 ' "$err"
  failing "SELEC 1"
  grep -q '^FATAL: mysql_drv_query() returned error 1064 ' "$err"
  failing "INSERT INTO sbtest1 (id) VALUES (1, 2)"
  grep -q '^FATAL: mysql_drv_query() returned error 1136 ' "$err"
}

@test "the server is read-only" {
  sql "SET GLOBAL read_only = 1"
  failing "INSERT INTO sbtest1 (id, k, c, pad) VALUES (1, 1, '', '')"
  sql "SET GLOBAL read_only = 0"
  ((status == 1))
  grep -q 'returned error 1290 ' "$err"
  grep -qx 'FATAL: the server is read-only' "$err"
}

@test "too many prepared statements: a hint, and those prepared are freed" {
  lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  st = {}
  for i = 1, 50 do st[i] = con:prepare("SELECT " .. i) end
end
function event() end
LUA
  bounded 20 "$BENCH" "$(script)" "${tcp[@]}" --events=1 run
  ((status == 1))
  grep -qx 'FATAL: mysql_stmt_prepare() failed' "$err"
  grep -q '^FATAL: MySQL error: 1461 "' "$err"
  grep -qx 'FATAL: raise max_prepared_stmt_count or use --db-ps-mode=disable' "$err"
  [[ $(sql "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'" | tr -dc 0-9) -eq 0 ]]
}

@test "closed statements are gone from the server, those of a reconnection, too" {
  lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  local st = {}
  for i = 1, 20 do st[i] = con:prepare("SELECT " .. i) end
  con:reconnect()
  for i = 1, 20 do st[i]:execute(); st[i]:close() end
  local rs = con:query("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'")
  print("left: " .. rs:fetch_row()[2])
end
LUA
  bounded 20 "$BENCH" "$(script)" "${tcp[@]}" --events=3 run
  ((status == 0))
  [[ $(grep -c '^left: 0$' "$out") -eq 3 ]]
}

@test "a statement that cannot be prepared is emulated" {
  lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  local st = con:prepare("PREPARE x FROM 'SELECT 1'")
  st:execute()
  con:query("EXECUTE x")
  print("emulated")
end
LUA
  bounded 20 "$BENCH" "$(script)" "${tcp[@]}" --events=1 --verbosity=4 run
  ((status == 0))
  grep -q '^Failed to prepare query "PREPARE x .* (1295: .*), using emulation$' "$out"
  grep -qx emulated "$out"
}

@test "a statement larger than the server takes: its size is told" {
  lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT '" .. string.rep("x", 20000000) .. "'") end
LUA
  bounded 30 "$BENCH" "$(script)" "${tcp[@]}" --events=1 run
  ((status == 1))
  grep -qE 'returned error (1153|2006|2013|2020) ' "$err"
  grep -qx 'FATAL: it may be too large: see max_allowed_packet (20000009 bytes)' "$err"
}

@test "files of the client are not sent" {
  echo secret-of-the-client >"$BATS_TEST_TMPDIR/file"
  chmod 644 "$BATS_TEST_TMPDIR/file"
  failing "LOAD DATA LOCAL INFILE '$BATS_TEST_TMPDIR/file' INTO TABLE sbtest1"
  ((status == 1))
  [[ $(sql "SELECT COUNT(*) FROM sbtest.sbtest1") -eq 100 ]]
}

@test "no password in any output" {
  BENCH_MYSQL_PASSWORD=secret bounded 20 "${point[@]}" --mysql-user=sbpass \
    --debug --mysql-debug --db-debug --events=3 run
  ((status == 0))
  grep -q '^DEBUG: mysql_real_connect(' "$err"
  lacks secret "$out" "$err"
}

@test "a dry run talks to nobody" {
  lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  st = con:prepare("SELECT ?")
  p = st:bind_create(sysbench.sql.type.INT)
  st:bind_param(p)
end
function event()
  assert(con:query("SELECT 1") == nil)
  assert(st:execute() == nil)
  assert(con:query_row("SELECT 1") == nil)
  assert(con:reconnect())
end
LUA
  bounded 20 "$BENCH" "$(script)" --mysql-host=192.0.2.1 --mysql-dry-run --events=5 run
  ((status == 0))
  [[ $(counter other) -eq 15 ]]
  [[ $(counter reconnects) -eq 5 ]]
}

@test "hosts and ports in turn" {
  lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() end
LUA
  bounded 20 "$BENCH" "$(script)" --mysql-host=127.0.0.1,127.0.0.2 \
    --mysql-port="$MY_PORT,1" --threads=1 --verbosity=5 --mysql-debug --events=1 run
  ((status == 0))
  bounded 20 "$BENCH" "$(script)" --mysql-host=127.0.0.1,127.0.0.2 \
    --mysql-port="$MY_PORT,1" --threads=2 --verbosity=5 --mysql-debug --events=1 run
  ((status == 1))
  grep -q "host '127.0.0.1', port 1, aborting" "$err"
}
