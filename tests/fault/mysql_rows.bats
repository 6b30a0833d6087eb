#!/usr/bin/env bats
# mysql_rows.bats - faults a MySQL server makes itself: full, refusing, out of
# order; and a client that is out of memory or descriptors.

load helper
load ../lib/servers

setup_file() {
  start_one mysql my --max-connections=60 \
    --lock-wait-timeout=5 --set=innodb_flush_log_at_trx_commit=2
}

# Plain connections are served without the client library; those with
# compression through it.
setup() {
  skip_if_missing
  setup_fault
  my=$BATS_FILE_TMPDIR/my
  servers_env "$my"
  sql "DROP DATABASE IF EXISTS sbtest; CREATE DATABASE sbtest;
    CREATE TABLE sbtest.counter (id INT PRIMARY KEY, n INT NOT NULL);
    INSERT INTO sbtest.counter VALUES (1, 0), (2, 0)"
  tcp=(--db-driver=mysql --mysql-host=127.0.0.1 "--mysql-port=$MY_PORT")
  base=("$BENCH" "$events" "${tcp[@]}")
}

teardown() {
  [[ -z ${holders-} ]] || { kill "$holders" && wait "$holders" || true; }
  [[ -z ${mounted-} ]] || umount -l "$mounted"
  [[ -e ${my-}/state ]] || return 0
  sql "SET GLOBAL max_connections = 60, GLOBAL tx_isolation = 'REPEATABLE-READ',
    GLOBAL innodb_snapshot_isolation = 0" 2>/dev/null || servers restart "$my"
}

