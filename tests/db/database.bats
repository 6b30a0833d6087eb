#!/usr/bin/env bats
# database.bats - `bench database`: what is wrong with a server is named, nothing is
# left behind; `bench try`.

load ../lib/servers
. "$BENCH_SRC/tests/db/pooler.sh"

setup_file() {
  servers has pgsql && servers has mysql || { missing "no servers of both kinds"; return 0; }
  servers start pgsql "$BATS_FILE_TMPDIR/pg" --tls --max-connections=20 --set=shared_buffers=1MB \
    --set=synchronous_commit=off
  servers start mysql "$BATS_FILE_TMPDIR/my" --set=innodb_buffer_pool_size=8M
  servers sql "$BATS_FILE_TMPDIR/my" "GRANT ALL ON *.* TO sbtest"
}

setup() {
  skip_if_missing
  cd "$BATS_TEST_TMPDIR" || return 1
  set -a
  servers_env "$BATS_FILE_TMPDIR/pg"
  servers_env "$BATS_FILE_TMPDIR/my"
  set +a
  pg=postgresql://sbtest@127.0.0.1:$PG_PORT/sbtest
  my="mysql://sbtest@localhost/sbtest?socket=$MY_SOCKET"
}

teardown() {
  [[ -z ${busy-} ]] || kill $busy
  pooler_stop
}

# database ARG...: status, output, stderr.
database() {
  run --separate-stderr timeout 120 "$BENCH" database "$@"
  printf '%s\n' "$output" "$stderr"
}

# remarks FILE: their codes.
remarks() {
  python3 -c 'import json, sys
for r in json.load(open(sys.argv[1]))["database"]["remarks"]: print(r["code"])' "$1"
}

named() {
  remarks d.json | grep -qx "$1" || { remarks d.json; return 1; }
}

left_on_pgsql() {
  servers sql "$BATS_FILE_TMPDIR/pg" "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'bench%'
    UNION ALL SELECT datname FROM pg_database WHERE datname LIKE 'bench%'" | grep bench_
}

@test "pgsql: fsync off, late commits, a tiny cache, 20 connections, one CPU, an old transaction" {
  for pid in $(servers pids "$BATS_FILE_TMPDIR/pg"); do taskset -pc 0 "$pid" >/dev/null; done
  mkfifo sql
  psql -qh "$PG_SOCKET_DIR" -p "$PG_PORT" -U "$PG_USER" "$PG_DB" <sql >began 3>&- &
  exec 9>sql
  busy=$!
  echo 'BEGIN; SELECT txid_current();' >&9
  until grep -q 'row' began; do read -rt 0.05 <> <(:) || :; done
  database --dsn="$pg" --minutes=0.1 --old-transaction=1 --isolation-check --slo='p99<=60s' --json=d.json
  exec 9>&-
  [[ $status = 0 ]]
  for code in not_durable small_cache few_connections old_transaction; do named "$code"; done
  [[ $(nproc) = 1 ]] || named one_cpu
  [[ $output = *"fsync = off"* && $output = *"synchronous_commit = off"* ]]
  grep -q 'Not measured, because the time was too short: .*search' <<<"$output"
  [[ $output = *$'\nThe objective p99<=60s was not tested.\n'* ]]
  [[ $output = *" too short: "*isolation* || $output = *$'\nIsolation: Verdict: nothing contradicts serializable\n'* ]]
  ! left_on_pgsql
}

@test "mysql: late flushes, a tiny cache, 2 ms more on the way, a busy machine" {
  for ((i = 0; i < $(nproc); i++)); do
    nice -n 19 bash -c "while :; do :; done" 3>&- &
    busy+=" $!"
  done
  database --dsn="mysql://sbtest@127.0.0.1:$MY_PORT/sbtest" --rtt=2ms --minutes=0.1 --json=d.json
  [[ $status = 0 && $output = *", with --rtt=2ms."* ]]
  for code in not_durable small_cache round_trip noise; do named "$code"; done
  [[ $output = *" remarks: innodb_flush_log_at_trx_commit"* ]] # noise comes later
  [[ $output = *innodb_flush_log_at_trx_commit* ]]
  database --dsn="mysql://sbtest@127.0.0.1:$MY_PORT/sbtest" --minutes=0.1 --json=direct.json
  "$BENCH" compare direct.json d.json | grep -x '  option rtt: 0.0, 0.002'
}

