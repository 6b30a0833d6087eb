#!/usr/bin/env bats
# truth.bats - the rows of truth.sh: failures that are made for real, and what
# `bench verify` says about them.  TRUTH=all has more rows, KILLS=20 kills the
# server of a row more often, CALM=20 makes more runs in which nothing happens.

row() {
  local status=0
  BENCH=$BENCH KILLS=${KILLS:-1} SLACK=${SLACK:-0.02} timeout --signal=TERM 300 "$BENCH_SRC/tests/fault/truth.sh" "$1" 3>&- || status=$?
  ((status != 77)) || skip 'no such server is installed'
  return "$status"
}

all() {
  [[ ${TRUTH-} == all ]] || skip 'TRUTH=all has it'
}

needs() {
  "$BENCH" --db-driver=help 2>&1 | grep -q "^ *$1" || skip "built without $1"
}

@test "pgsql, synchronous_commit=off, killed: a suffix is lost" { needs pgsql; row pgsql_off; }
@test "mysql, a log that is written once in a second, killed: a suffix is lost" { needs mysql; row mysql_off; }
@test "mysql, a log in the page cache, killed: nothing is lost" { needs mysql; all; row mysql_cache; }
@test "pgsql, killed: nothing is lost" { needs pgsql; row pgsql_on; }
@test "mysql, killed: nothing is lost" { needs mysql; row mysql_on; }
@test "pgsql, a standby that receives nothing is promoted: a suffix is lost" { needs pgsql; row standby_async; }
@test "pgsql, a synchronous standby is promoted: nothing is lost" { needs pgsql; row standby_sync; }
@test "pgsql, the answer to COMMIT is swallowed: recovered" { needs pgsql; row pgsql_answer; }
@test "pgsql, COMMIT is swallowed: absent, not lost" { needs pgsql; all; row pgsql_commit; }
@test "mysql, the answer to COMMIT is swallowed: recovered" { needs mysql; all; row mysql_answer; }
@test "mysql, COMMIT is swallowed: absent, not lost" { needs mysql; row mysql_commit; }
@test "pgsql, inserted again after an unknown outcome: duplicates" { needs pgsql; all; row retry; }
@test "pgsql, read-modify-write at READ COMMITTED: lost updates" { needs pgsql; row read_committed; }
@test "pgsql, the same at SERIALIZABLE: nothing" { needs pgsql; row serializable; }
@test "pgsql, the network is closed for two seconds under a rate" { needs pgsql; SLACK=5 row closed; }
@test "files are changed after fsync: each block is named" { row files; }
@test "bench is killed: its log has everything" { needs pgsql; all; row bench; }
@test "pgsql, nothing happens: nothing is lost, no anomaly" { needs pgsql; row calm_pgsql; }
@test "mysql, nothing happens: nothing is lost, no anomaly" { needs mysql; row calm_mysql; }
