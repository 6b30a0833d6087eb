#!/usr/bin/env bats
# pgsql.bats - faults of a PostgreSQL server and of the way to it, made for
# real: exit status, messages, counters.

setup_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  [[ -x $BENCH_BUILD/tests/db/pgsql_driver ]] || skip "built without pgsql"
  servers has pgsql || skip "no pgsql server is installed"
}

setup() {
  . "$BENCH_SRC/tests/db/servers.sh"
  dir=$BATS_TEST_TMPDIR
  events=$BENCH_SRC/tests/fault/pgsql_events.lua
  proxy=$BENCH_BUILD/tests/fault/tcp_proxy
}

teardown() {
  [[ ! -S $dir/control ]] || "$proxy" --send="$dir/control" quit
  [[ -z ${background-} ]] || wait "$background" || true
  [[ ! -e $dir/pg/state ]] || servers stop "$dir/pg"
}

start() {
  servers start pgsql "$dir/pg" "$@"
  servers_env "$dir/pg"
  pg -c 'CREATE TABLE fault (id int PRIMARY KEY, n bigint);
    INSERT INTO fault VALUES (1, 0), (2, 0)'
  target=(--db-driver=pgsql "--pgsql-host=127.0.0.1" "--pgsql-port=$PG_PORT"
    "--pgsql-protocol=${protocol:-auto}")
}

pg() {
  PGPASSWORD=$PG_PASSWORD timeout 20 psql --no-psqlrc --no-password -qAt \
    "host=$PG_SOCKET_DIR port=$PG_PORT user=sbtest dbname=sbtest" "$@"
}

# WHAT OPTIONS: a run; $output has both streams.
bench() {
  run timeout 60 "$BENCH" "$events" "${target[@]}" --what="$1" "${@:2}" run
}

# The same in the background, its output in a file.
bench_later() {
  timeout 60 "$BENCH" "$events" "${target[@]}" --what="$1" "${@:2}" run \
    >"$dir/out" 2>&1 3>&- &
  background=$!
}

ended() {
  status=0
  wait "$background" || status=$?
  background=
  output=$(cat "$dir/out")
}

within() {
  local limit=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < limit)) || return 1
    sleep 0.05
  done
}

# The number behind the word in the report.
reported() {
  sed -n "s/^ *$1: *\\([0-9]*\\) .*/\\1/p" <<<"$output"
}

counted() { pg -c 'SELECT n FROM fault WHERE id = 1'; }

counts() { (($(counted) > $1)); }

has() {
  [[ $output == *"$1"* ]] || {
    printf 'no "%s" in:\n%s\n' "$1" "$output"
    return 1
  }
}

has_not() {
  [[ $output != *"$1"* ]] || {
    printf '"%s" is in:\n%s\n' "$1" "$output"
    return 1
  }
}

is_status() {
  [ "$status" -eq "$1" ] || {
    printf 'status %s:\n%s\n' "$status" "$output"
    return 1
  }
}

kill_sessions() {
  pg -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE application_name = 'bench'"
}

@test "nobody listens: port, socket, name of a host" {
  target=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port=1)
  bench select --time=1
  is_status 1
  has 'FATAL: Connection to database failed: connection to server at "127.0.0.1", port 1 failed: Connection refused'
  has 'without a server, use --db-driver=sqlite'
  has 'FATAL: Thread initialization failed!'
  target=(--db-driver=pgsql --pgsql-host="$dir")
  bench select --time=1
  is_status 1
  has 'failed: No such file or directory'
  target=(--db-driver=pgsql --pgsql-host=nowhere.invalid)
  bench select --time=1 --db-connect-timeout=3
  is_status 1
  has 'could not translate host name "nowhere.invalid" to address'
}

