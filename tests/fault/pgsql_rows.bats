#!/usr/bin/env bats
# pgsql_rows.bats - faults a PostgreSQL server makes itself: full, refusing, out
# of order; and a client that is out of memory or descriptors.

load helper
load ../lib/servers

setup_file() {
  start_one pgsql pg --max-connections=80 \
    --set=synchronous_commit=on
}

setup() {
  skip_if_missing
  setup_fault
  pg=$BATS_FILE_TMPDIR/pg
  servers_env "$pg"
  sql "DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION sbtest;
    CREATE TABLE public.counter (id int PRIMARY KEY, n int NOT NULL);
    GRANT ALL ON public.counter TO sbtest; INSERT INTO counter VALUES (1, 0), (2, 0)" 2>/dev/null
  tcp=(--db-driver=pgsql --pgsql-host=127.0.0.1 "--pgsql-port=$PG_PORT")
  base=("$BENCH" "$events" "${tcp[@]}")
}

teardown() {
  [[ -z ${mounted-} ]] || umount -l "$mounted"
  [[ ! -e ${pg-}/state ]] || sql "ALTER ROLE sbtest CONNECTION LIMIT -1;
    ALTER ROLE sbtest RESET default_transaction_read_only"
}

sql() { servers sql "$pg" "$1"; }
counted() { sql "SELECT n FROM counter WHERE id = 1"; }
sessions() {
  sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bench'"
}
nobody() { (($(sessions) == 0)); }
each_session() {
  sql "SELECT count($1(pid)) FROM pg_stat_activity WHERE application_name = 'bench'"
}

none_left() {
  base+=("$@")
  until_enough "${base[@]}" --threads=2 --db-ignore-errors=connection
  begun
  goes_on
  sql "ALTER ROLE sbtest CONNECTION LIMIT 0"
  (($(each_session pg_terminate_backend) == 2))
  refused() { grep -q 'too many connections for role' "$PG_LOG"; }
  within 30 refused
  sql "ALTER ROLE sbtest CONNECTION LIMIT -1"
  goes_on
  within 30 grep -q '^WARNING: reconnected after .* 2 connections$' "$err"
  enough -0
  [[ $(counter reconnects) -eq 2 && $(counter 'ignored errors') -eq 0 ]]
  committed 2
  within 30 nobody
}

@test "no connection left while reconnecting: tried until there is one" {
  none_left
}

@test "no connection left while reconnecting: tried until there is one (client library)" {
  none_left --pgsql-protocol=library
}

