#!/usr/bin/env bats
# pgsql_rows.bats - faults a PostgreSQL server makes itself: full, refusing, out
# of order; and a client that is out of memory or descriptors.

load helper

setup_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  [[ -x $BENCH_BUILD/tests/db/pgsql_driver ]] || skip "built without pgsql"
  servers has pgsql || skip "no pgsql server is installed"
  servers start pgsql "$BATS_FILE_TMPDIR/pg" --max-connections=80 \
    --set=synchronous_commit=on
}

teardown_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  [[ ! -e $BATS_FILE_TMPDIR/pg/state ]] || servers stop "$BATS_FILE_TMPDIR/pg"
}

setup() {
  setup_fault
  pg=$BATS_FILE_TMPDIR/pg
  servers_env "$pg"
  sql "DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION sbtest;
    CREATE TABLE public.counter (id int PRIMARY KEY, n int NOT NULL);
    GRANT ALL ON public.counter TO sbtest; INSERT INTO counter VALUES (1, 0), (2, 0)" 2>/dev/null
  tcp=(--db-driver=pgsql --pgsql-host=127.0.0.1 "--pgsql-port=$PG_PORT")
  base=("$BENCH" "$events" "${tcp[@]}" --time=20)
}

teardown() {
  [[ -z ${mounted-} ]] || umount -l "$mounted"
}

sql() { servers sql "$pg" "$1"; }
counted() { sql "SELECT n FROM counter WHERE id = 1"; }
counts() { (($(counted) > $1)); }
sessions() {
  sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bench'"
}
nobody() { (($(sessions) == 0)); }
each_session() {
  sql "SELECT count($1(pid)) FROM pg_stat_activity WHERE application_name = 'bench'"
}

@test "no connection left while reconnecting: tried until there is one" {
  in_background "${base[@]}" --threads=2 --time=5 --db-ignore-errors=connection run
  within 10 counts 10
  sql "ALTER ROLE sbtest CONNECTION LIMIT 0"
  (($(each_session pg_terminate_backend) == 2))
  refused() { grep -q 'too many connections for role' "$PG_LOG"; }
  within 4 refused || { sql "ALTER ROLE sbtest CONNECTION LIMIT -1"; false; }
  sql "ALTER ROLE sbtest CONNECTION LIMIT -1"
  ended
  ((status == 0))
  [[ $(counter reconnects) -eq 2 && $(counter 'ignored errors') -eq 0 ]]
  grep -q '^WARNING: reconnected after .* 2 connections$' "$err"
  # A COMMIT whose answer was lost may have been executed, one per connection.
  ((lost = $(counted) - $(counter 'total number of events'), lost >= 0 && lost <= 2))
  within 5 nobody
}

@test "a statement is cancelled inside a transaction: nothing of it stays" {
  cancelled() { (($(each_session pg_cancel_backend) > 0)); }
  in_background "${base[@]}" --what=half --sql="SELECT pg_sleep(30)" --time=2 \
    --forced-shutdown=1 --pgsql-ignore-errors=57014 run
  within 10 grep -q 'Threads started' "$out"
  for _ in {1..5}; do
    sleep 0.2
    cancelled
  done
  ended
  ((status == 0 || status == 2)) # the last one may be cancelled at the end
  (($(counter 'ignored errors') >= 3))
  [[ $(counted) -eq 0 && $(counter reconnects) -eq 0 ]]
  within 5 nobody
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
  within 5 nobody
}

@test "a packet that is too large: its size is told" {
  bounded "${base[@]}" --what=large --sql="SELECT repeat('x', 1100000000)" run
  ((status == 1))
  grep -qx 'FATAL: it may be too large (1200037 bytes)' "$err"
  within 5 nobody
}

