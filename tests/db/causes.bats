#!/usr/bin/env bats
# causes.bats - the rows of causes.sh: causes that are made for real, and the
# sentence that names them.  Each takes two minutes, and wants a machine for
# itself: CAUSES=all has them.  CALM_RUNS=20 makes more runs without a cause.

@test "causes are named, and calm runs have no sentence" {
  [[ ${CAUSES-} == all ]] || skip 'CAUSES=all has it'
  for row in $("$BENCH_SRC/tests/db/causes.sh" list); do
    local status=0
    BENCH=$BENCH "$BENCH_SRC/tests/db/causes.sh" "$row" 3>&- || status=$?
    ((status == 0 || status == 77)) || { echo "$row: $status"; return 1; }
  done
}
