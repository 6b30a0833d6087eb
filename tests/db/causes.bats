#!/usr/bin/env bats
# causes.bats - the rows of causes.sh: causes that are made for real, and the
# sentence that names them.  Each takes two minutes, and wants a machine for
# itself: CAUSES=all has them.  `RUNS=20 JOBS=5 causes.sh calm` has more runs
# without a cause.

@test "causes are named, and calm runs have no sentence" {
  [[ ${CAUSES-} == all ]] || skip 'CAUSES=all has it'
  BENCH=$BENCH run "$BENCH_SRC/tests/db/causes.sh" all 3>&-
  echo "$output"
  ((status == 0 || status == 77))
}
