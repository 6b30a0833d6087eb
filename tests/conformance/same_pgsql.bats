#!/usr/bin/env bats
# same_pgsql.bats - the same command lines through an installed sysbench, on one
# server: what is printed, what the server sees, what is counted, and tables.
load helper

setup_file() {
  needs_sysbench
  start_server pgsql
}

teardown_file() {
  stop_server
}

setup() {
  needs_sysbench
  aim pgsql
}

@test "pgsql: what is printed" {
  same_text database.tsv differences_db.tsv "to=$to" "pgsql=$to"
}

@test "pgsql: statements, counts and tables" {
  same_statements pgsql
}
