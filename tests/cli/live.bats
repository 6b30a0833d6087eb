#!/usr/bin/env bats
# --live: what its viewers get, through a plain socket and in a real browser.
load helper

# Follow the run for two seconds, and to the end that it is given then.
follow() {
  python3 "$BENCH_SRC/tests/cli/live.py" follow "$port" "$pid"
  wait $pid || must is "$?" 130
}

@test "live: the events end with the report, and count what the document counts" {
  local port pid
  serve_at --live cpu --time=600 --threads=2 --json=r.json
  follow >seen.json
  must has "$(cat text err)" "The live page is at http://127.0.0.1:$port/"
  must json seen.json 'd[0][0] == "run" and d[0][1]["test"] == "cpu" and
    d[0][1]["threads"] == 2 and d[-1][0] == "report"'
  python3 - <<'PY'
import json
seen = json.load(open("seen.json"))
document = json.load(open("r.json"))
looks = [v for n, v in seen if n == "look"]
assert len(looks) >= 2
# Counts only grow, and the last one is that of the run.
counts = [look["events"] for look in looks]
assert counts == sorted(counts) and counts[-1] == document["totals"]["events"], counts
times = [look["t"] for look in looks]
assert times == sorted(times) and len(set(times)) == len(times)
for look in looks:
    if look["rate"] > 0:
        assert 0 < look["p50"] <= look["p95"] <= look["p99"] <= look["max"]
        low, high = (document["totals"]["latency_ns"][k] for k in ("min", "max"))
        assert low * 0.999 <= look["max"] <= high * 1.001
assert abs(looks[0]["left"] + looks[0]["t"] - 600) < 0.01
assert any("cpu_user" in look for look in looks)
# The report is that of the document.
assert f'<td class="n">{document["totals"]["events"]:,}</td>' in seen[-1][1]
assert seen[-1][1].startswith("<!DOCTYPE html>") and 'id="data"' in seen[-1][1]
PY
}

@test "live: classes, errors and hostile texts are data" {
  local port pid name='<img src=x onerror=console.error(1)>'
  cat >"$name.lua" <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  con:query("SELECT 1 AS \"<b>\27[31mred\"")
  con:query("SELECT nothing FROM \"</script>\"")
end
LUA
  serve_at --live "./$name.lua" --db-driver=sqlite --sqlite-db=e.db --db-ignore-errors=all --time=600
  follow >seen.json # without --json there is a report as well
  must is "$(grep -c $'\x1b' seen.json)" 0
  must json seen.json 'any(n == "classes" and any("red" in c[0] and c[1] > 0 for c in v)
    for n, v in d) and any(n == "look" and v["errors"] > 0 and
    any("errors per second" in w for w in v["warnings"]) for n, v in d)'
  must json seen.json '"<img" not in d[-1][1] and "&lt;img src=x" in d[-1][1]
    and d[0][1]["test"].endswith("<img src=x onerror=console.error(1)>.lua")'
}

@test "live: goes on when the reports are stuck, and says so" {
  local port pid
  cat >stuck.lua <<'LUA'
ffi.cdef("int usleep(unsigned);")
function event() ffi.C.usleep(1000) end
reports = 0
function sysbench.hooks.report_intermediate()
  reports = reports + 1
  if reports == 1 then io.open("never"):read() end
end
LUA
  mkfifo never
  serve_at --live ./stuck.lua --time=600 --report-interval=1
  python3 "$BENCH_SRC/tests/cli/live.py" find "$port" "the reports of the run are stuck" >seen.json
  must json seen.json 'd[-1][0] == "look" and d[-1][1]["rate"] > 0
    and not any("stuck" in str(v["warnings"]) for n, v in d[:3] if n == "look")'
  # The end is that of any run whose report thread hangs.
  kill -INT $pid
  wait $pid || true
  : <>never
}

# LIVE_REQUESTS=10000 for the full crowd.
@test "live: 32 viewers, one that reads nothing and many requests leave the run alone" {
  local port pid
  serve_at --live cpu --time=600 --json=r.json
  python3 "$BENCH_SRC/tests/cli/live.py" crowd "$port" >asked 3>&- &
  local crowd=$!
  until grep -q asked asked; do
    kill -0 $crowd
    sleep 0.1
  done
  kill -INT $pid
  wait $crowd
  wait $pid || must is "$?" 130
  must json r.json 'd["run"]["end_reason"] == "signal" and d["totals"]["events"] > 0 and
    sum(i["events"] for i in d["intervals"]) == d["totals"]["events"]'
}

