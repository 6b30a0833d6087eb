#!/usr/bin/env bats
# connect.bats - the ways to a server that people use, on real ones with TLS:
# URLs, option files, services, files with passwords, and the wrong port.

. "$BENCH_SRC/tests/db/every_kind.bash"

word=Vq7xPw9ZkM2

setup_file() {
  command -v openssl >/dev/null || skip "openssl is not installed"
  mysql_flags=(--password="$word" --tls --tls-name=localhost --max-connections=1100)
  pgsql_flags=("${mysql_flags[@]}")
  if grep -qs '^0\{31\}1 ' /proc/net/if_inet6; then
    export IPV6=1
    mysql_flags+=(--set=bind_address=127.0.0.1,::1)
    pgsql_flags+=(--set=listen_addresses=127.0.0.1,::1)
  fi
  start_kinds
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  printf '%s\n' "$word" >pw
  chmod 600 pw
  cat >event.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
LUA
}

teardown() {
  [[ -z ${TMPDIR-} || $TMPDIR != /tmp/rtt.* ]] || rm -r "$TMPDIR"
}

# gets_in ARG...: a run of two events.
gets_in() {
  "$BENCH" event.lua "$@" --events=2 --db-debug --verbosity=5 run >out 2>err || {
    tail -n 5 err
    return 1
  }
}

# refused PATTERN ARG...: stderr says why, without the password.
refused() {
  local status=0
  "$BENCH" event.lua "${@:2}" --events=1 run >out 2>err || status=$?
  [ "$status" -eq 1 ]
  grep -Eq -- "$1" err || {
    cat err
    return 1
  }
  ! grep -qF "$word" out err
}

# by_ipv6 KIND PORT OPTION...: alone and in lists, as option and URL, with threads and
# clients.
by_ipv6() {
  [[ -n ${IPV6-} ]] || skip 'this machine has no IPv6'
  local kind=$1 port=$2 host scheme=${1/pgsql/postgresql}
  for host in ::1 ::1,127.0.0.1; do
    gets_in --db-driver="$kind" "--$kind-host=$host" "--$kind-port=$port" --password-file=pw --threads=2
    gets_in --db-driver="$kind" "--$kind-host=$host" "--$kind-port=$port" --password-file=pw --clients=4 --threads=2 "${@:3}"
  done
  gets_in --dsn="$scheme://sbtest:$word@[::1]:$port/sbtest" --json=a.json
  gets_in --dsn="$scheme://sbtest:$word@[::1]:$port,127.0.0.1:$port/sbtest"
}

@test "mysql: IPv6" {
  need_kind mysql
  by_ipv6 mysql "$MY_PORT"
  grep -Fqx '  "address": "[::1]:'"$MY_PORT"'",' a.json
}

@test "pgsql: IPv6" {
  need_kind pgsql
  by_ipv6 pgsql "$PG_PORT" --pgsql-sslmode=disable
  grep -Fqx '  "address": "[::1]:'"$PG_PORT"'",' a.json
}

# round_trips: the document has that of TCP; Unix sockets have none.
round_trips() {
  [[ $(uname) != Linux ]] || grep -Eq '^  "round_trip_ns": [1-9][0-9]{3,8},$' tcp.json
  ! grep round_trip unix.json
}

