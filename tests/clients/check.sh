#!/usr/bin/env bash
# check.sh - test files, each of whose runs has clients in place of threads
# (tests/clients/bench), with io_uring and with epoll.
#
# usage: check.sh FILE.bats...
# Needs BENCH, BENCH_SRC and BENCH_BUILD as the makefile sets them; ENGINES has
# other engines than both.  A test that says something of threads themselves is
# in differences.tsv, with the reason; another one that fails is a failure, and
# status 1.  What tests print is in tests/clients/ENGINE.log of the build.
set -euo pipefail

here=$BENCH_SRC/tests/clients
differences=$here/differences.tsv
export BENCH_REAL=$BENCH BENCH=$here/bench
failed=0

# expected FILE NAME: the reason, if the test is in the list.
expected() {
  awk -F '\t' -v file="$1" -v name="$2" \
    '$1 == file && ($2 == name || $2 == "*") { print $3; found = 1; exit } END { exit !found }' "$differences"
}

# judge FILE: reads its TAP.
judge() {
  local line name reason passed=0 skipped=0 differ=0
  while IFS= read -r line; do
    [[ $line =~ ^(not\ )?ok\ [0-9]+\ (.*)$ ]] || continue
    name=${BASH_REMATCH[2]}
    if [[ -z ${BASH_REMATCH[1]} ]]; then
      [[ $name == *'# skip'* ]] && skipped=$((skipped + 1)) || passed=$((passed + 1))
    elif reason=$(expected "$1" "$name"); then
      differ=$((differ + 1))
    else
      printf 'FAIL: %s: %s: %s\n' "$engine" "$1" "$name"
      failed=1
    fi
  done
  printf '%s: %s: %d passed, %d skipped, %d differ\n' "$engine" "$1" "$passed" "$skipped" "$differ"
}

# has_engine: what runs have is what they are to have.
has_engine() {
  local json=$BENCH_BUILD/tests/clients/engine.json
  "$BENCH" oltp_point_select --db-driver=null --events=1 --json="$json" run >/dev/null 2>&1 &&
    grep -q "\"loop_engine\": \"$engine\"" "$json"
}

for engine in ${ENGINES-io_uring epoll}; do
  export BENCH_ENGINE=$engine
  has_engine || { printf 'FAIL: %s: the system, or the filter, does not give it\n' "$engine"; failed=1; continue; }
  log=$BENCH_BUILD/tests/clients/$engine.log
  : >"$log"
  for file; do
    file=${file#"$BENCH_SRC"/}
    bats --tap "$BENCH_SRC/$file" >"$log.part" 2>&1 || :
    printf '# %s\n' "$file" >>"$log"
    cat "$log.part" >>"$log"
    grep -q '^1\.\.' "$log.part" || { printf 'FAIL: %s: %s has no tests\n' "$engine" "$file"; failed=1; }
    judge "$file" <"$log.part"
  done
  rm -f "$log.part"
done
exit "$failed"
