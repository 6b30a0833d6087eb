#!/usr/bin/env bats
# The Universal Scalability Law on sweeps.
load helper

# valid FILE: the document follows the schema of sweeps.
valid() {
  python3 - "$BENCH_SRC" "$1" <<'PY'
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit(0)
folder = sys.argv[1] + "/share/schema/"
sweep = json.load(open(folder + "bench-sweep-1.schema.json"))
run = json.load(open(folder + "bench-1.schema.json"))
resolver = jsonschema.RefResolver.from_schema(sweep, store={"bench-1.schema.json": run})
jsonschema.Draft7Validator(sweep, resolver=resolver).validate(json.load(open(sys.argv[2])))
PY
}

# made_up LAW FILE: a sweep over threads whose throughput is a Python
# expression of n, from a real one.
made_up() {
  [ -e real.json ] ||
    bench cpu --cpu-max-prime=10 --events=10 --time=0 --sweep=threads:1,2 --json=real.json run
  python3 - "$1" "$2" <<'PY'
import copy, json, math, sys
d = json.load(open("real.json"))
step, d["steps"] = d["steps"][0], []
for i, n in enumerate((1, 2, 4, 8, 16, 32, 64, 128)):
    s = copy.deepcopy(step)
    s["step"], s["values"] = i + 1, {"threads": str(n)}
    wobble = 1 + 0.01 * (-1) ** i
    s["result"]["totals"]["events_per_s"] = wobble * eval(sys.argv[1])
    s["result"]["totals"]["events"] = 1000
    d["steps"].append(s)
json.dump(d, open(sys.argv[2], "w"))
PY
}

# said FILE: sets said, what the page says of the law.
said() {
  bench -0 report "$1" -o page.html
  # A paragraph for each of its sentences.
  said=$(tr '\n' ' ' <page.html | grep -oE '<p>(scalability|no peak|peak|The law)[^<]*' || true)
}

@test "six values are described, in the text and in the document" {
  # Events that wait and need no processor: all threads have the same rate.
  bench -0 oltp_point_select --db-driver=null --null-latency=20000 --events=15 --time=0 --sweep=threads:1..6 --json=u.json run
  must has "$output" '^scalability: contention [0-9.e+-]+ % \([0-9.e+-]+ to [0-9.e+-]+ %\), coherence [0-9.e+-]+ % \(.* %\), with 99 % intervals \(Universal Scalability Law over 6 values\)$'
  must has "$output" '^(no peak within the data|peak: .* events/s at about [0-9]+ threads \([0-9]+ to [0-9]+\).*)$'
  valid u.json
  must json u.json 'd["sweep"]["usl"]["values"] == 6 and d["sweep"]["usl"]["runs"] == 6
    and all(f["low"] <= f["value"] <= f["high"] for f in
            [d["sweep"]["usl"][k] for k in ("single_events_per_s", "contention_ratio", "coherence_ratio")])
    and (d["sweep"]["usl"]["peak_at"] is None) == (d["sweep"]["usl"]["coherence_ratio"]["low"] == 0
         or d["sweep"]["usl"]["contention_ratio"]["value"] >= 1)'
  said u.json
  must has "$said" 'Universal Scalability Law over 6 values'
}

@test "nothing is said of five values, of a given rate, or of another option" {
  bench -0 cpu --cpu-max-prime=100 --time=0.1 --sweep=threads:1..5 --json=u.json run
  must lacks "$output" 'scalability'
  must json u.json '"usl" not in d["sweep"]'
  bench -0 cpu --cpu-max-prime=100 --time=0.1 --rate=50 --sweep=threads:1..6 run
  must lacks "$output" 'scalability'
  bench -0 cpu --time=0 --events=2 --sweep=cpu-max-prime:10..60+10 run
  must lacks "$output" 'scalability'
}

@test "a peak is named where there is one" {
  made_up '1000 * n / (1 + 0.03 * (n - 1) + 0.0004 * n * (n - 1))' peak.json
  said peak.json
  must has "$said" 'contention (2\.[5-9]|3\.[0-5])[0-9]* %'
  must has "$said" 'peak: [0-9.]+ events/s at about (4[5-9]|5[0-4]) threads'
  must lacks "$said" 'no peak'
  page_data page.html
  must json data.json '45 <= d["files"][0]["law"]["peak_at"]["value"] <= 55'
  made_up '1000 * n / (1 + 0.1 * (n - 1))' none.json
  said none.json
  must has "$said" 'no peak within the data'
  must lacks "$said" 'peak:'
}