@test "a node that is not ready: read-only, in recovery; fatal, restarted, reconnected" {
  sql "ALTER ROLE sbtest SET default_transaction_read_only = on"
  bounded "${base[@]}" --what=count run
  ((status == 1))
  grep -qx 'FATAL: the server is read-only' "$err"
  in_background "${base[@]}" --what=count --threads=2 --events=20 \
    --pgsql-ignore-errors=25006 run
  within 10 grep -q 'Threads started' "$out"
  # The role's setting counts at the login.
  sleep 0.5
  sql "ALTER ROLE sbtest RESET default_transaction_read_only"
  kill -0 "$job"
  signal_job INT
  ended
  ((status == 130))
  (($(counter 'ignored errors') >= 10))
  [[ $(counted) -eq 0 ]]

  notready="DO \$\$ BEGIN RAISE EXCEPTION 'not ready' USING ERRCODE = '57P03'; END \$\$"
  bounded "${base[@]}" --what=half --sql="$notready" run
  ((status == 1))
  grep -q '^FATAL: PQexec() failed: 7 not ready$' "$err"
  bounded "${base[@]}" --what=half --sql="$notready" --time=1 \
    --pgsql-ignore-errors=57P03 run
  ((status == 0))
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
  bounded "$BENCH" "$dir/script.lua" "${tcp[@]}" --events=1 run
  ((status == 0))
  [[ $(counted) -eq 1 && $(counter reconnects) -eq 1 && $(counter 'ignored errors') -eq 1 ]]
  lacks FATAL "$err"
}

@test "errors outside of the event: the text of the error" {
  bounded "${base[@]}" --where=thread_init --sql="SELECT * FROM nowhere" run
  ((status == 1))
  grep -q "^FATAL: \`thread_init' function failed: .*SQL error, errno = .*, state = '42P01': " "$err"
  grep -qx 'FATAL: Thread initialization failed!' "$err"
  bounded "${base[@]}" --where=thread_init --db-ignore-errors=all \
    --sql="SELECT pg_terminate_backend(pg_backend_pid())" run
  ((status == 1))
  grep -q "^FATAL: \`thread_init' function failed: .*SQL error, errno = .*, state = '57P01': " "$err"
  lacks 'not a string' "$err"
  lua <<LUA
function thread_init() con = sysbench.sql.driver():connect() end
function sysbench.hooks.before_restart_event() con:query("SELECT * FROM nowhere") end
function event()
  con:query("DO \$\$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END \$\$")
end
LUA
  bounded "$BENCH" "$dir/script.lua" "${tcp[@]}" --time=5 run
  ((status == 1))
  grep -q "function failed: .*SQL error, errno = .*, state = '42P01'" "$err"
  lacks 'not a string' "$err"
}

@test "no file descriptors: a message, and those that were opened are closed" {
  bounded bash -c 'ulimit -n 40; exec "$@"' - "${base[@]}" --threads=50 run
  ((status == 1))
  grep -qE '^FATAL: Connection to database failed: .*Too many open files' "$err"
  grep -q '^WARNING: only 40 files may be open' "$err"
  within 5 nobody
}

@test "no memory: a message, no crash" {
  [[ -z ${SANITIZED-} ]] || skip "sanitizers need address space"
  export PGGSSENCMODE=disable # without memory the Kerberos library crashes
  failures=0
  for size in 60000 120000 200000 300000; do
    bounded bash -c "ulimit -v $size; exec \"\$@\"" - "${base[@]}" --threads=40 --time=1 run
    ((status <= 1))
    ((status == 0)) || {
      failures=$((failures + 1))
      [[ -s $err ]]
    }
  done
  ((failures > 0))
  within 5 nobody
}

@test "a permanent error, and all are ignored: ends on time, paused, counted" {
  SECONDS=0
  bounded "${base[@]}" --what=sql --sql="SELECT * FROM nowhere" --time=2 \
    --pgsql-ignore-errors=all run
  ((status == 0 && SECONDS <= 4))
  errors=$(counter 'ignored errors')
  # Ten at once, then pauses of 1, 2, 4, ... 100 ms.
  ((errors >= 20 && errors <= 50))
  grep -qE "^WARNING: error 42P01 $errors times: " "$err"
  [[ $(counter 'total number of events') -eq 0 ]]
}