@test "mysql: a server without TLS does not offer it" {
  database --dsn="mysql://sbtest@127.0.0.1:$MY_PORT/sbtest" --minutes=0.6 --slo='p50<=2s' --json=d.json
  [[ $output != *"Not measured, because the time was too short: connections with"* ]] || skip "this machine is too busy"
  grep -q '^connections with TLS  *not offered by the server$' <<<"$output"
  "$BENCH" report d.json --format=text >text
  grep '^Not measured: connections with TLS, not offered by the server: .*SSL is required' text
  grep "^This is MariaDB .* at 127.0.0.1:$MY_PORT, without TLS\." text
}

@test "pgsql: no TLS setting is tried through a socket of the file system" {
  database --dsn="postgresql://sbtest@/sbtest?host=$PG_SOCKET_DIR&port=$PG_PORT" --minutes=0.1 --json=d.json
  [[ $status = 0 && $output = *"Not measured, because the time was too short: "* ]]
  [[ $output != *"other TLS setting"* ]]
}

@test "pgsql: a pooler in between" {
  pooler_there || skip "no pgbouncer"
  pooler_make
  echo '"sbtest" ""' >"$pooler_dir/users"
  pooler_start 'auth_type = trust' "auth_file = $pooler_dir/users" 'default_pool_size = 1'
  database --dsn="postgresql://sbtest@/sbtest?host=$pooler_dir&port=6432" --minutes=0.1 --json=d.json
  named pooler
  ! left_on_pgsql
}

@test "pgsql: all parts, and nothing left; the document is a valid one" {
  database --dsn="$pg" --minutes=0.6 --slo='p50<=2s' --price=3.6 --isolation-check --json=d.json
  [[ $output = *" At 3.6 per hour, a million queries cost "* ]]
  left_on_pgsql && return 1
  [[ $output != *"the time was too short"* ]] || skip "this machine is too busy for all parts in this time"
  [[ $status = 0 && $output = *"The server holds p50<=2s up to "* && $output = *"at 80 % of this rate for "* ]]
  [[ $output = *$'\nIsolation: Verdict: nothing contradicts serializable\n'* ]]
  ! left_on_pgsql
  "$BENCH" report d.json -o d.html
  grep -q 'The server holds p50' d.html
  "$BENCH" report d.json --format=text | grep '^The server holds p50<=2s up to '
  "$BENCH" compare d.json d.json | grep '^[a-z]* *part=point selects .*events/s'
  sed 's/"protocol": 1/"protocol": 2/' d.json >other.json
  for tool in compare report; do
    run -2 "$BENCH" $tool d.json other.json
    [[ $output = *"'d.json' is of protocol 1 of bench database, and 'other.json' of protocol 2"* ]]
  done
  python3 - <<'END'
import json
d = json.load(open("d.json"))
b = d["database"]
assert b["protocol"] == 1 and len(b["sentences"]) == 5 and b["left_behind"] is None, b
parts = [s["values"]["part"] for s in d["steps"]]
assert "isolation" in parts and b["isolation"].startswith("Verdict: nothing"), b
assert parts[0] == "SELECT 1" and parts[-1].startswith("steady, 80 % of"), parts
assert abs(d["steps"][-1]["result"]["options"]["rate"]["value"] - 0.8 * b["rate"]) < 0.01 * b["rate"]
END
}

# begun STEP OPTION...: bench database in $pid, which has measured the step.
begun() {
  rm -f out
  "$BENCH" database "${@:2}" >out 2>err 3>&- &
  pid=$!
  until grep -qs "^$1" out; do
    kill -0 "$pid" || return 1
    read -rt 0.1 <> <(:) || :
  done
}