sql() { servers sql "$my" "$1"; }
counted() { sql "SELECT n FROM sbtest.counter WHERE id = 1"; }
# Sessions of sbtest, or of another user.
sessions() {
  sql "SELECT COUNT(*) FROM information_schema.processlist WHERE user = '${1-sbtest}'"
}
has_sessions() { (($(sessions "${2-sbtest}") >= $1)); }
nobody() { (($(sessions) == 0)); }
refusals() {
  sql "SHOW GLOBAL STATUS LIKE 'Connection_errors_max_connections'" | tr -dc 0-9
}
refused() { (($(refusals) > $1)); }
# The sessions that run a statement like this one.
at_work() {
  (($(sql "SELECT COUNT(*) FROM information_schema.processlist
    WHERE user = 'sbtest' AND info LIKE '$1'") > 0))
}

no_room() {
  BENCH_MYSQL_PASSWORD=secret "$BENCH" "$events" "${tcp[@]}" --mysql-user=sbpass \
    --threads=10 --time=100 --what=sql --sql="DO SLEEP(100)" run >"$dir/held" 2>&1 3>&- &
  holders=$!
  within 30 has_sessions 10 sbpass
  until_enough "${base[@]}" "$@" --threads=2 --db-ignore-errors=connection
  begun
  goes_on
  before=$(refusals)
  # One more than the limit is for the administrator, and is refused as well
  # while somebody else who will be refused is in it.
  sql "SET GLOBAL max_connections = 10; KILL USER sbtest"
  within 30 refused "$before"
  within 30 sql "SET GLOBAL max_connections = 60"
  goes_on
  within 30 grep -q '^WARNING: reconnected after .* 2 connections$' "$err"
  enough -0
  [[ $(counter reconnects) -eq 2 && $(counter 'ignored errors') -eq 0 ]]
  committed 2
  within 30 nobody
}

@test "no connection left while reconnecting: tried until there is one" {
  no_room
}

@test "no connection left while reconnecting (client library)" {
  no_room --mysql-compression=on
}

kill_query() {
  sql "KILL QUERY USER sbtest"
}

# A statement that takes hours.  It does not sleep: MariaDB may answer a killed
# SLEEP with its row (1) and no error, if statements of other sessions that sleep
# are killed at the same time, as the test before this one does at its end.
endless="WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
  SELECT COUNT(*) FROM n a JOIN n b JOIN n c JOIN n d"

statement_killed() {
  in_background "${base[@]}" "$@" --time=60 --what=half --sql="$endless" run
  within 30 at_work "WITH RECURSIVE%"
  kill_query
  ended -1
  grep -qE '^FATAL: mysql_(drv_query|store_result)\(\) returned error 1317 ' "$err"
  [[ $(counted) -eq 0 ]]

  until_enough "${base[@]}" "$@" --what=half --sql="$endless" \
    --report-interval=1 --mysql-ignore-errors=1317
  for _ in 1 2 3; do
    within 30 at_work "WITH RECURSIVE%"
    kill_query
  done
  touch "$stop_file"
  killed_for_good() { kill_query && ! kill -0 "$job" 2>/dev/null; }
  within 30 killed_for_good
  ended -0
  (($(counter 'ignored errors') >= 1))
  [[ $(counter reconnects) -eq 0 && $(counted) -eq 0 ]]
  within 30 nobody
}

@test "a statement is killed: fatal, or restarted" {
  statement_killed
}

@test "a statement is killed (client library)" {
  statement_killed --mysql-compression=on
}

shut_down() {
  until_enough "${base[@]}" "$@" --threads=4 --report-interval=1 \
    --db-ignore-errors=connection
  begun
  goes_on
  servers shutdown "$my"
  within 30 grep -qE '^\[ [0-9]+s \] thds: 4 tps: 0\.00 ' "$out"
  servers restart "$my"
  goes_on
  within 30 grep -q '^WARNING: reconnected after .* 4 connections' "$err"
  enough -0
  (($(counter reconnects) >= 4))
  committed 4
}

@test "the server is shut down in order and comes back" {
  shut_down
}

@test "the server is shut down in order and comes back (client library)" {
  shut_down --mysql-compression=on
}

@test "serialization failures: as many increments as events" {
  # Readers become writers: one of two is the victim, 1213.
  sql "SET GLOBAL tx_isolation = 'SERIALIZABLE'"
  bounded "${base[@]}" --what=stale --threads=4 --events=400 --time=90 run
  sql "SET GLOBAL tx_isolation = 'REPEATABLE-READ'"
  ((status == 0))
  (($(counter 'ignored errors') > 0))
  grep -q '^WARNING: error 1213 ' "$err"
  [[ $(counted) -eq 400 && $(counter transactions) -eq 400 ]]
  # A snapshot that is old when it writes: 1020.
  sql "UPDATE sbtest.counter SET n = 0; SET GLOBAL innodb_snapshot_isolation = 1"
  bounded "${base[@]}" --what=stale --threads=4 --events=400 --time=90 run
  sql "SET GLOBAL innodb_snapshot_isolation = 0"
  ((status == 0))
  grep -q '^WARNING: error 1020 ' "$err"
  [[ $(counted) -eq 400 && $(counter transactions) -eq 400 ]]
}

@test "the disk is full: the table and the error are named" {
  small_disk "$MY_DATA/sbtest" 6m "$(stat -c %U "$MY_DATA")"
  mounted=$MY_DATA/sbtest
  bounded -1 "$BENCH" oltp_read_only "${tcp[@]}" --table-size=100000 prepare
  grep -qE 'error (1114|1030|1026|1021) ' "$err"
  grep -q sbtest1 "$err"
  within 30 nobody
}

@test "a node of a cluster that is not ready: fatal, restarted, reconnected by the hook" {
  notready="SIGNAL SQLSTATE '08S01' SET MYSQL_ERRNO = 1047, MESSAGE_TEXT = 'WSREP has not yet prepared node for application use'"
  bounded -1 "${base[@]}" --what=half --sql="$notready" run
  grep -q '^FATAL: mysql_drv_query() returned error 1047 (WSREP has not yet' "$err"
  bounded -0 "${base[@]}" --what=half --sql="$notready" --time=2 --mysql-ignore-errors=1047 run
  (($(counter 'ignored errors') >= 10))
  [[ $(counted) -eq 0 && $(counter reconnects) -eq 0 ]]
  lua <<LUA
local ready = false
function sysbench.hooks.sql_error_ignorable(err)
  ready = err.sql_errno == 1047 and err.connection:reconnect()
  return ready
end
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  con:query("BEGIN")
  con:query("UPDATE counter SET n = n + 1 WHERE id = 1")
  if not ready then con:query([[$notready]]) end
  con:query("COMMIT")
end
LUA
  bounded -0 "$BENCH" "$dir/script.lua" "${tcp[@]}" --events=1 run
  [[ $(counted) -eq 1 && $(counter reconnects) -eq 1 && $(counter 'ignored errors') -eq 1 ]]
  lacks FATAL "$err"
}

@test "errors outside of the event: the text of the error" {
  bounded -1 "${base[@]}" --where=thread_init --sql="SELECT * FROM nowhere" run
  grep -q '^FATAL: mysql_drv_query() returned error 1146 (.*) for query .* (at .*/events.lua:[0-9]*)$' "$err"
  # Also one that an event would be restarted for, and a lost connection.
  bounded -1 "${base[@]}" --where=thread_init --sql="KILL CONNECTION_ID()" \
    --db-ignore-errors=all run
  grep -q "^FATAL: thread_init() failed.*SQL error, errno = " "$err"
  lacks 'not a string' "$err"
  bounded -0 "${base[@]}" --what=half --where=hook --sql="SELECT * FROM nowhere" \
    --mysql-ignore-errors=1146 --time=1 run
  bounded -0 "${base[@]}" --what=count --where=hook --threads=4 --time=1 \
    --sql="SELECT * FROM nowhere" run # nothing is restarted, the hook is not called
  signal45="SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'x'"
  lua <<LUA
function thread_init() con = sysbench.sql.driver():connect() end
function sysbench.hooks.before_restart_event() con:query("SELECT * FROM nowhere") end
function event() con:query([[$signal45]]) end
LUA
  bounded -1 "$BENCH" "$dir/script.lua" "${tcp[@]}" --time=5 run
  grep -q '^FATAL: mysql_drv_query() returned error 1146 (.*) for query .* (at .*/script.lua:2)$' "$err"
  lacks 'not a string' "$err"
}

out_of_files() {
  bounded -1 bash -c 'ulimit -n 40; exec "$@"' - "${base[@]}" "$@" --threads=50 --time=5 run
  grep -qE '^FATAL: cannot connect .*(24|Too many open files).* \(error 200[0-9]\)' "$err"
  grep -q '^WARNING: only 40 files may be open' "$err"
  grep -qE '^FATAL: opening stopped after [1-9][0-9]? of 50 connections failed$' "$err"
  lacks 'use --db-driver=sqlite' "$err" # there is a server
  within 30 nobody
}

@test "no file descriptors: a message, and those that were opened are closed" {
  out_of_files
}

@test "no file descriptors (client library)" {
  out_of_files --mysql-compression=on
}

@test "no memory: a message, no crash" {
  no_memory
  within 30 nobody
}

@test "a permanent error, and all are ignored: ends on time, paused, counted" {
  permanent_error --mysql-ignore-errors '1146 \(42S02\)'
}
