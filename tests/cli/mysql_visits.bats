#!/usr/bin/env bats
# mysql_visits.bats - the workload connect: lives of connections without the
# client library of MySQL, and servers that refuse them or talk nonsense.

NEEDS_DRIVER=mysql
load helper
load fake_server
load visits

# at KIND: starts such a server; `to` leads there, without the library.
at() {
  fake_server mysql_visits.py "$PWD/server" "$1"
  to=(--db-driver=mysql "--mysql-socket=$PWD/server" --mysql-user=me --mysql-password=secret --handshake=own --time=0 --server-stats=off)
}

# fails_with TEXT ARG...: the run ends with one message that has the text.
fails_with() {
  visit -1 --events=1 "${@:2}"
  must is "$(grep -c '^FATAL: cannot connect to MySQL server' <<<"$stderr")" 1
  must has "$stderr" "^FATAL: cannot connect to MySQL server on socket .* as 'me': $1"
}

@test "logins with each kind of proof, whole and byte by byte" {
  for kind in native sha2 bytes switch plain; do
    rm -f log
    at $kind
    visit --events=5
    lives 5
  done
}

@test "many clients of few threads, each step a class" {
  at sha2
  each_step_is_a_class
}

@test "the whole password goes through a Unix socket, if the server wants it" {
  at whole
  visit --events=3
  lives 3
  must is "$(tr '\0' . <got)" secret.
}

# tls_at KIND: as at(), by TCP and with TLS.
tls_at() {
  need_own_tls
  command -v openssl >/dev/null || skip "openssl is not installed"
  [[ -e key.pem ]] || openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem 2>openssl.log
  rm -f log
  fake_server mysql_visits.py tcp "$1" cert.pem key.pem
  to=(--db-driver=mysql --mysql-host=127.0.0.1 "--mysql-port=$(<port)" --mysql-user=me --mysql-password=secret
    --mysql-ssl=VERIFY_IDENTITY --mysql-ssl-ca=cert.pem --handshake=own --time=0 --server-stats=off)
}

@test "logins in TLS, the whole password in TLS only" {
  local kind
  for kind in native sha2 bytes switch plain whole; do
    tls_at $kind
    visit --events=5 --threads=2 --clients=4
    must has "$output" '^    TLS +5 '
    lives 5
  done
  must is "$(tr '\0' . <got)" secret.
  tls_at whole
  : >got
  visit -1 --events=1 --mysql-ssl=off
  must has "$stderr" 'the driver cannot log in by itself: the server asks for the whole password$'
  visit -1 --events=1 --mysql-ssl-ca=
  must has "$stderr" "self-signed certificate \(error 2026\)"
  must is "$(<got)" ''
}

@test "what the client libraries read of the environment" {
  at native
  to=("${to[@]/--mysql-password=secret/--mysql-password=}")
  MYSQL_PWD=secret visit --events=2
  lives 2
  rm log
  at native
  to=("${to[@]/--handshake=own/--mysql-host=localhost}")
  to=("${to[@]/--mysql-socket=*/--mysql-ssl=off}")
  MYSQL_UNIX_PORT=$PWD/server visit --events=2 --handshake=own
  lives 2
  rm log
  at native
  to=("${to[@]/--handshake=own/--mysql-host=localhost}")
  to=("${to[@]/--mysql-socket=*/--mysql-ssl=off}")
  MARIADB_UNIX_PORT=$PWD/none MYSQL_UNIX_PORT=$PWD/server visit --events=2 --handshake=own
  lives 2
  MARIADB_UNIX_PORT=$PWD/server visit -1 --events=1 --handshake=own
  must has "$stderr" 'only the library knows the socket of localhost'
}

