#!/usr/bin/env bats
# Objectives: verdicts of runs, sweeps and comparisons, and their exit status.
load helper

# A script whose events take at least so many milliseconds.
sleeper() { # sleeper FILE MILLISECONDS
  cat >"$1" <<LUA
local ffi = require("ffi")
ffi.cdef("int usleep(unsigned int)")
function event() ffi.C.usleep(1000 * $2) end
LUA
}

@test "an objective that is held" {
  bench -0 cpu --cpu-max-prime=10 --events=1000 --time=0 \
    --slo='p99<=1h, avg<=1h,max<=1h,errors<=0.1%,tps>=0.001' --json=o.json run
  must has "$output" '^Objective: held$'
  must has "$output" '^    p99<=1h +[0-9.e-]+ h  holds$'
  must has "$output" '^    avg<=1h +[0-9.e-]+ h  holds$'
  must has "$output" '^    errors<=0.1% +0 %  holds, which may be chance$'
  must has "$output" '^    tps>=0.001 +[0-9.e+]+ per s  holds$'
  must check o.json 'd["slo"]["verdict"] == "held"' 'd["run"]["exit_status"] == 0' \
    '[t["term"] for t in d["slo"]["terms"]] == ["p99<=1h","avg<=1h","max<=1h","errors<=0.1%","tps>=0.001"]' \
    '[t["verdict"] for t in d["slo"]["terms"]] == ["held"] * 5' \
    'd["slo"]["terms"][0]["value"] == d["totals"]["latency_ns"]["percentiles"]["99"]' \
    'd["slo"]["terms"][0]["limit"] == 3600e9 and d["slo"]["terms"][0]["attempts"] == 1000' \
    'd["slo"]["terms"][2]["value"] == d["totals"]["latency_ns"]["max"]'
}

@test "an objective that is not held is exit status 4" {
  sleeper s.lua 2
  bench -4 s.lua --events=200 --time=0 --slo='p50<=1ms,p99<=1h' --json=o.json run
  must has "$output" '^Objective: not held$'
  must has "$output" '^    p50<=1ms +[0-9.]+ ms  does not hold: 200 of 200 were later$'
  must has "$output" '^    p99<=1h .*  holds'
  must check o.json 'd["slo"]["verdict"] == "failed"' 'd["run"]["exit_status"] == 4' \
    '[t["verdict"] for t in d["slo"]["terms"]] == ["failed", "held"]' \
    'd["slo"]["terms"][0]["beyond"] == 200 and d["slo"]["terms"][0]["sure"]'
  # The limit is what decides.
  bench -0 s.lua --events=200 --time=0 --slo='p50<=1h,p99<=1h' run
}

@test "without an objective nothing is said" {
  bench -0 cpu --cpu-max-prime=10 --events=10 --time=0 --json=o.json run
  must lacks "$output" Objective
  must check o.json '"slo" not in d'
}

@test "too few events show nothing" {
  bench -4 cpu --cpu-max-prime=10 --events=99 --time=0 --slo='p99<=1h' --json=o.json run
  must has "$output" '^Objective: not shown to be held$'
  must has "$output" '^    p99<=1h .*  too few events \(99, at least 100 needed\)$'
  must check o.json 'd["slo"]["verdict"] == "unknown"'
  bench -0 cpu --cpu-max-prime=10 --events=100 --time=0 --slo='p99<=1h' run
}

@test "percentiles are judged without --percentile, and over all checkpoints" {
  bench -0 cpu --cpu-max-prime=10 --events=500 --time=0 --percentile=0 --slo='p99<=1h' run
  must has "$output" '^    p99<=1h +[0-9.e-]+ h  holds$'
  # Only the first second of the run has slow events.
  cat >early.lua <<'LUA'
local ffi = require("ffi")
ffi.cdef("int usleep(unsigned int)")
local n = 0
function event()
  n = n + 1
  ffi.C.usleep(n <= 30 and 50000 or 1000)
end
LUA
  bench -4 early.lua --time=3 --report-checkpoints=2 --slo='max<=45ms' run
  must has "$output" '^    max<=45ms .*  does not hold$'
}

