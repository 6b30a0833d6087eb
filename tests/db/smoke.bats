#!/usr/bin/env bats
# smoke.bats - servers.sh does what the tests with servers build on.
# shellcheck disable=SC2030,SC2031 # each test is a subshell of its own

setup() {
  . "$BENCH_SRC/tests/db/servers.sh"
  . "$BENCH_SRC/tests/lib/within.bash"
  dir=$BATS_TEST_TMPDIR
}

teardown() {
  local d
  for d in "$dir"/*/state; do
    [[ ! -f $d ]] || servers stop "${d%/state}"
  done
}

need() {
  servers has "$1" || skip "no $1 server is installed"
}

my() {
  timeout 60 mariadb --no-defaults --batch --skip-column-names --database=sbtest "$@"
}

# my_tcp PORT ARGS
my_tcp() {
  my --host=127.0.0.1 --protocol=tcp --port="$1" "${@:2}"
}

# pg CONNINFO ARGS
pg() {
  PGPASSWORD=${pgpass-} timeout 60 psql --no-psqlrc --no-password -At \
    "dbname=sbtest connect_timeout=50 $1" "${@:2}"
}

processes_of() {
  find /proc -maxdepth 2 -path '/proc/[0-9]*/cwd' -lname "$1*" 2>/dev/null || true
}

gone() {
  [[ ! -e $1 && -z $(processes_of "$1") ]]
}

@test "mysql: socket, TCP, passwords" {
  need mysql
  servers start mysql "$dir/my"
  servers_env "$dir/my"
  [ "$(my --socket="$MY_SOCKET" --user=sbtest -e 'SELECT 1')" = 1 ]
  [ "$(my_tcp "$MY_PORT" --user=sbtest -e 'SELECT 2')" = 2 ]
  [ "$(my_tcp "$MY_PORT" --user=sbpass --password=secret -e 'SELECT 3')" = 3 ]
  run -1 my_tcp "$MY_PORT" --user=sbpass --password=wrong -e 'SELECT 4'
  [[ $output == *"ERROR 1045"* ]]
  servers stop "$dir/my"
  gone "$MY_BASE"
  [ ! -e "$dir/my" ]
}

@test "pgsql: socket, TCP, passwords" {
  need pgsql
  servers start pgsql "$dir/pg"
  servers_env "$dir/pg"
  [ "$(pg "host=$PG_SOCKET_DIR port=$PG_PORT user=sbtest" -c 'SELECT 1')" = 1 ]
  [ "$(pg "host=127.0.0.1 port=$PG_PORT user=sbtest" -c 'SELECT 2')" = 2 ]
  pgpass=secret
  [ "$(pg "host=127.0.0.1 port=$PG_PORT user=sbpass" -c 'SELECT 3')" = 3 ]
  pgpass=wrong
  run -2 pg "host=127.0.0.1 port=$PG_PORT user=sbpass" -c 'SELECT 4'
  [[ $output == *"password authentication failed"* ]]
  servers stop "$dir/pg"
  gone "$PG_BASE"
  [ ! -e "$dir/pg" ]
}

@test "mysql: flags become settings; a password; the general log" {
  need mysql
  servers start mysql "$dir/my" --password=word --max-connections=20 \
    --max-prepared-stmt-count=7 --lock-wait-timeout=3 --local-infile=off \
    --general-log --set=wait_timeout=99 --durable
  servers_env "$dir/my"
  run servers sql "$dir/my" 'SELECT @@max_connections, @@max_prepared_stmt_count,
    @@innodb_lock_wait_timeout, @@local_infile, @@global.wait_timeout,
    @@innodb_flush_log_at_trx_commit'
  [ "$output" = $'20\t7\t3\t0\t99\t1' ]
  [ "$(my_tcp "$MY_PORT" --user=sbtest --password=word -e 'SELECT 55+1')" = 56 ]
  run -1 my_tcp "$MY_PORT" --user=sbtest -e 'SELECT 1'
  grep -q 'SELECT 55+1' "$MY_GENERAL_LOG"
}

@test "pgsql: flags become settings; a password; the general log" {
  need pgsql
  servers start pgsql "$dir/pg" --password=word --max-connections=20 \
    --lock-wait-timeout=3 --general-log --set=work_mem=2MB --durable
  servers_env "$dir/pg"
  run servers sql "$dir/pg" "SELECT current_setting('max_connections'),
    current_setting('lock_timeout'), current_setting('work_mem'),
    current_setting('fsync')"
  [ "$output" = '20|3s|2MB|on' ]
  pgpass=word
  [ "$(pg "host=127.0.0.1 port=$PG_PORT user=sbtest" -c 'SELECT 55+1')" = 56 ]
  pgpass=
  run -2 pg "host=127.0.0.1 port=$PG_PORT user=sbtest" -c 'SELECT 1'
  grep -q 'SELECT 55+1' "$PG_GENERAL_LOG"
}

