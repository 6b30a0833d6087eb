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

@test "tables sbtestN: views are the user's, and --table-exists is obeyed" {
  for kind in $kinds; do
    aim "$kind"
    for_own_tables of_sbtest keeps_views
    for_own_tables of_sbtest obeys_table_exists
  done
}

@test "--table-exists=skip leaves the user's tables to the user" {
  for kind in $kinds; do
    aim "$kind"
    for_own_tables skips_foreign
  done
}

@test "a prepare that fails leaves nothing that it has made, but for rows" {
  count=tables
  tables() {
    sql "SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_tables WHERE schemaname = current_schema()"
  }
  aim pgsql
  failed_prepares
}

@test "MySQL: the list of tables goes with a prepare that fails" {
  aim mysql
  workload=bank
  bad BOGUS --create-table-options=BOGUS prepare
  nothing_left
}

# The database refuses to drop one table: all stay, and a later cleanup drops them.
all_or_none() {
  workload=tpcb
  good prepare
  sql "$1"
  bad "$2" cleanup
  [ $# -lt 4 ] || bad "$4" --table-exists=drop prepare
  bad 'pgbench_accounts. already exists' prepare
  good check
  sql "$3"
  good cleanup
  nothing_left
}

@test "PostgreSQL: a table that cannot be dropped keeps the others" {
  aim pgsql
  all_or_none 'CREATE VIEW mine AS SELECT bid FROM pgbench_tellers' '^FATAL: .*no table was dropped: .* cannot drop table pgbench_tellers ' 'DROP VIEW mine'
}

@test "MySQL: a table that cannot be dropped keeps the others" {
  aim mysql
  all_or_none 'CREATE TABLE mine(b INTEGER, FOREIGN KEY (b) REFERENCES pgbench_tellers(tid)) ENGINE = InnoDB' \
    "no table was dropped: a foreign key of '.*\.mine' refers to 'pgbench_tellers'$" 'DROP TABLE mine' "FATAL: .*: a foreign key of '.*\.mine' refers to 'pgbench_tellers'$"
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
