#!/usr/bin/env bash
# cpu.sh - does the cpu test do the same work as sysbench's?
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

title 'cpu test, events per second'
printf '%8s %12s %12s %8s\n' threads bench sysbench ratio
for threads in 1 2; do
  both cpu --threads="$threads" --time=2 run
  printf '%8d %12.1f %12.1f %8.4f\n' "$threads" "$ours" "$theirs" \
    "$(calc "$ours / $theirs")"
done
