#!/usr/bin/env bats
# One run of several processes against database servers: tables that they load
# together, counts that the server agrees with, and a server that dies.
. "$BENCH_SRC/tests/db/every_kind.bash"
load helper


setup_file() {
  start_kinds "" -2
}

# need KIND: its server runs; `to` has the options that lead there.  `dir` is
# the server, and there is another one of the kind at `$dir-2`.
need() {
  need_kind "$1"
  dir=$BATS_FILE_TMPDIR/$1
  to=(--db-driver="$1" "--$1-host=127.0.0.1" "--$1-port=${MY_PORT:-$PG_PORT}")
}

# sql WORDS: the answer of the server, about the database of the tests.
sql() {
  case $dir in
    *mysql) servers sql "$dir" "USE sbtest; $1" ;;
    *) servers sql "$dir" "$1" ;;
  esac
}

# ---- limits ----

# warns_of LIMIT: two processes that have room alone, but not together, are warned by
# process 0; that is so before any of their connections fails.
warns_of() {
  local threads=$(($1 * 6 / 10))
  ranks 2 select_random_points "${to[@]}" --threads=$threads --events=1 run
  must has "$stderr" "^WARNING: the server has room for [0-9]+ more connections, this run opens at least $((2 * threads)) \\(max_connections = $1\\)$"
  is "$(grep -c 'the server has room for' <<<"$stderr")" 1
}

@test "mysql: connections of all processes are compared with the limit of the server" {
  need mysql
  local limit
  limit=$(sql 'SELECT @@global.max_connections')
  sql 'SET GLOBAL max_connections = 20' >/dev/null
  warns_of 20
  sql "SET GLOBAL max_connections = $limit" >/dev/null
}

@test "pgsql: connections of all processes are compared with the limit of the server" {
  need pgsql
  warns_of "$(sql 'SHOW max_connections')"
}

# ---- prepare ----

one_table() {
  local size=60001
  ranks -0 3 oltp_common "${to[@]}" --table-size=$size --threads=2 prepare
  is "$(grep -c "Creating table 'sbtest1'" <<<"$output")" 1
  is "$(grep -c "Creating a secondary index" <<<"$output")" 1
  bench -0 oltp_common "${to[@]}" --table-size=$size check
}

# The same rows as one process makes, and nobody is left waiting when a table is
# there already, or is left as it is.
loads() {
  one_table
  ranks -0 3 oltp_common "${to[@]}" --table-size=60001 --table-exists=skip prepare
  ranks 3 oltp_common "${to[@]}" --table-size=60001 prepare
  [ "$status" -ne 0 ]
  has "$stderr" "the table 'sbtest1' already exists"
  # What is missing is loaded by whoever has those chunks.
  sql 'DELETE FROM sbtest1 WHERE id BETWEEN 12000 AND 31000' >/dev/null
  ranks -0 3 oltp_common "${to[@]}" --table-size=60001 --table-exists=resume prepare
  bench -0 oltp_common "${to[@]}" --table-size=60001 check
  # Two tables among three processes: one is loaded by two.
  bench oltp_common "${to[@]}" cleanup
  ranks -0 3 oltp_common "${to[@]}" --tables=2 --table-size=20000 prepare
  is "$(grep -o "Creating table 'sbtest[12]'" <<<"$output" | sort -u | wc -l | xargs)" 2
  is "$(grep -c "Creating table" <<<"$output")" 2
  bench -0 oltp_common "${to[@]}" --tables=2 --table-size=20000 check
  bench oltp_common "${to[@]}" --tables=2 cleanup
}

@test "mysql: one table is loaded by all processes" {
  need mysql
  loads
}

@test "pgsql: one table is loaded by all processes" {
  need pgsql
  loads
}

@test "mysql: every process sends its share of the rows" {
  need mysql
  local counts
  sql "SET GLOBAL general_log_file = 'general.log'; SET GLOBAL general_log = ON" >/dev/null
  ranks 3 oltp_common "${to[@]}" --table-size=60000 --load-method=insert prepare
  sql "SET GLOBAL general_log = OFF" >/dev/null
  must is "$status" 0
  # 12 chunks of 5000 rows, each in a transaction of its own.
  counts=$(sed -nE 's/^([0-9 :]*[ \t])?[ \t]*([0-9]+) (Query|Execute)[ \t]+COMMIT.*/\2/p' \
    "$MY_GENERAL_LOG" | sort | uniq -c | awk '{print $1}' | sort -n | xargs)
  bench oltp_common "${to[@]}" cleanup
  must is "$counts" "4 4 4"
}

