#!/usr/bin/env bash
# memory.sh - bandwidth of the memory test beside sysbench's, and beside a plain
# C loop of 8-byte stores (one for each thread, each with a block of its own).
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O2 -o "$work/store_loop" "$here/store_loop.c"

# loop_rate BYTES COPIES: MiB/s of the plain loop, of so many at once.
loop_rate() {
  local i
  for ((i = 0; i < $2; i++)); do
    "$work/store_loop" "$1" 0.3 &
  done | awk '{ sum += $1 } END { print sum }'
}

# row BLOCK BYTES SCOPE THREADS
row() {
  local i a='' b='' c='' ours theirs loop mib=$2/1048576
  local command=(memory --memory-block-size="$1" --memory-total-size=100T
    --memory-scope="$3" --threads="$4" --time=1 run)
  for ((i = 0; i < PAIRS; i++)); do
    a+=$(rate "$BENCH" "${command[@]}")$'\n' || exit 1
    c+=$(loop_rate "$2" "$4")$'\n'
    b+=$(rate "$SYSBENCH" "${command[@]}")$'\n' || exit 1
  done
  ours=$(calc "$(median <<<"${a%$'\n'}") * $mib")
  theirs=$(calc "$(median <<<"${b%$'\n'}") * $mib")
  loop=$(median <<<"${c%$'\n'}")
  printf '%6s %-7s %7d %11.0f %11.0f %7.3f %11.0f %7.3f\n' "$1" "$3" "$4" \
    "$ours" "$theirs" "$(calc "$ours / $theirs")" "$loop" \
    "$(calc "$ours / $loop")"
}

title 'memory test, writes in order, MiB/s'
printf '%6s %-7s %7s %11s %11s %7s %11s %7s\n' block scope threads bench \
  sysbench ratio 'plain loop' ratio
for scope in global local; do
  for threads in 1 2; do
    row 1K 1024 "$scope" "$threads"
  done
done
row 64K 65536 global 1
row 1M 1048576 global 1
row 16M 16777216 global 1
