#!/usr/bin/env bats
# The report as a page: what a reader without scripts finds in its text, and
# what it does in a real browser.
load helper

# Makes r.json: 40 intervals with a machine, two servers and hostile names.
make_result() {
  "$BENCH" cpu --events=200 --time=0 --json=seed.json run >/dev/null
  python3 - <<'PY'
import copy, json, random
d = json.load(open("seed.json"))
random.seed(4)
whole = d["totals"]["latency_ns"]
evil = "</script><img src=x onerror=console.error(1)>\x1b[31m&\"'"
d["run"]["test"] = evil
d["warnings"] = [{"code": "x", "text": evil}]
d["classes"] = [{"name": evil, "count": 123456, "count_per_s": 5.0, "errors": 0,
                 "latency_ns": whole}]
d["outages"] = {"stalls": [{"at_s": 10.5, "length_s": 2.0, "first_error": {"text": evil}}]}
d["marks"] = [{"at_s": 20.0, "text": evil}]
d["coincidences"] = {"intervals": 40, "dips": [{"first": 30, "last": 31}], "found": [
    {"series": "errors", "text": "the only dip coincides with " + evil, "dips": 1, "hits": 1,
     "expected": 0.1, "p": 0.001}]}
d["servers"] = [{"target": evil, "waits": [{"name": "Lock:" + evil, "sessions": 1.5}]},
                {"target": "the other", "waits": [{"name": "IO:log", "sessions": 0.25}]}]
counts = ("commits rollbacks rows_read rows_written fsyncs pages_read pages_written lock_waits deadlocks "
          "temp_files read_bytes written_bytes cpu_ns pages_dirty oldest_transaction_s history_length "
          "checkpoint_age_bytes connections lock_waiting").split()
d["intervals"] = []
for i in range(40):
    latency = copy.deepcopy(whole)
    latency["max"] = 5000000 + 1000 * i
    latency["percentiles"] = {k: 1e6 * (n + 1) + random.randrange(10**5)
                              for n, k in enumerate(["50", "95", "99", "99.9"])}
    d["intervals"].append({
        "elapsed_s": i + 1.0, "period_s": 1.0, "partial": False, "events": whole["count"],
        "events_per_s": 10000.0 + random.randrange(5000), "errors": 0, "errors_per_s": 0.0,
        "latency_ns": latency,
        "servers": [
            dict({name: random.randrange(10**9) for name in counts}, known=True, period_s=0.99,
                 log_bytes=4096 * (i + 1), waits=[{"name": "Lock:" + evil, "sessions": i / 8}], **{evil: 3}),
            {"known": True, "period_s": 0.98, "commits": 7,
             "waits": [{"name": "IO:log", "sessions": 0.5}] if i == 9 else
                      [{"name": "IO:%d" % k, "sessions": 1.0} for k in range(8)] if i == 5 else []}],
        "system": {
            "psi": {"io_full_ratio": i / 100}, **{part: {"figure_%d" % k: random.random() for k in range(4)}
                                                  for part in ("disk", "network", "memory")}}})
json.dump(d, open("r.json", "w"))
PY
  "$BENCH" report r.json -o r.html
}

