#!/usr/bin/env bats
# own_tables.bats - the tables of users on SQLite; tests/db/own_tables.bats has servers.
load helper
NEEDS_DRIVER=sqlite

here() {
  . "$BENCH_SRC/tests/db/own_tables.bash"
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db" --sqlite-synchronous=off)
  # The file exists whatever cleanup does to files that it empties.
  sql 'CREATE TABLE keep(mine INTEGER)'
}

nothing_left() {
  [ "$(sql "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name <> 'keep' AND name NOT LIKE 'sqlite%'")" = 0 ]
}

@test "tables of the user that have the names of a workload's stay" {
  here
  for_own_tables refuses_foreign
}

@test "tables that bench made are dropped, and nothing is left" {
  here
  for_own_tables drops_its_own
}

@test "tables sbtestN: views are the user's, and --table-exists is obeyed" {
  here
  for_own_tables of_sbtest keeps_views
  for_own_tables of_sbtest obeys_table_exists
}

@test "--table-exists=skip leaves the user's tables to the user" {
  here
  for_own_tables skips_foreign
}

@test "a table that has taken the place of bench's stays" {
  here
  workload=tpcc made=(--warehouses=1 --districts=2 --customers=30 --items=100)
  replaced customer
  workload=bank made=()
  replaced bank_accounts
}

@test "a table to which a foreign key of the user refers stays, and so do the others" {
  here
  workload=tpcb
  good --scale=1 prepare
  sql 'CREATE TABLE mine(b INTEGER REFERENCES pgbench_tellers(tid))' 'INSERT INTO mine VALUES (1)'
  bad "no table was dropped: a foreign key of 'main.mine' refers to 'pgbench_tellers'" cleanup
  bad "a foreign key of 'main.mine' refers to 'pgbench_tellers'" --scale=2 --table-exists=drop prepare
  [ "$(sql 'SELECT COUNT(*) FROM pgbench_branches')" = 1 ]
  [ "$(sql 'SELECT COUNT(*) FROM pgbench_tellers')" = 10 ]
  sql 'DROP TABLE mine'
  good cleanup
  nothing_left
}

@test "cleanup prints the tables that it drops; under the name sysbench all of them" {
  here
  workload=oltp_read_write
  good --table-size=10 prepare
  good --tables=2 cleanup
  must is "$(grep Dropping out)" "Dropping table 'sbtest1'..."
  good --tables=2 cleanup
  must is "$(grep -c Dropping out)" 0
  ln -s "$BENCH" sysbench
  ln -s "$BENCH" bench
  BENCH=$PWD/sysbench good --tables=2 cleanup
  must is "$(grep Dropping out)" "Dropping table 'sbtest1'...
Dropping table 'sbtest2'..."
  # One is the user's, and prepare has skipped it.
  for program in bench sysbench; do
    sql 'DROP TABLE IF EXISTS sbtest2' 'CREATE TABLE sbtest2(id INTEGER, k INTEGER, c CHAR(120), pad CHAR(60), mine INTEGER)' \
      'INSERT INTO sbtest2 VALUES (1, 1, 1, 1, 42)'
    good --tables=3 --table-size=10 --table-exists=skip prepare
    good --tables=3 --dry-run cleanup
    says "^Would keep table 'sbtest2' \\(1 row\\): it does not have the columns"
    BENCH=$PWD/$program good --tables=3 cleanup
    must is "$(grep 'Dropping\|Keeping' out)" "Dropping table 'sbtest1'...
Dropping table 'sbtest3'...
Keeping table 'sbtest2': it does not have the columns id, k, c, pad only, with sysbench's types"
    kept sbtest2
  done
}

@test "types and columns are those of the workload" {
  here
  types_count
  columns_count
}

@test "another case of letters, and a view, are in the way before anything is made" {
  here
  workload=tpcc
  sql 'CREATE TABLE Orders(mine INTEGER)'
  bad "the table 'orders' was not made by bench" --warehouses=1 prepare
  sql 'DROP TABLE Orders' 'CREATE VIEW stock AS SELECT 1 AS mine'
  bad "the table 'stock' was not made by bench" --warehouses=1 prepare
  nothing_left
}

@test "a script with tables of its own drops them by their names" {
  here
  cat >mine.lua <<'L'
require("oltp_common")
function create_table(drv, con, n)
  con:query("CREATE TABLE sbtest" .. n .. "(id INTEGER, owner TEXT)")
end
function event() end
L
  export LUA_PATH="$PWD/?.lua;$BENCH_SRC/src/lua/scripts/?.lua;;"
  bench -0 ./mine.lua "${to[@]}" prepare
  bench -0 ./mine.lua "${to[@]}" cleanup
  nothing_left
}