@test "live: a page in a browser follows the run, and ends as its report" {
  local port pid name='<img src=x onerror=console.error(1)>'
  printf 'ffi.cdef("int usleep(unsigned);")\nfunction event() ffi.C.usleep(1000) end\n' >"$name.lua"
  export XDG_RUNTIME_DIR=$PWD
  serve_at --live "./$name.lua" --time=600 --mark
  in_browser live "$port" "./$name.lua" $pid # which ends the run
  wait $pid || must is "$?" 130
}

@test "live: marks are taken from the page, with its token, on the loopback address" {
  local port pid
  export XDG_RUNTIME_DIR=$PWD
  serve_at --live cpu --time=600 --mark --json=r.json
  must is "$(python3 "$BENCH_SRC/tests/cli/live.py" mark "$port" 'two%0Alines,%20%c3%A4%20&%20%2541%20%aZ')" "$(printf '200\n403')"
  python3 "$BENCH_SRC/tests/cli/live.py" find "$port" '"marks"' >seen.json
  kill -INT $pid
  wait $pid || must is "$?" 130
  must json r.json '[m["text"] for m in d["marks"]] == ["two lines, ä & %41 %aZ"]'
  must json seen.json 'd[0][1]["host"] == __import__("os").uname().nodename and len(d[0][1]["mark"]) == 32'
  # A run without --mark takes none.
  serve_at --live cpu --time=600
  must is "$(python3 "$BENCH_SRC/tests/cli/live.py" mark "$port" text)" "$(printf '404\n404')"
  kill -INT $pid
  wait $pid || must is "$?" 130
  # Nor does one whose page others can reach.
  "$BENCH" cpu --time=600 --mark --live="0.0.0.0:$port" run >text 2>err 3>&- &
  pid=$!
  until grep -qs 'Threads started' text; do
    kill -0 $pid
    sleep 0.05
  done
  must is "$(python3 "$BENCH_SRC/tests/cli/live.py" mark "$port" text)" "$(printf '404\n404')"
  kill -INT $pid
  wait $pid || must is "$?" 130
}

@test "live: an address that is taken, and what --live alone means" {
  local port pid
  serve_at --live cpu --time=600
  bench -1 cpu --events=1 --live="$port" run
  must has "$stderr" "^FATAL: cannot listen at --live=$port: Address (already )?in use \\(expected a free port from 1024 on, or an address "
  kill -INT $pid
  wait $pid || true
  bench --help=all
  must has "$output" '^ +--live\[=\[ADDR:\]PORT\] .*8080'
}

@test "live: what the server counts, and what the machine lacks" {
  needs_driver sqlite
  local port pid
  "$BENCH" oltp_write_only --db-driver=sqlite --sqlite-db=s.db --table-size=100 prepare >/dev/null
  serve_at --live oltp_write_only --db-driver=sqlite --sqlite-db=s.db --table-size=100 --time=600 \
    --report-interval=1 --server-stats=on
  python3 "$BENCH_SRC/tests/cli/live.py" find "$port" '"data_bytes"' >seen.json
  in_browser servers "$port"
  kill -INT $pid
  wait $pid || must is "$?" 130
  must json seen.json 'd[-1][0] == "look" and d[-1][1]["servers"][0]["levels"]["data_bytes"] >= 4096 and
    all(isinstance(v, (int, float)) for v in d[-1][1]["servers"][0]["rates"].values())'
  must json seen.json 'any("throttled" in v for n, v in d if n == "look")'
  # What this machine does not count, it cannot show.
  [ ! -r /proc/pressure/io ] || must json seen.json 'd[-1][1]["short_io"] >= d[-1][1]["short_io_full"] >= 0'
  ! grep -q '^Writeback:' /proc/meminfo || must json seen.json 'd[-1][1]["dirty"] >= 0'
}

@test "live: what a hostile server calls its waits is text, and has lines" {
  local port pid
  serve_at --live cpu --time=600
  python3 -c 'import sys, urllib.request as u; sys.stdout.buffer.write(u.urlopen(sys.argv[1]).read())' \
    "http://127.0.0.1:$port/" >page.html
  kill -INT $pid
  wait $pid || must is "$?" 130
  in_browser hostile page.html
}
