#!/usr/bin/env bats
# pgsql.bats - faults of a PostgreSQL server and of the way to it, made for
# real: exit status, messages, counters.

load helper
load ../lib/servers

setup_file() {
  # What was acknowledged survives.
  start_one pgsql pg --max-connections=30 --tls \
    --set=synchronous_commit=on --set=deadlock_timeout=10ms
}

setup() {
  skip_if_missing
  setup_fault
  pg=$BATS_FILE_TMPDIR/pg
  servers_env "$pg"
  sql "DROP TABLE IF EXISTS counter; CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
    GRANT ALL ON counter TO sbtest; INSERT INTO counter VALUES (1, 0), (2, 0)" 2>/dev/null
  # Without TLS, so that the protocol of our own serves.
  tcp=(--db-driver=pgsql --pgsql-host=127.0.0.1 "--pgsql-port=$PG_PORT"
    --pgsql-sslmode=disable)
  base=("$BENCH" "$events" "${tcp[@]}")
}

# The next test finds the server at work, whatever this one left.
teardown() {
  proxy_gone
  [[ ! -e $dir/other/state ]] || servers stop "$dir/other"
  [[ -z ${locker-} ]] || { kill "$locker" && wait "$locker" || true; }
  [[ -e ${pg-}/state ]] || return 0
  servers thaw "$pg"
  sql "SELECT 1" >/dev/null 2>&1 || servers restart "$pg"
}

