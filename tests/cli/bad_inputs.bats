#!/usr/bin/env bats
# Inputs that are refused: each has its message and its exit status, and leaves
# nothing behind.  bad_inputs.tsv is the table.
load helper

@test "inputs that are refused" {
  python3 "$BENCH_SRC/tests/cli/bad_inputs.py" "$BENCH" \
    "$BENCH_SRC/tests/cli/bad_inputs.tsv" >tap || {
    grep -v '^ok' tap
    false
  }
  must holds "$(grep -c '^ok' tap) >= 300"
}