@test "mysql: a URL with TLS, checked as far as it says" {
  need_kind mysql
  local to="mysql://sbtest:$word@127.0.0.1:$MY_PORT/sbtest"
  gets_in --dsn="$to" --json=tcp.json
  gets_in --dsn="$to?ssl-mode=PREFERRED"
  grep -q TLSv1 err
  gets_in --dsn="$to?ssl-mode=VERIFY_IDENTITY&ssl-ca=$MY_CA"
  grep -q TLSv1 err
  gets_in --dsn="$to?ssl-ca=$MY_CA"
  grep -q TLSv1 err
  refused 'as .sbtest.: .*(certificate|TLS/SSL).* \(error 2026\)' --dsn="$to?ssl-mode=VERIFY_IDENTITY&ssl-ca=$MY_WRONG_CA"
  refused "cannot read the CA file '/nonexist' of --mysql-ssl-ca" --dsn="$to?ssl-ca=/nonexist"
  # Nobody listens there: the file comes first.
  refused "cannot read the CA file '/nonexist'" --mysql-host=127.0.0.1 --mysql-port=1 --mysql-ssl=on \
    --mysql-ssl-ca=/nonexist
  gets_in --dsn="mysql://sbtest:$word@localhost/sbtest?socket=$MY_SOCKET" --json=unix.json
  round_trips
  refused 'error 1045.; see --mysql-user and --dsn' --dsn="mysql://sbtest:$word-wrong@127.0.0.1:$MY_PORT/sbtest"
}

@test "pgsql: a URL with TLS, checked as far as it says" {
  need_kind pgsql
  local to="postgresql://sbtest:$word@localhost:$PG_PORT/sbtest"
  gets_in --dsn="$to" --json=tcp.json
  gets_in --dsn="postgresql://sbtest:$word@/sbtest?host=$PG_SOCKET_DIR&port=$PG_PORT" --json=unix.json
  round_trips
  gets_in --dsn="$to?sslmode=verify-full&sslrootcert=$PG_CA"
  grep -q 'tls_protocol TLSv1' err
  gets_in --dsn="$to?sslmode=verify-full&sslrootcert=$PG_CA&application_name=it%27s&connect_timeout=9"
  refused 'certificate verify failed' --dsn="$to?sslmode=verify-full&sslrootcert=$PG_WRONG_CA"
  refused "cannot read the CA file '/nonexist' of --pgsql-sslrootcert" \
    --dsn="$to?sslmode=verify-full&sslrootcert=/nonexist"
  gets_in --dsn="postgresql://sbtest:$word@/sbtest?host=$PG_SOCKET_DIR&port=$PG_PORT"
  # libpq goes through the hosts of such a URL.
  gets_in --dsn="postgresql://sbtest:$word@localhost:1,localhost:$PG_PORT/sbtest"
  refused 'password authentication failed .*; see --pgsql-user and --dsn' --dsn="postgresql://sbtest:$word-wrong@localhost:$PG_PORT/sbtest"
  # What libpq quotes has no password either.
  refused 'pgsql-db' --db-driver=pgsql --pgsql-db="postgresql://sbtest:$word@localhost:$PG_PORT/sbtest?foo=$word@"
}

# One word for both servers, which chooses no driver.
@test "mysql: --tls" {
  need_kind mysql
  local word to=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$MY_PORT" --password-file=pw)
  gets_in "${to[@]}" --tls=off
  ! grep TLSv1 err
  for word in prefer require; do
    gets_in "${to[@]}" --tls=$word
    grep -q TLSv1 err
  done
  gets_in "${to[@]}" --tls=verify --mysql-ssl-ca="$MY_CA" --json=a.json
  grep -q TLSv1 err
  grep -A 4 '"mysql-ssl": {' a.json | grep -q '"where": "--tls=verify"'
  refused "error 2026\\)" "${to[@]}" --tls=verify --mysql-ssl-ca="$MY_WRONG_CA"
  refused "error 2026\\).*; see --mysql-ssl-ca" "${to[@]}" --tls=verify
  # The driver's option must not be weaker, neither must one in a URL.
  refused 'contradicts --tls=verify' "${to[@]}" --tls=verify --mysql-ssl=off
  refused "error 2026\\)" "${to[@]}" --tls=require --mysql-ssl=VERIFY_CA --mysql-ssl-ca="$MY_WRONG_CA"
  gets_in --dsn="mysql://sbtest:@127.0.0.1:$MY_PORT/sbtest?ssl-mode=required" --tls=require --password-file=pw
  refused 'contradicts --tls=off' --dsn="mysql://127.0.0.1:$MY_PORT/sbtest?ssl-mode=REQUIRED" --tls=off
}

