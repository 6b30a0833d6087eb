#!/usr/bin/env python3
"""Programs that read reports, each written anew from what it matches.

usage: consumers.py FOLDER

FOLDER holds NAME.txt, the standard output of a run (both streams: NAME.all), and
NAME.json, the same run's results.  Every function below reads the text in the
way of one program or group of programs, with its patterns and positions, and
has to get the values that the JSON document has.  Prints TAP.
"""
import json
import os
import re
import sys

NUMBER = r"([0-9]*[.]?[0-9]+)"


class Wrong(Exception):
    pass


def near(text, value, what):
    """`text` is `value`, rounded as it is printed."""
    digits = len(text.split(".")[1]) if "." in text else 0
    if abs(float(text) - value) > 0.500001 * 10 ** -digits:
        raise Wrong(f"{what} is {value}, and {text} was read")


def must(condition, what):
    if not condition:
        raise Wrong(what)


class Run:
    def __init__(self, folder, name):
        self.name = name
        read = lambda suffix: open(os.path.join(folder, name + suffix), encoding="utf-8").read()
        self.text = read(".txt")
        self.lines = self.text.splitlines()
        self.both = read(".all") if os.path.exists(os.path.join(folder, name + ".all")) else self.text
        path = os.path.join(folder, name + ".json")
        self.json = json.loads(read(".json")) if os.path.exists(path) else None
        if not self.json:
            return
        t = self.totals = self.json["totals"]
        self.intervals = [x for x in self.json["intervals"] if not x["partial"]]
        self.ms = {key: t["latency_ns"][key] / 1e6 for key in ("min", "mean", "max")}
        self.sum_ms = sum(x["sum_ns"] for x in self.json["threads"]["each"]) / 1e6
        self.rate = lambda key: t["queries"][key] / t["period_s"]

    def pct(self, p, of=None):
        return (of or self.totals)["latency_ns"]["percentiles"][p] / 1e6

    def one(self, pattern):
        found = re.findall(pattern, self.text, re.M)
        must(len(found) == 1, f"{len(found)} matches of {pattern}")
        return found[0]


def queries(of):
    """tps, qps, r, w, o of an interval."""
    q, t = of["queries"], of["period_s"]
    return [of["events"] / t] + [q[k] / t for k in ("total", "read", "write", "other")]


# ---- one function per reader ------------------------------------------------

def perfkit(run, p="95"):
    must("FATAL" not in run.both, "FATAL in the output")
    seen = 0
    for line in run.lines:
        if not re.match(r"^\[", line):
            continue
        of = run.intervals[seen]
        near(re.findall(r"tps: (.*?) ", line)[0], queries(of)[0], "tps")
        near(re.findall(r"qps: (.*?) \(.*?\) ", line)[0], queries(of)[1], "qps")
        near(re.findall(r"lat \(.*?\): (.*?) ", line)[0], run.pct(p, of), "lat")
        near(re.findall(r"\[ ([0-9]+)s \]", line)[0], of["elapsed_s"], "time")
        seen += 1
    must(seen == len(run.intervals) > 0, f"{seen} intervals")
    for key, value in (("transactions", run.totals["events"] / run.totals["period_s"]),
                       ("queries", run.rate("total"))):
        near(run.one(rf"{key}: *[0-9]* *\({NUMBER} per sec.\)"), value, key)
    for key, value in (("min", "min"), ("avg", "mean"), ("max", "max")):
        near(run.one(rf"{key}: *{NUMBER}"), run.ms[value], key)
    if p == "95":
        near(run.one(rf"95th percentile: *{NUMBER}"), run.pct("95"), "p95")


def virtual_client(run):
    text = run.text.split("SQL statistics:")[1]
    n = [m[0] for m in re.finditer(r"-?\d+(\.\d+)?", text)]
    must(len(n) == 25, f"{len(n)} numbers")
    kept = [x for i, x in enumerate(n) if i not in (3, 12, 14, 18, 21, 22, 23, 24)]
    t, q = run.totals, run.totals["queries"]
    want = [q["read"], q["write"], q["other"], t["events"], t["events_per_s"], q["total"],
            run.rate("total"), t["errors"], t["errors_per_s"], t["reconnects"],
            t["reconnects"] / t["period_s"], t["elapsed_s"], run.ms["min"], run.ms["mean"],
            run.ms["max"], run.pct("95"), run.sum_ms]
    for i, (text, value) in enumerate(zip(kept, want)):
        near(text, value, f"number {i}")
    version = re.search(r"sysbench\s+([\d]+\.[\d]+\.[\d]+(?:-\w+)?)", run.text)
    must(version and version[1] == "1.1.0", "version")


