#!/usr/bin/env bash
# memory_bandwidth.sh - --memory-test=bandwidth beside loops written by hand
# (memory_loops.c), sysbench, and, where they are installed, stress-ng and mbw.
# One thread, 128 MiB.
#
# Figures are MiB/s, counted as the bytes that a loop reads and writes.  Programs
# take turns.  Other programs of the machine only make a loop slower, so the best
# round of all runs counts; sysbench, stress-ng and mbw print means of a run, of
# which the best counts.  The last column divides ours by the best of all others;
# the target is 0.97.
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

bytes=$((128 << 20))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O3 -march=native -o "$work/loops" "$here/memory_loops.c"

# row NAME COLUMN of the table in $out
cell() {
  awk -v name="$1" -v column="$2" '$1 == name { print $column; exit }' <<<"$out"
}

# sysbench_rate read|write: MiB/s
sysbench_rate() {
  "$SYSBENCH" memory --memory-block-size=$bytes --memory-total-size=100T \
    --memory-oper="$1" --time=1 run |
    sed -nE 's/.*transferred \(([0-9.]+) MiB.*/\1/p'
}

# stress_rate read|write: the best method, MiB/s
stress_rate() {
  command -v stress-ng >/dev/null || { echo 0; return; }
  stress-ng --memrate 1 --memrate-bytes $bytes -t 2 --metrics-brief 2>&1 |
    awk -v kind="$1" '/MB per sec/ && index($6, kind) == 1 && $5 > best { best = $5 }
      END { printf "%.1f\n", best }'
}

# Bytes read and written: twice what it calls copied.
mbw_rate() {
  command -v mbw >/dev/null || { echo 0; return; }
  mbw -n 10 -q 64 | sed -nE 's/.*Copy: ([0-9.]+) MiB.*/\1/p' | sort -g |
    awk '{ last = $1 } END { printf "%.1f\n", 2 * last }'
}

max() {
  sort -g | tail -n 1
}

printf 'bandwidth, MiB/s: the best of %d interleaved runs, %s, load average %s\n' \
  "$PAIRS" "$("$BENCH" --version)" "$(cut -d' ' -f1 /proc/loadavg)"
printf '%-14s %10s %10s %10s %7s\n' loop bench 'by hand' 'other' ratio
for loop in read write write-nt copy copy-nt scale-add scale-add-nt; do
  ours='' hand='' other=''
  for ((i = 0; i < PAIRS; i++)); do
    out=$("$BENCH" memory --memory-test=bandwidth --memory-kernel="$loop" \
      --memory-size=$bytes --time=1 run 2>/dev/null)
    ours+=$(cell "$loop" 2)$'\n'
    hand+=$("$work/loops" $bytes 1 "$loop")$'\n'
    case $loop in
      read | write) other+=$({ sysbench_rate "$loop"; stress_rate "$loop"; } | max)$'\n' ;;
      copy) other+=$(mbw_rate)$'\n' ;;
      *) other+=0$'\n' ;;
    esac
  done
  a=$(max <<<"${ours%$'\n'}") b=$(max <<<"${hand%$'\n'}") c=$(max <<<"${other%$'\n'}")
  printf '%-14s %10.0f %10.0f %10.0f %7.3f\n' "$loop" "$a" "$b" "$c" \
    "$(calc "$a / $(printf '%s\n' "$b" "$c" | max)")"
done