@test "pgsql: --tls" {
  need_kind pgsql
  local mode to=(--db-driver=pgsql --pgsql-host=localhost --pgsql-port="$PG_PORT" --password-file=pw)
  export HOME=$PWD # without root.crt
  gets_in "${to[@]}" --tls=off
  ! grep 'tls_protocol TLSv1' err
  for mode in prefer require; do
    gets_in "${to[@]}" --tls=$mode
    grep -q 'tls_protocol TLSv1' err
  done
  gets_in "${to[@]}" --tls=verify --pgsql-sslrootcert="$PG_CA"
  refused 'certificate verify failed' "${to[@]}" --tls=verify --pgsql-sslrootcert="$PG_WRONG_CA"
  refused 'server certificate verification.; see --pgsql-sslrootcert$' "${to[@]}" --tls=verify
  mkdir .postgresql
  cp "$PG_CA" .postgresql/root.crt
  gets_in "${to[@]}" --tls=verify
  grep -q 'tls_protocol TLSv1' err
  # A key that others can read; the server is there.
  install -m 644 "$PG_CLIENT_KEY" open.key
  refused 'group or world access' "${to[@]}" --tls=require --pgsql-sslcert="$PG_CLIENT_CERT" --pgsql-sslkey=open.key
  ! grep -i 'without a server' err
  # It wins over the environment, sweeps, and is refused with a weaker option.
  PGSSLMODE=disable gets_in "${to[@]}" --tls=require
  grep -q 'tls_protocol TLSv1' err
  refused 'contradicts --tls=require' "${to[@]}" --tls=require --pgsql-sslmode=disable
  refused 'certificate verify failed' "${to[@]}" --tls=require --pgsql-sslmode=verify-ca --pgsql-sslrootcert="$PG_WRONG_CA"
  gets_in "${to[@]}" --sweep=tls:off,require
  [ "$(grep -c 'tls_protocol TLSv1' err)" -ge 1 ]
  # Other options of one driver choose it, --tls does not.
  gets_in "${to[@]:1}" --tls=require
  refused 'MySQL' --tls=require --mysql-port=1
}

# delayed EVENTS ARG...: with --rtt, no event is faster, the address is the server's, and
# all reports name it.
delayed() {
  local events=$1
  shift
  "$BENCH" event.lua "$@" --events="$events" --json=direct.json run >out 2>err || { tail -n 5 err; return 1; }
  "$BENCH" event.lua "$@" --events="$events" --rtt=20ms --json=rtt.json run >out 2>err || { tail -n 5 err; return 1; }
  grep -Fqx 'Added round trip: 20 ms' out
  python3 - "$events" <<'END'
import json, sys
a, b = (json.load(open(name)) for name in ("direct.json", "rtt.json"))
assert b["totals"]["latency_ns"]["min"] >= 20e6, b["totals"]
assert b["totals"]["events"] == int(sys.argv[1]) and b["totals"]["errors"] == 0, b["totals"]
for key in "transport", "address", "tls", "tls_protocol":
    assert a["database"].get(key) == b["database"].get(key), (key, a["database"], b["database"])
assert b["database"]["round_trip_ns"] >= 20e6, b["database"]
END
  "$BENCH" compare direct.json rtt.json | grep -x '  option rtt: 0.0, 0.02'
  [[ -z $(ls -A "$TMPDIR") ]]
}

