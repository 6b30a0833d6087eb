#!/usr/bin/env bats
# pgsql.bats - the pgsql driver on a real server: the suite of all drivers, and
# what is its own.

load ../lib/servers

setup_file() {
  # Deadlocks are found after that time only.
  start_one pgsql pg --tls \
    --set=deadlock_timeout=10ms
}

setup() {
  skip_if_missing
  set -a
  servers_env "$BATS_FILE_TMPDIR/pg"
  set +a
}

# Run a TAP program; its lines are shown when it fails.
tap() {
  run timeout 120 "$@"
  [ "$status" -eq 0 ] || {
    grep -v '^ok' <<<"$output"
    return 1
  }
}

@test "pgsql: the suite of all drivers, protocol of our own, by the socket" {
  tap "$BENCH_BUILD/tests/db/suite" --driver=pgsql --pgsql-protocol=wire \
    --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT"
}

@test "pgsql: the suite of all drivers, protocol of our own, by TCP" {
  tap "$BENCH_BUILD/tests/db/suite" --driver=pgsql --pgsql-protocol=wire \
    --pgsql-host=localhost --pgsql-port="$PG_PORT" --pgsql-sslmode=disable
}

@test "pgsql: the suite of all drivers, sessions without the library" {
  tap "$BENCH_BUILD/tests/db/suite" --driver=pgsql --raw \
    --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT"
  tap "$BENCH_BUILD/tests/db/suite" --driver=pgsql --raw --pgsql-sslmode=disable \
    --pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT" --pgsql-user=sbpass --pgsql-password=secret
}

@test "pgsql: the suite of all drivers, client library, by the socket" {
  tap "$BENCH_BUILD/tests/db/suite" --driver=pgsql --pgsql-protocol=library \
    --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT"
}

@test "pgsql: the suite of all drivers, TLS" {
  tap "$BENCH_BUILD/tests/db/suite" --driver=pgsql --pgsql-sslmode=require \
    --pgsql-host=localhost --pgsql-port="$PG_PORT"
  tap "$BENCH_BUILD/tests/db/suite" --driver=pgsql --raw --pgsql-sslmode=require \
    --pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT" --pgsql-user=sbpass --pgsql-password=secret
}

@test "pgsql: certificates are trusted as libpq trusts them" {
  need_own_tls
  tap "$BENCH_BUILD/tests/db/pgsql_tls"
}

@test "pgsql: TLS without a question for it" {
  local direct library server
  cd "$BATS_TEST_TMPDIR"
  direct=(--db-driver=pgsql --pgsql-host=localhost --pgsql-port="$PG_PORT" --pgsql-sslrootcert="$PG_CA" --pgsql-sslnegotiation=direct)
  echo 'SELECT 1;' >one.sql
  run "$BENCH" one.sql "${direct[@]}" --pgsql-sslmode=verify-full --clients=4 --threads=2 --events=40 --json=d.json run
  library=$(sed -n 's/.*needs libpq 17 or later, and this is libpq //p' <<<"$output")
  if [[ -n $library ]]; then
    [[ $status = 1 && $library -lt 17 && $(grep -c FATAL <<<"$output") = 1 ]]
    skip "libpq $library has no direct TLS"
  fi
  server=$(servers sql "$BATS_FILE_TMPDIR/pg" "SHOW server_version_num")
  if ((server < 170000)); then
    [[ $status = 1 && $output = *"--pgsql-sslnegotiation=direct needs PostgreSQL 17 or later"* ]]
    skip 'this server has no direct TLS'
  fi
  [[ $status = 0 ]]
  grep -q '"tls_protocol": "TLSv1' d.json
  "$BENCH" connect "${direct[@]}" --pgsql-sslmode=verify-full --events=4 run
  "$BENCH" connect --dsn="postgresql://sbtest@localhost:$PG_PORT/sbtest?sslmode=require&sslnegotiation=direct" --events=4 run
  run "$BENCH" one.sql "${direct[@]}" --pgsql-sslmode=prefer --events=4 run
  [[ $status = 1 && $output = *"needs --pgsql-sslmode=require, verify-ca or verify-full"* ]]
}

@test "pgsql: clients with TLS" {
  local to=(oltp_point_select --db-driver=pgsql --pgsql-host=localhost --pgsql-port="$PG_PORT" --pgsql-user=sbpass
    --pgsql-password=secret --pgsql-sslmode=verify-full --pgsql-sslrootcert="$PG_CA")
  "$BENCH" "${to[@]}" prepare >/dev/null
  one_line_without_tls "${to[@]}"
  # A statement that is cut off before it arrives goes on: those of the suites before.
  encrypted_clients "$BATS_FILE_TMPDIR/pg" "SELECT count(*) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE s.ssl AND usename = 'sbpass' AND query NOT LIKE '%pg_sleep%'" "${to[@]}"
  "$BENCH" "${to[@]}" cleanup >/dev/null
}

