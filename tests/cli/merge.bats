#!/usr/bin/env bats
# bench merge: runs at the same time, without MPI, as one run.
load helper

# result NAME [OPTION...]: a run of a fixed number of events.
result() {
  bench -0 cpu --cpu-max-prime=10 --events=100 --time=0 --json="$1.json" "${@:2}" run
}

# change FROM TO STATEMENT: a copy of a result, changed by Python about `d`.
change() {
  python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
exec(sys.argv[3])
json.dump(d, open(sys.argv[2], "w"))' "$@"
}

# spread: a run of one second with all events in the first of four intervals, and
# the same run 0.05 s later.
spread() {
  result one
  change one.json a.json '
t = d["totals"]
t["elapsed_s"] = t["period_s"] = 1.0
d["run"]["start_time"] = "2026-01-01T00:00:00.000Z"
d["run"]["measured_start_monotonic_ns"] = d["run"]["start_monotonic_ns"]
i = dict(t, period_s=0.25, elapsed_s=0.25, partial=False, system={})
e = dict(i, events=0, latency_ns=dict(i["latency_ns"],
    count=0, min=0, max=0, mean=0.0, stddev=0.0,
    percentiles={k: 0 for k in i["latency_ns"]["percentiles"]}))
del e["latency_ns"]["hdr_histogram"]
d["intervals"] = [i] + [dict(e, elapsed_s=s) for s in (0.5, 0.75, 1.0)]
d.pop("slices", None)'
  later b 0.05
}

# together NAME...: these runs began at the same moment, however busy the machine was.
together() {
  local name
  for name; do
    change "$name.json" "$name.json" '
d["run"]["start_time"] = "2026-01-01T00:00:00.000Z"
d["run"]["measured_start_monotonic_ns"] = d["run"]["start_monotonic_ns"]'
  done
}

# later NAME SECONDS: the same run, so much later.
later() {
  change a.json "$1.json" "
from datetime import datetime, timedelta
t = datetime(2026, 1, 1) + timedelta(seconds=$2)
d['run']['start_time'] = t.isoformat(timespec='milliseconds') + 'Z'"
}

refuses() { # refuses TEXT FILE...: one line, status 2, and nothing written
  bench -2 merge "${@:2}" -o out.json
  must is "$output" ""
  must is "$(wc -l <<<"$stderr")" 1
  must has "$stderr" "$1"
  must [ ! -e out.json ]
}

@test "merge: three runs are one, which report and compare read" {
  local name
  for name in a b c; do
    bench cpu --cpu-max-prime=10 --threads=2 --time=1 --report-interval=1 --json=$name.json run &
  done
  wait
  together a b c
  bench -0 merge a.json b.json c.json -o m.json
  must has "$output" '^3 runs, which ran together for [0-9.]+ of [0-9.]+ s$'
  must has "$output" '^m +1 '
  must check m.json '(
    d["totals"]["events"] == sum(r["events"] for r in d["merged"]["runs"])
    and len(d["merged"]["runs"]) == 3 and d["run"]["threads"] == 6
    and [t["thread"] for t in d["threads"]["each"]] == [0, 1, 2, 3, 4, 5]
    and abs(d["totals"]["events_per_s"] * d["totals"]["period_s"] - d["totals"]["events"]) < 1
    and d["run"]["exit_status"] == 0 and d["environment"]["host"])'
  bench -0 compare m.json m.json
  bench -0 report m.json -o m.html
  bench -0 merge a.json b.json --json=-
  must is "${output:0:1}" "{"
  bench -2 rerun m.json
  must has "$stderr" "^FATAL: 'm.json' is of bench merge: repeat the runs"
}

@test "merge: intervals are aligned by the wall clock, and none of their events is lost" {
  spread
  bench -0 merge a.json b.json -o m.json
  must check m.json '(d["totals"]["period_s"] == 1.05 and d["totals"]["events"] == 200
    and abs(d["totals"]["events_per_s"] - 200 / 1.05) < 1e-9
    and [i["events"] for i in d["intervals"]] == [200, 0, 0, 0]
    and d["intervals"][0]["events_per_s"] == 800
    and d["run"]["start_skew_ns"] == 50000000
    and [w["code"] for w in d["warnings"] if w["code"] == "runs_apart"])'
  # A whole interval later: what was measured alone stays alone.
  later b 0.25
  bench -0 merge b.json a.json -o m.json
  must check m.json '([i["events"] for i in d["intervals"]] == [100, 100, 0, 0, 0]
    and [i["elapsed_s"] for i in d["intervals"]] == [0.25, 0.5, 0.75, 1.0, 1.25]
    and [r["start_offset_s"] for r in d["merged"]["runs"]] == [0.25, 0])'
  # Between two intervals: they cannot be divided.
  later b 0.1
  bench -0 merge a.json b.json -o m.json
  must has "$output" 'has no intervals: the intervals of the runs are more than a quarter'
  must python3 -c 'import json; d = json.load(open("m.json"))
