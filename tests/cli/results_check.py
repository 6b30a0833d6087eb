"""Checks a JSON document of results: the schema, and that its numbers agree.

usage: results_check.py SCHEMA DOCUMENT [EXPRESSION...]
Each expression is Python about `d`, the document.  Exits with 77 when the
module jsonschema is missing.
"""
import base64
import json
import struct
import sys
import zlib

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def hdr_count(text):
    """The number of values in an encoded histogram: an independent decoder."""
    packed = base64.b64decode(text)
    cookie, length = struct.unpack(">II", packed[:8])
    assert cookie == 0x1C849314 and length == len(packed) - 8, "cookie"
    data = zlib.decompress(packed[8:])
    cookie, length, _, digits, low, high, ratio = struct.unpack(
        ">IIiiqqd", data[:40])
    assert cookie == 0x1C849313 and length == len(data) - 40, "header"
    assert (digits, low, high, ratio) == (3, 1, 2**42 - 1, 1.0), "range"
    at, total, place = 40, 0, 0
    while at < len(data):
        value = shift = 0
        for i in range(9):
            byte = data[at]
            at += 1
            value |= (byte if i == 8 else byte & 0x7F) << shift
            shift += 7
            if i == 8 or not byte & 0x80:
                break
        value = (value >> 1) ^ -(value & 1)
        if value < 0:
            place -= value
        else:
            total += value
            place += 1
    assert place <= 33 * 1024, "places"
    return total


def latencies(value):
    """All latency objects below a value."""
    if isinstance(value, dict):
        if "hdr_histogram" in value:
            yield value
        for part in value.values():
            yield from latencies(part)
    elif isinstance(value, list):
        for part in value:
            yield from latencies(part)


def check(d):
    for part in ("totals", "classes", "rate"):
        for l in latencies(d[part]):
            assert hdr_count(l["hdr_histogram"]) == l["count"], part
    for l in latencies(d):
        p = [l["percentiles"][k]
             for k in ("50", "75", "90", "95", "99", "99.9", "99.99")]
        assert p == sorted(p) and l["min"] <= p[0] and p[-1] <= l["max"]
        assert l["min"] <= l["mean"] * 1.001 and l["mean"] <= l["max"] * 1.001
    total = d["totals"]
    if total:
        for key in ("events", "errors", "reconnects"):
            assert sum(i[key] for i in d["intervals"]) == total[key], key
        each = d["threads"]["each"]  # not in a result kept without --json
        assert not each or sum(t["events"] for t in each) == total["events"]
        assert total["latency_ns"]["count"] == total["events"]
        # Workers go on while an interval is read: an event may be in the count
        # of one and in the histogram of the next.  None is lost.
        assert sum(hdr_count(i["latency_ns"]["hdr_histogram"])
                   for i in d["intervals"]) == total["events"], "histograms"
        if d["intervals"]:
            inner = [i["latency_ns"] for i in d["intervals"] if i["events"]]
            if inner:
                assert min(i["min"] for i in inner) == total["latency_ns"]["min"]
                assert max(i["max"] for i in inner) == total["latency_ns"]["max"]
        intervals = d["intervals"]
        for name, value in total.get("counters", {}).items():
            parts = sum(i.get("counters", {}).get(name, 0) for i in intervals)
            assert abs(parts - value) <= 1e-9 * max(1, abs(value)), name
        for name, h in total.get("histograms", {}).items():
            assert sum(i["histograms"][name]["count"] for i in intervals
                       if name in i.get("histograms", {})) == h["count"], name
            assert h["min"] <= h["p50"] <= h["p99.99"] <= h["max"], name
        for e in total.get("errors_by_code", ()):
            assert sum(k["count"] for i in intervals
                       for k in i.get("errors_by_code", ())
                       if k["code"] == e["code"]) == e["count"], e["code"]
        if d.get("members"):
            assert sum(m["events"] for m in d["members"]) == total["events"]
        for m in d.get("members", ()):
            parts = [k for i in d["intervals"] for k in i["members"]
                     if k["name"] == m["name"]]
            for key in ("events", "errors", "reconnects"):
                assert sum(k[key] for k in parts) == m[key], m["name"]
            assert hdr_count(m["latency_ns"]["hdr_histogram"]) == m["events"]
        # Many classes have no histograms in intervals, so nothing adds them up.
        for c in d["classes"] if "merged" not in d else ():
            parts = [k for i in d["intervals"] for k in i.get("classes", ())
                     if k["name"] == c["name"]]
            assert sum(k["count"] for k in parts) == c["count"], c["name"]


def main():
    with open(sys.argv[1]) as f:
        schema = json.load(f)
    with open(sys.argv[2]) as f:
        d = json.load(f)
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(d, schema, cls=jsonschema.Draft7Validator)
    check(d)
    for expression in sys.argv[3:]:
        if not eval(expression, {"d": d}):
            print("does not hold:", expression)
            sys.exit(1)


if __name__ == "__main__":
    main()
