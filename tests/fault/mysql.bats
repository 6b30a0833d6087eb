#!/usr/bin/env bats
# mysql.bats - faults of a MySQL server and of the way to it, for real: what is
# said, counted and returned, and that it ends in time.

load helper
load ../lib/servers

setup_file() {
  # What was acknowledged survives the death of the server's process.
  start_one mysql my --max-connections=30 \
    --lock-wait-timeout=1 --max-prepared-stmt-count=40 \
    --set=innodb_flush_log_at_trx_commit=2
  [[ -z ${BENCH_MISSING-} ]] || return 0
  servers_env "$BATS_FILE_TMPDIR/my"
  "$BENCH" oltp_point_select --mysql-host=127.0.0.1 --mysql-port="$MY_PORT" \
    --tables=1 --table-size=100 prepare
}

# Plain connections are served without the client library unless it is asked
# for.
setup() {
  skip_if_missing
  setup_fault
  my=$BATS_FILE_TMPDIR/my
  servers_env "$my"
  sql "CREATE OR REPLACE TABLE sbtest.counter (id INT PRIMARY KEY, n INT NOT NULL);
    INSERT INTO sbtest.counter VALUES (1, 0), (2, 0)"
  tcp=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$MY_PORT")
  point=("$BENCH" oltp_point_select "${tcp[@]}" --tables=1 --table-size=100)
  base=("$BENCH" "$events" "${tcp[@]}")
}

# The next test finds the server at work, whatever this one left.
teardown() {
  [[ ! -e $dir/other/state ]] || servers stop "$dir/other"
  [[ -e ${my-}/state ]] || return 0
  servers thaw "$my"
  sql "DO 1" 2>/dev/null || servers restart "$my"
}

sql() { servers sql "$my" "$1"; }
counted() { sql "SELECT n FROM sbtest.counter WHERE id = 1"; }
nobody() {
  (($(sql "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'sbtest'") == 0))
}

@test "nobody listens: port, socket, name" {
  bounded -1 "$BENCH" oltp_point_select --mysql-host=127.0.0.1 --mysql-port=1 run
  grep -q "^FATAL: cannot connect to MySQL server on host '127.0.0.1', port 1 as '[a-z]*': " "$err"
  grep -qE '\(error 200[23]\)' "$err"
  grep -q 'use --db-driver=sqlite' "$err"

  bounded -1 "$BENCH" oltp_point_select --mysql-socket=/nonexistent/s run
  grep -q "^FATAL: cannot connect to MySQL server on socket '/nonexistent/s' as '[a-z]*': " "$err"
  grep -q '(error 2002)' "$err"

  bounded -1 "$BENCH" oltp_point_select --mysql-host=no.such.name.invalid \
    --db-connect-timeout=5 run
  in_time 5
  grep -qE '\(error (2003|2005)\)' "$err"
}

@test "wrong password, unknown user, unknown database: no hint about sqlite" {
  bounded -1 "${point[@]}" --mysql-user=sbpass --mysql-password=wrong run
  grep -q '^FATAL: cannot connect .* (error 1045); see --mysql-user and --mysql-password, ' "$err"
  [[ $(grep -c FATAL "$err") -eq 1 ]]
  lacks sqlite "$err"
  bounded -1 "${point[@]}" --mysql-user=nobody_here run
  grep -qE '^FATAL: cannot connect .* \(error (1045|1698)\);' "$err"
  lacks sqlite "$err"
  bounded -1 "${point[@]}" --mysql-db=no_such_db run
  grep -qE '^FATAL: cannot connect .* \(error (1044|1049)\);' "$err"
  lacks sqlite "$err"
}

@test "TLS is demanded and not offered" {
  bounded -1 "${point[@]}" --mysql-ssl=REQUIRED run
  grep -q '(error 2026)$' "$err"
  lacks sqlite "$err"
  bounded -0 "${point[@]}" --mysql-ssl=PREFERRED --events=1 run
}