@test "page: values, tables and texts are there without a script" {
  make_result
  python3 - <<'PY'
import html.parser, json, re
text = open("r.html").read()
d = json.load(open("r.json"))

class Page(html.parser.HTMLParser):
    """The texts of cells, of headings and of the data; scripts are not followed."""
    void = {"meta", "link", "br", "img"}
    def __init__(self):
        super().__init__()
        self.open, self.cells, self.heads, self.data = [], [], [], ""
    def handle_starttag(self, tag, attrs):
        assert not any(k.startswith("on") for k, _ in attrs), attrs
        assert tag not in ("img", "iframe", "object"), tag
        if tag not in self.void:
            self.open.append((tag, dict(attrs)))
        if tag == "td":
            self.cells.append("")
        if tag == "h2":
            self.heads.append("")
    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, (tag, self.open)
    def handle_data(self, data):
        tag, attrs = self.open[-1] if self.open else ("", {})
        if tag == "td":
            self.cells[-1] += data
        if tag == "h2":
            self.heads[-1] += data
        if attrs.get("id") == "data":
            self.data += data

page = Page()
page.feed(text)
assert page.open == [], page.open
assert "\x1b" not in text
# Hostile texts are cells, with the escape made visible, and end no script.
assert any("</script><img src=x onerror=console.error(1)>" in c for c in page.cells)
assert "<" not in page.data
assert "123,456" in page.cells
assert "Lock:</script><img src=x onerror=console.error(1)>\\x1b[31m&\"'" in page.cells, page.cells
assert ["the other", "IO:log", "0.250"] in [page.cells[i:i + 3] for i in range(len(page.cells))]
assert any(c.startswith("the only dip coincides with </script>") for c in page.cells)
assert ["no service", "10.500", "2.000 s"] in [page.cells[i:i + 3] for i in range(len(page.cells))]
assert page.heads == ["Summary", "Warnings", "Outages", "Dips", "Marks", "Operations", "Wait events",
                      "Options", "Environment"], page.heads
# What the page draws is in the document.
run, = json.loads(page.data)["runs"]
def column(c):
    return [y if y is None else float("%.9g" % (y * 10.0 ** c["s"])) for y in c["y"]]
series = {k: column(c) for k, c in run["series"].items()}
assert series["t"] == [i["elapsed_s"] for i in d["intervals"]]
assert series["events_per_s"] == [i["events_per_s"] for i in d["intervals"]]
for name in "50", "95", "99", "99.9":
    for got, i in zip(series["latency_ns.percentiles." + name], d["intervals"]):
        assert abs(got / i["latency_ns"]["percentiles"][name] - 1) < 1e-3, (name, got)
# Counts are per second of the time between two readings, levels are as they are, and how far apart readings were is no figure.
assert all(abs(got * 0.99 / 4096 / (i + 1) - 1) < 1e-3 for i, got in enumerate(series["servers.0.log_bytes_per_s"]))
assert all(abs(got / i["servers"][0]["pages_dirty"] - 1) < 1e-3
           for got, i in zip(series["servers.0.pages_dirty"], d["intervals"]))
assert series["servers.1.commits_per_s"] == [7.143] * 40 and series["system.psi.io_full_ratio"][39] == 0.39
assert not [k for k in series if "period" in k], series.keys()
waits, = [k for k in series if k.startswith("servers.0.waits.Lock:</script>")]
assert series[waits] == [i / 8 for i in range(40)]
assert series["servers.1.waits.IO:log.sessions"] == [0.5 if i == 9 else None for i in range(40)]
assert sum(c for column in run["heat"] for _, c in column) == sum(i["events"] for i in d["intervals"])
assert sum(c for _, c in run["hist"]) == d["totals"]["events"]
assert run["doc"]["outages"] == d["outages"] and "hdr_histogram" not in page.data
# Texts have a contrast of 4.5 to the background, lines one of 3, on each medium.
def light(c):
    c = c if len(c) == 7 else "#" + "".join(x * 2 for x in c[1:])
    v = [int(c[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    v = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in v]
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]
sets = [dict(re.findall(r"--(\w+):(#[0-9a-f]+)", s)) for s in re.findall(r":root\{([^}]*)", text)]
assert len(sets) == 2
for s in sets:
    for name, on, least in [("fg", "bg", 4.5), ("dim", "bg", 4.5), ("dim", "card", 4.5), ("bad", "badbg", 4.5),
                            ("warn", "warnbg", 4.5), ("good", "goodbg", 4.5), ("good", "card", 4.5),
                            ("bad", "card", 4.5)] + [(f"c{i}", "bg", 3) for i in range(8)]:
        a, b = sorted((light(s[on]), light(s[name])))
        assert (b + 0.05) / (a + 0.05) >= least, (name, s[name], (b + 0.05) / (a + 0.05))
PY
}

@test "page: one hour with 64 classes is small, and whole" {
  make_result
  python3 - <<'PY'
import json
d = json.load(open("r.json"))
d["classes"] = [dict(d["classes"][0], name=f"SELECT {i}") for i in range(64)]
# Texts are put together here, because so many objects take long.
texts = [json.dumps(i)[1:].replace('"elapsed_s"', '"x"', 1) for i in d.pop("intervals")]
with open("hour.json", "w") as f:
    f.write(json.dumps(d)[:-1] + ', "intervals": [' + ",\n".join(
        '{"elapsed_s": %d, %s' % (i + 1, texts[i % 40]) for i in range(3600)) + "]}")
PY
  bench -0 report hour.json -o hour.html
  must holds "$(stat -c %s hour.html) <= 1500000"
  in_browser hour hour.html
}

@test "page: in a browser: values under the pointer, one cursor, zoom, sorted tables" {
  make_result
  in_browser report r.html r.json
}

# Makes PREFIX1.json... from a run with five intervals: the nth has n times the throughput.
make_runs() {
  "$BENCH" cpu --cpu-max-prime=100 --events=200 --time=0 --json=seed.json run >/dev/null
  python3 - "$@" <<'PY'
import copy, json, sys
seed = json.load(open("seed.json"))
seed["warnings"] = [{"code": "x", "text": "7 things; do another"}]
for n, name in enumerate(sys.argv[1:], 1):
    d = copy.deepcopy(seed)
    d["totals"]["events_per_s"] = 1000.0 * n
    d["intervals"] = [{"elapsed_s": i + 1.0, "period_s": 1.0, "events": 200, "events_per_s": 1000.0 * n,
                       "latency_ns": seed["totals"]["latency_ns"]} for i in range(5)]
    json.dump(d, open(name, "w"))
PY
}

# sweep_of FILE TEXT [rate]: the runs of `make_runs` are its steps, of 1, 2 and 4 threads or of no rate, 1/s and 2/s; TEXT
# is the rest of its member "sweep".
sweep_of() {
  python3 - "$@" <<'PY'
import json, sys
option = sys.argv[3] if len(sys.argv) > 3 else "threads"
steps = [{"step": n, "repeat": 1, "values": {option: str(n if option == "threads" else n // 2)}, "exit_status": 0, "failed": None,
          "result": json.load(open(f"{n}.json"))} for n in (1, 2, 4)]
json.dump({"schema": "bench-sweep/1", "steps": steps, "sweep": dict({"best": {"threads": "4"}, "knee": {"threads": "2"}},
          **json.loads(sys.argv[2]))}, open(sys.argv[1], "w"))
PY
}

@test "page: two results lie over each other, with the verdict on top" {
  make_runs a.json b.json
  bench -0 report a.json b.json -o page.html
  drawn page.html
  must json drawn.json 'd["contents"][0] == "Comparison" and d["title"] == "cpu: comparison" and
    d["lines"]["Throughput"] == ["a", "b"] and d["lines"]["Latency p99"] == ["a", "b"] and
    d["lines"]["Latency by percentile"] == ["a", "b"]'
  must json drawn.json 'd["cards"]["Throughput"] == "1,000/s|2,000/s" and len(d["facts"]) == 2 and
    d["box"] == ["Warninga and 1 more (b): 7 things; do another"]'
  must json drawn.json 'any(c in ("faster", "inconclusive", "same", "better") for c in d["cells"])'
  # A change has a colour if there is a verdict on it: runs of one moment tell nothing, steady ones do.
  must json drawn.json '"inconclusive" in d["cells"] and ["+100 %", ""] in d["changes"] and
    not any(kind for _, kind in d["changes"])'
  steady a.json b.json
  bench -0 report b.json a.json -o page.html
  drawn page.html
  must json drawn.json '"slower" in d["cells"] and ["-50.0 %", "worse"] in d["changes"]'
}

@test "page: what a test has counted: cards, the audit, and tables" {
  make_runs a.json
  python3 - <<'PY'
import json
d = json.load(open("a.json"))
rule = {"of": 79, "unit": "%", "value": 65.4, "least": 57, "most": 63, "verdict": "too short"}
d["test"] = {"new_orders_per_minute": 3137.0, "isolation_level": "read-committed", "longest_outage_s": 0.25,
  "reconciliation": {"enqueued": {"verdict": "ok", "committed": 5, "unknown": 0, "in_tables": 5}, "done": {"verdict": "no tables"}},
  "transactions": {"new_order": {"count": 794, "mean_ms": 43.229}, "stock_level": {"count": 79, "mean_ms": 14.7}},
  "audit": {"payments_by_last_name": rule, "stock_level_90_within": dict(rule, unit="s", least=0, most=20, value=0.025, verdict="ok"),
            "payments_of_all": {"of": 1818, "unit": "%", "value": 43.34, "least": 43, "verdict": "ok"}}}
json.dump(d, open("t.json", "w"))
PY
  bench -0 report t.json -o page.html
  drawn page.html
  must json drawn.json 'd["cards"]["New orders/min"] == "3,140" and "Results of the test" in d["contents"] and
    d["box"][:2] == ["Acknowledged commitsno tables", "Audit2 rules ok, 1 rule too short"] and
    d["box"][-1] == "Acknowledged commits5 committed, 0 with an unknown outcome, 5 in the tables: ok"'
  local row
  for row in '"payments by last name", "57 – 63 %", "65.4 %", "79", "too short"' '"stock level", "79", "14.7 ms"' \
    '"stock level, 90 % within", "≤ 20 s", "25.0 ms", "79", "ok"' '"payments of all", "≥ 43 %", "43.3 %", "1,818", "ok"' \
    '"isolation level", "read-committed"' '"longest outage", "250 ms"'; do
    must json drawn.json "any(d[\"cells\"][i:][:len([$row])] == [$row] for i in range(len(d[\"cells\"])))"
  done
}

@test "page: sweeps lie over each other, and one has its best step, its knee and its law" {
  make_runs 1.json 2.json 3.json 4.json
  sweep_of s.json '{}'
  sweep_of other.json '{}'
  bench -0 report s.json -o page.html
  drawn page.html
  must json drawn.json 'd["title"] == "cpu: sweep" and d["contents"][0] == "Sweep" and d["texts"][:2] == ["best", "knee"] and
    d["cards"]["Best"] == "4,000/s" and d["cards"]["Knee"] == "threads 2" and
    d["lines"]["Throughput vs. threads"] == ["measured"] and d["lines"]["Latency vs. threads"][:2] == ["p50", "p99"] and
    "Latency p99 vs. throughput" in d["charts"] and len(d["box"]) == 1'
  bench -0 report s.json other.json -o page.html
  drawn page.html
  must json drawn.json 'd["lines"]["Throughput vs. threads"] == ["s", "other"] and d["contents"][:2] == ["Comparison", "Sweep"]
    and [d["cells"].count(f"threads={n}") for n in (1, 2, 4)] == [d["cells"].count("threads=1")] * 3'
}

@test "page: the best step and the knee have labels of their own; a rate of 0 is a closed loop" {
  make_runs 1.json 2.json 3.json 4.json
  sweep_of s.json '{"best": {"threads": "4"}, "knee": {"threads": "2"}}'
  python3 -c '
import json
d = json.load(open("s.json"))
d["steps"][1]["result"]["totals"]["events_per_s"] = 3990.0
d["steps"][1]["values"] = {"threads": "3.99"}
d["sweep"]["knee"] = {"threads": "3.99"}
json.dump(d, open("s.json", "w"))'
  bench -0 report s.json -o page.html
  drawn page.html
  must json drawn.json '{"best", "knee"} <= set(d["texts"])'
  sweep_of r.json '{"best": {"rate": "0"}, "knee": {"rate": "2"}}' rate
  bench -0 report r.json -o page.html
  drawn page.html
  must json drawn.json 'd["lines"]["Throughput vs. rate"] == ["closed loop", "measured"] and "closed loop" in d["cells"] and
    "rate=1" in d["cells"] and not any("rate=0" in t for t in d["cells"] + d["box"]) and d["cards"]["At"] == "closed loop" and
    "best" not in d["texts"]'
}

@test "page: codes of errors are shown as they are" {
  make_runs a.json
  python3 -c '
import json
d = json.load(open("a.json"))
d["errors"] = [{"source": "pgsql", "code": "23505", "state": "23505", "count": 3, "text": "twice"}]
json.dump(d, open("e.json", "w"))'
  bench -0 report e.json -o page.html
  must is "$(grep -oE '>23,?505<' page.html | sort -u)" '>23505<'
}

@test "page: a search shows its answer, its steps and those that failed" {
  make_runs 1.json 2.json 3.json 4.json
  bench model --model-service=5ms --threads=2 --time=1 --find=rate --slo='p99<=100ms' --find-precision=20% \
    --json=f.json run
  # 5: the CPUs were not the client's own, so there is no answer.
  local answer=$status
  ((status == 0 || status == 5))
  bench -0 report f.json -o page.html
  drawn page.html
  must json drawn.json 'd["title"] == "model: search" and d["contents"][0] == "Search" and "Latency by load" in d["charts"]
    and ("Answer" in d["cards"] or '"$answer"' == 5) and d["cards"]["Objective"] == "p99<=100ms" and d["dots"] > 1 and "closed loop" in d["cells"] and d["box"][0].startswith("Answer")'
}

@test "page: a failover begins with its outages and lost commits" {
  make_runs a.json
  python3 -c '
import json
d = json.load(open("a.json"))
d["outages"] = {"stall_count": 1, "stalled_s": 2.5, "longest_stall_s": 2.5, "stalls": [{"at_s": 1.5, "length_s": 2.5,
  "clients": 8, "ended_by_client": None, "first_error": {"text": "gone"}}], "brownouts": [{"at_s": 0.5, "length_s": 0.5}],
  "clients": {"all": 8, "affected": 8, "until_the_end": 1, "unavailable": {"median_s": 2, "longest_s": 2.5}}}
d["test"] = {"reconciliation": {"verdict": "bad", "committed": 4000, "unknown": 3, "in_tables": 3990}}
json.dump(d, open("a.json", "w"))'
  bench -0 report a.json -o page.html
  drawn page.html
  must json drawn.json 'd["contents"][0] == "Outages" and d["box"][0] == "Acknowledged commits are lost" +
    "4,000 committed, 3 with an unknown outcome, 3,990 in the tables" and d["cards"]["Longest outage"] == "2.50 s"'
  must json drawn.json 'any("8 of 8 clients lost the service, 1 until the end" in p for p in d["paragraphs"]) and
    ["no service", "1.500", "2.500 s", "8 of 8", "the end of the run", "gone"] == d["cells"][:6]'
}

@test "page: tests of memory and processors" {
  make_runs a.json
  python3 -c '
import json
d = json.load(open("a.json"))
d["test"] = {"memory_test": "latency", "figures": {"far": {"value": 150, "unit": "ns"}},
  "latency": {"huge_pages": {"ns": {"131072": 4, "4096": 1, "16384": 1}, "plateaus": {"1": {"ns": 1, "bytes": 16384}}}},
  "loaded": {"delays": {"0": {"bytes_per_s": 9e9, "ns": 200}, "none": {"bytes_per_s": 0, "ns": 100}}, "knee_bytes_per_s": 9e9},
  "pairs": {"of": {"2-7": {"ns": 51.5}, "10-2": {"ns": 80}, "x": {"ns": 1}, "1-": {"ns": 1}}},
  "numa": {"of": {"0-1": {"ns": 150}, "0-0": {"ns": 90}}}}
d["totals"]["cpu_kernels"] = {"int": {"operations_per_s": 1e6}, "aes": {"operations_per_s": 4e9}}
json.dump(d, open("a.json", "w"))
d["totals"]["cpu_kernels"]["int"]["operations_per_s"] = 4e6
json.dump(d, open("b.json", "w"))'
  bench -0 report a.json -o page.html
  drawn page.html
  must json drawn.json 'd["charts"][:2] == ["Latency by the size of the memory", "Latency by bandwidth of the loads"] and
    d["texts"] == ["16 KiB", "knee"] and "150.0 ns" in d["cells"] and "1.00 M/s" in d["cells"]'
  # Pairs both ways, nodes one way.
  must json drawn.json 'd["cells"].count("51.5 ns") == 2 and d["cells"].count("80 ns") == 2 and d["cells"].count("90 ns") == 1'
  bench -0 report a.json b.json -o page.html
  drawn page.html
  must json drawn.json '"4.00 M/s (4.00×)" in d["cells"] and "4.00 G/s (1.00×)" in d["cells"]'
}

@test "page: a figure that is no number is not drawn" {
  bench -0 cpu --time=0.4 --report-interval=0.1 --json=a.json run
  for edit in 'd["intervals"][1]["events_per_s"] = 1e308; d["intervals"][1]["period_s"] = 1e-9' \
    'd["intervals"][1]["elapsed_s"] = None' 'd["intervals"][0]["system"]["network"]["sent_bytes"] = 1e308'; do
    python3 -c "import json; d = json.load(open('a.json')); $edit; json.dump(d, open('odd.json', 'w'))"
    bench -0 report odd.json -o page.html
  done
}

@test "page: what is missing is said, not drawn" {
  cat >none.json <<'JSON'
{"schema": "bench/1", "run": {"test": "a<b>&"}, "database": {"driver": "null", "protocol": "wire"}, "totals": {"events": 0,
 "events_per_s": 0.0, "latency_ns": {"hdr_histogram": "HISTnonsense"}}}
JSON
  bench -0 report none.json -o page.html
  must has "$(<page.html)" '<h1>bench report: a&lt;b&gt;&amp;</h1>'
  drawn page.html
  must json drawn.json 'd["title"] == "a<b>&" and d["charts"] == [] and d["box"] == ["No warnings"] and
    any("have no intervals" in p for p in d["paragraphs"]) and any("have no histogram" in p for p in d["paragraphs"])'
}
