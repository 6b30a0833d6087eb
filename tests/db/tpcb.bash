# shellcheck shell=bash
# tpcb.bash - what the tests of the script tpcb do on every database; to be
# sourced.  The caller sets the array `to`, the options that lead there.

. "$BENCH_SRC/tests/db/workload.bash"
# shellcheck disable=SC2034
workload=tpcb

# The tables are loaded, run and checked.
tpcb_life() {
  good --scale=2 --threads=2 prepare
  good --scale=2 check
  grep -q "history of 0 rows... ok" out
  good --threads=2 --events=200 --time=0 run
  ! grep -q -e '--scale' err || shown run
  grep -q '^Events of the run: 200 committed, 0 with unknown outcome, the tables have 200: ok$' out || shown run
  good --acknowledged=200 check
  grep -q "Checking balances and the history of 200 rows... ok" out
  bad 'pgbench_history has 200 rows, --acknowledged is 201: events are lost' \
    --acknowledged=201 check
  [ "$(sql 'SELECT COUNT(*) FROM pgbench_history WHERE delta BETWEEN -5000 AND 5000 AND mtime IS NOT NULL')" = 200 ]
  good --threads=3 --events=3 --time=0 run
  grep -q 'WARNING: --scale is 2, with 3 threads' err
  bad 'pgbench_branches has 2 rows, but --scale is 3' --scale=3 run
  tpcb_not_compared
}

# The history is long, or its rows are not to be counted; it has 203.
tpcb_not_compared() {
  good --events=1 --threads=1 --time=0 --compare-rows=203 run
  grep -q '^Events of the run: 1 committed, .*: ok$' out || shown run
  good --events=1 --threads=1 --time=0 --compare-rows=203 run
  grep -q '^Events of the run: not compared: pgbench_history has more than --compare-rows=203 rows$' out || shown run
  good --events=1 --threads=1 --time=0 --compare-rows=0 run
  grep -q '^Events of the run: not compared: --compare-rows=0$' out || shown run
}

# A run finds out that its event is lost.
tpcb_lost() {
  cat >loses.lua <<'LUA'
require("tpcb")
local real = sysbench.hooks.report_append
function sysbench.hooks.report_append(stat)
  local con = sysbench.sql.driver():connect()
  con:query("DELETE FROM pgbench_history WHERE mtime = (SELECT last FROM (SELECT MAX(mtime) AS last FROM pgbench_history) h)")
  con:disconnect()
  return real(stat)
end
LUA
  workload=./loses.lua
  bad '^FATAL: done\(\) failed: Events of the run: 1 committed, .*: [1-9][0-9]* are LOST$' --threads=1 --events=1 --time=0 run
  workload=tpcb
}

# Each thing that may go wrong is named, on tables that have had events.
tpcb_mutations() {
  broken 'sum of pgbench_tellers.tbalance is -?[0-9]+, sum of pgbench_accounts.abalance is' \
    'UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = 7' \
    'UPDATE pgbench_accounts SET abalance = abalance - 1 WHERE aid = 7'
  # Two errors that cancel in the sums.
  broken 'pgbench_accounts.abalance is not the sum of pgbench_history.delta in 2 rows, the first has aid 7' \
    'UPDATE pgbench_accounts SET abalance = abalance + CASE aid WHEN 7 THEN 1 ELSE -1 END WHERE aid IN (7, 150000)' \
    'UPDATE pgbench_accounts SET abalance = abalance - CASE aid WHEN 7 THEN 1 ELSE -1 END WHERE aid IN (7, 150000)'
  broken 'pgbench_tellers.tbalance is not the sum of pgbench_history.delta in 1 row, the first has tid 20' \
    'UPDATE pgbench_tellers SET tbalance = tbalance + 1 WHERE tid = 20' \
    'UPDATE pgbench_tellers SET tbalance = tbalance - 1 WHERE tid = 20'
  broken 'sum of pgbench_branches.bbalance is' \
    'UPDATE pgbench_branches SET bbalance = bbalance - 5 WHERE bid = 2' \
    'UPDATE pgbench_branches SET bbalance = bbalance + 5 WHERE bid = 2'
  broken 'pgbench_branches.bbalance is NULL in 1 of 2 rows' \
    'UPDATE pgbench_branches SET filler = bbalance, bbalance = NULL WHERE bid = 1' \
    'UPDATE pgbench_branches SET bbalance = CAST(filler AS '"$integer"'), filler = NULL WHERE bid = 1'
  broken "table 'pgbench_accounts'... 1 row missing, the first is row 100001" \
    'UPDATE pgbench_accounts SET aid = 200001 WHERE aid = 100001' \
    'UPDATE pgbench_accounts SET aid = 100001 WHERE aid = 200001'
  broken "'pgbench_accounts'... .*1 row with keys that do not belong here" \
    'INSERT INTO pgbench_accounts VALUES (0, 1, 0, NULL)' \
    'DELETE FROM pgbench_accounts WHERE aid = 0'
  broken "'pgbench_tellers'... 1 row with another bid, the first is row 11" \
    'UPDATE pgbench_tellers SET bid = 1 WHERE tid = 11' \
    'UPDATE pgbench_tellers SET bid = 2 WHERE tid = 11'
  broken 'sum of pgbench_history.delta is' \
    'INSERT INTO pgbench_history (tid, bid, aid, delta) VALUES (1, 1, 1, 3)' \
    'DELETE FROM pgbench_history WHERE mtime IS NULL'
  broken '1 row of pgbench_history whose tid is not in pgbench_tellers' \
    'INSERT INTO pgbench_history (tid, bid, aid, delta) VALUES (99, 1, 1, 0)' \
    'DELETE FROM pgbench_history WHERE mtime IS NULL'
  broken 'pgbench_history.delta is NULL in 1 of' \
    'INSERT INTO pgbench_history (tid, bid, aid) VALUES (1, 1, 1)' \
    'DELETE FROM pgbench_history WHERE mtime IS NULL'
  good check
  tpcb_lost
  sql 'DELETE FROM pgbench_history'
  bad 'sum of pgbench_history.delta is 0' check
  good --history=off check
  sql 'DROP TABLE pgbench_history'
  bad "'pgbench_history'... it does not exist" check
  good cleanup
  [ "$(grep -c Dropping out)" -eq 3 ] # the history is gone already
}

# Rows that an interrupted prepare has not loaded, and rows of another load.
tpcb_resume() {
  good --scale=1 --threads=2 prepare
  sql 'DROP TABLE pgbench_tellers' \
    'DELETE FROM pgbench_accounts WHERE aid BETWEEN 60100 AND 60200' \
    'DELETE FROM pgbench_accounts WHERE aid > 90000'
  bad '101 rows missing|10101 rows missing, the first is row 60100' check
  good --scale=1 --table-exists=resume --threads=2 prepare
  good --scale=1 check
  sql 'UPDATE pgbench_branches SET bbalance = 1'
  bad 'its row 1 does not belong to this load: resume needs the same --scale' \
    --scale=1 --table-exists=resume prepare
  good cleanup
  good --scale=2 prepare
  bad 'it has rows that are not of a table of 100000 rows: drop it, or give the --scale' \
    --scale=1 --table-exists=resume prepare
  good --scale=1 --table-exists=drop prepare
  good --scale=1 check
  bad '' prepare
  good cleanup
}
