# shellcheck shell=bash
# own_tables.bash - tables of users that have the names of a workload's: no command
# drops, fills or changes them; to be sourced after workload.bash.
. "$BENCH_SRC/tests/db/workload.bash"

# Each line: workload | options of prepare | its tables but for the inner ones | an
# option to sweep that shapes them.
own_tables() {
  cat <<TABLE
oltp_read_write|--table-size=20|sbtest1|table-size:10,20
bulk_insert||sbtest1|
oltp_legacy/bulk_insert||sbtest0|
select_random_points|--table-size=20|sbtest1|table-size:10,20
append||append_lists|
bank|--accounts=20|bank_accounts|accounts:2,5
counter|--hot-rows=20|counter_rows|hot_rows:1,4
ingest||ingest_rows ingest_parts|
json|--documents=20 --groups=5|json_docs|documents:10,20
long_fork||long_fork_values|
queue||queue_jobs queue_done|
register||register_values|
secondary|--keys=20|secondary_rows|keys:20,30
tpcb|--scale=1|pgbench_accounts pgbench_branches pgbench_tellers pgbench_history|scale:1,2
tpcc|--warehouses=1 --districts=2 --customers=30 --items=100|customer district history item new_order order_line orders stock warehouse|warehouses:1,2
ycsb|--records=20|usertable|records:50,70
TABLE
}

# for_own_tables COMMAND...: runs it for each workload.
# shellcheck disable=SC2034 # what COMMAND uses
for_own_tables() {
  local made names sweep
  while IFS='|' read -r workload made names sweep; do
    # shellcheck disable=SC2206 # several options
    made=($made) names=($names)
    echo "workload: $workload"
    "$@" </dev/null
  done < <(own_tables)
}

# kept NAME...: the user's tables are as they were.
kept() {
  local name
  for name in "$@"; do
    [ "$(sql "SELECT mine FROM $name")" = 42 ] || {
      echo "$name was changed"
      return 1
    }
  done
}

# The user has a table with the name of one; the others are not there.
refuses_foreign() {
  local name
  for name in "${names[@]}"; do
    sql "CREATE TABLE $name(mine INTEGER)" "INSERT INTO $name VALUES (42)"
    bad "the table '$name' was not made by bench: .*; it stays\. Use --force if it may be lost, or another database$" cleanup
    bad "^Would keep table '$name' \(1 row\): " --dry-run cleanup
    bad "the table '$name' was not made by bench: .*; use another database or schema$" "${made[@]}" --threads=2 prepare
    bad "the table '$name' was not made by bench" "${made[@]}" --threads=2 --table-exists=drop prepare
    bad "the table '$name' was not made by bench" "${made[@]}" --threads=2 --table-exists=resume prepare
    if [ -n "$sweep" ]; then
      bad "each step would replace data that exists: table '$name' \(1 row\)" "--sweep=$sweep" "${made[@]}" --events=1 run
      bad "the table '$name' was not made by bench" "--sweep=$sweep" --sweep-prepare=on "${made[@]}" --events=1 run
    fi
    kept "$name"
    # nothing was made before the refusal
    good --dry-run --force cleanup
    says "^Would drop table '$name' \(1 row\)"
    [ "$(grep -c '^Would' out)" = 1 ]
    sql "DROP TABLE $name"
  done
}

# bench's own tables: a dry run drops none of them, and cleanup leaves nothing.
drops_its_own() {
  good --threads=2 "${made[@]}" prepare
  good --threads=2 --dry-run cleanup
  says "^Would drop table '${names[0]}' \([0-9]+ rows?\)$"
  if [ -n "$sweep" ]; then
    bad "each step would replace data that exists: .*table '${names[0]}' \(" "--sweep=$sweep" "${made[@]}" --events=1 run
  fi
  good --threads=2 --dry-run cleanup
  says "^Would drop table '${names[0]}' \([0-9]+ rows?\)$"
  good --threads=2 cleanup
  nothing_left
}

