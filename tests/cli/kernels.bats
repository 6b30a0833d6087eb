#!/usr/bin/env bats
# kernels.bats - `cpu --cpu-kernel`: the table, the files, comparisons.
load helper

all=(int ilp branch div fp lookup btree sort lz json crc32c sha256 aes lua)

@test "all kernels run, in a short run as well, and with several threads" {
  local name
  bench -0 cpu --cpu-kernel=all --events=14 run
  must has "$output" '^Kernels: int, ilp, branch, div, fp, lookup, btree, sort, lz, json, crc32c, sha256, aes, lua$'
  must has "$output" '^    total number of events: +14$'
  for name in "${all[@]}"; do
    must has "$output" "^    $name +[1-9][0-9]+ +[0-9.]+  [a-z-]+ +[a-z0-9.+-]+\$"
  done
  must is "$stderr" ""
  bench cpu --cpu-kernel=aes,int --threads=3 --events=6 run
  must has "$output" '^Kernels: int, aes$'
}

@test "--isa=baseline: portable code, and an interpreter" {
  bench cpu --cpu-kernel=all --isa=baseline --events=14 --json=a.json run
  must is "$(awk '$2 ~ /^[0-9]+$/ && NF == 5 { print $5 }' <<<"$output" | sort | uniq -c | xargs)" "1 interpreter 13 portable"
  check a.json 'd["test"]["code"]["lua"] == "interpreter"' 'd["test"]["code"]["aes"] == "portable"'
}

@test "--isa without kernels is refused" {
  bench -1 cpu --isa=baseline run
  must is "$stderr" "FATAL: --isa has no effect without --cpu-kernel, which chooses what uses it"
}

@test "kernels in the files: totals, intervals, classes, columns" {
  bench -0 cpu --cpu-kernel=int,json --time=0.6 --report-interval=0.2 --warmup-time=0.1 --threads=2 \
    --json=a.json --csv=a.csv --stream=a.jsonl --percentiles=50,99 run
  # On a busy machine a kernel may have no turn in an interval.
  must python3 - <<'PY'
import csv, json
intervals = json.load(open("a.json"))["intervals"]
rows = list(csv.DictReader(open("a.csv")))
assert len(rows) == len(intervals) and any(len(i["cpu_kernels"]) == 2 for i in intervals)
for i, row in zip(intervals, rows):
    for k in ("int", "json"):
        have = i["cpu_kernels"].get(k, {}).get("operations_per_s", 0)
        assert abs(float(row[k + "_operations_per_s"] or 0) - have) < 1e-3, (i, row)
PY
  check a.json \
    'sorted(d["totals"]["cpu_kernels"]) == ["int", "json"]' \
    'all(k["operations"] > 0 for k in d["totals"]["cpu_kernels"].values())' \
    'all(abs(k["operations_per_s"] * k["ns_per_operation"] / 2e9 - 1) < 1e-6 for k in d["totals"]["cpu_kernels"].values())' \
    'sorted(c["name"] for c in d["classes"]) == ["int", "json"]' \
    'abs(sum(c["count"] for c in d["classes"]) - d["totals"]["events"]) <= 2' \
    'd["test"]["code"] == {"int": "portable", "json": "portable"}'
  must has "$(head -1 a.csv)" ',int_operations_per_s,json_operations_per_s$'
}

@test "--rate, --report-classes, --histogram, sweeps" {
  bench -0 cpu --cpu-kernel=sort --rate=100 --time=0.3 --report-classes --histogram run
  must has "$output" '^Rounds of kernels \(times in ms\):$'
  must has "$output" '^CPU kernels:$'
  bench -0 cpu --sweep=cpu-kernel:int,ilp --events=5 --json=s.json run
  must json s.json '[list(s["result"]["totals"]["cpu_kernels"]) for s in d["steps"]] == [["int"], ["ilp"]]'
}

@test "compare: a line per kernel, and the geometric mean decides" {
  bench cpu --cpu-kernel=int,crc32c --isa=baseline --time=0.5 --json=a.json run
  bench cpu --cpu-kernel=crc32c,int,fp --isa=baseline --time=0.5 --json=b.json run
  bench compare a.json b.json
  must has "$output" '^inconclusive +geometric mean'
  must has "$output" '^No figure can be compared: (too few intervals|disturbed run)$'
  # Three runs have a spread.
  python3 -c '
import json
for name in "a", "b":
    d = json.load(open(name + ".json"))
    json.dump(dict(schema="bench-sweep/1", steps=[dict(values={}, exit_status=0, result=d)] * 3),
              open(name + ".json", "w"))'
  bench compare a.json b.json
  must has "$output" '^[a-z]+ +geometric mean +- +- '
  must has "$output" '^int +[0-9.]+[MG] +[0-9.]+[MG] '
  must has "$output" '^crc32c +[0-9.]+[MG] +[0-9.]+[MG] '
  must is "$(grep -c '^fp ' <<<"$output")" 0
  bench compare a.json b.json --format=json
  printf '%s' "$output" >c.json
  must json c.json 'd["comparisons"][0]["decision"]["figure"] == "geometric mean"'
  must json c.json '[f["name"] for f in d["comparisons"][0]["figures"]][-3:] == ["int", "crc32c", "geometric mean"]'
  must json c.json 'abs((lambda f: f[-1]["ratio"] / (f[-3]["ratio"] * f[-2]["ratio"]) ** 0.5)(d["comparisons"][0]["figures"]) - 1) < 1e-9'
}
