#!/usr/bin/env bats
# mysql.bats - the mysql driver: the common suite over every kind of transport,
# and all column types.

load missing

setup_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  servers has mysql || { missing "no mysql server is installed"; return 0; }
  servers start mysql "$BATS_FILE_TMPDIR/my" --password=secret \
    --tls --tls-name=127.0.0.1 --set=max_allowed_packet=64M
}

setup() {
  skip_if_missing
  . "$BENCH_SRC/tests/db/servers.sh"
  servers_env "$BATS_FILE_TMPDIR/my"
  tests=$BENCH_BUILD/tests/db
  tcp=(--mysql-host=127.0.0.1 --mysql-port="$MY_PORT")
  export BENCH_MYSQL_PASSWORD=secret
}

teardown_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  [[ ! -e $BATS_FILE_TMPDIR/my/state ]] || servers stop "$BATS_FILE_TMPDIR/my"
}

@test "suite: Unix socket, protocol of our own" {
  "$tests/suite" --driver=mysql --mysql-socket="$MY_SOCKET" \
    --mysql-protocol=wire
}

@test "suite: Unix socket, client library" {
  "$tests/suite" --driver=mysql --mysql-socket="$MY_SOCKET" \
    --mysql-protocol=library
}

@test "suite: TCP, protocol of our own" {
  "$tests/suite" --driver=mysql "${tcp[@]}" --mysql-protocol=wire
}

@test "suite: TCP, client library" {
  "$tests/suite" --driver=mysql "${tcp[@]}" --mysql-protocol=library
}

@test "suite: TCP with compression" {
  "$tests/suite" --driver=mysql "${tcp[@]}" --mysql-compression=on
}

@test "suite: TLS, certificate and name checked" {
  "$tests/suite" --driver=mysql "${tcp[@]}" --mysql-ssl=VERIFY_IDENTITY \
    --mysql-ssl-ca="$MY_CA"
}

@test "all column types: protocol of our own" {
  "$tests/mysql_types" --driver=mysql "${tcp[@]}" --mysql-protocol=wire
}

@test "all column types: client library" {
  "$tests/mysql_types" --driver=mysql "${tcp[@]}" --mysql-protocol=library
}

@test "texts of FLOAT and DOUBLE: protocol of our own" {
  "$tests/mysql_reals" --driver=mysql "${tcp[@]}" --mysql-protocol=wire
}

@test "texts of FLOAT and DOUBLE: client library" {
  "$tests/mysql_reals" --driver=mysql "${tcp[@]}" --mysql-protocol=library
}

# says TEXT OPTIONS: a run that opens a connection.
says() {
  printf 'function thread_init() con = sysbench.sql.driver():connect() end
function event() end\n' >"$BATS_TEST_TMPDIR/open.lua"
  run "$BENCH" "$BATS_TEST_TMPDIR/open.lua" --events=1 --db-debug \
    --verbosity=5 "${@:2}" run
  [[ $output == *"$1"* ]] || {
    printf 'no "%s" in:\n%s\n' "$1" "$output"
    return 1
  }
}

@test "which protocol serves a connection, and where it cannot be our own" {
  says ', protocol wire,' "${tcp[@]}"
  says ', protocol wire,' "${tcp[@]}" --mysql-protocol=wire
  says ', protocol library,' "${tcp[@]}" --mysql-protocol=library
  says ', protocol library,' "${tcp[@]}" --mysql-compression
  says ', protocol library,' "${tcp[@]}" --mysql-ssl
  says "as 'sbtest': 'mysql-protocol' cannot be 'wire' here: the connection is compressed (error 2007)" \
    "${tcp[@]}" --mysql-compression --mysql-protocol=wire
  ((status == 1))
  says "as 'sbtest': 'mysql-protocol' cannot be 'wire' here: the connection uses TLS (error 2007)" \
    "${tcp[@]}" --mysql-ssl --mysql-protocol=wire
  ((status == 1))
}

@test "which transport is used is told: results and --db-debug" {
  says ' unix ' --mysql-socket="$MY_SOCKET"
  says " tcp " "${tcp[@]}"
  local want
  for want in unix tcp; do
    target=(--mysql-socket="$MY_SOCKET")
    [[ $want == unix ]] || target=("${tcp[@]}")
    "$BENCH" "$BATS_TEST_TMPDIR/open.lua" --events=1 "${target[@]}" \
      --json="$BATS_TEST_TMPDIR/$want.json" run
    grep -E '"transport": "'$want' ' "$BATS_TEST_TMPDIR/$want.json"
  done
}

# executes OPTIONS: a prepared statement whose second row is an error.
executes() {
  cat >"$BATS_TEST_TMPDIR/half.lua" <<'L'
function prepare()
  local con = sysbench.sql.driver():connect()
  con:query("DROP TABLE IF EXISTS half")
  con:query("CREATE TABLE half (d DOUBLE)")
  con:query("INSERT INTO half VALUES (1), (1e308)")
  local st = con:prepare("SELECT d * 10 FROM half")
  for i = 1, 3 do
    local _, e = pcall(st.execute, st)
    print("failed", e:match("errno = (%d+)"))
  end
  con:query("DELETE FROM half WHERE d > 1")
  print("after", st:execute():fetch_row()[1])
end
L
  run timeout 60 "$BENCH" "$BATS_TEST_TMPDIR/half.lua" "${tcp[@]}" "$@" prepare
  ((status == 0))
  [[ $(grep -cx $'failed\t1690' <<<"$output") == 3 && $output == *$'after\t10'* ]]
}

@test "a prepared statement fails among its rows: executed again" {
  executes --mysql-protocol=wire
  executes --mysql-protocol=library
}