# life ARG...: lives of connections without the library; sets status and err.
life() {
  local expected args
  take_status "$@"
  status=0
  "$BENCH" connect --db-driver=pgsql --pgsql-port="$PG_PORT" --pgsql-user=sbpass --pgsql-password=secret \
    --handshake=own --events=20 --time=0 "${args[@]}" run >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
  out=$(<"$BATS_TEST_TMPDIR/out")
  err=$(<"$BATS_TEST_TMPDIR/err")
  as_expected
}

@test "pgsql: lives of connections without the library" {
  life --pgsql-host="$PG_SOCKET_DIR"
  [ "$status" = 0 ] || { echo "$err"; return 1; }
  grep -Eq '^    login +20 ' <<<"$out"
  life -0 --pgsql-host=localhost --pgsql-sslmode=disable --threads=2
  grep -Eq '^    resolve +20 ' <<<"$out"
  own_tls || life -1 --pgsql-host=127.0.0.1 --pgsql-sslmode=require
  own_tls || grep -q ': only libpq can encrypt here (bench was built without OpenSSL)' <<<"$err"
  need_own_tls
  life -0 --pgsql-host=127.0.0.1 --pgsql-sslmode=require
  grep -Eq '^    TLS +20 ' <<<"$out"
}

@test "pgsql: a life that fails says what the library says" {
  local args own
  for args in "--pgsql-password=wrong" "--pgsql-db=nowhere" "--pgsql-user=nobody" "--pgsql-port=1" \
    "--pgsql-host=127.0.0.1 --pgsql-password=wrong" "--pgsql-host=127.0.0.1 --pgsql-port=1" \
    "--pgsql-host=localhost --pgsql-user=nobody" "--pgsql-options=-cnothing=1"; do
    # shellcheck disable=SC2086 # several options
    life -1 --pgsql-sslmode=disable --pgsql-host="$PG_SOCKET_DIR" $args
    own=$(grep -m 1 '^FATAL' <<<"$err")
    # shellcheck disable=SC2086
    life -1 --pgsql-sslmode=disable --pgsql-host="$PG_SOCKET_DIR" $args --handshake=library
    [ "$own" ] && diff <(sed -E 's/\?$//' <<<"$own") <(grep -m 1 '^FATAL' <<<"$err" | sed -E 's/[;.?] [Tt]o try bench without .*//')
  done
}

@test "pgsql: what is its own, prepared" {
  tap "$BENCH_BUILD/tests/db/pgsql_driver"
}

@test "pgsql: what is its own, prepared, client library" {
  tap "$BENCH_BUILD/tests/db/pgsql_driver" library
}

@test "pgsql: what is its own, emulated" {
  tap "$BENCH_BUILD/tests/db/pgsql_driver" emulated
}

@test "pgsql: what is its own, emulated, client library" {
  tap "$BENCH_BUILD/tests/db/pgsql_driver" emulated library
}

@test "pgsql: what is its own, unnamed, each way" {
  local way
  for way in wire library raw; do
    tap "$BENCH_BUILD/tests/db/pgsql_driver" unnamed "$way"
  done
}

@test "pgsql: what is its own, prepared, without the library" {
  tap "$BENCH_BUILD/tests/db/pgsql_driver" raw
}

@test "pgsql: what is its own, emulated, without the library" {
  tap "$BENCH_BUILD/tests/db/pgsql_driver" emulated raw
}

@test "pgsql: logins without the library succeed and fail as those with it" {
  tap "$BENCH_BUILD/tests/db/pgsql_logins"
}

@test "pgsql: a session that was terminated: why, whoever notices it" {
  tap "$BENCH_BUILD/tests/db/pgsql_lost"
}

@test "pgsql: a session that was terminated: why, whoever notices it, client library" {
  tap "$BENCH_BUILD/tests/db/pgsql_lost" library
}

@test "pgsql: a session that was terminated: why, without the library" {
  tap "$BENCH_BUILD/tests/db/pgsql_lost" raw
}

# says TEXT OPTIONS: a run that opens a connection.
says() {
  printf 'function thread_init() con = sysbench.sql.driver():connect() end
function event() end\n' >"$BATS_TEST_TMPDIR/open.lua"
  run "$BENCH" "$BATS_TEST_TMPDIR/open.lua" --db-driver=pgsql --events=1 \
    --pgsql-host=localhost --pgsql-port="$PG_PORT" --db-debug --verbosity=5 \
    "${@:2}" run
  [[ $output == *"$1"* ]] || {
    printf 'no "%s" in:\n%s\n' "$1" "$output"
    return 1
  }
}

@test "pgsql: which protocol serves, and where it cannot be our own" {
  says ', protocol library,'
  says ', protocol wire,' --pgsql-sslmode=disable
  says ', protocol wire,' --pgsql-sslmode=disable --pgsql-protocol=wire
  says ', protocol library,' --pgsql-sslmode=disable --pgsql-protocol=library
  says "'pgsql-protocol' cannot be 'wire' here: the connection uses TLS" \
    --pgsql-protocol=wire
  ((status == 1))
}
