#!/usr/bin/env bats
# visits.bats - the workload connect: lives of connections without libpq, and
# servers that refuse them, lie to them, or talk nonsense.

NEEDS_DRIVER=pgsql
load helper
load fake_server
load visits

# at KIND: starts such a server; `to` leads there, without the library.
at() {
  fake_server visits.py "$PWD" "$1"
  to=(--db-driver=pgsql "--pgsql-host=$PWD" --pgsql-user=me --pgsql-password=secret --handshake=own --time=0 --server-stats=off)
}

# fails_with TEXT ARG...: the run ends with one message that has the text.
fails_with() {
  visit -1 --events=1 "${@:2}"
  must is "$(grep -c '^FATAL: Connection to database failed' <<<"$stderr")" 1
  must has "$stderr" "^FATAL: Connection to database failed: .*$1"
}

@test "logins without a password, with md5 and with SCRAM, whole and byte by byte" {
  for kind in trust md5 scram bytes; do
    rm -f log
    at $kind
    visit --events=5
    lives 5
  done
}

@test "many clients of few threads, each step a class" {
  at scram
  each_step_is_a_class
  must json a.json "d['test']['login']['count'] == 30"
}

@test "clients that wait for their turn, with and without a limit of those at a time" {
  for limits in --connect-rate=500 --connect-concurrency=2 '--connect-rate=500 --connect-concurrency=2'; do
    rm -f log
    at scram
    # shellcheck disable=SC2086 # several options
    visit --threads=2 --clients=10 --events=30 $limits
    lives 30
  done
}

# All turns would take 15 s.
@test "who waits for a turn at the end of the run leaves, and opens nothing" {
  for places in 0 3; do
    rm -f log
    at trust
    visit -0 --threads=2 --clients=60 --connect-rate=4 --connect-concurrency=$places --time=1 --json=a.json
    must is "$(grep FATAL <<<"$stderr")" ""
    must json a.json "0 < d['totals']['events'] < 20 and d['totals']['errors'] == 0"
    fake_server_stop
    must is "$(($(wc -l <log) < 20))" 1
  done
}

@test "a wrong password" {
  at scram
  fails_with 'failed: FATAL:  password authentication failed for user "me"; see --pgsql-user and --pgsql-password$' --pgsql-password=wrong
  echo wrong >secret
  to=("${to[@]/--pgsql-password=*/--time=0}")
  fails_with '; see --pgsql-user and --password-file$' --password-file=secret
  BENCH_PGSQL_PASSWORD=wrong fails_with '; see --pgsql-user and BENCH_PGSQL_PASSWORD$'
  PGPASSWORD=wrong fails_with '; see --pgsql-user and PGPASSWORD$'
  printf 'pgsql-password=wrong\n' >c.conf
  fails_with '; see --pgsql-user and c.conf:1$' --config-file=c.conf
  # Whatever errors are ignored.
  fails_with 'password authentication failed' --pgsql-password=wrong --pgsql-ignore-errors=all
}

@test "a server that does not know the password" {
  at signature
  fails_with 'incorrect server signature'
  at unsigned
  fails_with 'the server has left out a step of the login'
}

@test "a password is never sent as it is" {
  at plain
  fails_with 'the driver cannot log in by itself: the server asks for the password in plain text'
  fake_server_stop
  must test -f got
  must test ! -s got
  # The library takes over where it may.
  at plain
  run -1 --separate-stderr "$BENCH" connect "${to[@]}" --handshake=auto --events=1 run
  fake_server_stop
  must grep -q secret got
}

@test "servers that hang, and those that hang up" {
  at silent
  fails_with 'timeout expired' --db-connect-timeout=0.2
  at drip
  fails_with 'timeout expired' --db-connect-timeout=0.2
  at closes
  fails_with 'server closed the connection unexpectedly'
  fake_server_stop
  fails_with 'Is the server running locally|is the server running locally'
}

@test "a server that cannot start a process for the session, by either login" {
  local way
  for way in own library; do
    at fork
    to+=(--handshake=$way)
    fails_with 'could not fork new process for connection: Cannot allocate memory'
    fails_with 'could not fork new process for connection: Cannot allocate memory' --clients=3
    must is "$(grep -c 'is this a PostgreSQL server' <<<"$stderr")" 0
  done
}

@test "servers that talk nonsense" {
  at length
  fails_with 'the server sent a message of an unreasonable length'
  at mysql
  fails_with 'expected authentication request from server, but received J$'
  must has "$stderr" '^is this a PostgreSQL server\?$'
}

@test "failures that are ignored are counted, and the event starts again" {
  each_second_fails --pgsql-ignore-errors=connection
  at full
  fails_with 'sorry, too many clients already'
  visit -0 --events=1 --pgsql-ignore-errors=53300 --time=1
  must has "$stderr" 'error 53300'
}

@test "a statement that is refused is no lost connection, by either login" {
  local way
  for way in own library; do
    at table
    to+=(--handshake=$way)
    for ignored in '' connection; do
      visit -1 --events=1 --pgsql-ignore-errors="$ignored"
      must has "$stderr" '^FATAL: PQexec\(\) failed: 7 no such table; failed query was: SELECT 1( |$)'
      must is "$(grep -c 'Connection to database failed' <<<"$stderr")" 0
    done
    first_query_fails --pgsql-ignore-errors=42P01
  done
}

@test "a connection that cannot be opened is a lost one, by either login" {
  local way
  cat >visit.lua <<'EOF'
sysbench.cmdline.options = {way = {"who logs in", "own"}}
function thread_init() visitor = sysbench.sql.driver():visitor() end
function event() visitor:visit("SELECT 1", sysbench.opt.way) end
EOF
  for way in own library; do
    at every2
    run -0 --separate-stderr timeout -s KILL 120 "$BENCH" visit.lua "${to[@]:0:4}" --server-stats=off --way=$way \
      --events=4 --time=0 --pgsql-ignore-errors=connection run
    must has "$output" 'ignored errors: +4 '
  done
}

@test "what a server says before it ends a session is the reason" {
  reason_is_told --pgsql-ignore-errors=57P01 'terminating connection'
}

@test "what only the library can, is left to it" {
  at trust
  to+=(--pgsql-sslmode=require) # a Unix socket has no TLS, as for libpq
  visit -0 --events=1
  at trust
  for name in OPTIONS CLIENTENCODING TARGETSESSIONATTRS APPNAME; do
    (
      export "PG$name=x"
      fails_with 'the driver cannot log in by itself: the environment has wishes for libpq'
    )
  done
  needs_driver sqlite
  : >x.db
  run -0 --separate-stderr "$BENCH" connect --db-driver=sqlite --sqlite-db=x.db --events=3 --time=0 run
  must has "$output" '^Connections, by the client library:$'
  must has "$output" '^    connect and login +3 '
  run -1 --separate-stderr "$BENCH" connect --db-driver=sqlite --sqlite-db=x.db --handshake=own --events=3 --time=0 run
  must has "$stderr" 'the driver has no login of its own'
}
