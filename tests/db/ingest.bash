# shellcheck shell=bash
# ingest.bash - what the tests of the script ingest do on every database; to be
# sourced.
. "$BENCH_SRC/tests/db/workload.bash"
# shellcheck disable=SC2034
workload=ingest

rows_are() {
  local there
  there=$(sql 'SELECT COUNT(*), MIN(transactionid), MAX(transactionid) FROM ingest_rows')
  [ "$there" = "$1" ] || {
    printf 'rows: %s, wanted: %s\n' "$there" "$1"
    return 1
  }
}

# ingested N: the last run has reconciled these rows.
ingested() {
  says "^Rows inserted of the run: $1 committed, 0 with unknown outcome, the tables have $1: ok$"
}

# The steps, in their order.
ingest_life() {
  good prepare
  good check
  bad '--step=l.i1 needs the secondary indexes: run --step=l.x first' --step=l.i1 run
  good --threads=2 --events=20 --time=0 --json=i.json run
  ingested 2000
  rows_are '2000 1 2000'
  says '^Ingest, --step=l.i0, --rows-per-commit=100:$'
  says '^    worst stall: [0-9]+\.[0-9]{3} s without an insert, after [0-9]+\.[0-9]{3} s$'
  python3 -c 'import json
d = json.load(open("i.json"))
t = d["test"]
assert t["step"] == "l.i0" and t["rows_per_commit"] == 100, t
assert sum(t["inserted"].values()) == 2000, t
assert 0 < t["stall_s"] < d["totals"]["elapsed_s"] and t["stall_at_s"] + t["stall_s"] <= d["totals"]["elapsed_s"], t
assert d["totals"]["counters"]["rows"] == 2000, d["totals"]
assert {"insert", "commit"} <= {c["name"] for c in d["classes"]}, d["classes"]'
  good check
  good --step=l.x --threads=2 --time=600 run
  says '^    total number of events: +3$'
  bad '--step=l.x: the secondary indexes exist' --step=l.x run
  bad '--step=l.i0 loads a table without secondary indexes, but they exist' run
  good --step=l.i1 --rows-per-commit=2 --threads=2 --events=200 --time=0 run
  ingested 400
  rows_are '2000 401 2400'
  good --step=l.i2 --threads=2 --events=100 --time=0 run
  ingested 500
  rows_are '2000 901 2900'
  good --step=l.i2 --rows-per-commit=1 --delete-per-insert=off --threads=2 --events=10 --time=0 run
  rows_are '2010 901 2910'
  good --step=q --threads=2 --insert-rate=0 --events=50 --time=0 run
  ingested 0
  says '^ +read: +50$'
  # All inserts are due, so no event is a query.
  good --step=q --threads=1 --insert-rate=1000000000 --rows-per-commit=3 --events=50 --time=0 run
  ingested 150
  rows_are '2010 1051 3060'
  good check
  for index in marketsegment registersegment pdc; do
    says "^Checking index 'ingest_$index'... ok$"
  done
  says '^ingest_rows: Rows inserted of all runs: 3060 committed, 0 with unknown outcome, the tables have 3060: ok$'
}

# Each thing that may go wrong is named.
ingest_mutations() {
  broken "'ingest_rows'... 1 row is missing, but only 0 had an unknown outcome: rows are LOST, the first has transactionid 2222" \
    'UPDATE ingest_rows SET transactionid = -2222 WHERE transactionid = 2222' \
    'UPDATE ingest_rows SET transactionid = 2222 WHERE transactionid = -2222'
  broken '2 rows are missing, .* the first has transactionid 1051' \
    'UPDATE ingest_rows SET transactionid = -transactionid WHERE transactionid IN (1051, 3059)' \
    'UPDATE ingest_rows SET transactionid = -transactionid WHERE transactionid < 0'
  broken '1 row is there that a run has deleted, but only 0 had an unknown outcome, the first has transactionid 5' \
    "INSERT INTO ingest_rows VALUES (5, 'x', 1, 1, 1, 1, 'x')" \
    'DELETE FROM ingest_rows WHERE transactionid = 5'
  # The newest row is gone without a gap: only the acknowledgement knows.
  broken 'ingest_rows: Rows inserted of all runs: .*: 1 are LOST' \
    'UPDATE ingest_rows SET transactionid = -3060 WHERE transactionid = 3060' \
    'UPDATE ingest_rows SET transactionid = 3060 WHERE transactionid = -3060'
  broken 'ingest_rows: Rows inserted of all runs: .*: nobody has committed 1' \
    "INSERT INTO ingest_rows VALUES (3061, 'x', 1, 1, 1, 1, 'x')" \
    'DELETE FROM ingest_rows WHERE transactionid = 3061'
  good check
}
