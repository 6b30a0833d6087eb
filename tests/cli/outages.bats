#!/usr/bin/env bats
# outages.bats - times without service, as far as they need no server; with
# servers: tests/fault/outages.bats.

load helper

# An event in which the only client is stuck for half a second, and then fast
# ones again.
stuck() {
  cat >stuck.lua <<'LUA'
ffi = require("ffi")
ffi.cdef("int usleep(unsigned);")
local n = 0
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("SELECT 1")
   n = n + 1
   if n == 5000 then ffi.C.usleep(tonumber(os.getenv("STUCK_US") or 500000)) end
end
LUA
}

@test "a time without success is a stall, with its length, in the files" {
  stuck
  bench -0 ./stuck.lua --db-driver=null --threads=1 --events=10000 --time=0 \
    --json=a.json --csv=a.csv --stall=400ms --report-interval=0.1 run
  must check a.json \
    'd["outages"]["stall_count"] >= 1 and d["outages"]["loop"] == "closed"' \
    'any(0.5 <= s["length_s"] < 100 and s["first_error"] is None and s["clients"] == 1 and s["ended_by_client"] == 0 for s in d["outages"]["stalls"])' \
    'abs(sum(s["length_s"] for s in d["outages"]["stalls"]) - d["outages"]["stalled_s"]) < 1e-6' \
    'abs(sum(i["stalled_s"] for i in d["intervals"]) - d["outages"]["stalled_s"]) < 1e-6' \
    'd["outages"]["clients"]["outages"] == 0'
  must python3 -c '
import csv, json
rows = list(csv.DictReader(open("a.csv")))
want = json.load(open("a.json"))["outages"]["stalled_s"]
assert abs(sum(float(r["stalled_s"]) for r in rows) - want) < 1e-4'
  # With a limit of its own, the text has it.
  must grep -qx 'Outages:' <<<"$output"
  must grep -qE '^    at [0-9.]+ s for [0-9.]+ s, 1 of 1 clients, until client 0 was served$' <<<"$output"
  # A page draws intervals, of which a busy machine may have made too few.
  python3 -c '
import json
d = json.load(open("a.json"))
period = d["totals"]["elapsed_s"] / 20
one = dict(d["intervals"][0], period_s=period, partial=False)
d["intervals"] = [dict(one, elapsed_s=(k + 1) * period) for k in range(20)]
json.dump(d, open("a.json", "w"))'
  bench report a.json --output=a.html
  must has "$(<a.html)" '<td>no service</td>'
  page_data a.html
  must json data.json 'd["runs"][0]["doc"]["outages"]["stall_count"] >= 1 and len(d["runs"][0]["series"]["events_per_s"]["y"]) == 20'
  bench report a.json --format=markdown
  must has "$output" '^## Outages$'
  must has "$output" '^\| no service \| [0-9.]+ \| [0-9.]+ m?s \| 1 of 1 \| client 0 was served \|'
}

@test "under the name sysbench the text has the block only if it is asked for" {
  stuck
  export BENCH_COMPAT=1.0 STUCK_US=1100000
  ln -s "$BENCH" sysbench
  run=(./sysbench stuck.lua --db-driver=null --threads=1 --events=10000 --time=0)
  output=$("${run[@]}" --json=a.json run)
  must check a.json 'd["outages"]["stalls"][0]["length_s"] >= 1'
  must lacks "$output" Outages
  must has "$("${run[@]}" --verbosity=4 run)" '^Outages:$'
  must has "$("${run[@]}" --stall=1s run)" '^Outages:$'
}

@test "a longer limit, long events and --stall=0 have no stalls" {
  stuck
  bench ./stuck.lua --db-driver=null --threads=1 --events=10000 --time=0 \
    --json=a.json --stall=100s run
  must check a.json 'd["outages"]["stall_count"] == 0'
  must lacks "$output" Outages
  bench ./stuck.lua --db-driver=null --threads=1 --events=10000 --time=0 \
    --json=a.json --stall=0 run
  must check a.json '"outages" not in d' 'd["intervals"][-1]["stalled_s"] == 0'
  # Each event is longer than the limit.  A machine that leaves the thread alone for
  # ten events makes a stall.
  bench -0 oltp_point_select --db-driver=null --null-latency=20000 --threads=1 \
    --events=20 --time=0 --stall=5ms --json=a.json run
  check a.json 'all(s["length_s"] >= 0.2 for s in d["outages"]["stalls"])' 'd["outages"]["stall_count"] < 20'
}

@test "clients that lose their connections have outages, deadlocks are none" {
  bench oltp_point_select --db-driver=null --null-error=lost --null-error-rate=0.01 \
    --db-ignore-errors=connection --threads=2 --events=2000 --time=0 --json=a.json run
  must check a.json \
    '0 < d["outages"]["clients"]["outages"] <= d["totals"]["reconnects"]' \
    '1 <= d["outages"]["clients"]["affected"] <= 2' \
    '0 < d["outages"]["clients"]["noticed"]["longest_s"] <= d["outages"]["clients"]["unavailable"]["longest_s"]' \
    'sum(d["outages"]["first_errors"].values()) == d["outages"]["first_errors"]["statement"] == d["outages"]["clients"]["outages"]'
  must grep -qE '^    clients whose service failed: +[12] of 2$' <<<"$output"
  bench oltp_point_select --db-driver=null --null-error=deadlock --null-error-rate=0.01 \
    --stall=100s --threads=2 --events=2000 --time=0 --json=a.json run
  must check a.json 'd["totals"]["errors"] > 0 and d["outages"]["clients"]["outages"] == 0'
  must lacks "$output" Outages
}
