#!/usr/bin/env bash
# threads_memory.sh - resident memory per thread, and the time until all threads
# have started, at 10, 1,000, 4,000 and 10,000 threads.
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

work=$(mktemp -d)
mkfifo "$work/out"
child=
# Ends what is left of a run, and nothing else.
end_child() {
  [[ -z $child ]] || {
    kill -TERM "$child" 2>/dev/null || :
    wait "$child" 2>/dev/null || :
    child=
  }
}
trap 'end_child; rm -rf "$work"' EXIT

# start PROGRAM THREADS: sets rss (KiB) and ms, from the start of the process
# until it says that the threads have started.  Almost all of them wait then.
start() {
  local begin line said=''
  begin=$(date +%s%N)
  "$1" cpu --rate=1 --threads="$2" --time=60 run >"$work/out" 2>&1 &
  child=$!
  exec 3<"$work/out"
  rss='' ms=''
  while IFS= read -rt 60 line <&3; do
    said+=$line$'\n'
    if [[ $line == 'Threads started!' ]]; then
      ms=$((($(date +%s%N) - begin) / 1000000))
      rss=$(settled "$child")
      break
    fi
  done
  # Nobody reads any more; the signal ends the run whatever it writes.
  kill -TERM "$child" 2>/dev/null || :
  cat <&3 >/dev/null
  exec 3<&-
  end_child
  [[ -n $rss ]] || die "'$1' did not start $2 threads:
$said"
}

# medians PROGRAM_A PROGRAM_B THREADS: sets rss_a, ms_a, rss_b, ms_b.
medians() {
  local i ra='' ma='' rb='' mb=''
  for ((i = 0; i < PAIRS; i++)); do
    start "$1" "$3"
    ra+=$rss$'\n' ma+=$ms$'\n'
    start "$2" "$3"
    rb+=$rss$'\n' mb+=$ms$'\n'
  done
  rss_a=$(median <<<"${ra%$'\n'}") ms_a=$(median <<<"${ma%$'\n'}")
  rss_b=$(median <<<"${rb%$'\n'}") ms_b=$(median <<<"${mb%$'\n'}")
}

medians "$BENCH" "$SYSBENCH" 1
base_a=$rss_a base_b=$rss_b
title 'threads: resident memory of each, and time to start them all'
printf '%8s %14s %14s %10s %12s\n' threads 'bench KiB' 'sysbench KiB' \
  'bench ms' 'sysbench ms'
counts=(10 1000 4000 10000)
((QUICK)) && counts=(10 1000 4000)
for threads in "${counts[@]}"; do
  medians "$BENCH" "$SYSBENCH" "$threads"
  printf '%8d %14.2f %14.2f %10.0f %12.0f\n' "$threads" \
    "$(calc "($rss_a - $base_a) / ($threads - 1)")" \
    "$(calc "($rss_b - $base_b) / ($threads - 1)")" "$ms_a" "$ms_b"
done
