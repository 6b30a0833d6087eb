#!/usr/bin/env bats
# same_mysql.bats - the same command lines through an installed sysbench, on one
# server: what is printed, what the server sees, what is counted, and tables.
load helper

setup_file() {
  needs_sysbench
  start_server mysql
}

teardown_file() {
  stop_server
}

setup() {
  needs_sysbench
  aim mysql
}

@test "mysql: what is printed" {
  same_text database.tsv differences_db.tsv "to=$to" "mysql=$to"
}

@test "mysql: statements, counts and tables" {
  same_statements mysql
}