# tls_server NAME: another server, whose certificate is for that host; over
# holds options for it by host name.
tls_server() {
  servers start mysql "$dir/other" --tls=required --tls-name="$1"
  servers_env "$dir/other"
  over=("$BENCH" "$events" --db-driver=mysql --mysql-host=127.0.0.1
    --mysql-port="$MY_PORT" --what=sql --events=1 --time=20)
}

@test "TLS: the certificate is checked as far as was asked for" {
  tls_server localhost # and 127.0.0.1
  for mode in VERIFY_CA VERIFY_IDENTITY; do
    bounded -0 "${over[@]}" --mysql-ssl=$mode --mysql-ssl-ca="$MY_CA" --db-debug \
      --verbosity=5 run
    grep -q 'TLSv1' "$err"
    bounded -1 "${over[@]}" --mysql-ssl=$mode --mysql-ssl-ca="$MY_WRONG_CA" run
    grep -qE '^FATAL: cannot connect .*(certificate|TLS/SSL).* \(error 2026\)$' "$err"
    lacks sqlite "$err"
  done
  # Without a check any authority will do.
  bounded -0 "${over[@]}" --mysql-ssl=REQUIRED run
  # Not encrypted: that is refused by the server.
  bounded -1 "${over[@]}" --mysql-ssl=DISABLED run
  lacks sqlite "$err"
}

@test "TLS: the library's own code for a lost connection is one of them" {
  tls_server localhost
  until_enough "${over[@]/--events=1/--events=0}" --mysql-ssl=REQUIRED --mysql-protocol=library --threads=4 \
    --mysql-ignore-errors=2013
  begun
  servers kill9 "$dir/other"
  within 30 grep -qE ' lost \((2013|2026): .*, reconnecting$' "$err"
  servers restart "$dir/other"
  within 30 grep -q '^WARNING: reconnected' "$err"
  enough -0
}

# cuts_logins PORT: the first connection ends after 30,000 bytes, the next three within
# the handshake of TLS, as with a proxy whose server restarts.
cuts_logins() {
  python3 - "$1" >"$dir/cutting" 3>&- <<'PY' &
import select, socket, sys
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
for limit in [30000, 200, 200, 200, 1 << 40]:
    client, _ = listener.accept()
    server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    ends = {client: server, server: client}
    while limit > 0:
        for one in select.select(list(ends), [], [])[0]:
            data = one.recv(65536)
            limit = limit - len(data) if data else 0
            ends[one].sendall(data)
    client.close()
    server.close()
PY
  cutter=$!
  within 30 test -s "$dir/cutting"
}

@test "TLS: a login that is cut is tried again" {
  tls_server localhost
  cuts_logins "$MY_PORT"
  until_enough "${over[@]/--events=1/--events=0}" --mysql-port="$(<"$dir/cutting")" --mysql-ssl=REQUIRED \
    --mysql-protocol=library --mysql-ignore-errors=2013 --server-stats=off
  within 30 grep -q '^WARNING: reconnected' "$err"
  enough -0
  kill "$cutter" 2>/dev/null || :
}

@test "TLS: the certificate of another host" {
  tls_server db.example
  bounded -1 "${over[@]}" --mysql-ssl=VERIFY_IDENTITY --mysql-ssl-ca="$MY_CA" run
  grep -q '(error 2026)$' "$err"
  lacks sqlite "$err"
  bounded -0 "${over[@]}" --mysql-ssl=REQUIRED --mysql-ssl-ca="$MY_CA" run
  # MariaDB's library cannot check less, and says so.
  bounded "${over[@]}" --mysql-ssl=VERIFY_CA --mysql-ssl-ca="$MY_CA" run
  if ((status == 1)); then
    grep -qx 'WARNING: this client library also checks the host name' "$err"
    grep -q '(error 2026)$' "$err"
  fi
}

@test "more connections than the server allows: how many, and why" {
  within 30 nobody
  bounded -1 "${point[@]}" --threads=60 --time=2 run
  grep -qE '^WARNING: the server has room for (2[0-9]|30) more connections, this run opens at least 60 \(max_connections = 30\)$' "$err"
  [[ $(grep -c ': Too many connections (error 1040)$' "$err") -eq 1 ]]
  # It was told before anything happened.
  grep -n . "$err" | head -n 1 | grep -q 'WARNING: the server has room'
  # Some that were opened may be closed again before the last one tries.
  grep -qE '^FATAL: opening stopped after [1-9][0-9]? of 60 connections failed$' "$err"
  within 30 nobody # those that were opened are closed
}

