#!/usr/bin/env bats
# members.bats - the members of a mix in files, pages and comparisons.
load helper

# Makes r.json, r.csv and r.stream: a mix of two scripts.
run_mix() {
  echo 'function event() end' >a.lua
  cp a.lua b.lua
  bench -0 --mix=./a.lua@3,./b.lua@1 --db-driver=null --histogram=off --time=0 \
    --events=4000 --rate=8000 --report-interval=0.1 --percentiles=50,95,99 \
    --json=r.json --csv=r.csv --stream=r.stream "$@" run
}

@test "document: what was planned stands beside what was seen" {
  run_mix
  check r.json '[m["planned_ratio"] for m in d["members"]] == [0.75, 0.25]' \
    'all("clients" not in m and "planned_per_s" not in m for m in d["members"])' \
    'all("planned_ratio" not in m for i in d["intervals"] for m in i["members"])'
  bench -0 --mix=./a.lua:2:rate=500,./b.lua:1 --db-driver=null --time=0 --events=200 \
    --json=c.json run
  check c.json '[m["clients"] for m in d["members"]] == [2, 1]' \
    'd["members"][0]["planned_per_s"] == 500' '"planned_per_s" not in d["members"][1]' \
    'all("planned_ratio" not in m for m in d["members"])'
}

@test "csv and stream: each line has the members, and they add up" {
  run_mix
  python3 - <<'PY'
import csv, json
d = json.load(open("r.json"))
rows = list(csv.DictReader(open("r.csv")))
lines = [json.loads(line) for line in open("r.stream")]
assert list(rows[0])[-8:] == ["member_b_" + c for c in
    ("events errors reconnects latency_mean_ns latency_p50_ns latency_p95_ns "
     "latency_p99_ns latency_max_ns").split()]
for m in d["members"]:
    column = "member_%s_" % m["name"]
    assert sum(int(r[column + "events"]) for r in rows) == m["events"] > 0
    assert sum(i["events"] for l in lines for i in l["members"]
               if i["name"] == m["name"]) == m["events"]
    for r in rows:
        p = [int(r[column + "latency_" + c + "_ns"]) for c in ("p50", "p95", "p99", "max")]
        assert p == sorted(p) and (p[3] > 0) == (int(r[column + "events"]) > 0), p
        assert r[column + "errors"] == r[column + "reconnects"] == "0"
assert len(rows) == len(lines) and all(len(l["members"]) == 2 for l in lines)
assert all(None not in r and None not in r.values() for r in rows)
PY
  bench ./a.lua --time=0 --events=10 --csv=plain.csv run
  must [ "$(grep -c member_ plain.csv)" = 0 ]
}

@test "report: a table with the planned share, charts on the page" {
  run_mix
  bench -0 report r.json --format=markdown
  must has "$output" '^\| result \| member \| planned \| share \| events '
  python3 - <<'PY' >expected
import json
for m in json.load(open("r.json"))["members"]:
    print("| r | %s | %.1f %% | %.1f %% | %d |"
          % (m["name"], 100 * m["planned_ratio"], 100 * m["share_ratio"], m["events"]))
PY
  must is "$(grep -E '^\| r \| [ab] ' <<<"$output" | cut -d'|' -f1-6 | sed 's/$/|/')" "$(cat expected)"
  bench -0 report r.json -o r.html
  page_data r.html
  must json data.json 'all(f"members.{m}.{key}" in d["runs"][0]["series"] for m in "ab" for key in ("events_per_s", "latency_ns.percentiles.95"))'
  # another run without members, and one with clients
  bench ./a.lua --time=0 --events=10 --json=plain.json run
  bench report plain.json -o plain.html
  must [ "$(grep -c '<h2>Members</h2>' plain.html)" = 0 ]
  bench --mix=./a.lua:2:rate=500,./b.lua:1 --db-driver=null --time=0 --events=100 \
    --json=c.json run
  bench report r.json c.json --format=text
  must has "$output" '^c .* a +2 clients at 500/s '
  must has "$output" '^c .* b +1 client '
  must has "$output" '^r .* a +75.0 % '
}

@test "report: more members than a chart has lines" {
  local members=a0=./a.lua
  for i in {1..8}; do members+=,a$i=./a.lua; done
  run_mix
  bench -0 --mix=$members --db-driver=null --time=0 --events=900 --rate=3000 \
    --report-interval=0.1 --json=nine.json run
  bench report nine.json -o nine.html
  page_data nine.html
  must json data.json 'len([k for k in d["runs"][0]["series"] if k.endswith(".latency_ns.percentiles.95")]) == 8'
  must grep -q '<td[^>]*>a8' nine.html
}

