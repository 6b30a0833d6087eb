#!/usr/bin/env bash
# empty_event.sh - what the loop around an event costs: events that do nothing.
#
# Times depend on the machine and what else it does; instructions (counted by
# callgrind where valgrind is installed) do not.
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

empty=(memory --memory-oper=none --memory-block-size=8)

# per_event PROGRAM: its instructions.  The difference between two runs has no
# start and no end in it.
per_event() {
  local few many
  few=$(instructions "$1" "${empty[@]}" --memory-total-size=800000 --time=0 run) || exit 1
  many=$(instructions "$1" "${empty[@]}" --memory-total-size=2400000 --time=0 run) || exit 1
  calc "($many - $few) / 200000"
}

title 'empty event (memory, no operation, blocks of 8 bytes)'
printf '%8s %14s %14s %8s\n' threads 'bench ns' 'sysbench ns' ratio
declare -A rates
for threads in 1 2; do
  both "${empty[@]}" --memory-total-size=100T --threads="$threads" --time=1 run
  rates[ours,$threads]=$ours rates[theirs,$threads]=$theirs
  printf '%8d %14.2f %14.2f %8.4f\n' "$threads" \
    "$(calc "1e9 * $threads / $ours")" "$(calc "1e9 * $threads / $theirs")" \
    "$(calc "$theirs / $ours")"
done
printf '%8s %14.2f %14.2f   (rate of 2 threads / rate of 1)\n' scaling \
  "$(calc "${rates[ours,2]} / ${rates[ours,1]}")" \
  "$(calc "${rates[theirs,2]} / ${rates[theirs,1]}")"
if command -v valgrind >/dev/null; then
  ours=$(per_event "$BENCH")
  theirs=$(per_event "$SYSBENCH")
  printf '%8s %14.1f %14.1f %8.4f\n' instr. "$ours" "$theirs" \
    "$(calc "$ours / $theirs")"
fi
