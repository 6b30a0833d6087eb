#!/usr/bin/env bats
# mysql.bats - the mysql driver: the common suite over every kind of transport,
# and all column types.

load ../lib/servers

setup_file() {
  start_one mysql my --password=secret \
    --tls --tls-name=127.0.0.1 --set=max_allowed_packet=64M
}

setup() {
  skip_if_missing
  servers_env "$BATS_FILE_TMPDIR/my"
  tests=$BENCH_BUILD/tests/db
  tcp=(--mysql-host=127.0.0.1 --mysql-port="$MY_PORT")
  export BENCH_MYSQL_PASSWORD=secret
}

@test "suite: Unix socket, protocol of our own" {
  "$tests/suite" --driver=mysql --mysql-socket="$MY_SOCKET" \
    --mysql-protocol=wire
}

@test "suite: sessions without the library" {
  "$tests/suite" --driver=mysql --raw --mysql-socket="$MY_SOCKET"
  "$tests/suite" --driver=mysql --raw "${tcp[@]}" --mysql-user=sbpass
}

@test "logins without the library succeed and fail as those with it" {
  "$tests/mysql_logins" --driver=mysql --raw --mysql-socket="$MY_SOCKET"
  "$tests/mysql_logins" --driver=mysql --raw "${tcp[@]}" --mysql-user=sbpass
  need_own_tls
  "$tests/mysql_logins" --driver=mysql --raw "${tcp[@]}" --mysql-user=sbpass --mysql-ssl=PREFERRED
}

@test "certificates, versions and ciphers are those that the library accepts" {
  need_own_tls
  "$tests/mysql_tls"
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

@test "suite: TLS, sessions without the library" {
  "$tests/suite" --driver=mysql --raw "${tcp[@]}" --mysql-user=sbpass --mysql-ssl=VERIFY_IDENTITY \
    --mysql-ssl-ca="$MY_CA" --mysql-ssl-cert="$MY_CLIENT_CERT" --mysql-ssl-key="$MY_CLIENT_KEY"
}

@test "clients with TLS" {
  local to=(oltp_point_select --db-driver=mysql "${tcp[@]}" --mysql-user=sbpass --mysql-ssl=VERIFY_IDENTITY
    --mysql-ssl-ca="$MY_CA" --server-stats=off)
  "$BENCH" "${to[@]}" prepare >/dev/null
  one_line_without_tls "${to[@]}"
  encrypted_clients "$BATS_FILE_TMPDIR/my" "SELECT count(*) FROM information_schema.processlist WHERE user = 'sbpass'" "${to[@]}"
  "$BENCH" "${to[@]}" cleanup >/dev/null
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

# life ARG...: a life of a connection, or some; what it says is in `out` and
# `err`.
life() {
  local expected args
  take_status "$@"
  status=0
  "$BENCH" connect --db-driver=mysql --time=0 --events=20 --server-stats=off "${args[@]}" \
    run >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
  out=$(<"$BATS_TEST_TMPDIR/out")
  err=$(<"$BATS_TEST_TMPDIR/err")
  as_expected
}

@test "lives of connections without the library" {
  life --mysql-socket="$MY_SOCKET" --handshake=own
  [ "$status" = 0 ] || { echo "$err"; return 1; }
  grep -Eq '^    login +20 ' <<<"$out"
  life -0 "${tcp[@]}" --handshake=own --threads=2 --mysql-db=
  grep -Eq '^    first query +20 ' <<<"$out"
  life -0 "${tcp[@]}" --threads=2 --clients=20
  grep -q '^Connections, by the driver itself:' <<<"$out"
  own_tls || life -0 "${tcp[@]}" --mysql-ssl=REQUIRED
  own_tls || grep -q '^WARNING: .*: only the library can encrypt here (bench was built without OpenSSL)$' <<<"$err"
  need_own_tls
  life -0 "${tcp[@]}" --mysql-ssl=REQUIRED
  grep -Eq '^    TLS +20 ' <<<"$out"
  for version in TLSv1.2 TLSv1.3; do
    life -0 "${tcp[@]}" --mysql-ssl=VERIFY_CA --mysql-ssl-ca="$MY_CA" --mysql-tls-version=$version --mysql-ssl-resume
    grep -Eq '^    TLS +1 ' <<<"$out"
    grep -Eq '^    TLS, resumed +19 ' <<<"$out"
  done
  life -0 "${tcp[@]}" --mysql-ssl=REQUIRED --mysql-tls-version=TLSv1.2,TLSv1.1
  grep -q '^WARNING: the client library opens the connections: only the library can encrypt here$' <<<"$err"
}

@test "a life that fails says what the library says" {
  local args own
  need_own_tls
  for args in "--mysql-password=wrong" "--mysql-db=nowhere" "--mysql-user=nobody" "--mysql-socket=/nowhere" \
    "--mysql-password= --mysql-user=nobody --mysql-db=" "${tcp[*]} --mysql-password=wrong" "${tcp[*]} --mysql-db=nowhere" \
    "${tcp[*]} --mysql-ssl=REQUIRED --mysql-password=wrong" "${tcp[*]} --mysql-ssl=REQUIRED --mysql-ssl-ca=$MY_WRONG_CA"; do
    # shellcheck disable=SC2086 # several options
    life $([[ $args == *-host=* ]] || echo "--mysql-socket=$MY_SOCKET") --handshake=own -1 $args
    own=$(grep -m 1 '^FATAL' <<<"$err")
    # shellcheck disable=SC2086
    life $([[ $args == *-host=* ]] || echo "--mysql-socket=$MY_SOCKET") --handshake=library -1 $args
    [ "$own" ] && diff <(echo "$own") <(grep -m 1 '^FATAL' <<<"$err" | sed -E 's/; to try bench without .*//')
  done
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
  run -0 timeout 60 "$BENCH" "$BATS_TEST_TMPDIR/half.lua" "${tcp[@]}" "$@" prepare
  [[ $(grep -cx $'failed\t1690' <<<"$output") == 3 && $output == *$'after\t10'* ]]
}

@test "a prepared statement fails among its rows: executed again" {
  executes --mysql-protocol=wire
  executes --mysql-protocol=library
}