@test "a table bench_tables of the user stays, and is named" {
  here
  workload=bank
  sql 'CREATE TABLE bench_tables(mine INTEGER)' 'INSERT INTO bench_tables VALUES (42)'
  bad 'the table bench_tables was not made by bench' prepare
  bad 'the table bench_tables was not made by bench' cleanup
  kept bench_tables
}

@test "a prepare that fails leaves nothing that it has made, but for rows" {
  here
  sql 'DROP TABLE keep'
  count=tables
  tables() {
    sql "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name)"
  }
  failed_prepares
  workload=bank
  bad BOGUS --create-table-options=BOGUS prepare
  must [ ! -e t.db ]
}

@test "the list of tables has the seed of their rows" {
  here
  seeds 42 7 42 1 9
}

@test "two workloads share the list of tables" {
  here
  workload=bank
  good prepare
  workload=counter
  good prepare
  good cleanup
  workload=bank
  good check
  good cleanup
  nothing_left
}

@test "only the cleanup of bundled scripts has --dry-run, or a script with an option of its own" {
  here
  workload=bank
  bad '^FATAL: --dry-run is for the cleanup command of the bundled scripts$' --dry-run prepare
  echo 'function cleanup() print("dropped") end' >mine.lua
  bench -1 ./mine.lua --dry-run cleanup
  must is "$stderr" 'FATAL: --dry-run is for the cleanup command of the bundled scripts'
  bench -1 fileio --dry-run cleanup
  echo 'sysbench.cmdline.options = {dry_run = {"print", false}}' >>mine.lua
  bench -0 ./mine.lua --dry-run cleanup
}

# unchanged FILE COMMAND...: the file, and what is beside it, are as before.
unchanged() {
  local file=$1
  shift
  cp "$file" before
  "$@"
  must cmp before "$file"
  must is "$(echo "$file"*)" "$file"
}

@test "a file that a command only looks at, or refuses, stays as it was" {
  here
  local how
  to=(--db-driver=sqlite --sqlite-db="$PWD/user.db")
  python3 -c "
import sqlite3
con = sqlite3.connect('user.db')
con.execute('CREATE TABLE sbtest1(mine INTEGER)')
con.execute('CREATE TABLE customer(mine INTEGER)')
con.commit()"
  for workload in oltp_read_write tpcc bank; do
    unchanged user.db good --force --dry-run cleanup
    unchanged user.db bundled check
    unchanged user.db bad . --threads=2 --events=2 run
  done
  printf 'SELECT mine FROM customer;\n' >read.sql
  workload=./read.sql
  unchanged user.db good --threads=2 --events=2 run
  for workload in oltp_read_write tpcc; do
    unchanged user.db bad 'was not made by bench' cleanup
    unchanged user.db bad '^Would keep table' --dry-run cleanup
    for how in error drop resume; do
      unchanged user.db bad 'was not made by bench' --table-exists=$how --threads=2 prepare
    done
  done
  # what writes beside the user's tables changes the mode only if asked to
  mode() { python3 -c "
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute('PRAGMA journal_mode').fetchone()[0])" "${1-own.db}"; }
  printf 'INSERT INTO customer VALUES (1);\n' >write.sql
  for workload in ./write.sql ./read.sql; do
    good --events=1 --json=r.json run
    must json r.json "d['database']['journal_mode'] == 'delete'"
    must is "$(mode user.db)" delete
  done
  workload=tpcb
  good --scale=1 prepare
  good --events=1 run
  must is "$(mode user.db)" delete
  workload=./read.sql
  good --events=1 --sqlite-journal-mode=wal run
  must is "$(mode user.db)" wal
  # bench's own file, in another mode
  to=(--db-driver=sqlite --sqlite-db="$PWD/own.db")
  workload=tpcb
  good --sqlite-journal-mode=delete --scale=1 prepare
  unchanged own.db good --dry-run cleanup
  unchanged own.db good --scale=1 check
  unchanged own.db bad 'already exists' --scale=1 prepare
  # what writes, and a run, set the mode that is asked for
  must is "$(mode)" delete
  good --events=1 --threads=2 --json=r.json run
  must is "$(mode)" wal
  workload=oltp_point_select
  good --table-size=10 --sqlite-journal-mode=delete prepare
  must is "$(mode)" delete
  for how in auto disable; do
    good --table-size=10 --skip-trx --events=1 --db-ps-mode=$how run
    must is "$(mode)" wal
    good --table-size=10 --skip-trx --events=1 --db-ps-mode=$how --sqlite-journal-mode=delete run
    must is "$(mode)" delete
  done
}
