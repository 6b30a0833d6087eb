#!/usr/bin/env bats
# differential.bats - 2,000 statements through the client library and through
# the protocol of our own, on both servers: all that scripts see is equal.

setup() {
  . "$BENCH_SRC/tests/db/servers.sh"
  dir=$BATS_TEST_TMPDIR/server
}

teardown() {
  [[ ! -e $dir/state ]] || servers stop "$dir"
}

# Lines are shown when it fails.
tap() {
  run timeout 120 "$BENCH_BUILD/tests/db/differential" "$@"
  [ "$status" -eq 0 ] || {
    printf '%s\n' "$output"
    return 1
  }
}

@test "mysql: the same through both" {
  servers has mysql || skip "no mysql server is installed"
  servers start mysql "$dir"
  servers_env "$dir"
  tap --driver=mysql --mysql-socket="$MY_SOCKET"
}

@test "pgsql: the same through both" {
  servers has pgsql || skip "no pgsql server is installed"
  servers start pgsql "$dir"
  servers_env "$dir"
  tap --driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT"
}