@test "a wrong password" {
  for kind in native sha2 switch; do
    at $kind
    fails_with "Access denied for user 'me'@'localhost' \(error 1045\); see --mysql-user and --mysql-password, or --mysql-ssl if the account requires TLS\$" \
      --mysql-password=wrong
    echo wrong >secret
    to=("${to[@]/--mysql-password=*/--time=0}")
    fails_with '.*; see --mysql-user and --password-file, or --mysql-ssl if' --password-file=secret
    MYSQL_PWD=wrong fails_with '.*; see --mysql-user and MYSQL_PWD, or'
    printf '[client]\npassword=wrong\n' >my.cnf
    fails_with '.*; see --mysql-user and my.cnf, or' --mysql-defaults-file=my.cnf
    # Whatever errors are ignored.
    fails_with 'Access denied' --mysql-password=wrong --mysql-ignore-errors=all
  done
}

@test "what only the library can, is left to it" {
  local kind
  for kind in ed25519:client_ed25519 clear:mysql_clear_password; do
    at "${kind%%:*}"
    visit -1 --events=1
    must has "$stderr" "the driver cannot log in by itself: the server asks for a login with ${kind#*:}\$"
  done
  fake_server_stop
  must test ! -s got
  # The library takes over where it may.
  at clear
  visit -0 --events=2 --handshake=auto --mysql-cleartext=on
  must has "$stderr" '^WARNING: the client library opens the connections: the server asks for a login with mysql_clear_password$'
  must has "$output" '^    connect and login +2 '
  fake_server_stop
  must is "$(tr '\0' . <got)" secret.
  at native
  for option in --mysql-compression=on:'--mysql-compression is on' \
    --mysql-protocol=library:'--mysql-protocol asks for it' --mysql-dry-run:'--mysql-dry-run connects to no server'; do
    visit -1 --events=1 "${option%%:*}"
    must has "$stderr" "the driver cannot log in by itself: ${option#*:}\$"
  done
}

@test "servers that hang, and those that hang up" {
  at silent
  fails_with "Lost connection to server at 'handshake: reading initial communication packet', system error: 110; is this a MySQL server\? \(error 2013\)" \
    --db-connect-timeout=0.2
  at closes
  fails_with "Lost connection to server at 'reading authorization packet', system error: [0-9]+ \(error 2013\)"
  fake_server_stop
  fails_with "Can't connect to local server through socket '.*/server' \(2\) \(error 2002\)"
}

@test "servers that talk nonsense" {
  at length
  fails_with 'Malformed packet; is this a MySQL server\? \(error 2027\)'
  at http
  fails_with 'Malformed packet; is this a MySQL server\? \(error 2027\)'
  at version
  fails_with 'Protocol mismatch. Server Version = 9 Client Version = 10; is this a MySQL server\? \(error 2007\)'
}

@test "failures that are ignored are counted, and the event starts again" {
  each_second_fails --mysql-ignore-errors=2013
  for code in full:1040 blocked:1129; do
    at "${code%%:*}"
    visit -0 --events=1 --mysql-ignore-errors="${code#*:}" --time=1
    must has "$stderr" "error ${code#*:}"
  done
}

@test "servers that refuse every session, by either login" {
  local way
  for way in own library; do
    at full
    to+=(--handshake=$way)
    fails_with 'Too many connections \(error 1040\)'
    at blocked
    to+=(--handshake=$way)
    fails_with "Host 'me' is blocked because of many connection errors \(error 1129\)"
    at closes
    to+=(--handshake=$way)
    fails_with "Lost connection to server at .* \(error 2013\)"
  done
}

@test "a statement that is refused is no lost connection, by either login" {
  local way
  for way in own library; do
    rm -f log
    at table
    to+=(--handshake=$way)
    for ignored in '' 2013; do
      visit -1 --events=1 --mysql-ignore-errors="$ignored"
      must has "$stderr" "^FATAL: mysql_drv_query\(\) returned error 1146 \(Table 'x' doesn't exist\) for query 'SELECT 1'\$"
      must is "$(grep -c 'cannot connect' <<<"$stderr")" 0
    done
    first_query_fails --mysql-ignore-errors=1146
    fake_server_stop
    must is "$(($(wc -l <log) >= 3))" 1 # each has said goodbye
  done
}

@test "what a server says before it ends a session is the reason" {
  reason_is_told --mysql-ignore-errors=1053 'Server shutdown in progress \(error 1053\)'
}