@test "one connection too many: that is told, too" {
  within 30 nobody
  bounded -1 "${point[@]}" --threads=31 --time=2 run
  grep -qE '^FATAL: opening stopped after [12] of 31 connections failed$' "$err"
  within 30 nobody
}

killed() {
  in_background "${point[@]}" --threads=1 --time=60 "$@" run
  begun
  sql "KILL USER sbtest"
  ended -1
  grep -qE '^FATAL: mysql_stmt_execute\(\) returned error (2013|2006|1927) ' "$err"

  until_enough "${base[@]}" --what=prepared --threads=4 --mysql-ignore-errors=2013 "$@"
  begun
  for _ in {1..5}; do
    sql "KILL USER sbtest"
    goes_on
  done
  for _ in {1..15}; do
    sql "KILL USER sbtest"
  done
  enough -0
  (($(counter reconnects) > 4))
  [[ $(counter 'ignored errors') -eq 0 ]]
  grep -q '^WARNING: reconnected after ' "$err"
}

@test "a session is killed while it works: fatal, or else replaced" {
  killed
}

@test "a session is killed while it works: fatal, or else replaced (client library)" {
  killed --mysql-protocol=library
}

comes_back() {
  until_enough "${base[@]}" --what="$1" --threads=2 --report-interval=1 \
    --db-ignore-errors=connection "${@:2}"
  begun
  goes_on
  servers kill9 "$my"
  servers restart "$my"
  goes_on
  # Both threads, also the one that is slower.
  within 30 grep -q '^WARNING: reconnected after .* 2 connections' "$err"
  enough -0
  [[ $(counter reconnects) -eq 2 ]]
  grep -q "^WARNING: connection to host '127.0.0.1', port $MY_PORT lost (20" "$err"
  committed 2
}

@test "the server is killed and comes back" {
  comes_back count
}

@test "the server is killed and comes back: statements are prepared again" {
  comes_back prepared
}

@test "the server is killed and comes back (client library)" {
  comes_back prepared --mysql-protocol=library
}

@test "the server is gone for good: the run ends in time" {
  in_background "${point[@]}" --threads=2 --time=6 --db-ignore-errors=connection run
  begun
  servers kill9 "$my"
  ended -0
  in_time 7
  grep -q '^WARNING: 2 [a-z]*s were still reconnecting at the end: ' "$err"
}

frozen() {
  in_background "${point[@]}" --threads=2 --time=4 --forced-shutdown=1 "$@" run
  begun
  servers freeze "$my"
  ended
  servers thaw "$my"
  ((status == 2))
  in_time 7
  grep -q 'total number of events' "$out"
}

@test "a frozen server during the run: report, exit 2, in time" {
  frozen
}

@test "a frozen server during the run: report, exit 2, in time (client library)" {
  frozen --mysql-protocol=library
}

@test "a frozen server, and statements that may take a second" {
  in_background "${point[@]}" --threads=2 --time=5 --db-query-timeout=1 \
    --db-connect-timeout=1 --db-ignore-errors=connection,1317 run
  begun
  servers freeze "$my"
  ended
  servers thaw "$my"
  ((status == 0))
  in_time 7
}

frozen_start() {
  servers freeze "$my"
  bounded "${point[@]}" --db-connect-timeout=2 "$@" run
  servers thaw "$my"
  ((status == 1))
  in_time 2
  grep -qE '^FATAL: cannot connect .* \(error (2013|2003)\)' "$err"
}

@test "a frozen server at the start" {
  frozen_start
}

@test "a frozen server at the start (client library)" {
  frozen_start --mysql-protocol=library
}

