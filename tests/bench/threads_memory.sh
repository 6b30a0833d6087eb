#!/usr/bin/env bash
# threads_memory.sh - resident memory per thread, and the time until all threads
# have started: plain ones at 10, 1,000, 4,000 and 10,000 threads, and such that
# have a Lua state each.
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

# start PROGRAM TEST THREADS: sets rss (KiB) and ms, from the start of the process
# until it says that the threads have started.  Almost all of them wait then.
start() {
  local begin line said=''
  begin=$(date +%s%N)
  "$1" "$2" --rate=1 --threads="$3" --time=60 run >"$work/out" 2>&1 &
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
  [[ -n $rss ]] || die "'$1' did not start $3 threads:
$said"
}

# medians TEST THREADS: sets rss_a, ms_a, rss_b, ms_b.
medians() {
  local i ra='' ma='' rb='' mb=''
  for ((i = 0; i < PAIRS; i++)); do
    start "$BENCH" "$@"
    ra+=$rss$'\n' ma+=$ms$'\n'
    start "$SYSBENCH" "$@"
    rb+=$rss$'\n' mb+=$ms$'\n'
  done
  rss_a=$(median <<<"${ra%$'\n'}") ms_a=$(median <<<"${ma%$'\n'}")
  rss_b=$(median <<<"${rb%$'\n'}") ms_b=$(median <<<"${mb%$'\n'}")
}

# table TEST COUNT...
table() {
  local base_a base_b threads
  medians "$1" 1
  base_a=$rss_a base_b=$rss_b
  printf '%8s %14s %14s %10s %12s\n' threads 'bench KiB' 'sysbench KiB' \
    'bench ms' 'sysbench ms'
  for threads in "${@:2}"; do
    medians "$1" "$threads"
    printf '%8d %14.2f %14.2f %10.0f %12.0f\n' "$threads" \
      "$(calc "($rss_a - $base_a) / ($threads - 1)")" \
      "$(calc "($rss_b - $base_b) / ($threads - 1)")" "$ms_a" "$ms_b"
  done
}

most=10000
((QUICK)) && most=
title 'threads: resident memory of each, and time to start them all'
# shellcheck disable=SC2086 # none, or one
table cpu 10 1000 4000 $most
printf 'function event() end\n' >"$work/empty.lua"
title 'the same with a Lua state each'
table "$work/empty.lua" 10 1000 4000
