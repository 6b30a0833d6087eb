#!/usr/bin/env bash
# verify.sh - what judging costs: `bench verify` of 10,000,000 acknowledgements, and
# of a history of 1,000,000 transactions; seconds, seconds of a
# processor (which a busy machine changes less), and the largest memory.
#
# The acknowledgements are those of a real run against a SQLite file, which needs
# 1 GB of disk and a few minutes.  The history is that of transactions one
# after another, in the form of `append`.  ACKS [10000000], TRANSACTIONS [1000000].
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

ACKS=${ACKS:-10000000} TRANSACTIONS=${TRANSACTIONS:-1000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BENCH_DATADIR=${BENCH_DATADIR:-$here/../../src/lua/scripts}

quietly() {
  "$@" >"$work/out" 2>&1 || die "failed: $*
$(cat "$work/out")"
}

# judge NAME N COMMAND...: its seconds and its memory; it must find nothing wrong.
judge() {
  python3 - "$@" <<'PY' || die "failed: ${*:3}"
import resource, subprocess, sys, time
begin = time.monotonic()
done = subprocess.run(sys.argv[3:], stdout=subprocess.DEVNULL)
took = time.monotonic() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%-18s %10s %8.2f s %8.2f s of a processor %8.0f MiB" %
      (sys.argv[1], sys.argv[2], took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
sys.exit(done.returncode)
PY
}

# transactions N: a history of lists; 50 elements of a list, then another key.
transactions() {
  python3 - "$1" <<'PY'
import random, sys
n = int(sys.argv[1])
rng = random.Random(1)
keys, lists, new = list(range(16)), {}, 16
out = ["bench history 1 lists\n"]
for i in range(n):
    words = []
    for _ in range(2):
        at = rng.randrange(16)
        have = lists.setdefault(keys[at], [])
        if rng.random() < 0.5:
            words.append("r:%d=%s" % (keys[at], ",".join(map(str, have))))
            continue
        have.append(len(have) + 1)
        words.append("a:%d=%d" % (keys[at], len(have)))
        if len(have) == 50:
            del lists[keys[at]]
            keys[at], new = new, new + 1
    out.append("%d %d %d ok %s\n" % (i % 64, 1000 * i, 1000 * i + 900, " ".join(words)))
out.append("end %d\n" % n)
sys.stdout.write("".join(out))
PY
}

title "judged, how many, seconds, of a processor, memory"
to=(--db-driver=sqlite --sqlite-db="$work/db" --sqlite-synchronous=off)
quietly "$BENCH" ack "${to[@]}" prepare
quietly "$BENCH" ack "${to[@]}" --rows=200 --payload=0 --events=$((ACKS / 200)) --time=0 \
  --ack-log="$work/acks.log" run
judge acknowledgements "$ACKS" "$BENCH" verify "$work/acks.log" "${to[@]}"
rm -f "$work"/db* "$work/acks.log"
transactions "$TRANSACTIONS" >"$work/history.log"
judge transactions "$TRANSACTIONS" "$BENCH" verify "$work/history.log"