def roachtest(run):
    found = [x for x in run.lines if re.match(r"\[ [\d]+s \].*", x)]
    must(len(found) == len(run.intervals) > 0, "interval lines")
    for line, of in zip(found, run.intervals):
        fields = line.split("]", 1)[1].split()
        must(len(fields) == 15, f"{len(fields)} fields: {fields}")
        near(fields[1], of["threads_running"], "thds")
        near(fields[3], queries(of)[0], "tps")
        near(fields[5], queries(of)[1], "qps")
        for text, value in zip(fields[7].rstrip(")").split("/"), queries(of)[2:]):
            near(text, value, "r/w/o")
        must(fields[6] == "(r/w/o:" and fields[8] == "lat", "the words between")
        near(fields[10], run.pct("95", of), "lat")
        near(fields[12], of["errors_per_s"], "err/s")


def dolt(run):
    wanted, started = {}, False
    for line in run.lines:
        started = started or line.startswith("SQL statistics")
        if not started or ":" not in line:
            continue
        key, value = (x.strip() for x in line.split(":", 1))
        must(value.count("(") <= 1, f"brackets in {line}")
        value = value.split("(")[0].strip()
        if "percentile" in key:
            key = "percentile"
        if value:
            wanted[key] = value.rstrip("s")
    t, q = run.totals, run.totals["queries"]
    for key, value in (("read", q["read"]), ("write", q["write"]), ("other", q["other"]),
                       ("total", q["total"]), ("transactions", t["events"]),
                       ("queries", q["total"]), ("ignored errors", t["errors"]),
                       ("reconnects", t["reconnects"]), ("total time", t["elapsed_s"]),
                       ("total number of events", t["events"]), ("min", run.ms["min"]),
                       ("avg", run.ms["mean"]), ("max", run.ms["max"]), ("sum", run.sum_ms)):
        near(wanted[key], value, key)
    near(run.one(r"total time:\s+([0-9][0-9]*\.[0-9]+)s\n"), t["elapsed_s"], "total time")
    near(run.one(r"avg:\s+([0-9][0-9]*\.[0-9]+)\n"), run.ms["mean"], "avg")
    if run.name == "oltp99":
        near(wanted["percentile"], run.pct("99"), "percentile")
        rows = re.findall(r"([0-9]+\.+[0-9]+)\s+.+\s+([1-9][0-9]*)\n",
                          run.text.split("Latency histogram")[1].split("SQL statistics")[0])
        must(sum(int(n) for _, n in rows) == t["events"], "rows of the histogram")


def kubebench(run):
    f = r"(\d+\.\d+)"
    found = re.findall(rf"\[ \d+s \]\s+thds:\s+(\d+)\s+tps:\s+{f}\s+qps:\s+{f}\s+"
                       rf"\(r/w/o:\s+{f}/{f}/{f}\)\s+lat\s+\(ms,99%\):\s+{f}\s+"
                       rf"err/s:\s+{f}\s+reconn/s:\s+{f}", run.text)
    must(len(found) == len(run.intervals) > 0, "interval lines")
    for values, of in zip(found, run.intervals):
        want = [of["threads_running"]] + queries(of) + [run.pct("99", of), of["errors_per_s"]]
        for text, value in zip(values, want):
            near(text, value, "interval")
    near(run.one(rf"99th\s+percentile:\s+{f}"), run.pct("99"), "p99")
    n = len(run.json["threads"]["each"])
    near(run.one(rf"events\s+\(avg/stddev\):\s+{f}"), run.totals["events"] / n, "fairness")
    near(run.one(rf"execution\s+time\s+\(avg/stddev\):\s+{f}"),
         run.json["threads"]["execution_time_mean_s"], "execution time")
    near(run.one(rf"total\s+time:\s+{f}s"), run.totals["elapsed_s"], "total time")


def operator(run):
    """Cuts lines of report_default at words, as they come from a pipe."""
    seen = 0
    for line in run.lines:
        if not line.startswith("["):
            continue
        cut = lambda word: line.split(word)[1].split(" ")[0]
        of = run.intervals[seen]
        near(cut("tps: "), queries(of)[0], "tps")
        near(cut("qps: "), queries(of)[1], "qps")
        near(cut("lat (ms,95%): "), run.pct("95", of), "lat")
        near(cut("err/s "), of["errors_per_s"], "errors")
        near(cut("reconn/s: "), of["reconnects"] / of["period_s"], "reconnects")
        seen += 1
    must(seen > 0, "no lines")