@test "deadlocks: as many increments as events" {
  bounded -0 "${base[@]}" --what=deadlock --threads=8 --events=2000 --time=90 run
  (($(counter 'ignored errors') > 0))
  grep -q '^WARNING: error 1213 ' "$err"
  [[ $(sql "SELECT GROUP_CONCAT(n) FROM sbtest.counter") == 2000,2000 ]]
}

@test "lock wait timeout: the whole transaction is rolled back" {
  lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  other = sysbench.sql.driver():connect()
  first = true
end
function event()
  if first then
    other:query("BEGIN")
    other:query("UPDATE counter SET n = n + 100 WHERE id = 2")
  end
  con:query("BEGIN")
  con:query("UPDATE counter SET n = n + 1 WHERE id = 1")
  if not first then other:query("ROLLBACK") end
  first = false
  con:query("UPDATE counter SET n = n + 1 WHERE id = 2")
  con:query("COMMIT")
end
LUA
  bounded -0 "$BENCH" "$dir/script.lua" "${tcp[@]}" --threads=1 --events=1 --time=60 run
  [[ $(counter 'ignored errors') -eq 1 ]]
  [[ $(sql "SELECT GROUP_CONCAT(n) FROM sbtest.counter") == 1,1 ]]
}

# locked EVENT: another session holds the second row's lock until the second
# attempt.  Where there is a procedure, it is twice().
locked() {
  lua <<LUA
function thread_init()
  con = sysbench.sql.driver():connect()
  con:query([[CREATE OR REPLACE PROCEDURE twice() BEGIN START TRANSACTION;
    UPDATE counter SET n = n + 1 WHERE id = 1;
    UPDATE counter SET n = n + 1 WHERE id = 2; COMMIT; END]])
  lock = sysbench.sql.driver():connect()
  lock:query("BEGIN")
  lock:query("UPDATE counter SET n = n WHERE id = 2")
end
function event()
  attempts = (attempts or 0) + 1
  if attempts == 2 then lock:query("COMMIT") end
  $1
end
LUA
}

# once OPTION...: one attempt fails; the change of the second is the only one.
once() {
  sql "UPDATE sbtest.counter SET n = 0"
  bounded -0 "$BENCH" "$dir/script.lua" "${tcp[@]}" "$@" --events=1 --time=60 run
  [[ $(counter 'ignored errors') -eq 1 && $(counted) -eq 1 ]]
}

@test "a procedure fails in its own transaction: nothing of it stays" {
  for protocol in wire library; do
    locked 'con:query("CALL twice()")'
    once --mysql-protocol=$protocol
    locked 'st = st or con:prepare("CALL twice()") st:execute()'
    once --mysql-protocol=$protocol
    locked 'con:query("SET autocommit = 0") con:query("CALL twice()") con:query("COMMIT")'
    once --mysql-protocol=$protocol
  done
}

@test "an error among results that are not read: the event fails with it" {
  for protocol in wire library; do
    locked 'con:query([[SELECT 1; BEGIN; UPDATE counter SET n = n + 1 WHERE id = 1;
      UPDATE counter SET n = n + 1 WHERE id = 2; COMMIT]])'
    once --mysql-protocol=$protocol
  done
  lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1; INSERT INTO counter VALUES (1, 1)") end
LUA
  bounded -1 "$BENCH" "$dir/script.lua" "${tcp[@]}" --events=1 run
  grep -q '^FATAL: mysql_drv_next_result() returned error 1062 ' "$err"
  grep -qx 'FATAL: it is an error among unread results of the previous statement' "$err"
  lua <<'LUA'
function prepare()
  con = sysbench.sql.driver():connect()
  con:query("SELECT 1; INSERT INTO counter VALUES (1, 1)")
end
LUA
  bounded -1 "$BENCH" "$dir/script.lua" "${tcp[@]}" prepare
  grep -q "^FATAL: prepare() failed: among results that were not read: SQL error, errno = 1062" "$err"
}

@test "a deadlock that is no row's does not roll back: nothing stays" {
  lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() n = 0 end
function event()
  n = n + 1
  con:query("BEGIN")
  con:query("UPDATE counter SET n = n + 1 WHERE id = 1")
  if n < 2 then
    con:query("SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'x'")
  end
  con:query("COMMIT")
end
LUA
  once --mysql-protocol=wire
  once --mysql-protocol=library
}