@test "mysql: --rtt, with and without TLS, by TCP and socket, for threads and clients" {
  need_kind mysql
  local to="mysql://sbtest:$word@127.0.0.1:$MY_PORT/sbtest"
  TMPDIR=$(mktemp -d /tmp/rtt.XXXXXX) # short enough for a socket
  export TMPDIR
  delayed 4 --dsn="$to?ssl-mode=DISABLED" --threads=2
  delayed 4 --dsn="mysql://sbtest:$word@localhost/sbtest?socket=$MY_SOCKET" --clients=4 --threads=2
  delayed 4 --dsn="mysql://sbtest:$word@localhost:$MY_PORT/sbtest?ssl-ca=$MY_CA" --clients=4 --threads=2
  delayed 2000 --dsn="$to?ssl-mode=DISABLED" --clients=1000 --threads=2
  refused 'error 2026' --rtt=1ms --dsn="$to?ssl-mode=VERIFY_IDENTITY&ssl-ca=$MY_WRONG_CA"
  refused "'192.0.2.1' is elsewhere: leave --rtt out" --rtt=1ms --mysql-host=192.0.2.1
  refused "port 1 failed: Connection refused" --rtt=1ms --mysql-host=127.0.0.1 --mysql-port=1
  refused '--rtt needs a server \(expected --db-driver=mysql or pgsql\)' --rtt=1ms --db-driver=sqlite
}

@test "pgsql: --rtt, with and without TLS, by TCP and socket, for threads and clients" {
  need_kind pgsql
  local to="postgresql://sbtest:$word@localhost:$PG_PORT/sbtest"
  TMPDIR=$(mktemp -d /tmp/rtt.XXXXXX) # short enough for a socket
  export TMPDIR
  delayed 4 --dsn="$to?sslmode=disable" --threads=2
  delayed 4 --dsn="postgresql://sbtest:$word@/sbtest?host=$PG_SOCKET_DIR&port=$PG_PORT" --clients=4 --threads=2
  delayed 4 --dsn="$to?sslmode=verify-full&sslrootcert=$PG_CA" --threads=2
  delayed 40 --dsn="$to?sslmode=verify-full&sslrootcert=$PG_CA" --clients=40 --threads=2
  delayed 4 --dsn="$to?application_name=it%27s" --threads=2
  refused 'certificate verify failed' --rtt=1ms --dsn="$to?sslmode=verify-full&sslrootcert=$PG_WRONG_CA"
  refused "'192.0.2.1' is elsewhere: leave --rtt out" --rtt=1ms --db-driver=pgsql --pgsql-host=192.0.2.1
  refused "port 1 failed: Connection refused" --rtt=1ms --db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port=1
  refused "--rtt needs the server's name in --pgsql-host" --rtt=1ms --dsn="postgresql://a@localhost:1,localhost:2/sbtest"
}

@test "the certificate of another host" {
  local kind to
  for kind in $kinds; do
    servers start "$kind" other --tls=required --tls-name=db.example
    servers_env other
    if [ "$kind" = mysql ]; then
      to="mysql://sbtest@127.0.0.1:$MY_PORT/sbtest?ssl-mode=VERIFY_IDENTITY&ssl-ca=$MY_CA"
      refused 'error 2026' --dsn="$to"
      refused 'error 2026' --dsn="$to" --rtt=1ms
    else
      to="postgresql://sbtest@localhost:$PG_PORT/sbtest?sslrootcert=$PG_CA"
      refused 'does not match host name' --dsn="$to&sslmode=verify-full"
      refused 'does not match host name' --rtt=1ms --dsn="$to&sslmode=verify-full"
      gets_in --dsn="$to&sslmode=verify-ca"
    fi
    servers stop other
  done
}

# The name is that of the URL, by TCP, for all logins.
@test "mysql: the certificate of localhost, and a port" {
  need_kind mysql
  local to check="sbtest?ssl-mode=VERIFY_IDENTITY&ssl-ca"
  servers start mysql other --tls=required --tls-name=LOCALHOST # without the address
  servers_env other
  to="mysql://sbtest@localhost:$MY_PORT/$check=$MY_CA"
  gets_in --dsn="$to"
  grep -q "transport tcp .* port $MY_PORT" err
  grep -q TLSv1 err
  gets_in --dsn="$to" --clients=8 --threads=2
  gets_in --dsn="$to" --rtt=1ms
  "$BENCH" connect --dsn="$to" --handshake=own --server-stats=off --events=3 run
  refused "host 'localhost', port $MY_PORT .*error 2026" --dsn="mysql://sbtest@localhost:$MY_PORT/$check=$MY_WRONG_CA"
  refused 'error 2026' --dsn="mysql://sbtest@127.0.0.1:$MY_PORT/$check=$MY_CA"
  refused "host 'localhost', port 1 " --dsn=mysql://sbtest@localhost:1/sbtest
  servers stop other
}

