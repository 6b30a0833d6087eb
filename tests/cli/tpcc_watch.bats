#!/usr/bin/env bats
# tpcc_watch.bats - checks of tpcc during a run, on SQLite.
load helper

NEEDS_DRIVER=sqlite

size=(--db-driver=sqlite --sqlite-db=t.db --sqlite-synchronous=off --sqlite-busy-timeout=60000 --warehouses=2 --customers=40 --items=500)

tpcc() { bench tpcc "${size[@]}" "$@"; }

fresh() {
  needs_driver sqlite
  "$BENCH" tpcc "${size[@]}" prepare >/dev/null
}

# sql STATEMENT: executes it by another process.
sql() {
  cat >sql.lua <<'LUA'
function prepare()
  local con = sysbench.sql.driver():connect()
  con:query(sysbench.opt.sql)
end
sysbench.cmdline.options = {sql = {"statement", ""}}
LUA
  "$BENCH" ./sql.lua --db-driver=sqlite --sqlite-db=t.db --sqlite-busy-timeout=60000 "--sql=$1" prepare >/dev/null
}

# await PID PATTERN: the run has printed a line like that.
await() {
  until grep -Eq "$2" out; do
    kill -0 "$1" || { cat out err; return 1; }
    read -rt 0.1 <> <(:) || :
  done
}

@test "a corruption in the middle of a run is found during the run" {
  fresh
  "$BENCH" tpcc "${size[@]}" --threads=3 --time=600 --check-every=100ms --rate=300 --report-interval=1 --json=t.json run >out 2>err 3>&- &
  pid=$!
  await $pid '^Check 2 at .*: all conditions hold \([0-9.]+ s\)$'
  sql "UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2"
  await $pid '^Check [0-9]+ at .*: 2 violations .*; the first: condition 1, warehouse \(w 2\): w_ytd '
  # the checks before it have found nothing, and it is told once per check
  must is "$(grep '^Check ' out | sed -n '/violation/q;p' | grep -vc 'all conditions hold')" 0
  kill -INT $pid
  status=0
  wait $pid || status=$?
  must is "$status" 130
  must has "$(cat err)" '^FATAL: done\(\) failed: tpcc: a check during the run has found violations$'
  must has "$(cat out)" '^Checks during the run: [0-9]+, one every 0.1 s: [0-9]+ checks? found violations, the first at [0-9.]+ s: condition 1, warehouse \(w 2\): w_ytd '
  must has "$(cat out)" '^    they took [0-9.]+ s \([0-9.]+ % of the run\)'
  # On a slow machine the signal leaves a client behind in a transaction.
  must has "$(cat out)" '^New orders of the run: (.*: ok|clients were left behind, .*)$'
  check t.json 'd["test"]["checks"]["violated"] >= 1' 'd["test"]["checks"]["held"] >= 2' \
    'd["test"]["checks"]["checks"] == d["test"]["checks"]["held"] + d["test"]["checks"]["violated"]' \
    'd["test"]["checks"]["first_violation"]["text"].startswith("condition 1, warehouse (w 2): w_ytd ")' \
    '0 < d["test"]["checks"]["time_ratio"] <= 1 and d["test"]["checks"]["longest_s"] <= d["test"]["checks"]["time_s"]'
}

@test "the thread that checks runs no events, and its statements are in no figure" {
  fresh
  # two seconds of events by the only terminal
  tpcc -0 --threads=2 --time=0 --events=400 --rate=200 --weights=0,1,0,0,0 --check-every=50ms --json=t.json run
  check t.json 'd["totals"]["events"] == 400 and d["threads"]["each"][1]["events"] == 0' \
    'd["test"]["checks"]["checks"] >= 1 and d["test"]["checks"]["violated"] == 0' \
    '"first_violation" not in d["test"]["checks"]' \
    'd["test"]["checks"]["every_s"] == 0.05' \
    'not [c["name"] for c in d["classes"] if "GROUP BY" in c["name"] or "FROM stock" in c["name"]]' \
    'd["totals"]["queries"]["write"] == 1600' \
    'd["outages"]["clients"]["affected"] == 0'
  must has "$output" '^Checks during the run: [1-9][0-9]*, one every 0.05 s: all conditions held$'
  # without the option nothing of it is there
  tpcc -0 --threads=2 --time=0 --events=10 --json=t.json run
  check t.json '"checks" not in d["test"]'
  must [ "$(grep -c '^Check' <<<"$output")" = 0 ]
}