@test "pgsql: Ctrl-C ends it, prints what was measured, and leaves nothing" {
  begun 'point selects' --dsn="$pg" --minutes=5 --json=d.json
  kill -INT "$pid"
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  [[ $status = 130 || $status = 143 ]]
  grep -q '^This is PostgreSQL [0-9.]* at ' out
  grep -q '^Median times with one connection: SELECT 1 ' out
  grep -q '"interrupted": *true' d.json
  ! left_on_pgsql
  grep -qFx 'To go on: the same command with --resume=d.json' out
  # No time is left for other parts.
  database --dsn="$pg" --minutes=0.1 --resume=d.json --json=e.json
  [[ $status = 0 && $output != *"point selects  "* && $output = *", a row "* ]]
  grep -q '"interrupted": *false' e.json
  "$BENCH" compare d.json e.json | grep '^[a-z]* *part=point selects .*events/s'
  database --dsn="$pg" --minutes=0.1 --resume=e.json
  [[ $status = 1 && $stderr = "FATAL: 'e.json' is not of a run of bench database that was interrupted" ]]
  database --dsn="$pg" --minutes=0.1 --slo='p99<=1s' --resume=d.json
  [[ $status = 1 && $stderr = "FATAL: 'd.json' has the objective p99<=20ms, and not p99<=1s" ]]
  database --sqlite-db=other.db --db-driver=sqlite --minutes=0.1 --resume=d.json
  [[ $status = 1 && $stderr = "FATAL: 'd.json' is of another server" ]]
}

