#!/usr/bin/env bats
# mysql.bats - the mysql driver: the common suite over every kind of transport,
# and all column types.

setup_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  servers has mysql || skip "no mysql server is installed"
  servers start mysql "$BATS_FILE_TMPDIR/my" --password=secret \
    --tls --tls-name=127.0.0.1 --set=max_allowed_packet=64M
}

setup() {
  . "$BENCH_SRC/tests/db/servers.sh"
  servers_env "$BATS_FILE_TMPDIR/my"
  tests=$BENCH_BUILD/tests/db
  tcp=(--mysql-host=127.0.0.1 --mysql-port="$MY_PORT")
  export BENCH_MYSQL_PASSWORD=secret
}

teardown_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  servers stop "$BATS_FILE_TMPDIR/my"
}

@test "suite: Unix socket" {
  "$tests/suite" --driver=mysql --mysql-socket="$MY_SOCKET"
}

@test "suite: TCP" {
  "$tests/suite" --driver=mysql "${tcp[@]}"
}

@test "suite: TCP with compression" {
  "$tests/suite" --driver=mysql "${tcp[@]}" --mysql-compression=on
}

@test "suite: TLS, certificate and name checked" {
  "$tests/suite" --driver=mysql "${tcp[@]}" --mysql-ssl=VERIFY_IDENTITY \
    --mysql-ssl-ca="$MY_CA"
}

@test "all column types: protocol of our own" {
  "$tests/mysql_types" --driver=mysql "${tcp[@]}"
}

@test "all column types: client library" {
  "$tests/mysql_types" --driver=mysql "${tcp[@]}" --mysql-ssl=on
}
