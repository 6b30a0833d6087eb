#!/usr/bin/env bats
# checked.bats - the small workloads with a check of their own, on real servers:
# their life, what check finds, and a server that is killed in a run.

. "$BENCH_SRC/tests/db/every_kind.bash"

setup_file() {
  mysql_flags=(--durable --local-infile=on)
  pgsql_flags=(--durable)
  start_kinds
}

setup() {
  . "$BENCH_SRC/tests/db/in_a_run.bash"
  cd "$BATS_TEST_TMPDIR" || return 1
}

# aim_workload KIND WORKLOAD: `to` has the options that lead to its server.
aim_workload() {
  aim "$1"
  . "$BENCH_SRC/tests/db/$2.bash"
}

# survives KIND ARG...: the server is killed in the middle of such a run.
survives() {
  local kind=$1 pid
  shift
  : >out
  until_enough "$workload"
  "$BENCH" ./until_enough.lua "${to[@]}" --threads=4 --time=600 --db-ignore-errors=all --report-interval=1 "$@" run >out 2>err &
  pid=$!
  has_committed $pid
  servers kill9 "$BATS_FILE_TMPDIR/$kind"
  servers restart "$BATS_FILE_TMPDIR/$kind"
  goes_on $pid
  : >enough
  status=0
  wait $pid || status=$?
  [ "$status" -eq 0 ] || shown
  says '^    reconnects: +[1-9]'
}

@test "counter: prepare, run, check, and what check finds" {
  for kind in $kinds; do
    aim_workload "$kind" counter
    counter_life
    counter_mutations
    counter_resume
  done
}

@test "counter: increments that a reading client loses are found" {
  for kind in $kinds; do
    aim_workload "$kind" counter
    good prepare
    for how in '--method=for_update' '--method=read_write --isolation=serializable' '--clients=16 --autocommit'; do
      # shellcheck disable=SC2086
      good --threads=4 $how --events=400 --time=0 run
      says '^Increments of the run: 400 committed, 0 with .*: ok$'
    done
    good check
    # a run that has proved a loss has failed, and what it knows is stored
    bad '^FATAL: done\(\) failed: Increments of the run: 2000 committed, .* are LOST$' \
      --threads=4 --method=read_write --isolation=read-committed --events=2000 --time=0 run
    says '^Increments of the run: 2000 committed, 0 with .* are LOST$'
    bad 'counter_rows: sum of n: Increments of all runs: 3200 committed, 0 with .* are LOST' check
    good cleanup
  done
}

@test "counter: the server is killed in the middle of a run" {
  for kind in $kinds; do
    for how in '' --autocommit; do
      aim_workload "$kind" counter
      good --hot-rows=5 --table-exists=drop prepare
      # shellcheck disable=SC2086
      survives "$kind" $how
      aim_workload "$kind" counter
      good check
      says '^counter_rows: sum of n: Increments of all runs: [1-9]'
    done
    good cleanup
  done
}

@test "queue: prepare, run, check, and what check finds" {
  for kind in $kinds; do
    aim_workload "$kind" queue
    queue_life skip_locked update advisory
    queue_mutations
  done
}

# All clients take their numbers from one row.
@test "queue: conflicts at the start of clients are repeated" {
  aim_workload pgsql queue
  good prepare
  good --isolation=repeatable-read --threads=40 --events=200 --time=0 run
  good check
  good cleanup
}

@test "queue: a level at which looks at the empty queue lock its end is named" {
  aim_workload mysql queue
  good prepare
  good --isolation=repeatable-read --threads=2 --producers=0 --events=4 --time=0 run
  says '^    at repeatable-read, a look at an empty queue locks its end, and producers wait: use --isolation=read-committed$'
  good --isolation=read-committed --threads=2 --producers=0 --events=4 --time=0 run
  says '^    looks at the empty queue, which are not events: 4$'
  ! grep 'locks its end' out
  good cleanup
}

@test "queue: jobs that are claimed without a lock are done twice, and found" {
  for kind in $kinds; do
    aim_workload "$kind" queue
    good prepare
    cat >unlocked.lua <<'LUA'
local consumer = require("bench_queue_consumer")
package.loaded.bench_queue_consumer = function(client, how)
  local con = client.con
  client.con = {prepare = function(_, text, label)
    return con:prepare((text:gsub(" FOR UPDATE SKIP LOCKED", "")), label)
  end}
  local consume = consumer(client, how)
  client.con = con
  return consume
end
require("queue")
LUA
    good --threads=4 --clients=16 --isolation=read-committed --events=2000 --time=0 run
    good check
    workload=./unlocked.lua
    bad '^FATAL: done\(\) failed: Jobs enqueued of the run: .*: nobody has committed [1-9]' \
      --threads=4 --isolation=read-committed --events=2000 --time=0 run
    workload=queue
    bad "'queue_done'... [1-9][0-9]* jobs? done more than once in queue_done, the first has producer [0-9]+, sequence [0-9]+" check
    good cleanup
  done
}

@test "queue: the server is killed in the middle of a run" {
  for kind in $kinds; do
    for claim in skip_locked update advisory; do
      aim_workload "$kind" queue
      good --table-exists=drop prepare
      survives "$kind" --claim=$claim
      aim_workload "$kind" queue
      good check
      says '^queue_done: Jobs done of all runs: [1-9]'
      # What is left can still be done.
      good --producers=0 --threads=2 --claim=$claim --events=200 --time=0 run
      good check
    done
    good cleanup
  done
}