@test "a flag without a meaning is refused, and nothing stays" {
  need pgsql
  run -1 servers start pgsql "$dir/pg" --max-prepared-stmt-count=7
  [[ $output == *"has no meaning for pgsql"* ]]
  [ ! -e "$dir/pg" ]
  local place # that the server's user can reach
  place=$(mktemp -d /tmp/bench-smoke.XXXXXX)
  chmod 755 "$place"
  SERVERS_TMP=$place run servers start pgsql "$dir/pg" --set=no_such_thing=1
  rmdir "$place" # fails unless it is empty
  [ "$status" -eq 1 ]
  [[ $output == *"no_such_thing"* ]]
  [ ! -e "$dir/pg" ]
}

@test "mysql: TLS with our own authority" {
  need mysql
  servers start mysql "$dir/my" --tls=required
  servers_env "$dir/my"
  run my_tcp "$MY_PORT" --user=sbtest --ssl-ca="$MY_CA" \
    --ssl-verify-server-cert -e "SHOW STATUS LIKE 'Ssl_version'"
  [[ $output == *TLSv1* ]]
  run -1 my_tcp "$MY_PORT" --user=sbtest --ssl-ca="$MY_WRONG_CA" \
    --ssl-verify-server-cert -e 'SELECT 1'
  run -1 my_tcp "$MY_PORT" --user=sbtest --skip-ssl -e 'SELECT 1'
}

@test "pgsql: TLS with our own authority" {
  need pgsql
  servers start pgsql "$dir/pg" --tls=required
  servers_env "$dir/pg"
  local at="host=localhost port=$PG_PORT user=sbtest"
  run pg "$at sslmode=verify-full sslrootcert=$PG_CA" \
    -c 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'
  [ "$output" = t ]
  run -2 pg "$at sslmode=verify-ca sslrootcert=$PG_WRONG_CA" -c 'SELECT 1'
  run -2 pg "$at sslmode=disable" -c 'SELECT 1'
}

# KIND: a statement of another client.
ask() {
  if [[ $1 == mysql ]]; then
    my_tcp "$MY_PORT" --user=sbtest -e 'SELECT 42'
  else
    pg "host=127.0.0.1 port=$PG_PORT user=sbtest" -c 'SELECT 42'
  fi
}

# KIND: the whole life of a server.
life() {
  local base client
  servers start "$1" "$dir/db"
  servers_env "$dir/db"
  base=${MY_BASE-}${PG_BASE-}
  [ "$(ask "$1")" = 42 ]

  servers kill9 "$dir/db"
  [ -z "$(processes_of "$base")" ]
  run ask "$1"
  [ "$status" -ne 0 ]
  servers restart "$dir/db"
  [ "$(ask "$1")" = 42 ]
  servers shutdown "$dir/db"
  [ -z "$(processes_of "$base")" ]
  servers restart "$dir/db"
  servers restart "$dir/db"
  [ "$(ask "$1")" = 42 ]

  servers freeze "$dir/db"
  ask "$1" >"$dir/answer" 2>&1 3>&- &
  client=$!
  run -124 timeout 0.5 tail --pid=$client -f /dev/null
  [ ! -s "$dir/answer" ]
  servers thaw "$dir/db"
  wait "$client"
  [ "$(cat "$dir/answer")" = 42 ]

  servers freeze "$dir/db"
  servers stop "$dir/db"
  gone "$base"
  [ ! -e "$dir/db" ]
}

@test "mysql: kill, restart, freeze, thaw" {
  need mysql
  life mysql
}

@test "pgsql: kill, restart, freeze, thaw" {
  need pgsql
  life pgsql
}

# KIND: the caller is killed in the hardest way.
orphan() {
  local base
  bash -c '
    . "$BENCH_SRC/tests/db/servers.sh"
    servers start "$1" "$2" && servers_env "$2" || exit 1
    printf "%s\n" "${MY_BASE-}${PG_BASE-}" >"$3"
    kill -KILL $$' orphan "$1" "$dir/db" "$dir/base" 3>&- || true
  base=$(cat "$dir/base")
  [[ $base == /*/bench-db.* ]]
  within 30 gone "$base"
  within 30 test ! -e "$dir/db"
}

@test "mysql: nothing stays when the caller is killed" {
  need mysql
  orphan mysql
}

@test "pgsql: nothing stays when the caller is killed" {
  need pgsql
  orphan pgsql
}
