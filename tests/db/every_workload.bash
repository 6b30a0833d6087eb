# shellcheck shell=bash
# every_workload.bash - what all workloads with a check of their own can do, the
# same for each of them, on every database; to be sourced.
. "$BENCH_SRC/tests/db/workload.bash"

# Each line: workload | options of prepare | its largest table | the rows of it
# that an interrupted prepare has not loaded (none: it has no rows at first) |
# values of an option to sweep, which shapes the tables if they have rows |
# options of run | classes of statements, of which there is one (A/B) | what is
# true of the member "test" (t) of the results after a run.
every_workload() {
  local ok='t["reconciliation"]["verdict"] == "ok"'
  cat <<TABLE
bank|--accounts=900|bank_accounts|id > 350|accounts:2,5||take|$ok and t["totals"]["verdict"] == "ok"
counter|--hot-rows=900|counter_rows|id > 350|rows:1,4||UPDATE counter_rows SET n = n + 1 WHERE id = ?|$ok
ingest||ingest_rows||data-length:5,20|--rows-per-commit=3|insert|$ok and t["step"] == "l.i0"
json|--documents=900 --groups=50|json_docs|id > 350|groups:3,9|--updates=50|find|$ok and t["compared"]["documents"] > 0
queue||queue_jobs||payload:5,20||enqueue/look/claim|all(r["verdict"] == "ok" for r in t["reconciliation"].values())
secondary|--keys=90|secondary_rows|id > 350|keys:20,30|--query=point|point|t["compared"]["results"] > 0
tpcb|--scale=1|pgbench_accounts|aid > 40000|scale:1,2||UPDATE pgbench_accounts SET abalance = abalance + ? WHERE aid = ?|$ok
tpcc|--warehouses=1 --customers=30 --items=100|order_line|ol_d_id > 4|warehouses:1,2||SELECT w_tax FROM warehouse WHERE w_id = ?|$ok
ycsb|--records=900|usertable|ycsb_key < 'user5'|records:50,70|--check-reads|read|sum(o["not_found"] for o in t["operations"].values()) == 0
TABLE
}

# for_every_workload COMMAND...: runs it for each of them.
# shellcheck disable=SC2034 # what COMMAND uses
for_every_workload() {
  local made table part sweep with class proof
  while IFS='|' read -r workload made table part sweep with class proof; do
    # shellcheck disable=SC2206 # several options
    made=($made) with=($with)
    echo "workload: $workload"
    "$@" </dev/null
  done < <(every_workload)
}

# proves FILE [PYTHON]: the results say that all is right, and this.
proves() {
  python3 - "$1" "$proof" "$class" "${2:-True}" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
for d in [s["result"] for s in d["steps"]] if "steps" in d else [d]:
    t = d["test"]
    names = [c["name"] for c in d["classes"]]
    assert eval(sys.argv[2]), t
    assert any(c in names for c in sys.argv[3].split("/")), names
    assert eval(sys.argv[4]), d["run"]
PY
}

# prepare: its progress, tables that exist, one that was interrupted.
prepares() {
  good --threads=2 "${made[@]}" prepare
  [ -z "$part" ] || says '^Loaded [1-9][0-9]* rows in [0-9.]+ s, [0-9]+ rows/s$'
  good "${made[@]}" check
  case $workload in # the others have nothing to compare, or compare by groups
    bank | counter | json | secondary | tpcb | ycsb)
      says '^Checked [1-9][0-9]* rows in [0-9.]+ s, [0-9]+ rows/s$' ;;
  esac
  bad "$table.* already exists" "${made[@]}" prepare
  good --table-exists=skip "${made[@]}" prepare
  says "^Skipping table '$table': it exists$"
  good "${made[@]}" check
  if [ -n "$part" ]; then
    sql "DELETE FROM $table WHERE $part"
    bad '(missing|lines NULL)' "${made[@]}" check
    good --threads=3 --table-exists=resume "${made[@]}" prepare
    says "^Resuming table '$table'...$"
    good "${made[@]}" check
  fi
  good --table-exists=drop --threads=2 "${made[@]}" prepare
  says "^Dropping table '$table'...$"
  good "${made[@]}" check
  removed
}

# cleanup: nothing is left, and nothing is no error.
removed() {
  good cleanup
  good cleanup
  bad '.' "${made[@]}" check
}

# run: threads, clients that share threads, sweeps, and check after all.
runs() {
  good --threads=2 "${made[@]}" prepare
  good --threads=3 "${with[@]}" "${made[@]}" --events=120 --time=0 --json=r.json run
  # A look at an empty queue takes the place of an event, and is none.
  proves r.json '(d["totals"]["events"] == 120 or d["run"]["test"] == "queue") and d["run"].get("clients", d["run"]["threads"]) == 3'
  good --threads=2 --clients=7 "${with[@]}" "${made[@]}" --events=140 --time=0 --json=r.json run
  proves r.json 'd["totals"]["events"] == 140 or d["run"]["test"] == "queue"'
  says '^Number of clients: 7 on 2 threads$'
  good --sweep=threads:1,3 --repeat=2 "${with[@]}" "${made[@]}" --events=30 --time=0 --json=r.json run
  proves r.json
  good "${made[@]}" check
  # tables of other sizes are made and removed
  good --sweep="$sweep" --sweep-prepare=on "${with[@]}" --threads=2 "${made[@]}" --events=30 --time=0 --sweep-format=csv --json=r.json run
  proves r.json
  if [ -n "$part" ]; then
    bad '.' "${made[@]}" check
  fi
  removed
}
