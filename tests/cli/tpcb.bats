#!/usr/bin/env bats
# The script tpcb on SQLite; tests/db/tpcb.bats has servers.

load helper
NEEDS_DRIVER=sqlite

setup_tpcb() {
  . "$BENCH_SRC/tests/db/tpcb.bash"
  to=(--db-driver=sqlite --sqlite-db="$PWD/tpcb.db" --sqlite-synchronous=off)
  # shellcheck disable=SC2034
  integer=INTEGER
}

@test "tpcb: prepare, run, check, and what check finds" {
  setup_tpcb
  tpcb_life
  tpcb_mutations
}

@test "tpcb: resume" {
  setup_tpcb
  tpcb_resume
}

# share: percent of the events whose account is of another branch.
share() {
  sql 'SELECT ROUND(100.0 * SUM((aid - 1) / 100000 + 1 <> bid) / COUNT(*), 1) FROM pgbench_history'
}

@test "tpcb: --remote is the share of accounts of other branches" {
  setup_tpcb
  good --scale=3 prepare
  for remote in 0 100; do
    good --remote=$remote --events=300 --time=0 run
    must is "$(share)" "$remote.0"
    [ "$(sql 'SELECT COUNT(*) FROM pgbench_history WHERE (tid - 1) / 10 + 1 <> bid')" = 0 ]
    sql 'DELETE FROM pgbench_history'
  done
  # Four standard deviations of 2000 draws are 3.2 %.
  good --remote=15 --events=2000 --time=0 --rand-seed=1 run
  must [ "$(share | awk '{ print ($1 > 11.8 && $1 < 18.2) }')" -eq 1 ]
  sql 'DELETE FROM pgbench_history'
  # Without the option, a third of the accounts are of the branch.
  good --events=2000 --time=0 --rand-seed=1 run
  must [ "$(share | awk '{ print ($1 > 62.4 && $1 < 70.9) }')" -eq 1 ]
}

@test "tpcb: tables that are not there, and values that are refused" {
  setup_tpcb
  bad "did you run the prepare command" run
  bad "--remote|'remote'" --remote=101 run
  bad "scale" --scale=20000 prepare
  bad 'null driver keeps no tables' --db-driver=null check
  good --db-driver=null --events=5 --time=0 run
}
