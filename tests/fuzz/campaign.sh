#!/usr/bin/env bash
# campaign.sh - runs the fuzz targets and says what came of it: executions, processor
# time, edges of the program and how the corpus grew.
#
# usage: campaign.sh BUILD [SECONDS [TARGET...]]      (3600; all of the folder)
# BUILD is a folder that was configured as HACKING.md says, its targets made.
# JOBS targets run at once [the processors].  Each works on a copy of its corpus;
# what it finds stays in BUILD/tests/fuzz/campaign/TARGET.  Status 0: nothing.
# An input may take five minutes, so that a busy machine is no finding.
set -euo pipefail

build=${1:?usage: campaign.sh BUILD [SECONDS [TARGET...]]}
seconds=${2:-3600}
targets=("${@:3}")
jobs=${JOBS:-$(nproc)}
corpora=$(cd "$(dirname "$0")" && pwd)/corpus
build=$(cd "$build" && pwd)
[[ $seconds =~ ^[1-9][0-9]*$ ]] || {
  echo "campaign.sh: seconds: '$seconds' is not a number above 0" >&2
  exit 2
}
if ((${#targets[@]} == 0)); then
  for program in "$build"/tests/fuzz/fuzz_*; do
    [[ -x $program && ! -d $program && $program != *.* ]] || continue
    program=${program##*/}
    targets+=("${program#fuzz_}")
  done
fi
((${#targets[@]} > 0)) || {
  echo "campaign.sh: no fuzz targets in $build/tests/fuzz: configure with --enable-fuzzing" >&2
  exit 2
}
for target in "${targets[@]}"; do
  [[ -x $build/tests/fuzz/fuzz_$target && -d $corpora/$target ]] || {
    echo "campaign.sh: no target '$target'" >&2
    exit 2
  }
done
trap 'kill $(jobs -p) 2>/dev/null || :' EXIT

# run TARGET: the fuzzer's own words are in `log`, its processor time in `spent.s`.
run() {
  local dir=$build/tests/fuzz/campaign/$1 TIMEFORMAT='%U %S' status=0
  rm -rf "$dir"
  mkdir -p "$dir/corpus"
  cp "$corpora/$1"/* "$dir/corpus"
  cd "$dir"
  { time "$build/tests/fuzz/fuzz_$1" -max_total_time="$seconds" \
    -print_final_stats=1 -rss_limit_mb=4096 -timeout=300 corpus \
    >log 2>&1; } 2>spent.s || status=$?
  echo "$status" >status
}

for target in "${targets[@]}"; do
  while (($(jobs -pr | wc -l) >= jobs)); do
    wait -n || :
  done
  run "$target" &
done
wait

failed=0
printf '%-12s %14s %9s %9s %9s %9s  %s\n' target executions seconds edges 'of all' corpus found
for target in "${targets[@]}"; do
  dir=$build/tests/fuzz/campaign/$target
  found=nothing
  [[ $(<"$dir/status") == 0 ]] || {
    found=$(cd "$dir" && find . -maxdepth 1 -type f -name '*-*' -printf '%f ')
    found=${found:-"status $(<"$dir/status")"} failed=1
  }
  awk -v target="$target" -v found="$found" '
    FILENAME ~ /spent.s$/ { seconds = $1 + $2; next }
    /inline 8-bit counters/ { match($0, /\([0-9]+ inline/)
                              all += substr($0, RSTART + 1) + 0 }
    / cov: / { for (i = 1; i < NF; i++) {
                 if ($i == "cov:") edges = $(i + 1)
                 if ($i == "corp:") corpus = $(i + 1) + 0 } }
    /^stat::number_of_executed_units:/ { runs = $2 }
    END { printf "%-12s %14d %9.0f %9d %9d %9d  %s\n", target, runs, seconds,
                 edges, all, corpus, found }' "$dir/spent.s" "$dir/log"
done
exit "$failed"
