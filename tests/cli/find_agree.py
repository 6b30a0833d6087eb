#!/usr/bin/env python3
"""find_agree.py CAPACITY FILE...: do two of these searches agree?

Each FILE is the document of a search with --find=rate on a server that cannot
do more than CAPACITY events per second.  An answer is an interval, from the
highest rate that held to the lowest one that failed.  Two agree if these
overlap.  The last line is "agree", "disagree" or "too few answers": then fewer
than two searches have an answer, and each of the others says why there is none.
The exit status is 0 only if two agree.
"""
import itertools
import json
import sys

NO_ANSWER = ("undecided", "not_stationary", "client_limit", "frozen", "too_long")


def interval(search):
    return search["low"], search["high"] or float("inf")


def main():
    capacity = float(sys.argv[1])
    answers = []
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as f:
            search = json.load(f)["sweep"]["search"]
        print(name, search["end"], search["low"], search["high"])
        if search["end"] != "found":
            assert search["end"] in NO_ANSWER, search["end"]
            # What was seen.
            assert (search["low"] or 0) < (search["high"] or float("inf"))
            continue
        low, high = interval(search)
        assert 0 < low < high and low < 1.4 * capacity, (low, high)
        answers.append((low, high))
    if len(answers) < 2:
        print("too few answers")
        return 1
    for a, b in itertools.combinations(answers, 2):
        if max(a[0], b[0]) <= min(a[1], b[1]):
            print("agree")
            return 0
    print("disagree")
    return 1


if __name__ == "__main__":
    sys.exit(main())