# ---- run ----

statement_sums=("sum(r['events'] for r in d['ranks']) == d['totals']['events']"
  "sum(r['reads'] for r in d['ranks']) == d['totals']['queries']['read']"
  "sum(r['writes'] for r in d['ranks']) == d['totals']['queries']['write']"
  "sum(r['other'] for r in d['ranks']) == d['totals']['queries']['other']"
  "sum(r['errors'] for r in d['ranks']) == d['totals']['errors']"
  "all(r['events'] > 0 for r in d['ranks'])")

# number EXPRESSION: of the document run.json.
number() {
  python3 -c 'import json,sys; d=json.load(open("run.json")); print(eval(sys.argv[1]))' "$1"
}

@test "mysql: the server has counted what all processes report" {
  need mysql
  # commits, reads, writes
  server() {
    sql "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_commit', 'Com_select', 'Com_update', 'Com_insert', 'Com_delete')" |
      awk '/^Com_/ { n[$1] = $2 }
        END { print n["Com_commit"], n["Com_select"], n["Com_update"] + n["Com_insert"] + n["Com_delete"] }'
  }
  local before after errors
  bench oltp_read_write "${to[@]}" --table-size=20000 prepare
  read -ra before < <(server)
  ranks -0 3 oltp_read_write "${to[@]}" --table-size=20000 --threads=2 --time=2 --report-interval=1 \
    --server-stats=off --report-ranks --json=run.json run
  read -ra after < <(server)
  check run.json "${statement_sums[@]}"
  # A transaction that met a deadlock was begun again: the server has counted
  # the statement that failed, and the program has not.
  errors=$(number "d['totals']['errors']")
  is "$((after[0] - before[0]))" "$(number "d['totals']['events']")"
  between "$((after[1] - before[1]))" "$(number "d['totals']['queries']['read']")" "$errors"
  between "$((after[2] - before[2]))" "$(number "d['totals']['queries']['write']")" "$errors"
  bench oltp_read_write "${to[@]}" cleanup
}

# between N LEAST MORE: LEAST .. LEAST + MORE, and a few of the connections'
# own (SELECT @@version and the like).
between() {
  [ "$1" -ge "$2" ] && [ "$1" -le $(($2 + $3 + 20)) ] || {
    printf '%s is not in %s .. %s + %s + 20\n' "$1" "$2" "$2" "$3" >&2
    return 1
  }
}

@test "pgsql: the server has counted what all processes report" {
  need pgsql
  # updates, inserts, deletes of rows that were committed or not
  server() {
    sql "SELECT 'n', n_tup_upd, n_tup_ins, n_tup_del FROM pg_stat_user_tables WHERE relname = 'sbtest1'" |
      tr '|' ' ' | awk '$1 == "n" { print $2, $3, $4 }'
  }
  local before after errors events i
  bench oltp_read_write "${to[@]}" --table-size=20000 prepare
  # Sessions tell what they have done when they end: those that have loaded, too.
  until read -ra before < <(server) && [ "${before[1]:-0}" -ge 20000 ]; do sleep 0.1; done
  ranks -0 3 oltp_read_write "${to[@]}" --table-size=20000 --threads=2 --time=2 --report-interval=1 \
    --report-ranks --json=run.json run
  check run.json "${statement_sums[@]}"
  errors=$(number "d['totals']['errors']")
  events=$(number "d['totals']['events']")
  for ((i = 0; i < 100; i++)); do
    read -ra after < <(server)
    [ "$((after[1] - before[1]))" -ge "$events" ] && break
    sleep 0.1
  done
  # One insert per event.  An update or delete finds no row now and then, where
  # another transaction has just replaced it.
  between "$((after[1] - before[1]))" "$events" "$errors"
  [ "$((after[0] - before[0]))" -ge "$((2 * events * 95 / 100))" ]
  [ "$((after[2] - before[2]))" -ge "$((events * 95 / 100))" ]
  bench oltp_read_write "${to[@]}" cleanup
}

