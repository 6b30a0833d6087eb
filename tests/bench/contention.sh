#!/usr/bin/env bash
# contention.sh - scores of the threads and mutex tests beside sysbench's.
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

# row WHAT THREADS ARGUMENT...
row() {
  local what=$1 threads=$2
  shift 2
  both "$@" --threads="$threads" run
  printf '%-8s %8d %12.2f %12.2f %8.4f\n' "$what" "$threads" "$ours" \
    "$theirs" "$(calc "$ours / $theirs")"
}

title 'threads and mutex tests, events per second'
printf '%-8s %8s %12s %12s %8s\n' test threads bench sysbench ratio
for threads in 1 2 8; do
  row threads "$threads" threads --time=1
done
for threads in 1 2 8; do
  row mutex "$threads" mutex --mutex-locks=20000
done
