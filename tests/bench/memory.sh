#!/usr/bin/env bash
# memory.sh - bandwidth of the memory test beside sysbench's, and beside a plain
# C loop of 8-byte stores by as many threads, on one block or on a block each.
#
# The last column but one says what the block itself allows: the plain loop of
# two threads compared with that of one.  Two processors that write to the same
# few cache lines take them away from each other, whatever the program; so
# nothing can scale there, and what counts is the last column, the ratio of this
# program to the plain loop.
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O2 -pthread -o "$work/store_loop" "$here/store_loop.c"

# row BLOCK BYTES SCOPE THREADS
row() {
  local i a='' b='' c='' ours theirs loop scales=- mib=$2/1048576
  local command=(memory --memory-block-size="$1" --memory-total-size=100T
    --memory-scope="$3" --threads="$4" --time=1 run)
  for ((i = 0; i < PAIRS; i++)); do
    a+=$(rate "$BENCH" "${command[@]}")$'\n' || exit 1
    c+=$("$work/store_loop" "$2" 0.5 "$4" "$3")$'\n' || exit 1
    b+=$(rate "$SYSBENCH" "${command[@]}")$'\n' || exit 1
  done
  ours=$(calc "$(median <<<"${a%$'\n'}") * $mib")
  theirs=$(calc "$(median <<<"${b%$'\n'}") * $mib")
  loop=$(median <<<"${c%$'\n'}")
  if (($4 == 1)); then
    one=$loop
  else
    scales=$(printf '%.2f' "$(calc "$loop / $one")")
  fi
  printf '%6s %-7s %7d %11.0f %11.0f %7.3f %11.0f %7s %7.3f\n' "$1" "$3" "$4" \
    "$ours" "$theirs" "$(calc "$ours / $theirs")" "$loop" "$scales" \
    "$(calc "$ours / $loop")"
}

title 'memory test, writes in order, MiB/s'
printf '%6s %-7s %7s %11s %11s %7s %11s %7s %7s\n' block scope threads bench \
  sysbench ratio 'plain loop' scales ratio
for scope in global local; do
  for block in 1:1024 2:2048 8:8192; do
    for threads in 1 2; do
      row "${block%:*}K" "${block#*:}" "$scope" "$threads"
    done
  done
done
row 64K 65536 global 1
row 1M 1048576 global 1
row 16M 16777216 global 1