@test "arrivals that never begin are late" {
  sleeper s.lua 50
  bench -4 s.lua --threads=1 --rate=100 --time=1 --slo='p50<=1h' --json=o.json run
  must has "$output" '^    p50<=1h +unfinished  does not hold: [0-9]+ of [0-9]+ were later$'
  must check o.json 'd["slo"]["terms"][0]["value"] is None' \
    'd["slo"]["terms"][0]["beyond"] == d["rate"]["backlog"]' \
    'd["slo"]["terms"][0]["attempts"] == d["rate"]["backlog"] + d["totals"]["events"]'
}

@test "other failures win" {
  cat >fails.lua <<'LUA'
local n = 0
function event()
  n = n + 1
  if n == 150 then error("no more") end
end
LUA
  bench -1 fails.lua --events=200 --time=0 --slo='max<=1ns' --json=o.json run
  must check o.json 'd["run"]["exit_status"] == 1 and d["slo"]["verdict"] == "failed"'
  sleeper hangs.lua 100000
  bench -2 hangs.lua --time=1 --forced-shutdown=0.1 --slo='max<=1h' run
  must has "$output" '^    max<=1h +unfinished  does not hold$'
}

@test "a sweep has a verdict per step, and goes on" {
  bench -4 cpu --cpu-max-prime=10 --time=0 --sweep=events:50,200 --slo='p99<=1h' --json=all.json run
  must is "$(grep -c '^Objective: ' <<<"$output")" 2
  must has "$output" '^ +50 .* objective not held'
  must lacks "$output" '^ +200 .* objective not held'
  must json all.json '[s["exit_status"] for s in d["steps"]] == [4, 0]
    and [s["failed"] for s in d["steps"]] == [None, None]
    and [s["result"]["slo"]["verdict"] for s in d["steps"]] == ["unknown", "held"]'
  bench -0 cpu --cpu-max-prime=10 --time=0 --sweep=events:100,200 --slo='p99<=1h' run
  # Steps that missed it are results like others.
  bench -0 compare all.json all.json
  must has "$output" 'events=50'
}

@test "compare judges each file; the new ones decide" {
  sleeper s.lua 5
  bench -0 s.lua --events=200 --time=0 --json=slow.json run
  sleeper s.lua 0
  bench s.lua --events=200 --time=0 --json=fast.json run
  bench -4 compare fast.json slow.json --slo='p50<=4ms,p99<=1h'
  must has "$output" '^objective +file +p50<=4ms +p99<=1h$'
  must has "$output" '^failed +slow.json +[0-9.]+ ms \(not held\) '
  bench -0 compare slow.json fast.json --slo='p10<=4ms,p99<=1h'
  must has "$output" '^failed +slow.json '
  must has "$output" '^held +fast.json '
  bench compare slow.json fast.json --slo='p10<=4ms' --format=markdown
  must has "$output" '^\| *failed *\| *slow.json *\|'
  bench -0 compare slow.json fast.json --slo='p10<=4ms' --format=json
  echo "$output" >c.json
  must json c.json '[(o["file"], o["values"], o["slo"]["verdict"]) for o in d["objective"]]
    == [("slow.json", None, "failed"), ("fast.json", None, "held")]'
  # A comparison that fails for a slowdown says so first.
  steady fast.json slow.json
  bench -3 compare fast.json slow.json --slo='p50<=4ms' --fail-if-slower=5
}

@test "compare sees the same as the run" {
  sleeper s.lua 50
  bench s.lua --threads=1 --rate=100 --time=1 --json=a.json run
  bench -4 compare a.json a.json --slo='p50<=1h'
  must has "$output" '^failed +a.json +unfinished \(not held\)$'
  # A percentile needs the histogram.
  python3 -c 'import json
d = json.load(open("a.json"))
del d["totals"]["latency_ns"]["hdr_histogram"]
json.dump(d, open("b.json", "w"))'
  bench -2 compare b.json a.json --slo='p50<=1h'
  must has "$stderr" "^FATAL: 'b.json' has no histogram of latencies, so --slo cannot judge its percentiles$"
  bench -0 compare b.json a.json --slo='max<=1h'
}

@test "repeats are judged together" {
  bench -0 cpu --cpu-max-prime=10 --time=0 --events=60 --repeat=2 --json=r.json run
  bench -0 compare r.json r.json --slo='p99<=1h'
}