def easy_db_lab(run):
    fields = lambda line: line.split()
    seen = 0
    for line in run.lines:
        words = fields(line)
        if "tps:" not in words:
            continue
        of, after = run.intervals[seen], lambda word: words[words.index(word) + 1]
        near(after("tps:"), queries(of)[0], "tps")
        near(after("qps:"), queries(of)[1], "qps")
        near(after("err/s:"), of["errors_per_s"], "err/s")
        p99 = [words[i + 1] for i, w in enumerate(words) if re.search(r"99%\):", w)]
        near(p99[0], run.pct("99", of), "p99")
        seen += 1
    must(seen == len(run.intervals), f"{seen} intervals")
    rows = [fields(x) for x in run.text.split("Latency histogram")[1].splitlines()
            if re.match(r"^\s*[0-9.]+\s*\|", x)]
    must(sum(int(x[-1]) for x in rows) == run.totals["events"], "histogram")
    values = [float(x[0]) for x in rows]
    must(values == sorted(values) and values[0] > run.ms["min"] / 1.02, "buckets ascend")
    must("transactions:" in run.text.split("SQL statistics:")[1], "block")


def arewefastyet(run):
    found = json.loads(run.text)
    must(isinstance(found, list) and len(found) == 1, "one object in an array")
    x, t = found[0], run.totals
    near(f"{x['tps']:.2f}", t["events"] / t["period_s"], "tps")
    near(f"{x['qps']['reads']:.2f}", t["queries"]["read"] / t["period_s"], "reads")
    near(f"{x['qps']['total']:.2f}", t["queries"]["total"] / t["period_s"], "qps")
    near(f"{x['latency']:.2f}", run.pct("95"), "latency")


def phoronix_10(run):
    if run.name == "cpu10":
        near(run.one(rf"^    events per second: +{NUMBER}$"), run.totals["events_per_s"], "eps")
    else:
        a, b = run.one(rf"^{NUMBER} MiB transferred \({NUMBER} MiB/sec\)$")
        size = run.totals["events"] * 65536 / 1048576
        near(a, size, "MiB")
        near(b, size / run.totals["period_s"], "MiB/sec")


def phoronix_11(run):
    near(run.one(rf"^    events/s \(eps\):                      *{NUMBER}$"),
         run.totals["events_per_s"], "eps")


def lkp(run):
    t = run.totals
    if run.name == "fileio11":
        r, m, b = run.one(r"read:  IOPS=([\d.]+) ([\d.]+) MiB\/s \(([\d.]+) MB\/s\)")
        reads = next(x for x in run.json["classes"] if x["name"] == "read")
        near(r, reads["count"] / t["period_s"], "IOPS")
        near(m, reads["count"] * 16384 / 1048576 / t["period_s"], "MiB/s")
        near(b, reads["count"] * 16384 / 1e6 / t["period_s"], "MB/s")
        return
    if run.name == "mem11":
        # It allows no blank behind the bracket; below 100,000 there is one.
        near(run.one(r"Total operations:\s+\d+\s+\( *([0-9.]+)\s+.+\)"), t["events_per_s"], "ops")
        near(run.one(r".+\s+transferred\s+\(([0-9.]+)\s+.+\)"),
             t["events"] * 65536 / 1048576 / t["period_s"], "MiB/sec")
    near(run.one(r"events\/s \(eps\):\s+([0-9.]+)"), t["events_per_s"], "eps")
    near(run.one(r"time elapsed:\s+([0-9.]+)"), t["elapsed_s"], "elapsed")
    a, b = run.one(r"events\s+\(avg\/stddev\):\s+([0-9.]+)\/([0-9.]+)")
    near(a, run.json["threads"]["events_mean"], "events")
    near(b, run.json["threads"]["events_stddev"], "stddev")
    a, b = run.one(r"execution time.+:\s+([0-9.]+)\/([0-9.]+)")
    near(a, run.json["threads"]["execution_time_mean_s"], "time")
    near(b, run.json["threads"]["execution_time_stddev_s"], "stddev")


def mmtests(run):
    for line in run.lines:
        fields = re.split(r"\s+", line)
        if re.search(r".*transactions:.*per sec", line):
            near(fields[3].strip("("), run.totals["events_per_s"], "transactions")
        if "events per second" in line:
            near(fields[-1], run.totals["events_per_s"], "eps")
        if "95th percentile:" in line:
            near(fields[3], run.pct("95"), "p95")
    must("percentile" in run.text, "a report")