# ---- a server dies ----

# after_kill PYTHON: kill the second server, let all go on for some intervals,
# and look at the document.
after_kill() {
  local lines i
  servers kill9 "$dir-2"
  await err 'WARNING: process 1 on .* connection to .* lost'
  lines=$(grep -c '^\[ ' out)
  for ((i = 0; i < 300; i++)); do
    [ "$(grep -c '^\[ ' out)" -lt $((lines + 3)) ] || break
    sleep 0.1
  done
  kill -INT "$pid"
  wait "$pid" || true
  servers restart "$dir-2"
  python3 - "$1" <<'PY'
import json, sys
d = json.load(open("run.json"))
r = d["ranks"]
short = [{k: x[k] for k in ("events", "errors", "reconnects", "lost")} for x in r]
assert not any(x["lost"] for x in r), short
assert d["run"]["end_reason"] == "signal", d["run"]
assert sum(x["events"] for x in r) == d["totals"]["events"]
# In step: lines are a second apart, a few on a busy machine, and work goes on
# until the end.
at = [i["elapsed_s"] for i in d["intervals"]]
assert len(at) >= 4 and all(b - a < 5 for a, b in zip(at, at[1:])), at
assert all(i["events"] > 0 for i in d["intervals"][:-1]), at
assert eval(sys.argv[1]), short
PY
}

@test "mysql: a process whose server dies says so and stays in step" {
  need mysql
  local first=$MY_SOCKET
  servers_env "$dir-2"
  mkdir a b
  ln -s "$first" a/server
  ln -s "$MY_SOCKET" b/server
  for socket in a/server b/server; do
    bench oltp_point_select --mysql-socket=$socket --table-size=1000 prepare
  done
  local args=(oltp_point_select --mysql-socket=server --table-size=1000 --time=60
    --report-interval=1 --db-ignore-errors=connection --json="$PWD/run.json" run)
  "${launcher[@]}" -n 1 -wdir "$PWD/a" "$BENCH" "${args[@]}" : \
    -n 1 -wdir "$PWD/b" "$BENCH" "${args[@]}" >out 2>err &
  pid=$!
  await out '^\[ [0-9]+s \]'
  # Process 1 has no other server: what it still does is to try again.
  after_kill "(r[0]['events'] > 0 and r[1]['events'] > 0 and r[0]['reconnects'] == r[1]['reconnects'] == 0 and
    [d['outages']['clients'][k] for k in ('all', 'affected', 'until_the_end', 'outages')] == [2, 1, 1, 1])"
  must grep -q 'process 1 on .* still reconnecting at the end' err
}

@test "pgsql: a server that is silent is an outage of all processes" {
  need pgsql
  local lines i
  bench oltp_point_select "${to[@]}" --table-size=1000 prepare
  start 2 oltp_point_select "${to[@]}" --table-size=1000 --threads=2 --time=60 --report-interval=1 --stall=100ms \
    --json=run.json run
  servers freeze "$dir"
  sleep 1.2 # that long
  servers thaw "$dir"
  lines=$(grep -c '^\[ ' out)
  for ((i = 0; i < 300; i++)); do
    ! tail -n +2 out | grep '^\[ ' | tail -n "+$((lines + 1))" | grep -q ' tps: [1-9]' || break
    sleep 0.1
  done
  kill -INT "$pid"
  wait "$pid" || true
  must grep -qE '^    at [0-9.]+ s for [0-9.]+ s, [1-4] of 4 clients, until client [0-3] was served$' out
  python3 - <<'PY'
import json
d = json.load(open("run.json"))
o = d["outages"]
longest = max(o["stalls"], key=lambda s: s["length_s"])
assert longest["length_s"] >= 0.7 and longest["ended_by_client"] in range(4), o
assert o["clients"]["all"] == 4 and o["clients"]["outages"] == 0, o
assert d["intervals"] and not any("stalled_s" in i for i in d["intervals"]), d["intervals"]
PY
}