# Makes base.json and new.json from r.json: in the new one b is half as fast, the
# whole hardly slower, and the members are in the opposite order.
make_pair() {
  run_mix
  python3 - <<'PY'
import copy, json, random
seed = json.load(open("r.json"))

def latency(count, mean):
    return {"count": count, "min": mean / 2, "mean": mean, "stddev": 1.0, "max": mean * 3,
            "percentiles": {"50": mean, "95": 2 * mean, "99": 2.5 * mean}}

def figures(o, count, per_s, mean):
    o.update(events=count, events_per_s=per_s, latency_ns=latency(count, mean))

def make(name, speed, backwards):
    d = copy.deepcopy(seed)
    random.seed(7)
    example = copy.deepcopy(d["intervals"][0])
    d["intervals"] = []
    for i in range(60):
        one = copy.deepcopy(example)
        one.update(elapsed_s=i + 1.0, period_s=1.0, partial=False)
        counts = [90000 + random.randrange(100), int((10000 + random.randrange(20)) * speed)]
        figures(one, sum(counts), float(sum(counts)), 1e6 + random.randrange(1000))
        for m, n, mean in zip(one["members"], counts, (1e6, 1e6 / speed)):
            figures(m, n, float(n), mean + random.randrange(1000))
        d["intervals"].append(one)
    for k in (None, 0, 1):
        parts = [i if k is None else i["members"][k] for i in d["intervals"]]
        n = sum(p["events"] for p in parts)
        figures(d["totals"] if k is None else d["members"][k], n, n / 60,
                sum(p["events"] * p["latency_ns"]["mean"] for p in parts) / n)
    d["totals"].update(elapsed_s=60.0, period_s=60.0)
    d["client"].update(run_queue_delay_s=0, steal_cpus=0)
    if backwards:
        for o in [d] + d["intervals"]:
            o["members"].reverse()
    json.dump(d, open(name, "w"))

make("base.json", 1.0, False)
make("new.json", 0.5, True)
PY
}

@test "compare: members are matched by name, with verdicts of their own" {
  make_pair
  bench -0 compare base.json new.json --format=json
  printf '%s\n' "$output" >c.json
  python3 - <<'PY'
import json
f = {x["name"]: x for x in json.load(open("c.json"))["comparisons"][0]["figures"]}
for name in ("events/s", "mean", "p50", "p95", "p99"):
    assert f["b: " + name]["verdict"] == "slower", f["b: " + name]
    assert f["a: " + name]["verdict"] == "same", f["a: " + name]
    assert f["b: " + name]["member"] == "b" and f["b: " + name]["kind"] == f[name]["kind"]
    assert "member" not in f[name]
assert abs(f["b: events/s"]["ratio"] - 0.5) < 0.01
assert abs(f["b: mean"]["ratio"] - 2) < 0.02
PY
  # the whole still decides
  bench -0 compare base.json new.json --fail-if-slower=20
  must has "$output" '^b: events/s .*slower'
  # a member that one of them lacks has no row
  sed 's/"name": "b"/"name": "c"/g' new.json >other.json
  bench compare base.json other.json
  must has "$output" '^a: events/s'
  must [ "$(grep -c '^[bc]: ' <<<"$output")" = 0 ]
}

# metrics_of PORT: the samples.
metrics_of() {
  python3 -c 'import sys, urllib.request
with urllib.request.urlopen("http://127.0.0.1:%s/metrics" % sys.argv[1], timeout=50) as r:
    print(r.read().decode(), end="")' "$1"
}

# Samples appear when the load begins: each member has events at some time.
have_begun() {
  metrics_of "$port" >metrics
  grep -q 'bench_member_events_total{member="a"} [1-9]' metrics &&
    grep -q 'bench_member_events_total{member="b"} [1-9]' metrics
}

@test "prometheus: a label for the member" {
  local port pid
  echo 'function event() end' >a.lua
  cp a.lua b.lua
  serve_at --prometheus mix --mix=./a.lua@3,./b.lua@1 --db-driver=null --rate=1000 --time=600
  until have_begun; do kill -0 "$pid"; done
  kill -INT "$pid"
  wait "$pid" || true
  python3 - <<'PY'
import re
text = open("metrics").read()
for name in ("events_total", "errors_total", "reconnects_total", "latency_seconds_sum",
             "latency_seconds_count", 'latency_seconds_bucket'):
    for m in "ab":
        assert re.search(r'^bench_member_%s\{member="%s"[,}]' % (name, m), text, re.M), name
def last(m):
    return [int(v) for v in re.findall(r'member="%s",le="[^"]*"\} (\d+)' % m, text)]
for m in "ab":
    counts = last(m)
    assert counts == sorted(counts) and counts[-1] > 0
    assert 'bench_member_latency_seconds_count{member="%s"} %d\n' % (m, counts[-1]) in text
PY
  if command -v promtool >/dev/null; then
    promtool check metrics <metrics
  fi
}