@test "mysql: an option file, and a password from a file" {
  need_kind mysql
  printf '[client]\nhost=localhost\nport=%s\nsocket=%s\nuser=sbtest\npassword=%s\n' "$MY_PORT" "$MY_SOCKET" \
    "$word" >my.cnf
  gets_in --mysql-defaults-file=my.cnf
  gets_in --mysql-defaults-file=my.cnf --mysql-host=127.0.0.1
  grep -q 'tcp 127.0.0.1' err
  mkdir home
  cp my.cnf home/.my.cnf
  HOME=$PWD/home BENCH_MYSQL_DEFAULTS_FILE='' gets_in
  gets_in --mysql-socket="$MY_SOCKET" --password-file=pw
  MYSQL_HOST=127.0.0.1 MYSQL_TCP_PORT=$MY_PORT gets_in --password-file=pw
  "$BENCH" event.lua --mysql-socket="$MY_SOCKET" --password-file=- --sweep=threads:1,2 --events=2 \
    --json=sweep.json run <pw >out 2>err
  ! grep -qF "$word" out err sweep.json
}

@test "pgsql: the environment, a service, and a password from a file" {
  need_kind pgsql
  export PGHOST=$PG_SOCKET_DIR PGPORT=$PG_PORT PGUSER=sbtest PGDATABASE=sbtest
  gets_in --db-driver=pgsql --password-file=pw
  PGPASSWORD=$word gets_in --db-driver=postgres
  unset PGHOST PGPORT PGUSER PGDATABASE
  printf '[here]\nhost=localhost\nport=%s\nuser=sbtest\npassword=%s\ndbname=sbtest\nsslmode=verify-full\nsslrootcert=%s\n' \
    "$PG_PORT" "$word" "$PG_CA" >services
  export PGSERVICEFILE=$PWD/services
  PGSERVICE=here gets_in --db-driver=pgsql
  grep -q 'tls_protocol TLSv1' err
  gets_in --dsn='postgresql:///?service=here'
  sed -i "s#^sslrootcert=.*#sslrootcert=$PG_WRONG_CA#" services
  PGSERVICE=here refused 'certificate verify failed' --db-driver=pgsql
  refused 'certificate verify failed' --dsn='postgresql:///?service=here'
  PGSERVICE=nowhere refused 'definition of service "nowhere" not found' --db-driver=pgsql
  "$BENCH" event.lua --dsn="postgresql://sbtest@localhost:$PG_PORT/sbtest" --password-file=- --sweep=threads:1,2 \
    --events=2 --json=sweep.json run <pw >out 2>err
  ! grep -qF "$word" out err sweep.json
}

@test "the port of the other kind of server" {
  need_kind mysql
  need_kind pgsql
  local before=$SECONDS
  refused 'is this a PostgreSQL server\?' --dsn="postgresql://u@127.0.0.1:$MY_PORT/d"
  refused 'is this a PostgreSQL server\?' --dsn="postgresql://u@127.0.0.1:$MY_PORT/d?sslmode=disable"
  # The time for a connection would be over in a minute.
  refused 'a PostgreSQL server answers there: see --mysql-port, or use --db-driver=pgsql' \
    --dsn="mysql://u@127.0.0.1:$PG_PORT/d" --db-connect-timeout=60
  refused 'a PostgreSQL server answers there' --mysql-host=127.0.0.1 --mysql-port="$PG_PORT" \
    --mysql-password="$word" --db-connect-timeout=60
  ((SECONDS - before < 50))
}