def snafu(run):
    found = {}
    for line in run.lines:
        if ":" not in line:
            continue
        key, value = re.sub(r"\s", "", line).split(":")
        try:
            found[key] = float(value)
        except ValueError:
            found[key] = value
    t = run.totals
    near(str(found["eventspersecond"]), t["events_per_s"], "eps")
    near(str(found["totalnumberofevents"]), t["events"], "events")
    near(found["totaltime"].rstrip("s"), t["elapsed_s"], "time")
    near(str(found["max"]), run.ms["max"], "max")


def mytools(run):
    def awk(word, field):
        lines = [x for x in run.lines if word in x]
        must(len(lines) == 1, f"{len(lines)} lines with {word}")
        return lines[0].split()[field - 1].strip("(")
    near(awk("transactions:", 3), run.totals["events_per_s"], "tps")
    near(awk("queries:", 3), run.rate("total"), "qps")
    near(awk("avg:", 2), run.ms["mean"], "avg")
    near(awk("max:", 2), run.ms["max"], "max")
    near(awk("percentile:", 3), run.pct("95"), "percentile")


def cloudbench(run):
    must(not [x for x in run.both.splitlines() if "FATAL" in x], "FATAL")
    t, q = run.totals, run.totals["queries"]
    for key, value in (("read:", q["read"]), ("write:", q["write"]), ("sum:", run.sum_ms),
                       ("transactions:", t["events"]), ("queries:", q["total"]),
                       ("95th percentile:", run.pct("95"))):
        lines = [x for x in run.lines if key in x]
        must(len(lines) == 1, f"{len(lines)} lines with {key}")
        near(lines[0].split(key)[1].split()[0], value, key)
    key = "total time:" if run.name == "oltp10" else "time elapsed:"
    near(run.text.split(key)[1].split()[0].rstrip("s"), t["elapsed_s"], key)


def ecs(run):
    if run.name == "version":
        version = run.text.split()[1]
        must(tuple(map(int, version.split("."))) >= (1, 0, 20), version)
    elif run.name == "cpu10":
        near(run.one(r"events per second: +([0-9]+)").split(".")[0] + ".0",
             int(run.totals["events_per_s"]), "eps")
        near(run.one(r"total number of events:\s+([0-9]+)"), run.totals["events"], "events")
    else:
        text = run.one(r"([0-9]{1,}.[0-9]{1,2}) MiB/sec")
        near(text, run.totals["events"] * 65536 / 1048576 / run.totals["period_s"], "MiB/sec")


def tuners(run):
    found = re.findall(r"tps: (\d+.\d+) qps: (\d+.\d+) \(r/w/o: (\d+.\d+)/(\d+.\d+)/(\d+.\d+)\) "
                       r"lat \(ms,95%\): (\d+.\d+) err/s: (\d+.\d+) reconn/s: (\d+.\d+)", run.text)
    must(len(found) == len(run.intervals) > 0, "lines")
    for values, of in zip(found, run.intervals):
        for text, value in zip(values, queries(of) + [run.pct("95", of), of["errors_per_s"]]):
            near(text, value, "interval")


def plots(run):
    found = re.findall(r"\[\s*(\d+)s\s*\].*?tps:\s*([\d.]+)", run.text)
    must(len(found) == len(run.intervals) > 0, "lines")
    for (when, tps), of in zip(found, run.intervals):
        near(when, of["elapsed_s"], "time")
        near(tps, queries(of)[0], "tps")


def scanf(form, text):
    """What C's sscanf reads: a blank matches any, %d and %f skip blanks."""
    values, at, i = [], 0, 0
    skip = lambda at: at + len(text[at:]) - len(text[at:].lstrip())
    while i < len(form):
        c = form[i]
        if c == " ":
            at = skip(at)
        elif c == "%" and form[i + 1] in "df":
            i += 1
            pattern = r"[-+]?\d+" if form[i] == "d" else r"[-+]?\d*\.?\d+"
            found = re.compile(pattern).match(text, skip(at))
            if not found:
                break
            values.append(found[0])
            at = found.end()
        else:
            i += c == "%"
            if at >= len(text) or text[at] != c:
                break
            at += 1
        i += 1
    return values