sql() { servers sql "$pg" "$1"; }
counted() { sql "SELECT n FROM counter WHERE id = 1"; }
nobody() {
  (($(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bench'") == 0))
}

# fails TEXT: it ended with 1, and this was said.
fails() {
  ((status == 1))
  grep -qF "$1" "$err"
  grep -q '^FATAL: ' "$err"
}

kill_sessions() {
  sql "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE application_name = 'bench'"
}

@test "nobody listens: port, socket, name of a host" {
  select=("$BENCH" "$events" --db-driver=pgsql --what=sql --time=1)
  bounded "${select[@]}" --pgsql-host=127.0.0.1 --pgsql-port=1 run
  fails 'FATAL: Connection to database failed: connection to server at "127.0.0.1", port 1 failed: Connection refused'
  [[ $(grep -c sqlite "$err") -eq 1 ]]
  grep -q '^FATAL: .* refused; is the server running .*? To try bench without a server, use --db-driver=sqlite$' "$err"
  bounded "${select[@]}" --pgsql-host="$dir" run
  fails 'failed: No such file or directory'
  bounded "${select[@]}" --pgsql-host=nowhere.invalid --db-connect-timeout=3 run
  in_time 3
  fails 'could not translate host name "nowhere.invalid" to address'
}

@test "wrong password, unknown user, unknown database" {
  select=("${base[@]}" --what=sql --time=1 --pgsql-user=sbpass)
  bounded "${select[@]}" --pgsql-password=wrong run
  fails 'failed: FATAL:  password authentication failed for user "sbpass"'
  lacks 'sqlite\|28P01\|LOCATION\|wrong' "$err"
  bounded "${select[@]}" run
  fails 'no password supplied'
  lacks sqlite "$err"
  bounded "${select[@]}" --pgsql-password=secret --pgsql-db=nowhere run
  fails 'failed: FATAL:  database "nowhere" does not exist'
  lacks sqlite "$err"
  BENCH_PGSQL_PASSWORD=secret bounded -0 "${select[@]}" --verbosity=5 --db-debug run
  lacks secret "$out" "$err"
}

@test "TLS: the certificate is checked as far as was asked for" {
  select=("$BENCH" "$events" --db-driver=pgsql "--pgsql-port=$PG_PORT" --what=sql --time=1)
  bounded -0 "${select[@]}" --pgsql-host=localhost --pgsql-sslmode=verify-full \
    --pgsql-sslrootcert="$PG_CA" --verbosity=5 --db-debug run
  grep -q 'tls_protocol TLSv1' "$err"
  bounded "${select[@]}" --pgsql-host=localhost --pgsql-sslmode=verify-ca \
    --pgsql-sslrootcert="$PG_WRONG_CA" run
  fails 'certificate verify failed'
  lacks sqlite "$err"
  # Statements, cancelling and breaking work under TLS as well.
  bounded -2 "${base[@]}" --what=sql --sql="SELECT pg_sleep(60)" --time=1 \
    --forced-shutdown=1 --pgsql-sslmode=require run
  in_time 4
}

@test "TLS: the certificate of another host" {
  servers start pgsql "$dir/other" --tls=required --tls-name=db.example
  servers_env "$dir/other"
  select=("$BENCH" "$events" --db-driver=pgsql "--pgsql-port=$PG_PORT"
    --pgsql-host=localhost --pgsql-sslrootcert="$PG_CA" --what=sql --events=1)
  bounded "${select[@]}" --pgsql-sslmode=verify-full run
  fails 'server certificate for "db.example"'
  fails 'does not match host name "localhost"'
  lacks sqlite "$err"
  bounded -0 "${select[@]}" --pgsql-sslmode=verify-ca run
  # Not encrypted: that is refused by the server.
  bounded "${select[@]}" --pgsql-sslmode=disable run
  fails 'no pg_hba.conf entry'
  lacks sqlite "$err"
}

@test "more connections than the server allows: how many, and why" {
  within 30 nobody
  bounded -1 "${base[@]}" --what=sql --time=1 --threads=60 run
  grep -n . "$err" | head -n 1 | grep -q 'WARNING: the server has room for [0-9]* more connections, this run opens at least 60 (max_connections = 30)'
  grep -qE 'failed: FATAL:  (sorry, too many|remaining connection slots)' "$err"
  grep -qE '^FATAL: opening stopped after [1-9][0-9]? of 60 connections failed$' "$err"
  within 30 nobody # those that were opened are closed
}

terminated() {
  in_background "${base[@]}" --time=60 "$@" run
  begun
  goes_on
  kill_sessions
  ended
  fails 'FATAL: PQexec() failed: 7 terminating connection due to administrator command'
  until_enough "${base[@]}" --what=prepared --threads=4 --db-ignore-errors=connection "$@"
  begun
  kills=0
  for _ in {1..5}; do
    kills=$((kills + $(kill_sessions)))
    goes_on
  done
  for _ in {1..15}; do
    kills=$((kills + $(kill_sessions)))
  done
  enough -0
  printf '%d kills\n' "$kills"
  ((kills > 5))
  reconnects=$(counter reconnects)
  ((reconnects >= 5 && reconnects <= kills))
  [[ $(counter 'ignored errors') -eq 0 ]]
  lacks FATAL "$err"
}

@test "a session is terminated: fatal, or replaced" {
  terminated
}

@test "a session is terminated: fatal, or replaced (client library)" {
  terminated --pgsql-protocol=library
}

is_cancelled() {
  base+=("$@")
  cancel() {
    (($(sql "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
      WHERE application_name = 'bench' AND query LIKE '%sleep%'
      AND state = 'active'") > 0))
  }
  in_background "${base[@]}" --what=sql --sql="SELECT pg_sleep(60)" --time=60 run
  within 30 cancel
  ended
  fails 'FATAL: PQexec() failed: 7 canceling statement due to user request'
  until_enough "${base[@]}" --what=sql --sql="SELECT pg_sleep(60)" --db-ignore-errors=57014
  for _ in 1 2 3; do
    within 30 cancel
  done
  touch "$stop_file"
  cancel_for_good() { cancel || ! kill -0 "$job" 2>/dev/null; }
  within 30 cancel_for_good
  ended -0
  (($(counter 'ignored errors') >= 1))
  [[ $(counter reconnects) -eq 0 ]]
}

@test "a statement is cancelled: fatal, or restarted" {
  is_cancelled
}

@test "a statement is cancelled: fatal, or restarted (client library)" {
  is_cancelled --pgsql-protocol=library
}

limited() {
  base+=("$@")
  bounded "${base[@]}" --what=sql --sql="SELECT pg_sleep(60)" --time=60 \
    --db-query-timeout=0.3 run
  fails 'canceling statement due to user request'
  grep -q '^FATAL: the statement took longer than --db-query-timeout=0.3$' "$err"
  in_time 1
}

@test "statements have a time limit" {
  limited
}

@test "statements have a time limit (client library)" {
  limited --pgsql-protocol=library
}

comes_back() {
  in_background "${base[@]}" --time=60 "$@" run
  begun
  goes_on
  servers kill9 "$pg"
  ended
  fails 'FATAL: PQexec() failed: 7 '
  servers restart "$pg"
  sql 'UPDATE counter SET n = 0'
  until_enough "${base[@]}" --threads=4 --report-interval=1 \
    --db-ignore-errors=connection "$@"
  begun
  goes_on
  servers kill9 "$pg"
  # An outage that can be seen: a second without transactions.
  within 30 grep -qE '^\[ [0-9]+s \] thds: 4 tps: 0\.00 ' "$out"
  servers restart "$pg"
  goes_on
  within 30 grep -q '^WARNING: reconnected after .* 4 connections' "$err"
  enough -0
  grep -q '^WARNING: connection to host ' "$err"
  [[ $(counter reconnects) -ge 4 ]]
  committed 4
}

@test "the server is killed and comes back" {
  comes_back
}

@test "the server is killed and comes back (client library)" {
  comes_back --pgsql-protocol=library
}

shut_down() {
  until_enough "${base[@]}" --what=prepared --threads=2 --report-interval=1 \
    --db-ignore-errors=connection "$@"
  begun
  goes_on
  servers restart "$pg"
  goes_on
  within 30 grep -q '^WARNING: reconnected after .* 2 connections' "$err"
  enough -0
  [[ $(counter reconnects) -ge 2 ]]
  committed 2
}

@test "the server is shut down and comes back" {
  shut_down
}

@test "the server is shut down and comes back (client library)" {
  shut_down --pgsql-protocol=library
}

@test "the server is gone for good" {
  in_background "${base[@]}" --time=5 --threads=2 --db-ignore-errors=connection run
  begun
  servers kill9 "$pg"
  ended -0
  in_time 6
  grep -q '^WARNING: 2 [a-z]*s were still reconnecting at the end: ' "$err"
}

@test "the server is gone for good, and a script reconnects" {
  lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:reconnect() end
L
  base=("$BENCH" "$dir/script.lua" "${tcp[@]}" --time=5)
  for clients in "" --clients=4; do
    in_background "${base[@]}" $clients run
    begun
    servers kill9 "$pg"
    ended
    fails ': reconnect failed: connection to server at "127.0.0.1", port '
    in_time 6
    servers restart "$pg"
  done
  # It waits up to the end of the run if losses are ignored.
  for losses in connection 08006,57P01,57P03; do
    in_background "${base[@]}" --db-ignore-errors=$losses --db-connect-timeout=1 run
    begun
    servers kill9 "$pg"
    ended -0
    servers restart "$pg"
    grep -q '^WARNING: connection to host .* lost (' "$err"
    grep -q '^WARNING: 1 thread was still reconnecting at the end: ' "$err"
  done
}

@test "the server stands still until the end while all reconnect" {
  lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:reconnect() end
L
  in_background "$BENCH" "$dir/script.lua" "${tcp[@]}" --time=5 --threads=1 --clients=4 --json="$dir/json" run
  begun
  servers freeze "$pg"
  ended
  servers thaw "$pg"
  ((status == 0))
  in_time 5
  grep -q '^WARNING: 4 clients were still reconnecting at the end: ' "$err"
  lacks ' lost ' "$err"
  grep -q ', until the end of the run$' "$out"
}

# let_in_no_more OPTION...: `base` opens its connections again and again.
let_in_no_more() {
  lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT pg_sleep(0.01)") end
L
  base=("$BENCH" "$dir/script.lua" "${tcp[@]}" --pgsql-user=sbpass --pgsql-password=secret --server-stats=off
    --connection-lifetime=5 --json="$dir/json" "$@")
}

@test "a login that is refused during the run is one error, in its own words" {
  for clients in --threads=1 '--threads=1 --clients=1'; do
    : >"$PG_LOG"
    # shellcheck disable=SC2086 # several options
    let_in_no_more $clients
    in_background "${base[@]}" --time=60 run
    begun
    sql "ALTER ROLE sbpass NOLOGIN"
    ended
    sql "ALTER ROLE sbpass LOGIN"
    fails 'FATAL: Connection to database failed: connection to server at '
    lacks 'failed query was' "$err"
    [[ $(grep -c 'is not permitted to log in' "$PG_LOG") -eq 1 ]]
    [[ $(counter 'ignored errors') -eq 1 ]]
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert [e["count"] for e in d["errors"]] == [1], d["errors"]' "$dir/json"
  done
}

@test "logins that are refused until the end are an outage until the end" {
  let_in_no_more --threads=2 --clients=8 --rate=200 --db-ignore-errors=failover
  in_background "${base[@]}" --time=5 run
  begun
  sql "ALTER ROLE sbpass CONNECTION LIMIT 0"
  ended -0
  sql "ALTER ROLE sbpass CONNECTION LIMIT -1"
  grep -qE '^    at .*, 8 of 8 clients, [0-9]+ arrivals, until the end of the run$' "$out"
  grep -q '^        first error (connect\|login): 53300 ' "$out"
}

freezes() {
  in_background "${base[@]}" --time=6 --forced-shutdown=1 --threads=2 "$@" run
  begun
  servers freeze "$pg"
  ended
  servers thaw "$pg"
  ((status == 2))
  in_time 9
  grep -q 'General statistics' "$out"
}

@test "the server freezes during the run" {
  freezes
}

@test "the server freezes during the run (client library)" {
  freezes --pgsql-protocol=library
}

frozen_start() {
  servers freeze "$pg"
  bounded "${base[@]}" --time=1 --db-connect-timeout=2 "$@" run
  servers thaw "$pg"
  fails 'timeout expired'
  in_time 2
}

@test "a frozen server at the start" {
  frozen_start
}

@test "a frozen server at the start (TLS)" {
  frozen_start --pgsql-sslmode=require
}

@test "the network is silent when connecting" {
  through_proxy "$PG_PORT"
  weather blackhole
  select=("$BENCH" "$events" --db-driver=pgsql --pgsql-host=127.0.0.1
    --pgsql-port="$proxy_port" --what=sql --time=1)
  bounded "${select[@]}" --db-connect-timeout=1 run
  in_time 1
  fails 'failed: timeout expired'
  weather pass
  bounded -0 "${select[@]}" --db-connect-timeout=30 run
}

@test "a target that is down: the next one of the list" {
  until_enough "${base[@]}" "--pgsql-port=$PG_PORT,1" --db-ignore-errors=connection
  begun
  (($(kill_sessions) == 1))
  goes_on
  enough -0
  [[ $(counter reconnects) -ge 1 ]]
}

conflicts() {
  base+=("$@")
  bounded -0 "${base[@]}" --what=deadlock --events=200 --time=90 --threads=4 run
  (($(counted) == 200))
  (($(counter 'ignored errors') > 0))
  grep -q '^WARNING: error 40P01 ' "$err"
  sql 'UPDATE counter SET n = 0'
  bounded -0 "${base[@]}" --what=stale --events=200 --time=90 --threads=4 run
  (($(counted) == 200))
  (($(counter 'ignored errors') > 0))
  grep -q '^WARNING: error 40001 ' "$err"
  bounded -0 "${base[@]}" --what=duplicate --events=20 --time=90 run
  (($(counted) == 200))
  grep -q '^WARNING: error 23505 ' "$err"
}

@test "deadlocks, serialization failures: no transaction is lost" {
  conflicts
}

@test "deadlocks, serialization failures: no transaction is lost (client library)" {
  conflicts --pgsql-protocol=library
}

locked_out() {
  base+=("$@")
  sql "BEGIN; UPDATE counter SET n = 0 WHERE id = 2; SELECT pg_sleep(100)" &
  locker=$!
  locked() {
    (($(sql "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%sleep(100)%' AND pid <> pg_backend_pid() AND wait_event = 'PgSleep'") == 1))
  }
  within 30 locked
  write=("${base[@]}" --what=sql --sql="UPDATE counter SET n = 0 WHERE id = 2"
    --pgsql-options="-c lock_timeout=300" --time=60)
  bounded "${write[@]}" run
  fails 'FATAL: PQexec() failed: 7 canceling statement due to lock timeout'
  in_background "${write[@]}" --events=1 --pgsql-ignore-errors=55P03 \
    --report-interval=1 run
  within 30 grep -qE '^\[ .* err/s: (0\.[0-9]*[1-9]|[1-9])' "$out"
  sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
  wait "$locker" || true
  locker=
  ended -0
  [[ $(counter 'ignored errors') -ge 1 && $(counter 'total number of events') -eq 1 ]]
}

elsewhere() {
  lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() con:query("CREATE TEMPORARY TABLE mine (i int)") end
function event()
  con:query("DO $$ BEGIN RAISE EXCEPTION 'no foreign server' USING ERRCODE = '08001'; END $$")
end
function thread_done() print("mine", con:query_row("SELECT count(*) FROM mine")) end
LUA
  bounded -1 "$BENCH" "$dir/script.lua" "${tcp[@]}" "$@" --time=1 \
    --db-ignore-errors=connection run
  grep -q '^FATAL: PQexec() failed: 7 no foreign server' "$err"
  [[ $(counter reconnects) -eq 0 ]]
  bounded -0 "$BENCH" "$dir/script.lua" "${tcp[@]}" "$@" --time=1 \
    --db-ignore-errors=connection --pgsql-ignore-errors=08001 run
  grep -qx 'mine	0' "$out"
  [[ $(counter reconnects) -eq 0 ]]
  (($(counter 'ignored errors') > 10))
}

@test "an error about a connection between servers: the session goes on" {
  elsewhere
}

@test "an error about a connection between servers (client library)" {
  elsewhere --pgsql-protocol=library
}

@test "a lock that is not given in time" {
  locked_out
}

@test "a lock that is not given in time (client library)" {
  locked_out --pgsql-protocol=library
}

statement_errors() {
  base+=("$@")
  bounded "${base[@]}" --what=sql --sql="SELECT * FROM nowhere" run
  fails 'FATAL: PQexec() failed: 7 relation "nowhere" does not exist; failed query was: SELECT * FROM nowhere'
  bounded "${base[@]}" --what=sql --sql="SELEKT" run
  fails "state = '42601'"
  bounded "${base[@]}" --pgsql-options='-c default_transaction_read_only=on' run
  fails 'FATAL: the server is read-only'
  bounded "${base[@]}" --what=aborted run
  fails 'FATAL: an earlier statement of this transaction failed'
  bounded -0 "${base[@]}" --what=aborted --time=1 --pgsql-ignore-errors=25P02,22012 run
  bounded -0 "${base[@]}" --what=sql --sql="SELECT * FROM nowhere" --time=1 \
    --pgsql-ignore-errors=all run
  grep -q '^WARNING: error 42P01 ' "$err"
}

@test "errors of statements, with their hints" {
  statement_errors
}

@test "errors of statements, with their hints (client library)" {
  statement_errors --pgsql-protocol=library
}