@test "a single statement that fails outside of a transaction is not rolled back" {
  rollbacks() { sql "SHOW GLOBAL STATUS LIKE 'Com_rollback'" | tr -dc 0-9; }
  before=$(rollbacks)
  locked 'con:query("UPDATE counter SET n = n + 1 WHERE id IN (1, 2)")'
  once
  [[ $(rollbacks) == "$before" ]]
}

# failing SQL: one event with this statement.
failing() {
  bounded -1 "${base[@]}" --what=sql --sql="$1" --events=1 run
}

@test "statements that fail: their messages" {
  failing "INSERT INTO sbtest1 (id, k, c, pad) VALUES (1, 1, '', '')"
  grep -qE "^FATAL: mysql_drv_query\(\) returned error 1062 \(Duplicate entry '1' for key 'PRIMARY'\) for query 'INSERT INTO sbtest1" "$err"
  failing "SELECT * FROM no_such_table"
  grep -q '^FATAL: mysql_drv_query() returned error 1146 ' "$err"
  failing "SELEC 1"
  grep -q '^FATAL: mysql_drv_query() returned error 1064 ' "$err"
  failing "INSERT INTO sbtest1 (id) VALUES (1, 2)"
  grep -q '^FATAL: mysql_drv_query() returned error 1136 ' "$err"
}

@test "what thread_done does is no part of an event that was given up, and has a connection" {
  lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  other = sysbench.sql.driver():connect()
  other:query("BEGIN")
  other:query("UPDATE counter SET n = n + 100 WHERE id = 2")
end
-- The lock is not given until the run is over.
function event()
  con:query("BEGIN")
  con:query("UPDATE counter SET n = n + 1 WHERE id = 1")
  con:query("UPDATE counter SET n = n + 1 WHERE id = 2")
  con:query("COMMIT")
end
function thread_done()
  other:query("ROLLBACK")
  con:query("UPDATE counter SET n = n + 10 WHERE id = 1")
  other:query("KILL " .. con:query_row("SELECT CONNECTION_ID()"))
  local ok, err = pcall(con.query, con, "UPDATE counter SET n = n + 1000 WHERE id = 1")
  print("replaced", ok, type(err) == "table" and err.reconnected)
  con:query("UPDATE counter SET n = n + 20 WHERE id = 1")
end
LUA
  bounded -0 "$BENCH" "$dir/script.lua" "${tcp[@]}" --db-ignore-errors=connection --time=1 run
  grep -qx 'replaced	false	true' "$out"
  [[ $(sql "SELECT GROUP_CONCAT(n ORDER BY id) FROM sbtest.counter") == 30,0 ]]
  [[ $(counter 'total number of events') -eq 0 ]]
}

@test "a duplicate key that is listed: restarted, nothing of it stays" {
  bounded -0 "${base[@]}" --what=duplicate --events=20 --time=60 \
    --mysql-ignore-errors=1062 run
  (($(counter 'ignored errors') > 0))
  [[ $(counter 'total number of events') -eq 20 ]]
  [[ $(sql "SELECT GROUP_CONCAT(id, n) FROM sbtest.counter") == 10,20 ]]
}

@test "the server is read-only" {
  sql "SET GLOBAL read_only = 1"
  failing "INSERT INTO sbtest1 (id, k, c, pad) VALUES (1, 1, '', '')"
  sql "SET GLOBAL read_only = 0"
  ((status == 1))
  grep -q 'returned error 1290 ' "$err"
  grep -qx 'FATAL: the server is read-only' "$err"
}

none_prepared() {
  (($(sql "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'" | tr -dc 0-9) == 0))
}

@test "too many prepared statements: a hint, and those prepared are freed" {
  within 30 none_prepared
  lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  st = {}
  for i = 1, 50 do st[i] = con:prepare("SELECT " .. i) end
end
function event() end
LUA
  bounded -1 "$BENCH" "$dir/script.lua" "${tcp[@]}" --events=1 run
  grep -q '^FATAL: mysql_stmt_prepare() failed; MySQL error: 1461 "' "$err"
  grep -qx 'FATAL: raise max_prepared_stmt_count or use --db-ps-mode=disable' "$err"
  within 30 none_prepared
}

