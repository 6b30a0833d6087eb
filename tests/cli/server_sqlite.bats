#!/usr/bin/env bats
# server_sqlite.bats - --server-stats where there is no server: what the sessions
# of a run count themselves.
NEEDS_DRIVER=sqlite
load helper

# A database of 1000 pages or more, and caches of ten.
make_tables() {
  sqlite=(--db-driver=sqlite --sqlite-db="$PWD/t.db" --sqlite-synchronous=off --sqlite-cache-size=10)
  "$BENCH" oltp_read_write "${sqlite[@]}" --table-size=20000 prepare >/dev/null
}

# run_until FIGURE FILE TEST OPTION...: a run until an interval has the figure;
# FILE gets its document.
run_until() {
  local pid
  rm -f s.jsonl
  "$BENCH" "$3" "${sqlite[@]}" --time=600 --report-interval=1 --stream=s.jsonl --json="$2" "${@:4}" run >text 2>err 3>&- &
  pid=$!
  until has_figure "$1"; do
    kill -0 $pid
    sleep 0.05
  done
  kill -INT $pid
  wait $pid || must is "$?" 130
}

has_figure() {
  [ -s s.jsonl ] && python3 - "$1" <<'PY'
import json, sys
lines = open("s.jsonl").read().split("\n")[:-1]
sys.exit(not any(s.get(sys.argv[1], 0) > 0 for line in lines for s in json.loads(line).get("servers", [])))
PY
}

@test "pages that sessions read and write are in the figures, per event and over time" {
  make_tables
  run_until pages_read read.json oltp_point_select --table-size=20000
  check read.json 'd["servers"][0]["per_event"]["pages_read"] > 0.5' \
    'd["servers"][0]["figures"]["pages_written"] == 0' 'd["servers"][0]["figures"]["lock_waits"] == 0'
  run_until pages_written write.json oltp_update_non_index --table-size=20000 --rand-type=uniform --summary=markdown:s.md
  must has "$(cat s.md)" "^### Server: file '.*t\.db'$"
  must has "$(cat s.md)" '^\| pages written \| [0-9.e+]*[1-9][0-9.e+]* \|$'
  check write.json 'd["servers"][0]["per_event"]["pages_written"] > 0.5' \
    'sum(i["servers"][0].get("pages_written", 0) for i in d["intervals"]) > 0'
}

@test "a change that is larger than the cache writes pages before its end" {
  make_tables
  cat >large.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("UPDATE sbtest1 SET k = k + 1") end
LUA
  run_until free_page_waits r.json ./large.lua
  check r.json 'd["servers"][0]["per_event"]["free_page_waits"] > 10' \
    'd["servers"][0]["figures"]["pages_written"] > d["servers"][0]["figures"]["free_page_waits"]'
}

@test "a session that finds the database locked is a wait for a lock" {
  make_tables
  "$BENCH" oltp_update_non_index "${sqlite[@]}" --table-size=20000 --sqlite-busy-timeout=600000 --time=600 --report-interval=1 \
    --stream=s.jsonl run >text 2>err 3>&- &
  local pid=$!
  until [ -s s.jsonl ]; do
    kill -0 $pid
    sleep 0.05
  done
  # Others are locked out until an interval has seen it, or the run is over.
  python3 - s.jsonl $pid <<'PY'
import json, os, sqlite3, sys, time
c = sqlite3.connect("t.db", timeout=100, isolation_level=None)
c.execute("BEGIN IMMEDIATE")
def seen():
    lines = open(sys.argv[1]).read().split("\n")[:-1]
    return any(json.loads(line)["servers"][0].get("lock_waits", 0) > 0 for line in lines)
while not seen():
    os.kill(int(sys.argv[2]), 0)
    time.sleep(0.05)
c.execute("ROLLBACK")
PY
  kill -INT $pid
  wait $pid || must is "$?" 130
}
