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
    """Tags in their order, and the texts in them; scripts are not followed."""
    void = {"meta", "link", "br", "img"}
    lazy = {"td", "tr"}
    def __init__(self):
        super().__init__()
        self.open, self.cells, self.scripts, self.svg, self.heads = [], [], [], 0, []
        self.titles = []
    def handle_starttag(self, tag, attrs):
        assert not any(k.startswith("on") for k, _ in attrs), attrs
        assert tag not in ("img", "iframe", "object"), tag
        if tag in ("td", "tr"):
            while self.open[-1] in ("td",) + (("tr",) if tag == "tr" else ()):
                self.open.pop()
        if tag not in self.void:
            self.open.append(tag)
        if tag == "td":
            self.cells.append("")
        if tag == "svg":
            self.svg += 1
        if tag == "script":
            self.scripts.append("")
        if tag == "figcaption":
            self.titles.append("")
    def handle_startendtag(self, tag, attrs):
        pass
    def handle_endtag(self, tag):
        while self.open[-1] != tag and self.open[-1] in self.lazy:
            self.open.pop()
        assert self.open[-1] == tag, (tag, self.open)
        self.open.pop()
    def handle_data(self, data):
        if "td" in self.open:
            self.cells[-1] += data
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        if self.open and self.open[-1] == "figcaption":
            self.titles[-1] += data

page = Page()
page.feed(text)
assert page.open == [], page.open
assert "\x1b" not in text
# Hostile texts are cells, with the escape made visible, and end no script.
assert any("</script><img src=x onerror=console.error(1)>" in c for c in page.cells)
assert "123,456" in page.cells
assert "Lock:</script><img src=x onerror=console.error(1)>\\x1b[31m&\"'" in page.cells, page.cells
assert ["the other", "IO:log", "0.250"] in [page.cells[i:i + 3] for i in range(len(page.cells))]
assert any(c.startswith("the only dip coincides with </script>") for c in page.cells)
assert not [t for t in page.titles if "period" in t], page.titles
for t in ("Heat map of latency", "server 1: log bytes", "server 2: commits", "system: psi io full", "server 1: cpu",
          "Throughput over time", "Latency over time", "What sessions wait for at server 1"):
    assert t in page.titles, page.titles
# The charts' data are those of the document.
data = [json.loads(s) for s in page.scripts[:-1]]
for line in [line for c in data[1:] for line in c["lines"]]:
    up, down = 10 ** max(line["scale"], 0), 10 ** max(-line["scale"], 0)
    line["y"] = [y if y is None else y * up / down for y in line["y"]]
times = data[0]
assert times == [[i["elapsed_s"] for i in d["intervals"]]], times
rates = [i["events_per_s"] for i in d["intervals"]]
assert rates in [c["lines"][0]["y"] for c in data[1:] if c["lines"]]
p95 = [float("%.6g" % i["latency_ns"]["percentiles"]["95"]) for i in d["intervals"]]
assert any(p95 == line["y"] for c in data[1:] for line in c["lines"])
# What is not in the list of an interval was 0 there, unless the list is full.
for waits in [i / 8 for i in range(40)], [0.5 if i == 9 else None if i == 5 else 0 for i in range(40)]:
    assert any(waits == line["y"] for c in data[1:] for line in c["lines"]), waits
grid, = [c["grid"] for c in data[1:] if "grid" in c]
assert sum(grid["counts"]) == sum(i["events"] for i in d["intervals"])
# The outage and the mark are on each chart over time, where they belong.
assert text.count('<rect class="band" data-from="10.5" data-to="12.5" x="245.7"') == len(data) - 1
assert text.count('<rect class="moment" data-from="20" data-to="20" x="392.0"') == len(data) - 1
assert "no service for 2.000 s; first error: &lt;/script&gt;" in text
assert text.count('<rect class="band" data-from="30" data-to="32"') == len(data) - 1
# A row per interval.
rows = re.findall(r"<tr><td>([0-9]+)<td>([0-9,.]+)<td>", text)
assert [float(b.replace(",", "")) for _, b in rows] == rates, rows
# Texts have a contrast of 4.5 to the background, lines one of 3, on each medium.
def light(c):
    c = c if len(c) == 7 else "#" + "".join(x * 2 for x in c[1:])
    v = [int(c[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    v = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in v]
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]
sets = [dict(re.findall(r"--(\w+):(#[0-9a-f]+)", s)) for s in re.findall(r":root\{([^}]*)", text)]
assert len(sets) == 3
for s in sets:
    for name, least in [("fg", 4.5), ("dim", 4.5)] + [(f"c{i}", 3) for i in range(8)]:
        a, b = sorted((light(s["bg"]), light(s[name])))
        assert (b + 0.05) / (a + 0.05) >= least, (name, s[name], (b + 0.05) / (a + 0.05))
PY
}

@test "page: one hour with 64 classes is small" {
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
  must holds "$(stat -c %s hour.html) <= 2000000"
  must is "$(grep -c '^<tr><td>[0-9,]*<td>' hour.html)" 3600
}

@test "page: in a browser: values under the pointer, one cursor, zoom, sorted tables" {
  make_result
  in_browser report r.html r.json
}
