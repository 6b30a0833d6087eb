#!/usr/bin/env bash
# memory_latency.sh - --memory-test=latency beside a plain chase in C
# (memory_loops.c), with huge pages, from 4 KiB to four times the last cache.
#
# Programs take turns.  Other programs only make a latency longer, so the
# shortest of the runs counts, for both.  The target is a ratio within 5 %.
#
# The ends of the plateaus that bench finds are set against the caches that the
# system claims; the target is within 15 %.  On virtual machines the last cache
# is shared with others, or of another processor: then bench warns, and the
# claim is what is wrong.
#
# RUNTIME=10   seconds of each run of bench; fewer are too few for large sizes
# EACH=0.3     seconds of the chase at each size
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

RUNTIME=${RUNTIME:-10}
EACH=${EACH:-0.3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O2 -o "$work/loops" "$here/memory_loops.c"

for ((i = 0; i < PAIRS; i++)); do
  "$BENCH" memory --memory-test=latency --memory-pages=huge --time="$RUNTIME" \
    --csv="$work/csv" --json="$work/json.$i" run >/dev/null 2>"$work/messages" ||
    die "failed: $(<"$work/messages")"
  # Every second doubling, in bytes.
  awk -F, 'NR > 1 && (NR - 2) % 16 == 0 { print $2, $3 }' "$work/csv" >>"$work/ours"
  for bytes in $(awk '{ print $1 }' "$work/ours" | sort -nu); do
    printf '%s %s\n' "$bytes" "$("$work/loops" "$bytes" "$EACH" chase huge)" >>"$work/hand"
  done
done

# best FILE BYTES: the shortest of the runs.
best() {
  awk -v bytes="$2" '$1 == bytes && (n++ == 0 || $2 < least) { least = $2 } END { print least }' "$1"
}

printf 'latency, ns per access, huge pages: the shortest of %d interleaved runs, %s, load average %s\n' \
  "$PAIRS" "$("$BENCH" --version)" "$(cut -d' ' -f1 /proc/loadavg)"
printf '%10s %10s %10s %7s\n' KiB bench 'by hand' ratio
for bytes in $(awk '{ print $1 }' "$work/ours" | sort -nu); do
  a=$(best "$work/ours" "$bytes") b=$(best "$work/hand" "$bytes")
  printf '%10d %10.2f %10.2f %7.3f\n' $((bytes / 1024)) "$a" "$b" "$(calc "$a / $b")"
done

printf '\nplateaus, ends in KiB: the median of the runs\n'
printf '%10s %10s %7s\n' claimed found ratio
python3 - "$work"/json.* <<'PY'
import json, statistics, sys
runs = [json.load(open(name))["test"]["latency"] for name in sys.argv[1:]]
claimed = sorted(int(v) for v in runs[0].get("claimed_caches", {}).values())
for size in claimed:
    ends = []
    for run in runs:
        edges = [p["bytes"] for p in run["huge_pages"].get("plateaus", {}).values() if "bytes" in p]
        if edges:
            ends.append(min(edges, key=lambda e: abs(e / size - 1)))
    if ends:
        found = statistics.median(ends)
        print(f"{size / 1024:10.0f} {found / 1024:10.0f} {found / size:7.3f}")
    else:
        print(f"{size / 1024:10.0f} {'none':>10}")
PY