@test "bank: prepare, run, check, and what check finds" {
  for kind in $kinds; do
    aim_workload "$kind" bank
    bank_life
    bank_mutations
    bank_resume
  done
}

@test "bank: readers with and without a snapshot" {
  for kind in $kinds; do
    aim_workload "$kind" bank
    good --accounts=10 prepare
    for how in '--read=rows --isolation=repeatable-read' '--read=rows --isolation=serializable' \
      '--read=sum --isolation=read-committed' '--read=sum --clients=16'; do
      # shellcheck disable=SC2086
      good --threads=4 $how --readers=50 --events=400 --time=0 run
      says ', wrong: 0: ok$'
    done
    good check
    # Reads of the same transaction see different moments.
    bad '^FATAL: done\(\) failed: bank: [1-9][0-9]* wrong totals were read$' \
      --threads=4 --read=rows --isolation=read-committed --readers=50 --events=1000 --time=0 run
    says '^Totals read, --read=rows, isolation level: read-committed: [0-9]+, wrong: [1-9][0-9]*: bad$'
    says '^Transfers of the run: .*: ok$'
    bad '^Checking the totals of readers... bench_bank.wrong_totals is [1-9]' check
    says "^Checking table 'bank_accounts'... ok$"
    good cleanup
  done
}

@test "bank: the server is killed in the middle of a run" {
  for kind in $kinds; do
    aim_workload "$kind" bank
    good --table-exists=drop prepare
    survives "$kind" --readers=30
    says '^Totals read, .*, wrong: 0: ok$'
    aim_workload "$kind" bank
    good check
    says '^bank_accounts: sum of transfers: Transfers of all runs: [1-9]'
    good cleanup
  done
}

@test "ingest: the steps, check, and what check finds" {
  for kind in $kinds; do
    aim_workload "$kind" ingest
    ingest_life
    ingest_mutations
    if [ "$kind" = pgsql ]; then
      # An index that was not told of a row.
      servers sql "$BATS_FILE_TMPDIR/pgsql" "UPDATE pg_index SET indisready = false WHERE indexrelid = 'ingest_pdc'::regclass"
      sql "INSERT INTO ingest_rows VALUES (3061, 'x', 1, 1, 1, 1, 'x')"
      servers sql "$BATS_FILE_TMPDIR/pgsql" "UPDATE pg_index SET indisready = true WHERE indexrelid = 'ingest_pdc'::regclass"
      bad "^Checking index 'ingest_pdc'... it has 2010 rows, ingest_rows has 2011$" check
      says "^Checking index 'ingest_registersegment'... ok$"
    fi
    good --threads=4 --clients=12 --step=q --insert-rate=5000 --events=400 --time=0 run
    good cleanup
  done
}

@test "ingest: the server is killed in the middle of a run" {
  for kind in $kinds; do
    aim_workload "$kind" ingest
    good --table-exists=drop prepare
    good --events=30 --time=0 run
    good --step=l.x --time=0 run
    survives "$kind" --step=l.i1 --rows-per-commit=3
    aim_workload "$kind" ingest
    good check
    says '^ingest_rows: Rows inserted of all runs: [1-9]'
    good cleanup
  done
}

# Servers that speak the language of MySQL take PRIMARY for a keyword.
names_are_quoted() {
  servers sql "$BATS_FILE_TMPDIR/mysql" "SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = ON"
  good check
  servers sql "$BATS_FILE_TMPDIR/mysql" "SET GLOBAL general_log = OFF; SELECT argument FROM mysql.general_log" >log
  grep -q 'FORCE INDEX (`PRIMARY`)' log
  ! grep 'FORCE INDEX ([^`]' log
}

@test "json: prepare, run, check, and what check and run find" {
  for kind in $kinds; do
    aim_workload "$kind" json
    json_life
    [ "$kind" = pgsql ] && of= || of=' ON json_docs'
    json_mutations "$of"
    [ "$kind" = pgsql ] || names_are_quoted
    json_lost
    json_resume "$of"
  done
}

@test "secondary: prepare, run, check, and what check and run find" {
  for kind in $kinds; do
    aim_workload "$kind" secondary
    secondary_life
    if [ "$kind" = pgsql ]; then
      # An index that was not told of a row.
      k=$(sql 'SELECT k FROM secondary_rows WHERE id = 29')
      servers sql "$BATS_FILE_TMPDIR/pgsql" "UPDATE pg_index SET indisready = false WHERE indexrelid = 'secondary_k'::regclass"
      sql 'CREATE TABLE secondary_save AS SELECT * FROM secondary_rows WHERE id = 29' \
        'DELETE FROM secondary_rows WHERE id = 29' 'INSERT INTO secondary_rows SELECT * FROM secondary_save' \
        'DROP TABLE secondary_save'
      servers sql "$BATS_FILE_TMPDIR/pgsql" "UPDATE pg_index SET indisready = true WHERE indexrelid = 'secondary_k'::regclass"
      bad "^Checking index 'secondary_k'... it has 199 rows, secondary_rows has 200, the first difference is at k $k$" check
      says "^Checking table 'secondary_rows'... ok$"
      sql 'REINDEX INDEX secondary_k'
      secondary_mutations
    else
      secondary_mutations ' ON secondary_rows'
    fi
    secondary_resume
  done
}