# A view of the user has the name of the first table.
keeps_views() {
  local name=${names[0]} columns='id, k' word
  [[ $workload == *bulk_insert ]] || columns='id, k, c, pad'
  sql "CREATE TABLE mine(id INTEGER, k INTEGER, c CHAR(120), pad CHAR(60))" "CREATE VIEW $name AS SELECT $columns FROM mine"
  for word in error drop resume; do
    bad "the table '$name' was not made by bench: " "${made[@]}" --table-exists=$word prepare
  done
  [[ $workload != *bulk_insert ]] ||
    bad "the table '$name' was not made by bench: it is a view; use another database or schema$" --table-exists=skip prepare
  bad "the table '$name' was not made by bench" cleanup
  sql "DROP VIEW $name" 'DROP TABLE mine'
}

# What --table-exists makes of bench's own table, which has rows.
obeys_table_exists() {
  local name=${names[0]}
  good "${made[@]}" prepare
  sql "DELETE FROM $name" "INSERT INTO $name(id, k) VALUES (77, 77)"
  good "${made[@]}" --table-exists=skip prepare
  says "^Skipping table '$name': it exists$"
  [ "$(sql "SELECT COUNT(*) FROM $name WHERE id = 77")" = 1 ]
  good "${made[@]}" --table-exists=drop prepare
  says "^Dropping table '$name'...$"
  [ "$(sql "SELECT COUNT(*) FROM $name WHERE k = 77")" = 0 ]
  sql "DROP TABLE $name" "CREATE TABLE $name(mine INTEGER)"
  good "${made[@]}" --force --table-exists=drop prepare
  says "^Dropping table '$name'...$"
  [ "$(sql "SELECT COUNT(k) FROM $name WHERE k = 77")" = 0 ]
  good cleanup
  nothing_left
}

# of_sbtest COMMAND: runs it for the workloads whose tables are sbtestN.
of_sbtest() { [[ ${names[0]} != sbtest* ]] || "$@"; }

# inner: the tables for the workload's own use.
inner() {
  case $workload in
  tpcc) echo bench_tpcc bench_tpcc_districts ;;
  ycsb) echo bench_ycsb bench_ycsb_runs ;;
  tpcb | *select* | oltp* | bulk*) ;;
  *) echo "bench_$workload" ;;
  esac
}