cancelled_inside() {
  base+=("$@")
  cancelled() {
    (($(sql "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
      WHERE application_name = 'bench' AND state = 'active' AND query LIKE '%sleep%'") > 0))
  }
  until_enough "${base[@]}" --what=half --sql="SELECT pg_sleep(60)" \
    --pgsql-ignore-errors=57014
  for _ in 1 2 3; do
    within 30 cancelled
  done
  touch "$stop_file"
  cancelled_for_good() { cancelled || ! kill -0 "$job" 2>/dev/null; }
  within 30 cancelled_for_good
  ended -0
  (($(counter 'ignored errors') >= 1))
  [[ $(counted) -eq 0 && $(counter reconnects) -eq 0 ]]
  within 30 nobody
}

@test "a statement is cancelled inside a transaction: nothing of it stays" {
  cancelled_inside
}

@test "a statement is cancelled inside a transaction: nothing of it stays (client library)" {
  cancelled_inside --pgsql-protocol=library
}

@test "TLS is demanded and not offered" {
  bounded -1 "${base[@]}" --pgsql-sslmode=require --time=1 run
  grep -q 'server does not support SSL, but SSL was required' "$err"
  lacks sqlite "$err"
}

@test "the disk is full: the table and the error are named" {
  small_disk "$dir/small" 6m "$(stat -c %U "$PG_DATA")"
  mounted=$dir/small
  chmod a+x "$dir" "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" 2>/dev/null || true
  sql "CREATE TABLESPACE small LOCATION '$dir/small'"
  sql "GRANT CREATE ON TABLESPACE small TO sbtest"
  bounded "$BENCH" oltp_read_only "${tcp[@]}" --table-size=100000 \
    --pgsql-options='-c default_tablespace=small' prepare
  sql "DROP TABLE IF EXISTS sbtest1"
  sql "DROP TABLESPACE small"
  ((status == 1))
  grep -q 'No space left on device' "$err"
  grep -q '53100' "$err"
  grep -q sbtest1 "$err"
  within 30 nobody
}

too_large() {
  base+=("$@")
  bounded -1 "${base[@]}" --what=large --sql="SELECT repeat('x', 1100000000)" run
  grep -qx 'FATAL: it may be too large (1200037 bytes)' "$err"
  within 30 nobody
}

@test "a packet that is too large: its size is told" {
  too_large
}

@test "a packet that is too large: its size is told (client library)" {
  too_large --pgsql-protocol=library
}

@test "a node that is not ready: read-only, in recovery; fatal, restarted, reconnected" {
  sql "ALTER ROLE sbtest SET default_transaction_read_only = on"
  bounded -1 "${base[@]}" --what=count run
  grep -qx 'FATAL: the server is read-only' "$err"
  in_background "${base[@]}" --what=count --threads=2 --events=20 --time=60 \
    --report-interval=1 --pgsql-ignore-errors=25006 run
  within 30 grep -qE '^\[ .* err/s: [1-9]' "$out"
  # The role's setting counts at the login: the sessions go on to fail.
  sql "ALTER ROLE sbtest RESET default_transaction_read_only"
  kill -0 "$job"
  signal_job INT
  ended -130
  (($(counter 'ignored errors') >= 2))
  [[ $(counted) -eq 0 ]]

  notready="DO \$\$ BEGIN RAISE EXCEPTION 'not ready' USING ERRCODE = '57P03'; END \$\$"
  bounded -1 "${base[@]}" --what=half --sql="$notready" run
  grep -q '^FATAL: PQexec() failed: 7 not ready; failed query was: ' "$err"
  bounded -0 "${base[@]}" --what=half --sql="$notready" --time=3 \
    --pgsql-ignore-errors=57P03 run
  (($(counter reconnects) >= 5))
  [[ $(counted) -eq 0 && $(counter 'ignored errors') -eq 0 ]]

  lua <<LUA
local ready = false
function sysbench.hooks.sql_error_ignorable(err)
  ready = err.sql_state == "25006" and err.connection:reconnect()
  return ready
end
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  con:query(ready and "BEGIN" or "BEGIN READ ONLY")
  con:query("UPDATE counter SET n = n + 1 WHERE id = 1")
  con:query("COMMIT")
end
LUA
  bounded -0 "$BENCH" "$dir/script.lua" "${tcp[@]}" --events=1 run
  [[ $(counted) -eq 1 && $(counter reconnects) -eq 1 && $(counter 'ignored errors') -eq 1 ]]
  lacks FATAL "$err"
}

outside() {
  base+=("$@")
  bounded -1 "${base[@]}" --where=thread_init --sql="SELECT * FROM nowhere" run
  grep -q "^FATAL: PQexec() failed: 7 .*; failed query was: .* (state = '42P01', at .*/events.lua:[0-9]*)\$" "$err"
  bounded -1 "${base[@]}" --where=thread_init --db-ignore-errors=all \
    --sql="SELECT pg_terminate_backend(pg_backend_pid())" run
  grep -q "^FATAL: thread_init() failed.*SQL error, errno = .*, state = '57P01': " "$err"
  lacks 'not a string' "$err"
  lua <<LUA
function thread_init() con = sysbench.sql.driver():connect() end
function sysbench.hooks.before_restart_event() con:query("SELECT * FROM nowhere") end
function event()
  con:query("DO \$\$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END \$\$")
end
LUA
  bounded -1 "$BENCH" "$dir/script.lua" "${tcp[@]}" --time=5 run
  grep -q "^FATAL: PQexec() failed: 7 .* (state = '42P01', at .*/script.lua:2)\$" "$err"
  lacks 'not a string' "$err"
}

@test "errors outside of the event: the text of the error" {
  outside
}

@test "errors outside of the event: the text of the error (client library)" {
  outside --pgsql-protocol=library
}

@test "no file descriptors: a message, and those that were opened are closed" {
  bounded -1 bash -c 'ulimit -n 40; exec "$@"' - "${base[@]}" --threads=50 --time=5 run
  grep -qE '^FATAL: Connection to database failed: .*Too many open files' "$err"
  grep -q '^WARNING: only 40 files may be open' "$err"
  grep -qE '^FATAL: opening stopped after [1-9][0-9]? of 50 connections failed$' "$err"
  lacks 'use --db-driver=sqlite' "$err" # there is a server
  within 30 nobody
}

@test "no memory: a message, no crash" {
  export PGGSSENCMODE=disable # without memory the Kerberos library crashes
  no_memory
  within 30 nobody
}

@test "a permanent error, and all are ignored: ends on time, paused, counted" {
  permanent_error --pgsql-ignore-errors '42P01'
}
