#!/usr/bin/env bats
# every_workload.bats - prepare, run and check of all workloads with a check of
# their own, on real servers.

. "$BENCH_SRC/tests/db/every_kind.bash"
. "$BENCH_SRC/tests/db/every_workload.bash"

@test "prepare of each workload: progress, tables that exist, resume, cleanup" {
  for kind in $kinds; do
    aim "$kind"
    for_every_workload prepares
  done
}

@test "run of each workload: results, classes, clients, sweeps" {
  for kind in $kinds; do
    aim "$kind"
    for_every_workload runs
  done
}