@test "a violation makes the exit status 1, also when the run ends by itself" {
  fresh
  sql "DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 3 AND ol_o_id = 7 AND ol_number = 2"
  tpcc -1 --threads=2 --time=0 --events=400 --rate=200 --weights=0,1,0,0,0 --check-every=50ms run
  must has "$output" '^Check 1 at .*; the first: condition 4, district \(w 1, d 3\): '
  must has "$output" '^Checks during the run: .*: [0-9]+ checks? found violations'
}

@test "the warm-up has no checks" {
  fresh
  sql "DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 3 AND ol_o_id = 7 AND ol_number = 2"
  tpcc -1 --threads=2 --warmup-time=1 --time=0 --events=200 --rate=100 --weights=0,1,0,0,0 --check-every=50ms --json=t.json run
  must has "$output" '^Check 1 at .*; the first: condition 4, district \(w 1, d 3\): '
  check t.json 'd["test"]["checks"]["checks"] == d["test"]["checks"]["violated"] > 0' \
    'd["test"]["checks"]["first_violation"]["at_s"] > 0'
}

@test "queued deliveries beside it, and the end of a run without any check" {
  fresh
  tpcc -0 --threads=3 --delivery=queue --weights=50,20,5,20,5 --check-every=1h --time=0 --events=1500 run
  must has "$output" '^Deliveries queued: [0-9]+, executed: [1-9][0-9]* by 1 client, '
  must has "$output" '^Checks during the run: 0, one every 3600 s: none ended$'
  tpcc --threads=2 --delivery=queue --check-every=1 run
  must is "$status: $stderr" '1: FATAL: init() failed: --check-every: one thread checks, so --threads is 3 or more'
}

@test "a check that goes on when the load has ended does not make the run longer" {
  needs_driver sqlite
  # It never ends by itself.
  cat >aside.lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  if sysbench.tid == 1 then thread_run = aside end
end
function event() con:query("SELECT 1") end
function aside()
  ffi.C.bench_linger(0.01)
  ffi.C.bench_off_duty(true)
  local ok = pcall(con.query, con, "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT COUNT(*) FROM c")
  print("interrupted", not ok)
  ffi.C.bench_off_duty(false)
end
LUA
  for limit in "--time=1" "--time=0 --events=100"; do
    # shellcheck disable=SC2086 # two options
    bench -0 ./aside.lua --db-driver=sqlite --sqlite-db=x.db --threads=2 --rate=100 $limit --forced-shutdown=60 --report-interval=0.2 --json=a.json run
    must has "$output" '^interrupted	true$'
    # The run has ended, and so have the intervals, long before the sixty seconds.
    check a.json 'd["totals"]["elapsed_s"] < 30' 'd["run"]["end_reason"] in ("time_limit", "event_limit")' \
      'd["totals"]["events"] == d["threads"]["events_mean"]' 'd["totals"]["threads_running"] == 0'
  done
}

@test "what cannot be checked during a run is refused" {
  fresh
  tpcc --threads=1 --check-every=1m run
  must is "$status: $stderr" '1: FATAL: init() failed: --check-every: one thread checks, so --threads is 2 or more'
  tpcc --clients=4 --check-every=1 run
  must is "$status: $stderr" '1: FATAL: init() failed: --check-every cannot be used with --clients: a check would hold up the clients of its thread'
  bench --mix=tpcc:2 "${size[@]}" --check-every=1 run
  must is "$status: $stderr" '1: FATAL: init() failed: --check-every is not for a member of a mix'
  bench tpcc --db-driver=null --threads=2 --check-every=1 run
  must is "$status: $stderr" '1: FATAL: init() failed: --check-every: the null driver keeps no tables'
  for bad in 1x -1 s '' 1.s.; do
    tpcc -1 --threads=2 --check-every="$bad" run
    must has "$stderr" "^FATAL: Invalid value for --check-every: '$bad' \(expected a time, such as 500ms, 60s or 2m\)$"
  done
  tpcc --threads=2 --sqlite-journal-mode=delete --check-every=1 run
  must is "$status: $stderr" '1: FATAL: init() failed: --check-every: on SQLite a check beside writers needs the journal mode wal, and --sqlite-journal-mode is delete'
}