@test "closed statements are gone from the server, those of a reconnection, too" {
  within 30 none_prepared
  # The server frees those of the former session when it comes to it.
  lua <<'LUA'
local function left()
  return tonumber(con:query("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'"):fetch_row()[2])
end
local function await(n)
  for _ = 1, 1000 do
    if left() == n then return print("left: " .. n) end
    con:query("DO SLEEP(0.02)")
  end
end
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  local st = {}
  for i = 1, 20 do st[i] = con:prepare("SELECT " .. i) end
  con:reconnect()
  for i = 1, 20 do st[i]:execute() end
  await(20)
  for i = 1, 20 do st[i]:close() end
  await(0)
end
LUA
  bounded -0 "$BENCH" "$dir/script.lua" "${tcp[@]}" --events=3 --time=60 run
  [[ $(grep -c '^left: 20$' "$out") -eq 3 && $(grep -c '^left: 0$' "$out") -eq 3 ]]
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
  bounded -0 "$BENCH" "$dir/script.lua" "${tcp[@]}" --events=1 --verbosity=4 run
  grep -q '^Failed to prepare query "PREPARE x .* (1295: .*), using emulation$' "$out"
  grep -qx emulated "$out"
}

@test "a statement larger than the server takes: its size is told" {
  lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT '" .. string.rep("x", 20000000) .. "'") end
LUA
  bounded -1 "$BENCH" "$dir/script.lua" "${tcp[@]}" --events=1 --time=60 run
  grep -qE 'returned error (1153|2006|2013|2020) ' "$err"
  grep -qx 'FATAL: it may be too large: see max_allowed_packet (20000009 bytes)' "$err"
}

@test "files of the client are not sent" {
  echo secret-of-the-client >"$dir/file"
  chmod 644 "$dir/file"
  failing "LOAD DATA LOCAL INFILE '$dir/file' INTO TABLE sbtest1"
  ((status == 1))
  [[ $(sql "SELECT COUNT(*) FROM sbtest.sbtest1") -eq 100 ]]
}

@test "nor by a command, which is told" {
  echo secret-of-the-client >"$dir/file"
  chmod 644 "$dir/file"
  lua <<LUA
function prepare()
  local con = sysbench.sql.driver():connect()
  con:query("CREATE TEMPORARY TABLE f (t TEXT)")
  con:query("LOAD DATA LOCAL INFILE '$dir/file' INTO TABLE f")
  print("loaded")
end
LUA
  for protocol in wire library; do
    bounded -1 "$BENCH" "$dir/script.lua" "${tcp[@]}" --mysql-protocol=$protocol prepare
    grep -q 'no file is given to the server' "$err"
    lacks loaded "$out"
  done
}

@test "no password in any output" {
  BENCH_MYSQL_PASSWORD=secret bounded -0 "${point[@]}" --mysql-user=sbpass \
    --debug --mysql-debug --db-debug --events=3 run
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
  bounded -0 "$BENCH" "$dir/script.lua" --mysql-host=192.0.2.1 --mysql-dry-run --server-role=primary --events=5 run
  [[ $(counter other) -eq 15 ]]
  [[ $(counter reconnects) -eq 5 ]]
}

@test "hosts and ports in turn" {
  lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() end
LUA
  bounded -0 "$BENCH" "$dir/script.lua" --mysql-host=127.0.0.1,127.0.0.2 \
    --mysql-port="$MY_PORT,1" --threads=1 --verbosity=5 --mysql-debug --events=1 run
  bounded -1 "$BENCH" "$dir/script.lua" --mysql-host=127.0.0.1,127.0.0.2 \
    --mysql-port="$MY_PORT,1" --threads=2 --verbosity=5 --mysql-debug --events=1 run
  grep -q "^FATAL: cannot connect .* host '127.0.0.1', port 1 as 'sbtest': " "$err"
}
