#!/usr/bin/env bash
# aa.sh [PAIRS [SECONDS]] - how often does compare err on this machine?
#
# Each pair is two runs of SECONDS (3) of a server whose events take 1 ms, and a
# third one whose events take 11 % longer: throughput is 10 % lower.  It counts
# the verdicts on equal runs, and how the slower ones do at a gate of 5 %.  At most
# 1 of 100 equal pairs may have a verdict, and 1 of 100 slower ones pass.
set -euo pipefail

src=$(cd "$(dirname "$0")/../.." && pwd)
bench=${BENCH:-$src/build/bench}
pairs=${1:-20} seconds=${2:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# serve NAME SERVICE: a run in NAME.json.
serve() {
  "$bench" model --model-service="$2" --threads=1 --time="$seconds" \
    --json="$work/$1.json" run >/dev/null 2>&1
}

# gate NAME: the exit status of a gate of 5 % for NAME.json.
gate() {
  local rc=0
  "$bench" compare "$work/a.json" "$work/$1.json" --fail-if-slower=5% \
    >"$work/$1.txt" 2>/dev/null || rc=$?
  echo $rc
}

declare -A equal slower
verdicts=0
for ((i = 0; i < pairs; i++)); do
  serve a 1ms
  serve b 1ms
  serve c 1.111ms
  rc=$(gate b)
  equal[$rc]=$((${equal[$rc]:-0} + 1))
  ! grep -qE '^(slower|faster) ' "$work/b.txt" || verdicts=$((verdicts + 1))
  rc=$(gate c)
  slower[$rc]=$((${slower[$rc]:-0} + 1))
done
printf '%s pairs of %s s\n' "$pairs" "$seconds"
printf 'equal: %s verdicts; passed %s, slower %s, cannot tell %s\n' "$verdicts" \
  "${equal[0]:-0}" "${equal[3]:-0}" "${equal[5]:-0}"
printf '10 %% slower: passed %s, slower %s, cannot tell %s\n' \
  "${slower[0]:-0}" "${slower[3]:-0}" "${slower[5]:-0}"
