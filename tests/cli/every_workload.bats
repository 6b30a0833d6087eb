#!/usr/bin/env bats
# every_workload.bats - prepare, run and check of all workloads with a check of
# their own, on SQLite; tests/db/every_workload.bats has servers.
load helper
NEEDS_DRIVER=sqlite


here() {
  . "$BENCH_SRC/tests/db/every_workload.bash"
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db" --sqlite-synchronous=off --sqlite-busy-timeout=60000)
}

@test "prepare of each workload: progress, tables that exist, resume, cleanup" {
  here
  for_every_workload prepares
}

@test "run of each workload: results, classes, clients, sweeps" {
  here
  for_every_workload runs
}