@test "pgsql: connections of a server that dies go to the next one of the list" {
  need pgsql
  local first=$PG_PORT
  bench oltp_point_select "${to[@]}" --table-size=1000 prepare
  servers_env "$dir-2"
  bench oltp_point_select "${to[@]:0:2}" --pgsql-port="$PG_PORT" --table-size=1000 prepare
  # The processes take turns in the list: only number 1 is at the second server.
  start 3 oltp_point_select "${to[@]:0:2}" --pgsql-port="$first,$PG_PORT" --table-size=1000 \
    --time=60 --report-interval=1 --db-ignore-errors=connection --json=run.json run
  after_kill "[x['reconnects'] for x in r] == [0, 1, 0] and all(x['events'] > 0 for x in r)"
}

# ---- passwords ----

# secret_is_shared KIND: process 0 reads the password, and all get in by it.
secret_is_shared() {
  need "$1"
  local user=sbpass
  echo 'function event() sysbench.sql.driver():connect():disconnect() end' >in.lua
  run -0 --separate-stderr bash -c 'printf "secret\n" | timeout --kill-after=10 120 "$@"' _ "${launcher[@]}" -n 2 \
    "$BENCH" in.lua "${to[@]}" "--$1-user=$user" --password-file=- --events=4 --json=run.json run
  check run.json "len(d['ranks']) == 2" "min(r['events'] for r in d['ranks']) == 2"
  must is "$(grep -c secret <<<"$output$stderr")" 0
}

@test "mysql: a password that process 0 reads" {
  secret_is_shared mysql
}

@test "pgsql: a password that process 0 reads" {
  secret_is_shared pgsql
}

@test "pgsql: processes of ycsb insert every n-th row, and check finds all of them" {
  need pgsql
  bench -0 ycsb "${to[@]}" --records=500 --order=ordered --key=int prepare
  for workload in d e; do
    ranks -0 3 ycsb "${to[@]}" --workload=$workload --check-reads --threads=2 --events=3000 --time=0 --json=run.json run
    is "$(number "sum(o['not_found'] for o in d['test']['operations'].values())")" 0
    is "$(number "d['test']['operations']['insert']['count'] == d['test']['inserts']['acknowledged'] > 60")" True
  done
  # one common beginning for each run, and a stride of three
  is "$(sql 'SELECT COUNT(*), COUNT(DISTINCT first - part), MIN(stride), MIN(first) FROM bench_ycsb_runs' | tr -d ' ' | tr '\t' '|')" '6|2|3|501'
  bench -0 ycsb "${to[@]}" check
  has "$output" 'acknowledged, 0 not'
  bench ycsb "${to[@]}" cleanup
}

# checked WORKLOAD ARG...: three processes run it, their report compares the work
# of all with the tables, and so does check.
checked() {
  local workload=$1
  shift
  ranks -0 2 "$workload" "${to[@]}" "$@" prepare
  ranks -0 3 "$workload" "${to[@]}" "$@" --threads=2 --events=300 --time=0 --json=run.json run
  bench -0 "$workload" "${to[@]}" "$@" check
}