@test "wrong password, unknown user, unknown database, TLS refused" {
  start --password=word
  bench select --time=1 --pgsql-password=wrong
  is_status 1
  has 'failed: FATAL:  password authentication failed for user "sbtest"'
  has_not sqlite
  has_not 28P01
  has_not LOCATION
  has_not wrong
  bench select --time=1
  is_status 1
  has 'no password supplied'
  has_not sqlite
  bench select --time=1 --pgsql-password=word --pgsql-db=nowhere
  is_status 1
  has 'failed: FATAL:  database "nowhere" does not exist'
  bench select --time=1 --pgsql-password=word --pgsql-sslmode=require
  is_status 1
  has 'server does not support SSL, but SSL was required'
  has_not sqlite
  BENCH_PGSQL_PASSWORD=word bench select --time=1 --verbosity=5 --db-debug
  is_status 0
  has_not 'word'
}

@test "TLS: certificates are checked" {
  start --tls=required
  target[1]=--pgsql-host=localhost
  bench select --time=1 --pgsql-sslmode=verify-full \
    --pgsql-sslrootcert="$PG_CA" --verbosity=5 --db-debug
  is_status 0
  has 'tls_protocol TLSv1'
  bench select --time=1 --pgsql-sslmode=verify-ca \
    --pgsql-sslrootcert="$PG_WRONG_CA"
  is_status 1
  has 'certificate verify failed'
  has_not sqlite
  # Statements, cancelling and breaking work under TLS as well.
  bench sleep --time=1 --forced-shutdown=1 --pgsql-sslmode=require
  is_status 2
}

@test "more connections than the server allows" {
  start --max-connections=10
  bench select --time=1 --threads=20
  is_status 1
  [[ $output =~ 'failed: FATAL:  '('sorry, too many'|'remaining connection slots') ]]
  [ "$(pg -c "SELECT count(*) FROM pg_stat_activity
    WHERE application_name = 'bench'")" = 0 ]
}

terminated() {
  start
  bench_later count --time=20
  within 10 counts 10
  kill_sessions
  ended
  is_status 1
  has 'FATAL: PQexec() failed: 7 terminating connection due to administrator command'
  bench_later prepared --time=4 --threads=4 --db-ignore-errors=connection
  within 10 counts 200
  for ((i = 0, kills = 0; i < 200 && kills <= 60; i++)); do
    kills=$((kills + $(kill_sessions)))
  done
  ended
  is_status 0
  ((kills > 40))
  [ "$(reported reconnects)" -le "$kills" ]
  (($(reported reconnects) > 20))
  has_not FATAL
}

@test "a session is terminated: fatal, or replaced" {
  terminated
}

@test "a session is terminated: fatal, or replaced (client library)" {
  protocol=library
  terminated
}

@test "a statement is cancelled: fatal, or restarted" {
  start
  cancel() {
    [ "$(pg -c "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
      WHERE application_name = 'bench' AND query LIKE '%sleep%'
      AND state = 'active'")" != 0 ]
  }
  bench_later sleep --time=20
  within 10 cancel
  ended
  is_status 1
  has 'FATAL: PQexec() failed: 7 canceling statement due to user request'
  bench_later sleep --time=2 --forced-shutdown=1 --db-ignore-errors=57014
  within 10 cancel
  ended
  is_status 2
  [ "$(reported 'ignored errors')" -ge 1 ]
}

@test "statements have a time limit" {
  start
  bench sleep --time=5 --db-query-timeout=0.3
  is_status 1
  has 'canceling statement due to user request'
}

comes_back() {
  start --set=synchronous_commit=on # what was acknowledged survives
  bench_later count --time=20
  within 10 counts 10
  servers kill9 "$dir/pg"
  ended
  is_status 1
  has 'FATAL: PQexec() failed: 7 '
  servers restart "$dir/pg"
  pg -c 'UPDATE fault SET n = 0'
  bench_later count --time=10 --threads=4 --db-ignore-errors=connection
  within 10 counts 10
  servers kill9 "$dir/pg"
  sleep 2 # the outage
  servers restart "$dir/pg"
  before=$(counted)
  within 10 counts "$((before + 10))"
  ended
  is_status 0
  has 'WARNING: connection to host '
  has 'WARNING: reconnected after '
  [ "$(reported reconnects)" -ge 4 ]
  # A COMMIT whose answer was lost may have been executed, one per connection.
  (($(counted) - $(reported transactions) >= 0))
  (($(counted) - $(reported transactions) <= 4))
}

@test "the server is killed and comes back" {
  comes_back
}