def analyzer(run):
    seen = 0
    for line in run.lines:
        values = scanf("[ %ds ] thds: %d tps: %f qps: %f (r/w/o: %f/%f/%f) "
                       "lat (ms,%f%%): %f err/s: %f reconn/s: %f", line)
        if not values:
            continue
        must(len(values) == 11, f"{len(values)} values")
        of = run.intervals[seen]
        want = [of["elapsed_s"], of["threads_running"]] + queries(of) + [95, run.pct("95", of)]
        for text, value in zip(values, want):
            near(text, value, "interval")
        seen += 1
    must(seen == len(run.intervals) > 0, "lines")


def output_parser(run):
    """A grammar of the whole report: nothing may be left over."""
    f, n = r"\d+\.\d\d", r"\d+"
    grammar = (
        r"sysbench \d+\.\d+\.\d+ \(using (system|bundled) LuaJIT \S+\)\n\n"
        r"Running the test with following options:\n"
        rf"Number of threads: {n}\n"
        rf"Report intermediate results every {n} second\(s\)\n"
        r"Initializing random number generator from current time\n\n\n"
        r"Initializing worker threads\.\.\.\n\nThreads started!\n\n"
        rf"(\[ {n}s \] thds: {n} tps: {f} qps: {f} \(r/w/o: {f}/{f}/{f}\) "
        rf"lat \(ms,95%\): {f} err/s: {f} reconn/s: {f}\n)+"
        r"SQL statistics:\n    queries performed:\n"
        rf"        read: +{n}\n        write: +{n}\n        other: +{n}\n        total: +{n}\n"
        rf"    transactions: +{n} +\({f} per sec\.\)\n    queries: +{n} +\({f} per sec\.\)\n"
        rf"    ignored errors: +{n} +\({f} per sec\.\)\n    reconnects: +{n} +\({f} per sec\.\)\n\n"
        rf"General statistics:\n    total time: +\d+\.\d{{4}}s\n    total number of events: +{n}\n\n"
        rf"Latency \(ms\):\n +min: +{f}\n +avg: +{f}\n +max: +{f}\n +95th percentile: +{f}\n"
        rf" +sum: +{f}\n\nThreads fairness:\n    events \(avg/stddev\): +\d+\.\d{{4}}/{f}\n"
        rf"    execution time \(avg/stddev\): +\d+\.\d{{4}}/{f}\n\n")
    must(re.fullmatch(grammar, run.text), "the grammar does not match")


def shell_scripts(run):
    t = run.totals
    if run.name == "fileio10":
        reads = next(x for x in run.json["classes"] if x["name"] == "read")
        near(run.one(r"read, MiB\/s:\s*([\d.]+)"),
             reads["count"] * 16384 / 1048576 / t["period_s"], "MiB/s")
    elif run.name == "oltp10":
        line = [x for x in run.lines if "transactions:" in x]
        near(line[0].split()[2].strip("("), t["events_per_s"], "tps")
        near(line[0].split()[1], t["events"], "transactions")
    elif run.name == "cpu10":
        near(run.one(r"events per second:\s*([\d.]+)"), t["events_per_s"], "eps")
    else:
        near(run.one(r"([\d.]+) MiB transferred \("), t["events"] * 65536 / 1048576, "MiB")


READERS = (
    (perfkit, "oltp10 oltp11"), (virtual_client, "oltp11plain"), (roachtest, "oltp10 oltp11"),
    (dolt, "oltp10 oltp99"), (kubebench, "oltp99"), (operator, "hook"), (easy_db_lab, "oltp99"),
    (arewefastyet, "array"), (phoronix_10, "cpu10 mem10"), (phoronix_11, "cpu11 mem11"),
    (lkp, "cpu11 mem11 fileio11"), (mmtests, "oltp10 cpu10"), (snafu, "cpu10"),
    (mytools, "oltp10 oltp11"), (cloudbench, "oltp10 oltp11"), (ecs, "version cpu10 mem10"),
    (tuners, "oltp10 oltp11"), (plots, "oltp10 oltp11"), (analyzer, "oltp10 oltp11"),
    (output_parser, "oltp10"), (shell_scripts, "oltp10 cpu10 mem10 fileio10"),
)


def main():
    number = failed = 0
    runs = {}
    for reader, names in READERS:
        for name in names.split():
            number += 1
            try:
                if name not in runs:
                    runs[name] = Run(sys.argv[1], name)
                reader(runs[name])
                print(f"ok {number} - {reader.__name__} reads {name}")
            except Exception as why:  # whatever a reader stumbles over
                failed += 1
                print(f"not ok {number} - {reader.__name__} reads {name}\n"
                      f"# {type(why).__name__}: {why}")
    print(f"1..{number}")
    sys.exit(failed > 0)


main()
