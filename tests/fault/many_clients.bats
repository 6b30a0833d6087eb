#!/usr/bin/env bats
# many_clients.bats - a thousand clients on two threads, whose server is killed,
# and stands still.

. "$BENCH_SRC/tests/db/every_kind.bash"
. "$BENCH_SRC/tests/db/background.bash"

setup_file() {
  mysql_flags=(--max-connections=2100)
  pgsql_flags=(--max-connections=2100)
  start_kinds
}

teardown() {
  tidy_up
}

# at_work KIND ARG...: all clients have pauses, or the server would do nothing but
# serve them.
at_work() {
  aim "$1"
  "$BENCH" oltp_point_select "${to[@]}" --table-size=500 --table-exists=drop prepare
  in_background "$BENCH" oltp_point_select "${to[@]}" --table-size=500 --threads=2 --clients=1000 --think-time=uniform:1s:3s --time=600 \
    --thread-init-timeout=600 --report-interval=1 --server-stats=off --json=a.json "${@:2}" run
  within 300 grep -qE '^\[.* tps: [1-9]' out
}

# All have lost their connections, and have others: no pause is longer than three
# seconds, and in the last five nobody has lost one.
all_back() {
  grep -qE 'reconn/s: [0-9.]*[1-9]' out &&
    [ "$(tail -n 5 out | grep -cE '^\[.* tps: [1-9].* reconn/s: 0\.00$')" = 5 ]
}

killed() {
  at_work "$1" --db-ignore-errors=connection
  servers kill9 "$BATS_FILE_TMPDIR/$1"
  servers restart "$BATS_FILE_TMPDIR/$1"
  within 240 all_back
  kill -INT "$job"
  ended
  cat err
  [ "$status" = 130 ]
  [ "$(value a.json "d['totals']['reconnects'] >= 1000 and d['totals']['errors'] == 0")" = True ]
  [ "$(value a.json "d['client']['blocking_calls']")" = 0 ]
}

@test "mysql: a thousand clients, and a server that is killed" { killed mysql; }
@test "pgsql: a thousand clients, and a server that is killed" { killed pgsql; }

# Each client that has no pause waits for the server.
frozen_for_all() {
  at_work "$1" --forced-shutdown=1
  frozen "$1"
  sleep 4 # the longest pause is over
  kill -INT "$job"
  ended
  thawed
  tail -n 40 out
  cat err
  [ "$status" = 130 ]
  grep -q 'unfinished transactions on forced shutdown: 1000$' out
}

@test "mysql: a thousand clients, and a server that stands still" { frozen_for_all mysql; }
@test "pgsql: a thousand clients, and a server that stands still" { frozen_for_all pgsql; }