@test "the server is killed and comes back (client library)" {
  protocol=library
  comes_back
}

shut_down() {
  start
  bench_later prepared --time=5 --threads=2 --db-ignore-errors=connection
  within 10 counts 10
  servers restart "$dir/pg"
  before=$(counted)
  within 10 counts "$((before + 10))"
  ended
  is_status 0
  [ "$(reported reconnects)" -ge 2 ]
}

@test "the server is shut down and comes back" {
  shut_down
}

@test "the server is shut down and comes back (client library)" {
  protocol=library
  shut_down
}

@test "the server is gone for good" {
  start
  bench_later count --time=3 --threads=2 --db-ignore-errors=connection
  within 10 counts 10
  servers kill9 "$dir/pg"
  since=$SECONDS
  ended
  ((SECONDS - since <= 4))
  is_status 0
  has 'WARNING: 2 threads were still reconnecting at the end: '
}

freezes() {
  start
  bench_later count --time=2 --forced-shutdown=1 --threads=2
  within 10 counts 10
  servers freeze "$dir/pg"
  since=$SECONDS
  ended
  servers thaw "$dir/pg"
  ((SECONDS - since <= 6))
  is_status 2
  has 'General statistics'
}

@test "the server freezes during the run" {
  freezes
}

@test "the server freezes during the run (client library)" {
  protocol=library
  freezes
}

@test "the network is silent when connecting" {
  start
  coproc PROXY { exec "$proxy" --control="$dir/control" --owner=$$ "127.0.0.1:$PG_PORT"; }
  read -r -t 10 port <&"${PROXY[0]}"
  "$proxy" --send="$dir/control" blackhole
  target=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$port")
  since=$SECONDS
  bench select --time=1 --db-connect-timeout=1
  ((SECONDS - since <= 4))
  is_status 1
  has 'failed: timeout expired'
  "$proxy" --send="$dir/control" pass
  bench select --time=1 --db-connect-timeout=5
  is_status 0
}

@test "a target that is down: the next one of the list" {
  start
  target=(--db-driver=pgsql --pgsql-host=127.0.0.1 "--pgsql-port=$PG_PORT,1")
  bench_later select --time=3 --db-ignore-errors=connection
  sleep 1
  kill_sessions
  ended
  is_status 0
  [ "$(reported reconnects)" -ge 1 ]
}

@test "deadlocks, serialization failures: no transaction is lost" {
  start --set=deadlock_timeout=10ms
  bench deadlock --events=200 --time=0 --threads=4
  is_status 0
  [ "$(counted)" = 200 ]
  (($(reported 'ignored errors') > 0))
  pg -c 'UPDATE fault SET n = 0'
  bench serial --events=200 --time=0 --threads=4
  is_status 0
  [ "$(counted)" = 200 ]
  (($(reported 'ignored errors') > 0))
  bench duplicate --events=20 --time=0
  is_status 0
  [ "$(counted)" = 200 ]
}

@test "a lock that is not given in time" {
  start --lock-wait-timeout=1
  pg -c "BEGIN; UPDATE fault SET n = 0 WHERE id = 2; SELECT pg_sleep(4)" &
  background=$!
  sleep 0.5
  bench locked --time=20
  is_status 1
  has 'FATAL: PQexec() failed: 7 canceling statement due to lock timeout'
  bench locked --events=1 --time=20 --pgsql-ignore-errors=55P03
  is_status 0
}

@test "errors of statements, with their hints" {
  start
  bench missing --time=1
  is_status 1
  has 'FATAL: PQexec() failed: 7 relation "nowhere" does not exist'
  has 'FATAL: failed query was: SELECT * FROM nowhere'
  bench syntax --time=1
  is_status 1
  has "state = '42601'"
  bench write --time=1 --pgsql-options='-c default_transaction_read_only=on'
  is_status 1
  has 'FATAL: the server is read-only'
  bench aborted --time=1
  is_status 1
  has 'FATAL: an earlier statement of this transaction failed'
  bench aborted --time=1 --pgsql-ignore-errors=25P02,22012
  is_status 0
  bench missing --time=1 --pgsql-ignore-errors=all
  is_status 0
  has 'WARNING: error 42P01 '
}