assert d["intervals"] == [] and d["totals"]["events"] == 200'
}

@test "merge: options that make a part larger may differ, and totals are added up" {
  spread
  change a.json b.json 'd["run"]["start_monotonic_ns"] += 1
d["run"]["measured_start_monotonic_ns"] += 1
d["run"]["threads"] = 3
d["options"]["threads"]["value"] = 3
d["options"]["mysql-host"] = {"value": "db2", "source": "command_line"}
d["options"]["rand-seed"]["value"] = 7'
  change a.json a.json 'd["options"]["mysql-host"] = {"value": "db1", "source": "command_line"}'
  bench -0 merge a.json b.json -o m.json
  must check m.json '(d["options"]["events"]["value"] == 200 and d["run"]["threads"] == 4
    and "threads" not in d["options"]
    and d["merged"]["runs"][1]["options"]["threads"] == 3
    and d["merged"]["runs"][1]["options"]["mysql-host"] == "db2")'
}

@test "merge: what is not one load is refused" {
  spread
  refuses "^FATAL: 'a.json' and 'a.json' are the same run" a.json a.json
  refuses '^FATAL: 1 file cannot be merged' a.json
  refuses '^FATAL: merge needs a file$'
  refuses "cannot read 'none.json'" a.json none.json
  later late 3.5
  refuses "^FATAL: the runs do not overlap in time: 'late.json' began 2.500 s after the end of 'a.json'" \
    b.json a.json late.json
  later late 0.6
  refuses "^FATAL: all runs ran for only 0.400 of 1.600 s at the same time" a.json late.json
  change b.json other.json 'd["run"]["test"] = "memory"'
  refuses "^FATAL: 'a.json' and 'other.json' are not parts of one load: the test is 'cpu' and 'memory'$" \
    a.json other.json
  change b.json other.json 'd["options"]["cpu-max-prime"]["value"] = 11'
  refuses "^FATAL: 'a.json' and 'other.json' are not parts of one load: --cpu-max-prime is '10' and '11'$" \
    a.json other.json
  change b.json other.json 'd["options"]["rate"]["value"] = 100'
  refuses "not parts of one load: --rate is '0' and '100'$" a.json other.json
  change b.json other.json 'd["tool"]["version"] = "0.9"'
  refuses "not parts of one load: the version of bench is '1.* and '0.9'$" a.json other.json
  change b.json other.json 'd["totals"]["events"] = 0'
  refuses "^FATAL: 'other.json' has no events" a.json other.json
  change b.json other.json 'd["totals"]["latency_ns"]["hdr_histogram"] = "HISTFAAAA"'
  refuses "^FATAL: 'other.json' has no histogram, or a damaged one" a.json other.json
  change b.json other.json 'd["intervals"][0]["latency_ns"]["hdr_histogram"] = "HISTFAAAA"'
  refuses '^FATAL: a histogram is missing or damaged$' a.json other.json
  change b.json other.json 'd["intervals"] = {}'
  refuses "^FATAL: 'other.json' is damaged: its \"intervals\" are not a list$" a.json other.json
  cp a.json out.json
  bench -0 merge a.json b.json -o out.json
  bench -2 merge a.json b.json -o b.json
  must has "$stderr" "^FATAL: the merged result would replace the result 'b.json'"
  must json b.json 'd["totals"]["events"] == 100'
}

@test "merge: clients of members are added up, and values that only some runs have, in any order" {
  spread
  change a.json one.json 'd["totals"]["queries"] = None
d["members"] = [dict(d["totals"], name="m", clients=2)]'
  change b.json other.json 'd["totals"]["queries"] = {"total": 7, "total_per_s": 7.0}
d["members"] = [dict(d["totals"], name="m", clients=3)]'
  bench merge one.json other.json -o m.json
  must is "$status" 0
  must json m.json 'd["totals"]["queries"]["total"] == 7 and d["members"][0]["clients"] == 5'
  bench merge other.json one.json -o m.json
  must json m.json 'd["totals"]["queries"]["total"] == 7'
}

@test "merge: the shares of the members of a mix are those of all events" {
  needs_driver null
  local n
  for n in a b; do
    "$BENCH" mix --mix=oltp_read_only@2,oltp_point_select --db-driver=null --time=1 --json=$n.json run >/dev/null 2>&1 &
  done
  wait
  together a b
  bench -0 merge a.json b.json --json=all.json
  json all.json 'abs(sum(m["share_ratio"] for m in d["members"]) - 1) < 1e-9 and
    all(abs(m["share_ratio"] - m["events"] / d["totals"]["events"]) < 1e-9 for m in d["members"])'
}
