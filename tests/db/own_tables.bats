#!/usr/bin/env bats
# own_tables.bats - the tables of users on real servers; tests/cli/own_tables.bats has
# SQLite, and more.

. "$BENCH_SRC/tests/db/every_kind.bash"
. "$BENCH_SRC/tests/db/own_tables.bash"

# Only tables of this database are counted.
nothing_left() {
  local schema='DATABASE()'
  [ "$kind" = mysql ] || schema='current_schema()'
  [ "$(sql "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = $schema")" = 0 ]
}

@test "tables of the user that have the names of a workload's stay" {
  for kind in $kinds; do
    aim "$kind"
    for_own_tables refuses_foreign
    nothing_left
  done
}

@test "types and columns are those of the workload" {
  for kind in $kinds; do
    aim "$kind"
    types_count
    columns_count
  done
}

@test "tables that bench made are dropped, and nothing is left" {
  for kind in $kinds; do
    aim "$kind"
    for_own_tables drops_its_own
  done
}
