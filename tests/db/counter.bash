# shellcheck shell=bash
# counter.bash - what the tests of the script counter do on every database; to
# be sourced.
. "$BENCH_SRC/tests/db/workload.bash"
# shellcheck disable=SC2034
workload=counter

# The table is loaded, run in all ways, and checked.
counter_life() {
  good --hot-rows=3 --threads=2 prepare
  good check
  says "^Checking table 'counter_rows'... ok$"
  good --threads=2 --events=300 --time=0 --json=c.json run
  says '^Increments of the run: 300 committed, 0 with unknown outcome, the tables have 300: ok$'
  python3 -c 'import json
d = json.load(open("c.json"))
assert d["test"]["reconciliation"] == {"committed": 300, "unknown": 0, "in_tables": 300, "verdict": "ok"}, d["test"]
assert d["totals"]["counters"]["increments"] == 300'
  good --threads=2 --autocommit --events=100 --time=0 run
  says '^ +other: +0$'
  good check
  says '^counter_rows: sum of n: Increments of all runs: 400 committed, 0 with unknown outcome, the tables have 400: ok$'
  bad 'the tables were made with --hot-rows=3, not 4' --hot-rows=4 run
  bad 'for_update locks a row until the transaction ends: it is not possible with --autocommit=on' \
    --method=for_update --autocommit run
}

# Each thing that may go wrong is named.
counter_mutations() {
  broken 'counter_rows: sum of n: .* 400 committed, 0 with unknown outcome, the tables have 399: 1 are LOST' \
    'UPDATE counter_rows SET n = n - 1 WHERE id = 2' \
    'UPDATE counter_rows SET n = n + 1 WHERE id = 2'
  broken 'counter_rows: sum of n: .* the tables have 401: nobody has committed 1' \
    'UPDATE counter_rows SET n = n + 1 WHERE id = 1' \
    'UPDATE counter_rows SET n = n - 1 WHERE id = 1'
  broken "'counter_rows'... n is negative in 1 row of counter_rows, the first has id 3" \
    'UPDATE counter_rows SET n = n + CASE id WHEN 3 THEN -1000 ELSE 1000 END WHERE id IN (2, 3)' \
    'UPDATE counter_rows SET n = n - CASE id WHEN 3 THEN -1000 ELSE 1000 END WHERE id IN (2, 3)'
  broken "'counter_rows'... 1 row missing, the first is row 2" \
    'UPDATE counter_rows SET id = 9 WHERE id = 2' 'UPDATE counter_rows SET id = 2 WHERE id = 9'
  broken "'counter_rows'... .*1 row with keys that do not belong here" \
    'INSERT INTO counter_rows VALUES (4, 0)' 'DELETE FROM counter_rows WHERE id = 4'
  good check
  # A run that did not end makes the upper limit unknown, not the lower one.
  sql 'UPDATE bench_counter SET open_runs = 1' 'UPDATE counter_rows SET n = n + 1 WHERE id = 1'
  good check
  says 'Increments of all runs: cannot tell: 1 did not end properly or still run; 400 committed by those that have ended, the tables have 401$'
  sql 'UPDATE counter_rows SET n = n - 2 WHERE id = 1'
  bad '1 are LOST' check
}

# Rows that an interrupted prepare has not loaded, and other tables.
counter_resume() {
  good --hot-rows=50 --table-exists=drop prepare
  sql 'DELETE FROM counter_rows WHERE id > 20'
  good --hot-rows=50 --table-exists=resume prepare
  good check
  bad 'resume is not possible: the tables were made with --hot-rows=50, not 40' --hot-rows=40 --table-exists=resume prepare
  bad '' --hot-rows=50 prepare
  sql 'UPDATE bench_counter SET version = 9'
  bad 'the tables have version 9' run
  good cleanup
  lacks_table bench_counter
}