# killed DSN: bench database that is killed when point selects are kept.  A file is
# never written again in its place: a kill would leave half of it.
killed() {
  local kept parts
  begun 'SELECT 1' --dsn="$1" --minutes=5
  parts=("$XDG_STATE_HOME"/bench/*.part) # the oldest is first; a new one can be on its way
  exec {kept}<"${parts[0]}"
  until grep -Eqs '"part": *"point selects"' "${parts[0]}"; do
    kill -0 "$pid" || return 1
    read -rt 0.1 <> <(:) || :
  done
  kill -KILL "$pid"
  wait "$pid" || :
  [[ $(stat -L -c %h "/dev/fd/$kept") = 0 ]]
  exec {kept}<&-
}

@test "few connections for the user, or in the database" {
  sql() { servers sql "$BATS_FILE_TMPDIR/$1" "$2"; }
  few() { # DSN LIMIT
    database --dsn="$1" --minutes=0.2
    [[ $status = 0 && $output = *$'\nmix, 1 connection '* && $output != *$'\nmix, 2 '* ]]
    [[ $output = *$'\nremark: '"$2 is 3, 0 in use, the run needs up to 64; raise the limit, or "* ]]
  }
  sql pg 'ALTER ROLE sbtest CONNECTION LIMIT 3'
  few "$pg" 'CONNECTION LIMIT of the user'
  sql pg 'ALTER ROLE sbtest CONNECTION LIMIT -1; ALTER DATABASE sbtest CONNECTION LIMIT 3'
  few "$pg" 'CONNECTION LIMIT of the database'
  sql pg 'ALTER DATABASE sbtest CONNECTION LIMIT -1'
  sql my "CREATE USER few@'%'; GRANT ALL ON *.* TO few@'%'; ALTER USER few@'%' WITH MAX_USER_CONNECTIONS 3"
  few "${my/sbtest@/few@}" 'max_user_connections'
  sql my "DROP USER few@'%'"
}

@test "killed: the tables are removed by the next start, and --resume goes on" {
  export XDG_STATE_HOME=$PWD/state
  unset BENCH_KEEP
  killed "$pg"
  left_on_pgsql
  database --dsn="$my" --minutes=0.1
  [[ $output = *$'\nAn earlier run was killed. To remove its tables: DROP SCHEMA IF EXISTS bench_'????????$' CASCADE;\n'* ]]
  left_on_pgsql
  "$BENCH" report --format=text 2 | grep '^Tables are left; to remove them: DROP SCHEMA IF EXISTS bench_'
  database --dsn="$pg" --minutes=0.1 --resume=2
  [[ $status = 0 && $output = *", a row "* ]]
  [[ $output = *$'\nThe tables of the earlier run have been removed: DROP SCHEMA IF EXISTS bench_'* ]]
  ! left_on_pgsql

  killed "$my"
  servers sql "$BATS_FILE_TMPDIR/my" 'SHOW DATABASES' | grep '^bench_'
  database --dsn="$my" --minutes=0.1 --resume
  [[ $output = *$'\nAn earlier run was killed. Its tables have been removed: DROP DATABASE IF EXISTS bench_'* ]]
  [[ $status = 0 && $output != *"point selects  "* && $output = *", a row "* ]]
  ! servers sql "$BATS_FILE_TMPDIR/my" 'SHOW DATABASES' | grep '^bench_'
  [[ -z $(find state -name '*.part') ]]
}

@test "killed: files of SQLite" {
  export XDG_STATE_HOME=$PWD/state
  unset BENCH_KEEP
  touch u.db
  killed sqlite:u.db
  [[ -e $(echo u.db-bench_????????) ]]
  touch u.db-bench_1
  sed -i 's/"left_behind": *"rm u.db-bench_[0-9a-f]*"/"left_behind": "rm u.db-bench_1"/' state/bench/*.part
  database --dsn=sqlite:u.db --minutes=0.1
  [[ $output = *$'\nAn earlier run was killed. Its tables have been removed: rm u.db-bench_1\n'* && ! -e u.db-bench_1 ]]
  # Another command is not executed.
  rm -r state
  touch precious
  killed sqlite:u.db
  sed -i 's/"left_behind": *"rm u.db-bench_/"left_behind": "rm precious bench_/' state/bench/*.part
  database --dsn=sqlite:u.db --minutes=0.1
  [[ -e precious && $output = *$'\nAn earlier run was killed. To remove its tables: rm precious bench_'* ]]
}

@test "pgsql: a signal while the schema is made is no lack of rights, and nothing is left" {
  own="$BATS_FILE_TMPDIR/pg"
  servers sql "$own" "CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); END'
    ; CREATE EVENT TRIGGER slow ON ddl_command_end WHEN tag IN ('CREATE SCHEMA') EXECUTE FUNCTION slow()"
  "$BENCH" database --dsn="$pg" --minutes=0.1 >out 2>err 3>&- &
  pid=$!
  until [[ $(servers sql "$own" "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE SCHEMA%' AND wait_event = 'PgSleep'") ]]; do
    kill -0 "$pid"
  done
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  servers sql "$own" "DROP EVENT TRIGGER slow"
  [[ $status = 143 && ! -s err ]]
  ! left_on_pgsql
}

@test "pgsql: no right to make a schema, a wrong CA, no writes: one line each" {
  own="$BATS_FILE_TMPDIR/pg"
  servers sql "$own" "ALTER DATABASE sbtest OWNER TO CURRENT_USER"
  (umask 077 && echo unused >password)
  database --dsn="$pg" --minutes=0.3 --password-file=password
  servers sql "$own" "ALTER DATABASE sbtest OWNER TO sbtest"
  [[ $status = 1 && $(grep -c . <<<"$stderr") = 1 ]]
  grep -q '^FATAL: cannot make a schema for the tables (.*permission denied.*): GRANT CREATE ON DATABASE' <<<"$stderr"
  ! grep -q "^connections\|^point selects" <<<"$output" # only SELECT 1 was measured
  database --dsn="$pg?options=-c%20default_transaction_read_only%3Don" --minutes=0.1
  [[ $status = 1 && $stderr = "FATAL: cannot make a schema for the tables ("*read-only*"): name a server and a user that can write" ]]
  openssl req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -subj /CN=other -out other.pem 2>/dev/null
  database --dsn="$pg?sslmode=verify-ca&sslrootcert=$PWD/other.pem" --minutes=0.2
  [[ $status = 1 && $(grep -c . <<<"$stderr") = 1 && $stderr = FATAL:*certificate* ]]
}

# dies_after STEP: the server is killed when the line of the step is there.
dies_after() {
  begun "$1" --dsn="$pg" --minutes=0.6 --slo='p50<=2s' --json=d.json ||
    skip "this machine is too busy for all parts in this time"
  servers kill9 "$BATS_FILE_TMPDIR/pg"
  status=0
  wait "$pid" || status=$?
  cat out err
  servers restart "$BATS_FILE_TMPDIR/pg"
  servers sql "$BATS_FILE_TMPDIR/pg" "$(sed -n 's/^WARNING: .*could not be removed.*; use: //p' err)"
  ! left_on_pgsql
  [[ $status = 1 && $(grep -c ' failed$' out) -le 1 ]]
  ! grep -qw nan out d.json
}

@test "pgsql: a step whose server dies is no result, and ends the protocol" {
  dies_after 'point selects'
  grep -q '^FATAL: .* failed: ' err
  dies_after 'search 1'
  grep -q '^search.* failed$' out || skip "this machine is too busy for a search"
  grep -q '^FATAL: search .* failed: ' err
  grep -Eq 'a step failed[.;]|up to at least' out
}

@test "try: no rate, and what has disturbed it" {
  local i loops=()
  for ((i = 0; i < 2 * $(nproc); i++)); do
    timeout 100 nice -n 19 sh -c 'while :; do :; done' 3>&- &
    loops+=($!)
  done
  run timeout 120 "$BENCH" try --minutes=0.3 --slo='p99<=1us'
  kill "${loops[@]}"
  printf '%s\n' "$output"
  grep -Eq '^(The server misses|No rate was found that holds) p99<=1us.*; other programs use.*: repeat this on a quiet machine\.$' <<<"$output"
}

@test "try: SQLite, no options; the private folder is removed" {
  mkdir tmp
  export TMPDIR=$PWD/tmp XDG_STATE_HOME=$PWD/state
  unset BENCH_KEEP
  run --separate-stderr timeout 120 "$BENCH" try --minutes=0.3 --slo='p50<=1us' --json=t.json
  printf '%s\n' "$output" "$stderr"
  [[ $status = 0 && $output = *"To see the page: bench report" ]]
  [[ -z $(ls -A tmp) && $output != *TLS* ]]
  # No rate is low enough: the search is not a part that had no time.
  if python3 -c 'import json, sys
for s in json.load(open("t.json"))["steps"]:
    if s["values"]["part"] == "mix, 1 connection" and s["result"]["slo"]["verdict"] == "failed": sys.exit(0)
sys.exit(1)'; then
    [[ $output = *$'\nThe server misses p50<=1us even with one connection'[.\;]* && $output != *search* ]]
  fi
  cmp t.json state/bench/*.json # the steps are no results of their own
  "$BENCH" report -o t.html
  run -2 "$BENCH" try --threads=3
  [[ $output = *"--threads has no effect on try"* ]]
}

@test "sqlite: the file of the user stays as it was, and nothing is left beside it" {
  mkdir data
  python3 -c "
import sqlite3
con = sqlite3.connect('data/user.db')
con.execute('CREATE TABLE sbtest1(mine INTEGER)')
con.commit()"
  before=$(sha256sum data/user.db)
  database --dsn=sqlite:data/user.db --minutes=0.1
  [[ $status = 0 && $(sha256sum data/user.db) = "$before" && $(ls -A data) = user.db ]]
  database --dsn=sqlite:data/none.db --minutes=0.1
  [[ $status = 0 && $(ls -A data) = user.db ]]
  python3 - 3>&- <<'END' &
import sqlite3, time
con = sqlite3.connect("data/user.db", isolation_level=None)
con.execute("BEGIN EXCLUSIVE")
open("held", "w").close()
time.sleep(600)
END
  busy=$!
  until [[ -e held ]]; do kill -0 $busy; done
  database --dsn=sqlite:data/user.db --minutes=0.1 --sqlite-busy-timeout=1000
  kill $busy
  busy=
  [[ $status = 1 && $stderr = "FATAL: SELECT 1 failed: cannot open SQLite database 'data/user.db': database is locked" ]]
  ! ls data/user.db-bench_* 2>/dev/null
  database --sqlite-db=file:data/user.db --minutes=0.1
  [[ $status = 1 && $stderr = "FATAL: --sqlite-db=file:data/user.db is not possible here (expected the name of a file)" ]]
}
