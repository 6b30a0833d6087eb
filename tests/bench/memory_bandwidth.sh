#!/usr/bin/env bash
# memory_bandwidth.sh - --memory-test=bandwidth and latency beside loops and a
# chase written by hand, sysbench, and, where they are installed, stress-ng and
# mbw.  One thread, 128 MiB.
#
# Bandwidth is that of the best round of a run, in MiB/s, counted as the bytes that
# a loop reads and writes; others print means of their own.  Stores that do not
# say how they are made (memset, memcpy) are set against the better of both of
# ours.
#
# The plateaus that bench finds are set against the caches that the system
# claims: for a quiet machine that is not shared.
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

title 'bandwidth, MiB/s of the best rounds'
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
  a=$(median <<<"${ours%$'\n'}") b=$(median <<<"${hand%$'\n'}")
  c=$(median <<<"${other%$'\n'}")
  printf '%-14s %10.0f %10.0f %10.0f %7.3f\n' "$loop" "$a" "$b" "$c" \
    "$(calc "$a / $(printf '%s\n' "$b" "$c" | max)")"
done

printf '\n'
title 'latency, ns per access, huge pages'
printf '%-14s %10s %10s %7s\n' size bench 'by hand' ratio
declare -A ours hand
declare -A size=(['16 KiB']=16384 ['256 KiB']=262144 ['64 MiB']=$((64 << 20)))
for ((i = 0; i < PAIRS; i++)); do
  out=$("$BENCH" memory --memory-test=latency --memory-pages=huge \
    --memory-size=$bytes --time=5 run 2>/dev/null)
  for at in "${!size[@]}"; do
    ours[$at]+=$(sed -nE "s/^ +$at +([0-9.]+)\$/\\1/p" <<<"$out")$'\n'
    hand[$at]+=$("$work/loops" "${size[$at]}" 0.5 chase huge)$'\n'
  done
done
for at in '16 KiB' '256 KiB' '64 MiB'; do
  a=$(median <<<"${ours[$at]%$'\n'}") b=$(median <<<"${hand[$at]%$'\n'}")
  printf '%-14s %10.2f %10.2f %7.3f\n' "$at" "$a" "$b" "$(calc "$a / $b")"
done
sed -n '/^Plateaus:/,/claims/p' <<<"$out"
