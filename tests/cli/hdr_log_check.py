"""Reads an HdrHistogram log and prints, for each tag ("" is none), the number
of values and the number of lines; through the package hdrhistogram if it is
there, else with a decoder of its own.

usage: hdr_log_check.py FILE
"""
import re
import sys

from results_check import hdr_count


def with_package(name):
    from hdrh.histogram import HdrHistogram
    from hdrh.log import HistogramLogReader

    reader = HistogramLogReader(name, HdrHistogram(1, 2**42 - 1, 3))
    while True:
        h = reader.get_next_interval_histogram()
        if h is None:
            return
        yield h.get_tag() or "", h.get_total_count()


def by_hand(name):
    with open(name) as f:
        lines = f.read().splitlines()
    assert lines[0] == "#[Histogram log format version 1.3]", lines[0]
    assert re.match(r"#\[StartTime: \d+\.\d{3} \(seconds since epoch\), .*\]$",
                    lines[1]), lines[1]
    assert lines[2].startswith('"StartTimestamp"'), lines[2]
    for line in lines[3:]:
        m = re.match(r"(?:Tag=([^,\s]+),)?\d+\.\d+,\d+\.\d+,\d+\.\d+,(HISTF\S+)$",
                     line)
        assert m, line
        yield m.group(1) or "", hdr_count(m.group(2))


def summary(entries):
    sums = {}
    for tag, count in entries:
        n, lines = sums.get(tag, (0, 0))
        sums[tag] = (n + count, lines + 1)
    return sums


found = summary(by_hand(sys.argv[1]))
try:
    import hdrh  # noqa: F401
    assert summary(with_package(sys.argv[1])) == found
    print("# read by the package hdrhistogram", file=sys.stderr)
except ImportError:
    print("# the package hdrhistogram is not here", file=sys.stderr)
for tag in sorted(found):
    print(tag, *found[tag])
