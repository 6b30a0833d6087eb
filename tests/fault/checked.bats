#!/usr/bin/env bats
# checked.bats - the workloads with a check as one mix, while transactions
# deadlock, sessions are killed, and the server is killed and comes back.  Then
# nothing is lost, and nothing is there twice.  CHECKED_SECONDS is how long that
# goes on; without it, each of these things happens once.  A file ends the run: a
# signal leaves behind who waits for a lock longer than a moment.

mysql_flags=(--durable)
pgsql_flags=(--durable)
. "$BENCH_SRC/tests/db/every_kind.bash"
. "$BENCH_SRC/tests/db/in_a_run.bash"

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  # Clients that lock two rows in any order.
  cat >crossing.lua <<'LUA'
local con
function prepare()
  con = sysbench.sql.driver():connect()
  con:query("DROP TABLE IF EXISTS crossing")
  con:query("CREATE TABLE crossing (id INTEGER NOT NULL PRIMARY KEY, n INTEGER NOT NULL)")
  con:query("INSERT INTO crossing VALUES (1, 0), (2, 0)")
end
function cleanup() sysbench.sql.driver():connect():query("DROP TABLE crossing") end
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  local first = sysbench.rand.uniform(1, 2)
  con:query("BEGIN")
  for _, id in ipairs({first, 3 - first}) do
    con:query("UPDATE crossing SET n = n + 1 WHERE id = " .. id)
  end
  con:query("COMMIT")
end
LUA
  echo 'function prepare() sysbench.sql.driver():connect():query("UPDATE bank_accounts SET balance = balance - 1 WHERE id = 7") end' >half.lua
}

CHECKED_SECONDS=${CHECKED_SECONDS:-0}
tables=(--warehouses=1 --customers=30 --items=200 --counter.rows=3 --documents=100 --groups=10)

# mix COMMAND OPTION...
mix() {
  "$BENCH" --mix=tpcc,tpcb,bank,counter,queue,json,./crossing.lua "${tables[@]}" "${to[@]}" "$@"
}

# begin: starts the run, which goes on until there is a file `enough`; sets $pid.
begin() {
  local member name members=
  for member in tpcc:4 tpcb:2 bank:2 counter:2 queue:4 json:2 crossing:3; do
    name=${member%:*}
    until_enough "$name" "until_$name.lua"
    members+=,$name=./until_$name.lua:${member#*:}
  done
  "$BENCH" --mix="${members#,}" "${tables[@]}" "${to[@]}" --time=$((CHECKED_SECONDS + 600)) \
    --db-ignore-errors=all --report-interval=1 run >out 2>err &
  pid=$!
}

# end_sessions: the server ends the sessions of the run.
end_sessions() {
  local id
  if [ "$kind" = pgsql ]; then
    servers sql "$BATS_FILE_TMPDIR/pgsql" \
      "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'sbtest'" >/dev/null
    return
  fi
  for id in $(servers sql "$BATS_FILE_TMPDIR/mysql" "SELECT id FROM information_schema.processlist WHERE user = 'sbtest'"); do
    # one that has gone meanwhile is none to be killed
    servers sql "$BATS_FILE_TMPDIR/mysql" "KILL $id" >/dev/null 2>&1 || :
  done
}

survives() {
  local from until pid
  aim "$1"
  mix --table-exists=drop prepare >out 2>err || { cat out err; return 1; }
  begin
  goes_on $pid 0
  until=$((SECONDS + CHECKED_SECONDS))
  while :; do
    from=$(wc -l <out)
    end_sessions
    goes_on $pid "$from"
    servers kill9 "$BATS_FILE_TMPDIR/$kind"
    servers restart "$BATS_FILE_TMPDIR/$kind"
    from=$(wc -l <out)
    goes_on $pid "$from"
    ((SECONDS < until)) || break
  done
  touch enough
  wait $pid || { cat out err; return 1; }
  grep -Eq '^    reconnects: +[1-9]' out || { cat out err; return 1; }
  # the transactions that have crossed
  grep -Eq "error (40P01|1213)" err || { cat out err; return 1; }
  aim "$1" # the server may have another port
  mix check >out 2>err || { cat out err; return 1; }
  for line in '^New orders of all runs: [1-9].*ok$' '^Checking balances and the history of .* ok$' \
    'Transfers of all runs: [1-9].*ok$' 'Increments of all runs: [1-9].*ok$' \
    'Jobs done of all runs: [1-9].*ok$' 'Updates of all runs: [1-9].*ok$'; do
    grep -Eq "$line" out || { echo "wanted: $line"; cat out; return 1; }
  done
  # half of a transfer is found
  "$BENCH" ./half.lua "${to[@]}" prepare
  mix check >out 2>err && { cat out; return 1; }
  grep -Eq "^Checking table 'bank_accounts'... .*sum of balance is " out || { cat out err; return 1; }
  mix cleanup >out 2>err
}

@test "mysql: deadlocks, dead sessions, a server that is killed: nothing is lost, nothing twice" {
  need_kind mysql
  survives mysql
}

@test "pgsql: deadlocks, dead sessions, a server that is killed: nothing is lost, nothing twice" {
  need_kind pgsql
  survives pgsql
}