# Each process inserts and deletes in a part of the keys: 2^40 keys of its own.
ingest_in_parts() {
  local part=$((1 << 40))
  ranks -0 2 ingest "${to[@]}" prepare
  ranks -0 3 ingest "${to[@]}" --threads=2 --rows-per-commit=10 --events=300 --time=0 run
  must has "$output" '^Rows inserted of the run: 3000 committed, 0 with unknown outcome, the tables have 3000: ok$'
  must has "$output" '^    worst stall of process 0: '
  ranks -0 3 ingest "${to[@]}" --step=l.x --time=0 run
  must has "$output" '^    total number of events: +3$'
  # 100 transactions of each of two clients are between inserts and deletes
  ranks -0 3 ingest "${to[@]}" --step=l.i1 --threads=2 --rows-per-commit=1 --events=300 --time=0 --json=run.json run
  must has "$output" '^Rows inserted of the run: 300 committed, 0 with unknown outcome, the tables have 300: ok$'
  is "$(number "d['totals']['counters']['keys given to deletes']")" 300.0
  bench -0 ingest "${to[@]}" check
  must has "$output" '^ingest_rows: Rows inserted of all runs: 3300 committed, 0 with .* 3300: ok$'
  # fewer processes, and one alone, go on with their parts
  ranks -0 2 ingest "${to[@]}" --step=l.i2 --threads=2 --events=200 --time=0 run
  must has "$output" '^Rows inserted of the run: 1000 committed, .* 1000: ok$'
  bench -0 ingest "${to[@]}" --step=q --rows-per-commit=1 --insert-rate=1000000000 --events=50 --time=0 run
  must has "$output" '^Rows inserted of the run: 50 committed, .* 50: ok$'
  bench -0 ingest "${to[@]}" check
  must has "$output" '^ingest_rows: Rows inserted of all runs: 4350 committed, 0 with .* 4350: ok$'
  sql "DELETE FROM ingest_rows WHERE transactionid = $((part + 990))" >/dev/null
  bench -1 ingest "${to[@]}" check
  must has "$output" "1 row is missing, .* rows are LOST, the first has transactionid $((part + 990))$"
  sql "INSERT INTO ingest_rows SELECT $((3 * part + 1)), dateandtime, cashregisterid, customerid, productid, price, data
    FROM ingest_rows WHERE transactionid = $((part + 991))" >/dev/null
  bench ingest "${to[@]}" check
  must has "$output" "a key of no run in 1 row of ingest_rows, the first has transactionid $((3 * part + 1))$"
  bench ingest "${to[@]}" cleanup
}

@test "mysql: processes of ingest have keys of their own" {
  need mysql
  ingest_in_parts
}

@test "pgsql: processes of ingest have keys of their own" {
  need pgsql
  ingest_in_parts
}

@test "pgsql: processes of queue give back the claims of a run that was killed" {
  need pgsql
  bench queue "${to[@]}" prepare
  ranks -0 2 queue "${to[@]}" --producers=1 --events=100 --time=0 run
  must has "$output" '^Jobs enqueued of the run: 100 committed, .*: ok$'
  must has "$output" '^    depth: 0 at the beginning$'
  sql 'UPDATE queue_jobs SET claimed_by = 77' >/dev/null
  ranks -0 2 queue "${to[@]}" --claim=update --producers=0 --threads=2 --events=400 --time=0 run
  must has "$output" '^Jobs done of the run: 100 committed, .*: ok$'
  bench -0 queue "${to[@]}" check
  must has "$output" '^0 jobs wait, 0 of them are claimed$'
  bench queue "${to[@]}" cleanup
}

@test "pgsql: the small workloads, tpcb and tpcc compare the work of all processes" {
  need pgsql
  checked counter --hot-rows=3
  is "$(number "d['test']['reconciliation']['committed'] == d['test']['reconciliation']['in_tables'] == 300")" True
  has "$output" '^counter_rows: sum of n: Increments of all runs: 300 committed, 0 with .* 300: ok$'
  # one increment that the database forgets
  sql 'UPDATE counter_rows SET n = n - 1 WHERE id = 2' >/dev/null
  bench -1 counter "${to[@]}" check
  has "$output" 'the tables have 299: 1 are LOST$'
  checked bank
  is "$(number "d['test']['reconciliation']['verdict'] == d['test']['totals']['verdict'] == 'ok'")" True
  checked json --documents=200 --groups=20
  is "$(number "d['test']['reconciliation']['verdict'] == 'ok' and d['test']['compared']['documents'] > 200")" True
  checked queue
  is "$(number "[r['verdict'] for r in d['test']['reconciliation'].values()]")" "['ok', 'ok']"
  checked secondary --keys=50
  is "$(number "d['test']['compared']['results'] == 300")" True
  checked tpcb
  has "$output" '^Checking balances and the history of 300 rows... ok$'
  checked tpcc --warehouses=2 --customers=30 --items=300
  is "$(number "d['test']['reconciliation']['verdict'] == 'ok' and d['test']['reconciliation']['committed'] > 30")" True
  # each process has counted its own warm-up, and check knows them all
  ranks -0 2 counter "${to[@]}" --warmup-time=1 --events=0 --time=1 run
  has "$output" '^Increments of the run: with a warm-up, check compares what several processes have committed$'
}
