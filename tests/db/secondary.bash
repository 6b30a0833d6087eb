# shellcheck shell=bash
# secondary.bash - what the tests of the script secondary do on every database;
# to be sourced.
. "$BENCH_SRC/tests/db/workload.bash"
# shellcheck disable=SC2034
workload=secondary

# The table is loaded, read in all ways, and checked.
secondary_life() {
  local query rows

  good --keys=40 --rows-per-key=5 --threads=2 prepare
  good check
  says "^Checking table 'secondary_rows'... ok$"
  says "^Checking index 'secondary_k'... ok$"
  for query in point:5 range:35 covered:35 inlist: hot_points:30; do
    good --query="${query%:*}" --range-size=7 --in-size=6 --threads=2 --events=20 --time=0 --report-classes run
    rows=${query#*:}
    [ -z "$rows" ] || rows=$((20 * rows))
    says "^Results compared with what was loaded: 20, with ${rows:-[0-9]+} rows: ok$"
    says "^ +100\.0% +20 +0 .* ${query%:*}$"
  done
  # Lists and ranges that are longer than the table.
  good --range-size=1000 --in-size=1000 --threads=2 --clients=6 --events=60 --time=0 --json=s.json run
  python3 -c 'import json
d = json.load(open("s.json"))
c = d["test"]["compared"]
assert c["results"] == 60 and 60 * 5 < c["rows"] < 60 * 200, c
assert d["totals"]["counters"]["rows compared"] == c["rows"]'
  bad 'the tables were made with --rows-per-key=5, not 4' --rows-per-key=4 run
}

# sees PATTERN BREAK MEND: a run that reads all values ends and names what BREAK
# has done, until MEND.
sees() {
  sql "$2"
  bad "secondary: table secondary_rows, k $1" --query=range --range-size=40 --events=3 --time=0 run
  [ "$(grep -c '^Results compared' out)" = 0 ]
  sql "$3"
}

# secondary_mutations [TEXT]: each thing that may go wrong is named, by check and
# by run.  TEXT: what DROP INDEX needs after the name.
secondary_mutations() {
  local k id v c
  id=29
  k=$(sql "SELECT k FROM secondary_rows WHERE id = $id")
  c=$(sql "SELECT c FROM secondary_rows WHERE id = $id")
  v=$(sql "SELECT v FROM secondary_rows WHERE id = $id")

  broken "'secondary_rows'... 1 row with another k, the first is row 29$" \
    "UPDATE secondary_rows SET k = k + 100 WHERE id = $id" "UPDATE secondary_rows SET k = k - 100 WHERE id = $id"
  broken "'secondary_rows'... 1 row with another v, the first is row 29$" \
    "UPDATE secondary_rows SET v = v + 1 WHERE id = $id" "UPDATE secondary_rows SET v = v - 1 WHERE id = $id"
  broken "'secondary_rows'... 1 row missing, the first is row 29" \
    "UPDATE secondary_rows SET id = 900 WHERE id = $id" "UPDATE secondary_rows SET id = $id WHERE id = 900"
  broken "'secondary_rows'... 1 row with another c, the first is row 29$" \
    "UPDATE secondary_rows SET c = '' WHERE id = $id" "UPDATE secondary_rows SET c = '$c' WHERE id = $id"
  good check
  sees "$k: range: 4 rows, 5 were loaded" \
    "UPDATE secondary_rows SET k = 1000 WHERE id = $id" "UPDATE secondary_rows SET k = $k WHERE id = $id"
  sees "$k: range: sum of id is [0-9]+, that of the loaded rows is [0-9]+" \
    "UPDATE secondary_rows SET id = 900 WHERE id = $id" "UPDATE secondary_rows SET id = $id WHERE id = 900"
  sql "UPDATE secondary_rows SET v = v + 1 WHERE id = $id"
  bad "k $k: covered: sum of v is [0-9]+, that" --query=covered --range-size=40 --events=3 --time=0 run
  # The other columns are right.
  good --query=range --range-size=40 --events=3 --time=0 run
  sql "UPDATE secondary_rows SET v = $v WHERE id = $id"
  good check
  sql "DROP INDEX secondary_k${1:-}"
  bad "^Checking index 'secondary_k'... it does not exist$" check
  bad 'secondary_rows has no index secondary_k; use prepare with --table-exists=resume' --events=1 run
  good --keys=40 --rows-per-key=5 --table-exists=resume prepare
  good check
}

# Rows that an interrupted prepare has not loaded, and other tables.
secondary_resume() {
  local row

  good --keys=30 --table-exists=drop prepare
  sql 'DELETE FROM secondary_rows WHERE id > 120'
  bad "'secondary_rows'... 180 rows missing, the first is row 121" check
  good --keys=30 --table-exists=resume prepare
  good check
  bad 'resume is not possible: the tables were made with --data-seed=1, not 2' --keys=30 --data-seed=2 --table-exists=resume prepare
  row=$(sql 'SELECT k, v, c FROM secondary_rows WHERE id = 5')
  good --keys=30 --data-seed=2 --table-exists=drop prepare
  [ "$row" != "$(sql 'SELECT k, v, c FROM secondary_rows WHERE id = 5')" ]
  good check
  good --threads=2 --events=50 --time=0 run
  good cleanup
  lacks_table bench_secondary
}
