#!/usr/bin/env bats
# pgsql.bats - the pgsql driver on a real server: the suite of all drivers, and
# what is its own.

setup_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  [[ -x $BENCH_BUILD/tests/db/pgsql_driver ]] || skip "built without pgsql"
  servers has pgsql || skip "no pgsql server is installed"
  # Deadlocks are found after that time only.
  servers start pgsql "$BATS_FILE_TMPDIR/pg" --set=deadlock_timeout=10ms
}

setup() {
  . "$BENCH_SRC/tests/db/servers.sh"
  set -a
  servers_env "$BATS_FILE_TMPDIR/pg"
  set +a
}

teardown_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  [[ ! -e $BATS_FILE_TMPDIR/pg/state ]] || servers stop "$BATS_FILE_TMPDIR/pg"
}

# Run a TAP program; its lines are shown when it fails.
tap() {
  run timeout 120 "$@"
  [ "$status" -eq 0 ] || {
    grep -v '^ok' <<<"$output"
    return 1
  }
}

@test "pgsql: the suite of all drivers, by the socket" {
  tap "$BENCH_BUILD/tests/db/suite" --driver=pgsql \
    --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT"
}

@test "pgsql: the suite of all drivers, by TCP" {
  tap "$BENCH_BUILD/tests/db/suite" --driver=pgsql \
    --pgsql-host=localhost --pgsql-port="$PG_PORT"
}

@test "pgsql: what is its own, prepared" {
  tap "$BENCH_BUILD/tests/db/pgsql_driver"
}

@test "pgsql: what is its own, emulated" {
  tap "$BENCH_BUILD/tests/db/pgsql_driver" emulated
}
