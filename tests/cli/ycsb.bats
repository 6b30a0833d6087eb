#!/usr/bin/env bats
# The script ycsb on SQLite; tests/db/ycsb.bats has servers.

load helper
NEEDS_DRIVER=sqlite

setup_ycsb() {
  . "$BENCH_SRC/tests/db/ycsb.bash"
  to=(--db-driver=sqlite --sqlite-db="$PWD/ycsb.db" --sqlite-synchronous=off)
}

@test "ycsb: A to F, and check, with hashed texts as keys" {
  setup_ycsb
  ycsb_life
}

@test "ycsb: A to F, and check, with hashed and with ordered numbers as keys" {
  setup_ycsb
  ycsb_life --key=int
  good cleanup
  ycsb_life --key=int --order=ordered --fields=3 --field-length=20
  [ "$(sql 'SELECT MIN(ycsb_key) FROM usertable')" = 1 ]
}

@test "ycsb: what check and --check-reads find" {
  setup_ycsb
  ycsb_mutations
}

@test "ycsb: resume" {
  setup_ycsb
  ycsb_resume
  ycsb_resume --key=int
}

@test "ycsb: resume without --records is about the rows that prepare loads" {
  setup_ycsb
  good prepare
  sql "DELETE FROM usertable WHERE ycsb_key < 'user5'"
  good --table-exists=resume prepare
  good check
  bad 'tables were made with --records=1000, not 2000' --records=2000 --table-exists=resume prepare
}

@test "ycsb: classes of operations, and their figures in text and JSON" {
  setup_ycsb
  good prepare
  for letter in a e f; do
    good --workload=$letter --threads=2 --events=500 --time=0 --rand-seed=1 --report-classes --json=$letter.json run
  done
  python3 - <<'PY'
import json
def classes(name):
    document = json.load(open(name + ".json"))
    return {c["name"] for c in document["classes"]}, document["test"]
names, test = classes("a")
assert names == {"read", "update"}, names
assert test["workload"] == "a" and test["records"] == 1000 and test["key"] == "string"
assert test["order"] == "hashed" and test["distribution"] == "zipfian" and test["zipf"] == "exact"
operations = test["operations"]
assert sum(o["count"] for o in operations.values()) == 500, operations
names, test = classes("e")
assert names == {"scan", "insert"}, names
scans = test["operations"]["scan"]["count"]
assert 40 < test["scans"]["rows"] / scans < 60, test
inserts = test["inserts"]
assert inserts["acknowledged"] == test["operations"]["insert"]["count"] and inserts["unknown"] == 0
names, test = classes("f")
assert names == {"read", "rmw begin", "rmw read", "rmw write", "rmw commit"}, names
assert test["read_modify_write"]["p99_ms"] > 0
PY
}

@test "ycsb: the rows of a run without an orderly end are known to later ones" {
  setup_ycsb
  good --records=200 --order=ordered prepare
  ycsb_run d
  sql 'UPDATE bench_ycsb_runs SET begun = -1, readable = 0, acknowledged = 0'
  good check
  grep -q 'without 1 process that has not ended in order)\?\.\.\. cannot tell$' out || shown check
  ycsb_run d
  ycsb_run e
  [ "$(sql 'SELECT COUNT(*) FROM bench_ycsb_runs WHERE begun > 0 AND readable = begun AND acknowledged = begun')" = 2 ]
  # their keys are beyond all that the first one may have used
  [ "$(sql 'SELECT MIN(first) FROM bench_ycsb_runs WHERE begun > 0')" = $((201 + (1 << 40))) ]
  good check
}

@test "ycsb: an event that is restarted repeats its insert" {
  setup_ycsb
  good --records=50 prepare
  # Every third event is restarted after its statement.
  cat >both.lua <<'LUA'
require("ycsb")
local own, before = event, sysbench.hooks.before_restart_event
local n, failed = 0, 0
function event()
   own()
   n = n + 1
   -- the statement has succeeded, and the event does not know
   if n % 3 == 0 then
      failed = failed + 1
      error({errcode = sysbench.error.RESTART_EVENT, sql_errno = 0, sql_state = ""}, 0)
   end
end
LUA
  status=0
  LUA_PATH="./?.lua;$BENCH_SRC/src/lua/scripts/?.lua;;" "$BENCH" ./both.lua "${to[@]}" \
    --workload=d --check-reads --threads=2 --events=2000 --time=0 run >out 2>err || status=$?
  [ "$status" -eq 0 ] || shown run
  grep -Eq 'after [1-9][0-9]* restarts the row was there' out || shown run
  good check
}

@test "ycsb: several connections, a rate, a sweep, and the null driver" {
  setup_ycsb
  good --records=300 prepare
  good --workload=b --threads=2 --rate=2000 --events=200 --time=0 run
  [ "$(found read | cut -d' ' -f1)" -gt 100 ]
  good --workload=e --sweep=threads:1,2 --events=50 --time=0 run
  good check
  [ "$(sql 'SELECT COUNT(*) FROM bench_ycsb_runs WHERE begun >= 0')" = 2 ]
  for letter in a b c d e f; do
    good --db-driver=null --workload=$letter --threads=2 --events=300 --time=0 run
    ! grep -Eq ' [1-9][0-9]*$' <(grep -E '^    (read|update|insert|scan) ' out) || shown $letter
  done
  good --db-driver=null --clients=20 --threads=2 --workload=d --events=300 --time=0 run
  bad 'null driver keeps no tables' --db-driver=null check
}

@test "ycsb: options that exclude each other or the tables" {
  setup_ycsb
  good --key=int prepare
  bad '--zipf=java is a zipfian distribution, but that of the rows is latest' --zipf=java --workload=d run
  bad '--zipf=java has the exponent 0.99' --zipf=java --skew=0.5 run
  bad 'made with --records=1000, not 10' --records=10 run
  bad 'made with --order=hashed, not ordered' --order=ordered run
  bad 'exist' prepare
  sql 'UPDATE bench_ycsb SET version = 7'
  bad 'the tables have version 7, this program makes and runs version 1' run
}