# All tables are the user's: --table-exists=skip makes nothing, and cleanup drops nothing.
# One of several is: cleanup drops the others, and names it.
skips_foreign() {
  local table last=${names[-1]}
  [[ $workload != *bulk_insert ]] || return 0
  good "${made[@]}" prepare
  for table in $(inner) bench_tables; do sql "DROP TABLE IF EXISTS $table"; done
  good --threads=2 --table-exists=skip "${made[@]}" prepare
  says "^Skipping table '${names[0]}': it exists$"
  good --dry-run --force cleanup
  [ "$(grep -c '^Would' out)" = ${#names[@]} ]
  if [ "${names[0]}" != sbtest1 ]; then
    bad "the table '[a-z_]+' was not made by bench: bench_tables does not name it; it stays" cleanup
    # there is no list of tables
    sql 'CREATE TABLE bench_tables(a INTEGER)' 'DROP TABLE bench_tables'
  fi
  if [ ${#names[@]} -gt 1 ]; then
    for table in "${names[@]}"; do
      [ "$table" = "$last" ] || sql "DROP TABLE $table"
    done
    good --table-exists=skip "${made[@]}" prepare
    good --dry-run cleanup
    says "^Would keep table '$last' \([0-9]+ rows?\): bench_tables does not name it$"
    good cleanup
    says "^Dropping table '${names[0]}'...$"
    says "^Keeping table '$last': bench_tables does not name it$"
    sql "DROP TABLE $last"
  else
    good --force cleanup
  fi
  nothing_left
  # without a column, runs could not use it
  sql "CREATE TABLE $last(mine INTEGER)"
  bad "FATAL: .*--table-exists=skip: the table '$last' has no column '[a-z_0-9]+'$" --table-exists=skip "${made[@]}" prepare
  sql "DROP TABLE $last"
  nothing_left
}

# sbtest1 with other types, or with the columns of another workload, is the user's.
types_count() {
  workload=oltp_read_write
  sql 'CREATE TABLE sbtest1(id VARCHAR(40), k VARCHAR(40), c VARCHAR(40), pad VARCHAR(40))'
  bad "the table 'sbtest1' was not made by bench" cleanup
  bad "the table 'sbtest1' was not made by bench" --table-exists=drop prepare
  bad "the table 'sbtest1' has another type \(.*\) in its column 'id'$" --table-exists=skip prepare
  workload=bulk_insert
  bad "the table 'sbtest1' was not made by bench" prepare
  sql 'DROP TABLE sbtest1' 'CREATE TABLE sbtest1(id VARCHAR(40), k VARCHAR(40))'
  bad "the table 'sbtest1' was not made by bench" prepare
  bad "the table 'sbtest1' was not made by bench" cleanup
  sql 'DROP TABLE sbtest1'
}

# A table with more columns has taken the place of bench's; a refused prepare with
# --force does not make it bench's own.
columns_count() {
  workload=bank
  good prepare
  sql 'ALTER TABLE bank_accounts ADD COLUMN iban VARCHAR(40)'
  bad "the table 'bank_accounts' was not made by bench" cleanup
  good --force cleanup
  sql 'CREATE TABLE bank_accounts(mine INTEGER)' 'INSERT INTO bank_accounts VALUES (42)'
  bad . --force --table-exists=drop --create-table-options=BOGUS prepare
  bad "the table 'bank_accounts' was not made by bench" cleanup
  kept bank_accounts
  good --force cleanup
  nothing_left
}

# replaced TABLE: bench's own table is dropped, and one of the user has its name.
replaced() {
  good "${made[@]}" prepare
  sql "DROP TABLE $1" "CREATE TABLE $1(mine INTEGER)" "INSERT INTO $1 VALUES (42)"
  bad "the table '$1' was not made by bench" cleanup
  kept "$1"
  good --force cleanup
  nothing_left
}

# Tables after a prepare that the server has refused: a name is taken by an index, which
# is no table.  $count: prints the tables of the database.
failed_prepares() {
  sql 'CREATE TABLE mine(a INTEGER)'
  workload=oltp_read_write
  sql 'CREATE INDEX sbtest3 ON mine(a)'
  bad sbtest3 --tables=3 --table-size=0 prepare
  [ "$($count)" = mine ] || { $count && return 1; }
  bad sbtest3 --tables=3 --table-size=0 --threads=2 prepare
  [ "$($count)" = mine ]
  # tables of an earlier prepare stay, and those that resume goes on with
  good --tables=1 --table-size=0 prepare
  bad sbtest3 --tables=3 --table-size=0 --table-exists=skip prepare
  [ "$($count)" = 'mine sbtest1' ]
  bad sbtest3 --tables=3 --table-size=0 --table-exists=resume prepare
  [ "$($count)" = 'mine sbtest1 sbtest2' ]
  good --tables=2 cleanup
  # rows are not lost
  bad '^WARNING: prepare has failed, and 20 of 30 rows are loaded: ' --tables=3 --table-size=10 prepare
  sql 'DROP INDEX sbtest3'
  good --tables=3 --table-size=10 --table-exists=resume prepare
  good --tables=3 --table-size=10 check
  good --tables=3 cleanup
  # those of other workloads, and the list of tables
  sql 'CREATE INDEX queue_done ON mine(a)' 'CREATE INDEX bench_ycsb_runs ON mine(a)'
  workload=queue
  bad queue_done prepare
  [ "$($count)" = mine ]
  workload=ycsb
  bad bench_ycsb_runs --records=20 --threads=2 prepare
  [ "$($count)" = mine ]
  sql 'CREATE INDEX sbtest2 ON mine(a)'
  workload=bulk_insert
  bad sbtest2 --threads=2 prepare
  [ "$($count)" = mine ]
  sql 'DROP TABLE mine'
}

# The list of tables has the seed of the rows.
seeds() {
  local made
  while read -r workload made; do
    # shellcheck disable=SC2086 # options
    good $made prepare
    [ "$(sql 'SELECT MIN(seed), MAX(seed) FROM bench_tables')" = "$1 $1" ]
    good cleanup
    shift
  done <<'TABLE'
tpcb
tpcb --rand-seed=7
ycsb --records=20
json --documents=20 --groups=5
json --documents=20 --groups=5 --data-seed=9
TABLE
}
