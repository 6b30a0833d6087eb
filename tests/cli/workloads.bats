#!/usr/bin/env bats
# The bundled workloads on the null driver and on SQLite: statements per event,
# what prepare leaves behind, and what scripts of users rely on.

bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  "$BENCH" --db-driver=help | grep -q '^  sqlite - ' ||
    skip 'built without the sqlite driver'
  scripts=$BENCH_SRC/src/lua/scripts
  # the scripts of this tree, not of an installation
  export LUA_PATH="./?.lua;$scripts/?.lua;;"
  null="--db-driver=null"
  sqlite="--db-driver=sqlite --sqlite-db=$BATS_TEST_TMPDIR/t.db"
  sqlite="$sqlite --sqlite-synchronous=off"
  all_oltp="oltp_read_write oltp_read_only oltp_write_only oltp_point_select
    oltp_update_index oltp_update_non_index oltp_insert oltp_delete
    select_random_points select_random_ranges"
}

# Run bench with the arguments; on failure show what it said.
bench() {
  "$BENCH" "$@" >out 2>err || {
    echo "status $? of: $*"
    cat out err
    return 1
  }
}

# value LABEL: the number behind it in the last report
value() {
  sed -n "s/^ *$1: *\([0-9]*\).*/\1/p" out
}

# expect "READ WRITE OTHER TOTAL" ARGUMENTS: a run with these counts
expect() {
  local want=$1
  shift
  bench "$@" run
  local got
  got="$(value read) $(value write) $(value other) $(value total)"
  if [ "$got" != "$want" ]; then
    echo "$*: $got instead of $want"
    return 1
  fi
}

# sql QUERY: the first row, fields separated by tabs
sql() {
  cat >sql.lua <<'LUA'
function prepare()
   print("= " .. table.concat(
      {sysbench.sql.driver():connect():query_row(sysbench.opt.query)}, " "))
end
LUA
  bench ./sql.lua $sqlite "--query=$1" prepare
  sed -n 's/^= //p' out
}

counts_of_10_events() {
  expect "140 40 20 200" oltp_read_write "$@"
  expect "140 0 20 160" oltp_read_only "$@"
  expect "0 40 20 60" oltp_write_only "$@"
  expect "10 0 0 10" oltp_point_select "$@"
  expect "0 10 0 10" oltp_update_index "$@"
  expect "0 10 0 10" oltp_update_non_index "$@"
  expect "0 10 0 10" oltp_insert "$@"
  expect "10 0 0 10" select_random_points "$@"
  expect "10 0 0 10" select_random_ranges "$@"
}

@test "statements per event, null driver" {
  counts_of_10_events $null --events=10 --tables=3
  expect "0 10 0 10" oltp_delete $null --events=10 --tables=3
}

@test "statements per event, SQLite" {
  local args="$sqlite --events=10 --tables=2 --table-size=1000"
  bench oltp_common $args prepare
  counts_of_10_events $args
  # a row may be gone already
  bench oltp_delete $args run
  [ "$(value total)" = 10 ]
  [ "$(value read)" = 0 ]
}

@test "statements per event, emulated prepared statements" {
  local args="$sqlite --events=10 --tables=2 --table-size=1000"
  bench oltp_common $args prepare
  counts_of_10_events $args --db-ps-mode=disable
}

@test "options change the statements per event" {
  local args="$sqlite --events=10 --table-size=1000"
  bench oltp_common $args prepare
  expect "140 40 0 180" oltp_read_write $args --skip-trx
  expect "100 40 20 160" oltp_read_write $args --range-selects=off
  expect "60 90 20 170" oltp_read_write $args --point-selects=2 \
    --simple-ranges=2 --sum-ranges=0 --index-updates=2 --delete-inserts=3
  expect "0 0 20 20" oltp_read_write $args --point-selects=0 \
    --range-selects=off --index-updates=0 --non-index-updates=0 \
    --delete-inserts=0
  expect "0 30 0 30" oltp_update_index $args --index-updates=3
  # an event of oltp_point_select is one select
  expect "10 0 0 10" oltp_point_select $args --point-selects=7
}

@test "empty tables: nothing is changed" {
  bench oltp_common $sqlite --table-size=0 prepare
  [ "$(grep -c Inserting out)" = 0 ]
  if "$BENCH" oltp_read_write $sqlite --table-size=0 --events=1 run 2>err; then false; fi
  grep -q '^FATAL: --table-size=0 is for prepare: a run needs rows$' err
  # As sysbench it runs, and finds nothing.
  ln -s "$BENCH" sysbench
  BENCH=$PWD/sysbench bench oltp_read_write $sqlite --table-size=0 --events=1 run
  [ "$(value read)" = 14 ]
  [ "$(value total)" = 20 ]
}

@test "8 threads write to SQLite: no event fails" {
  local args="$sqlite --threads=8 --tables=2 --table-size=1000"
  bench oltp_common $args prepare
  expect "1400 400 200 2000" oltp_read_write $args --events=100
  [ "$(value transactions)" = 100 ]
  [ "$(value 'ignored errors')" = 0 ]
}

@test "prepare says what it does, once per table" {
  bench oltp_common $sqlite --tables=2 --table-size=7 prepare
  cat >want <<'TEXT'
Creating table 'sbtest1'...
Inserting 7 records into 'sbtest1'
Creating a secondary index on 'sbtest1'...
Creating table 'sbtest2'...
Inserting 7 records into 'sbtest2'
Creating a secondary index on 'sbtest2'...
TEXT
  diff want <(grep sbtest out)
  bench oltp_common $sqlite --tables=2 cleanup
  diff <(printf "Dropping table 'sbtest%d'...\n" 1 2) <(grep sbtest out)
  # tables that are not there are no error
  bench oltp_common $sqlite --tables=3 cleanup
}

@test "any number of threads prepares what check wants" {
  local n
  for n in 1 3 8; do
    bench oltp_common $sqlite --threads=8 --tables=$n --table-size=500 prepare
    [ "$(grep -c Creating.table out)" = "$n" ]
    [ "$(grep -c Inserting out)" = "$n" ]
    [ "$(grep -c Creating.a.secondary out)" = "$n" ]
    bench oltp_common $sqlite --threads=2 --tables=$n --table-size=500 check
    [ "$(grep -c "Checking table 'sbtest[1-8]'\.\.\. ok" out)" = "$n" ]
    bench oltp_common $sqlite --tables=$n cleanup
  done
}

@test "check finds what differs" {
  local args="$sqlite --table-size=50"
  bench oltp_common $args --create-secondary=off prepare
  bench oltp_common $args --create-secondary=off check
  run -1 "$BENCH" oltp_common $args check
  [[ $output == *"'sbtest1'... index k_1 is missing"* ]]
  run -1 "$BENCH" oltp_common $sqlite --create-secondary=off \
    --table-size=51 --tables=2 check
  [[ $output == *"number of rows 50 instead of 51, largest id 50 "* ]]
  [[ $output == *"'sbtest2'... it does not exist"* ]]
  # a thread that finds nothing wrong does not hide the others
  run -1 "$BENCH" oltp_common $args --create-secondary=off --tables=2 \
    --threads=2 check
  run -1 "$BENCH" oltp_common $null check
  [[ $output == *"keeps no tables"* ]]
}

@test "tables that exist: error, skip or drop" {
  bench oltp_common $sqlite --table-size=5 prepare
  run -1 "$BENCH" oltp_common $sqlite --table-size=5 prepare
  [[ $output == *"the table 'sbtest1' already exists: use the cleanup command first, or see --table-exists"* ]]
  run -1 "$BENCH" oltp_common $sqlite --table-size=5 --threads=2 prepare
  bench oltp_common $sqlite --table-size=6 --tables=2 --table-exists=skip \
    prepare
  grep "Skipping table 'sbtest1'" out
  [ "$(sql 'SELECT COUNT(*) FROM sbtest1')" = 5 ]
  [ "$(sql 'SELECT COUNT(*) FROM sbtest2')" = 6 ]
  bench oltp_common $sqlite --table-size=6 --table-exists=drop prepare
  grep "Dropping table 'sbtest1'" out
  [ "$(sql 'SELECT COUNT(*) FROM sbtest1')" = 6 ]
}

@test "the index comes after the rows, before them, or never" {
  local order
  bench oltp_common $sqlite --table-size=5 --create-index=before prepare
  order=$(sed -n 's/^\(Cr\|Ins\)[a-z]* .* .*sbtest1.*/\1/p' out | paste -sd,)
  [ "$order" = "Cr,Cr,Ins" ]
  bench oltp_common $sqlite check --table-size=5
  bench oltp_common $sqlite cleanup
  bench oltp_common $sqlite --table-size=5 --create-index=off prepare
  [ "$(grep -c Creating out)" = 1 ]
  bench oltp_common $sqlite --table-size=5 --create-index=off check
}

@test "tables without primary key, ids from the client" {
  bench oltp_common $sqlite --table-size=20 --secondary prepare
  bench oltp_common $sqlite --table-size=20 check
  [ "$(sql "SELECT COUNT(*) FROM sqlite_master WHERE name = 'xid_1'")" = 1 ]
  expect "14 4 2 20" oltp_read_write $sqlite --table-size=20 --secondary \
    --events=1
  expect "0 3 0 3" oltp_insert $sqlite --secondary --events=3
  bench oltp_common $sqlite cleanup
  bench oltp_common $sqlite --table-size=20 --auto-inc=off prepare
  bench oltp_common $sqlite --table-size=20 check
}

@test "repeated inserts with ids from the client do not collide" {
  bench oltp_insert $sqlite --auto-inc=off --tables=2 prepare
  [ "$(sql 'SELECT COUNT(*) FROM sbtest1')" = 0 ]
  bench oltp_insert $sqlite --auto-inc=off --tables=2 check
  local n
  for n in 1 2 3; do
    expect "0 50 0 50" oltp_insert $sqlite --auto-inc=off --tables=2 \
      --threads=4 --events=50
  done
}

@test "an id of 0 becomes the next number on SQLite" {
  bench oltp_common $sqlite --table-size=20 prepare
  cat >zero.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("INSERT INTO sbtest1 (id, k, c, pad) VALUES (0, 1, 'c', 'p')")
   con:query("INSERT INTO sbtest1 (k, c, pad) VALUES (1, 'c', 'p')")
   con:query("INSERT INTO sbtest1 (id, k, c, pad) VALUES (0, 1, 'c', 'p')")
end
LUA
  bench ./zero.lua $sqlite prepare
  [ "$(sql 'SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest1')" = "23 1 23" ]
}

@test "warmup, under both names" {
  bench oltp_common $sqlite --tables=3 --table-size=30 prepare
  bench oltp_common $sqlite --tables=3 --table-size=30 prewarm
  [ "$(grep -c '^Prewarming table sbtest[123]$' out)" = 3 ]
  bench oltp_common --compat=1.1 $sqlite --tables=3 --threads=2 warmup
  [ "$(grep -c '^Preloading table sbtest[123]$' out)" = 3 ]
}

@test "bulk_insert: an event is a row" {
  bench bulk_insert $sqlite --threads=2 prepare
  diff <(printf "Creating table 'sbtest%d'...\n" 1 2) <(grep sbtest out)
  expect "0 1 0 1" bulk_insert $sqlite --events=3
  [ "$(value transactions)" = 3 ]
  [ "$(sql 'SELECT COUNT(*), SUM(id), SUM(k) FROM sbtest1')" = "3 6 6" ]
  # the same rows again
  run -1 "$BENCH" bulk_insert $sqlite --events=3 run
  bench bulk_insert $sqlite --threads=2 cleanup
  diff <(printf "Dropping table 'sbtest%d'...\n" 1 2) <(grep sbtest out)
}

@test "bulk_insert: the last packets are sent although the run is over" {
  local events rows=0
  bench bulk_insert $sqlite --threads=8 prepare
  bench bulk_insert $sqlite --threads=8 --sqlite-busy-timeout=60000 --rate=4000 --time=1 run
  events=$(value transactions)
  for n in {1..8}; do
    rows=$((rows + $(sql "SELECT COUNT(*) FROM sbtest$n")))
  done
  [ "$events" -gt 0 ]
  [ "$events" = "$rows" ]
  # with ignorable errors, and connections that are lost meanwhile
  for error in deadlock lost; do
    bench bulk_insert $null --null-error=$error --null-error-rate=0.7 \
      --db-ignore-errors=connection --rate=200 --time=1 --threads=8 run
  done
}

@test "reconnect: every script on every driver" {
  local script driver
  bench oltp_common $sqlite --tables=2 --table-size=100 prepare
  for script in $all_oltp; do
    for driver in "$null" "$sqlite"; do
      bench $script $driver --tables=2 --table-size=100 --reconnect=1 \
        --events=3 run
      [ "$(value reconnects)" = 3 ]
      [ "$(value transactions)" = 3 ]
    done
  done
}

@test "a lost connection: statements are prepared again" {
  local script
  for script in $all_oltp; do
    bench $script $null --tables=2 --null-error=lost --null-error-rate=0.1 \
      --db-ignore-errors=connection --events=300 --time=0 --threads=2 run
    [ "$(value transactions)" = 300 ]
  done
  [ "$(value reconnects)" -gt 0 ]
}

# A script that says how many statements there are when a thread begins and when
# it ends, without making any.
counting_script() {
  cat >counts.lua <<'L'
require("oltp_read_write")
require("oltp_common")
local function count(when)
   local n = 0
   for table_number, made in pairs(stmt) do
      if type(table_number) == "number" then
         for _ in pairs(made) do n = n + 1 end
      end
   end
   print(when, n)
end
local begin_thread, end_thread = thread_init, thread_done
function thread_init()
   begin_thread()
   count("begin")
end
function thread_done()
   count("end")
   end_thread()
end
L
}

# counted WHEN: what each thread said, in one line.
counted() {
  awk -v when="$1" '$1 == when { print $2 }' out | paste -s -d ' '
}

@test "statements are prepared before the clock starts" {
  counting_script
  bench ./counts.lua $null --tables=3 --threads=2 --events=2 run
  [ "$(counted begin)" = '27 27' ]
  [ "$(counted end)" = '27 27' ]
}

@test "of very many statements a thread prepares what it uses, not all there is" {
  counting_script
  bench ./counts.lua $null --tables=10000 --threads=2 --events=2 run
  [ "$(counted begin)" = '0 0' ]
  # At most 9 statements of an event; all: 90,000 a thread
  read -r a b < <(counted end)
  [ $((a + b)) -ge 9 ]
  [ $((a + b)) -le 18 ]
}

@test "of many statements whole classes are prepared before the clock starts" {
  counting_script
  # 6,000 of a class in both threads: two classes
  bench ./counts.lua $null --tables=3000 --threads=2 --events=1 run
  [ "$(counted begin)" = '6000 6000' ]
}

@test "a command is required, and the common part cannot be run" {
  local script
  for script in $all_oltp oltp_common; do
    run -1 "$BENCH" $script $null
    [[ $output == *prepare*warmup*check*run*cleanup* ]]
  done
  run -1 "$BENCH" oltp_common $null run
  [[ $output == *"no event()"* ]]
}

@test "select_random_*: only sbtest1 is read" {
  local script
  for script in select_random_points select_random_ranges; do
    bench $script $sqlite --tables=2 --table-size=10 prepare
    bench $script $sqlite --tables=2 --table-size=10 --events=1 run
    [ "$(grep -c 'WARNING: only sbtest1 is read' err)" = 1 ]
    bench $script $sqlite --tables=1 --table-size=10 --events=1 run
    [ "$(grep -c WARNING err)" = 0 ]
    ln -sf "$BENCH" sysbench
    BENCH=./sysbench bench $script $sqlite --tables=2 --table-size=10 --events=1 run
    [ "$(grep -c WARNING err)" = 0 ]
    bench $script $sqlite --tables=2 cleanup
    [ "$(grep -c Dropping out)" = 2 ]
  done
  expect "5 0 0 5" select_random_points $null --random-points=200 --events=5
  expect "5 0 0 5" select_random_ranges $null --number-of-ranges=200 \
    --delta=0 --events=5
}

@test "options out of range are refused" {
  local option
  for option in --tables=0 --table-size=-1 --range-size=0 --point-selects=-1 \
    --reconnect=-1 --pgsql-variant=blue --table-size=1X; do
    run -1 "$BENCH" oltp_read_write $null $option --events=1 run
    [[ $output == *"${option#*=}"* ]]
  done
  for option in --random-points=0 --random-points=; do
    run -1 "$BENCH" select_random_points $null $option --events=1 run
  done
  for option in --number-of-ranges=0 --delta=-1; do
    run -1 "$BENCH" select_random_ranges $null $option --events=1 run
  done
}

@test "require leaves the promised globals and no others" {
  cat >globals.lua <<'LUA'
local before = {}
for name in pairs(_G) do before[name] = true end
require("oltp_common")
local new = {}
for name in pairs(_G) do
   if not before[name] then table.insert(new, name) end
end
table.sort(new)
print(table.concat(new, "\n"))
function event() end
LUA
  bench ./globals.lua $null --table-size=0 prepare
  cat >want <<'TEXT'
begin
check_reconnect
cleanup
close_statements
cmd_prepare
cmd_prewarm
cmd_warmup
commit
create_table
execute_delete_inserts
execute_distinct_ranges
execute_index_updates
execute_non_index_updates
execute_order_ranges
execute_point_selects
execute_simple_ranges
execute_sum_ranges
get_c_value
get_pad_value
init
prepare_begin
prepare_commit
prepare_delete_inserts
prepare_distinct_ranges
prepare_for_each_table
prepare_index_updates
prepare_non_index_updates
prepare_order_ranges
prepare_point_selects
prepare_simple_ranges
prepare_sum_ranges
thread_done
thread_init
TEXT
  diff want <(grep -E '^[a-z_]+$' out)
}

@test "a script may replace create_table" {
  cat >mine.lua <<'LUA'
require("oltp_common")
function create_table(drv, con, n)
   print(string.format("mine %s %s %d", drv:name(), type(con), n))
end
function prepare_statements() end
function event() end
LUA
  bench ./mine.lua $null --tables=5 --threads=3 prepare
  diff <(printf 'mine null cdata %d\n' 1 2 3 4 5) <(grep ^mine out | sort)
}

@test "a script may replace the values and single commands" {
  cat >mine.lua <<'LUA'
require("oltp_common")
function get_c_value() return "my c" end
function get_pad_value() return "my pad" end
sysbench.cmdline.options.my_opt = {"my option", 5}
sysbench.cmdline.commands.warmup = {function()
   print("my warmup " .. sysbench.opt.my_opt)
end, sysbench.cmdline.PARALLEL_COMMAND}
LUA
  bench ./mine.lua $sqlite --table-size=9 prepare
  [ "$(sql "SELECT COUNT(*) FROM sbtest1 WHERE c = 'my c' AND
            pad = 'my pad'")" = 9 ]
  bench ./mine.lua $sqlite --my-opt=7 warmup
  grep '^my warmup 7$' out
}

@test "a script may add statements and change options of its thread" {
  cat >mine.lua <<'LUA'
require("oltp_common")
function prepare_statements()
   sysbench.opt.point_selects = 3
   prepare_begin()
   prepare_commit()
   prepare_point_selects()
   prepare_for_each_table("index_updates")
   for t = 1, sysbench.opt.tables do
      stmt[t].mine = con:prepare("SELECT k FROM sbtest" .. t)
   end
   stmt.xa = con:prepare("SELECT 1")
end
function event()
   begin()
   execute_point_selects(con)
   local n = sysbench.rand.uniform(1, sysbench.opt.tables)
   param[n].index_updates[1]:set(1)
   stmt[n].index_updates:execute()
   stmt[n].mine:execute()
   stmt.xa:execute()
   commit()
   check_reconnect()
end
LUA
  bench oltp_common $sqlite --tables=3 --table-size=50 prepare
  expect "50 10 20 80" ./mine.lua $sqlite --tables=3 --table-size=50 \
    --events=10
  expect "50 10 20 80" ./mine.lua $sqlite --tables=3 --table-size=50 \
    --events=10 --reconnect=4
}

@test "a script may bring thread_init, close_statements and thread_done" {
  cat >mine.lua <<'LUA'
require("oltp_common")
function prepare_statements()
   prepare_point_selects()
   prepare_delete_inserts()
   assert(stmt[2].deletes ~= nil and #param[2].inserts == 4)
end
function thread_init(thread_id)
   drv = sysbench.sql.driver()
   con = drv:connect()
   stmt, param = {}, {}
   for t = 1, sysbench.opt.tables do
      stmt[t], param[t] = {}, {}
   end
   prepare_statements()
end
function close_statements()
   for t = 1, sysbench.opt.tables do
      for key, statement in pairs(stmt[t]) do stmt[t][key]:close() end
   end
end
function thread_done()
   close_statements()
   con:disconnect()
   print("done")
end
function event()
   execute_point_selects()
   execute_delete_inserts()
   check_reconnect()
end
LUA
  bench oltp_common $sqlite --tables=3 --table-size=50 prepare
  expect "100 20 0 120" ./mine.lua $sqlite --tables=3 --table-size=50 \
    --events=10 --reconnect=3 --rand-type=uniform
  grep '^done$' out
}

@test "a lost connection, and a close_statements that returns nothing" {
  cat >mine.lua <<'LUA'
require("oltp_common")
local others, own = close_statements
local lost, made = false, 0
function prepare_statements()
   prepare_point_selects()
   own = con:prepare("SELECT 1")
   made = made + 1
end
function close_statements()
   others()
   own:close()
end
function event()
   execute_point_selects()
   assert(rawget(stmt[1], "point_selects"))
   if not lost then
      lost = true
      error({errcode = sysbench.error.RESTART_EVENT, sql_errno = 2013,
             connection = con})
   end
   own:execute()
end
local prepare_again = sysbench.hooks.before_restart_event
function sysbench.hooks.before_restart_event(errdesc)
   prepare_again(errdesc)
   assert(rawget(stmt[1], "point_selects"), "made before the next event")
   assert(made == 2)
   print("again")
end
LUA
  expect "54 0 0 54" ./mine.lua $null --tables=2 --events=4
  grep '^again$' out
}

@test "a thread_init of a script's own needs con, stmt and param only" {
  cat >mine.lua <<'LUA'
require("oltp_common")
function prepare_statements()
   prepare_begin()
   prepare_commit()
   prepare_index_updates()
   prepare_delete_inserts()
end
function thread_init()
   con = sysbench.sql.driver():connect()
   stmt, param = {}, {}
   for n = 1, sysbench.opt.tables do stmt[n], param[n] = {}, {} end
   prepare_statements()
   assert(drv == nil)
end
function event()
   begin()
   execute_index_updates()
   execute_delete_inserts()
   commit()
end
LUA
  bench oltp_common $sqlite --table-size=50 prepare
  expect "0 9 6 15" ./mine.lua $sqlite --table-size=50 --events=3 \
    --rand-type=uniform
  expect "0 9 6 15" ./mine.lua $sqlite --table-size=50 --events=3 \
    --rand-type=uniform --pgsql-variant=redshift
}

@test "a class that was not prepared, or that nobody knows, is an error" {
  cat >mine.lua <<'LUA'
require("oltp_common")
function prepare_statements()
   assert(not pcall(prepare_for_each_table, "no_such_class"))
   prepare_point_selects()
   assert(stmt[1].deletes == nil and stmt[99].point_selects ~= nil)
   assert(stmt[0] == nil and stmt[100] == nil and param[100] == nil)
end
function event() execute_index_updates() end
LUA
  run -1 "$BENCH" ./mine.lua $null --tables=99 --events=1 run
  [[ $output == *"index_updates are not prepared"* ]]
}

@test "options that a script leaves out have their defaults" {
  cat >mine.lua <<'LUA'
require("oltp_common")
sysbench.cmdline.options = {tables = {"tables", 2}}
function prepare_statements()
   prepare_begin()
   prepare_commit()
   prepare_point_selects()
   prepare_simple_ranges()
   prepare_index_updates()
   prepare_delete_inserts()
end
function event()
   begin()
   execute_point_selects()
   execute_simple_ranges()
   execute_index_updates()
   execute_delete_inserts()
   commit()
   check_reconnect()
end
LUA
  bench ./mine.lua $null prepare
  [ "$(grep -c 'Inserting 10000 records' out)" = 2 ]
  expect "22 6 4 32" ./mine.lua $null --events=2
}

@test "a changed copy of oltp_common is for scripts beside it" {
  sed 's/^function commit()/print("my copy")\n&/' "$scripts/oltp_common.lua" \
    >oltp_common.lua
  run -0 --separate-stderr "$BENCH" oltp_read_write $null --events=1 run
  [ "$(grep -c '^my copy$' <<<"$output")" = 0 ]
  [[ $stderr == "WARNING: ./oltp_common.lua is not used by bundled scripts; for it, copy "*"/oltp_read_write.lua here, too" ]]
  cp "$scripts/oltp_read_write.lua" .
  expect "14 4 2 20" oltp_read_write $null --events=1
  grep '^my copy$' out
}

# ---------------------------------------------------------------------------
# the legacy set

legacy() {
  local script=$1
  shift
  bench "$scripts/oltp_legacy/$script.lua" "$@"
}

expect_legacy() {
  local want=$1 script=$2
  shift 2
  expect "$want" "$scripts/oltp_legacy/$script.lua" "$@"
}

@test "legacy: statements per event" {
  local args="$sqlite --oltp-table-size=1000 --oltp-tables-count=2"
  legacy oltp $args prepare
  cat >want <<'TEXT'
Creating table 'sbtest1'...
Inserting 1000 records into 'sbtest1'
Creating secondary indexes on 'sbtest1'...
Creating table 'sbtest2'...
Inserting 1000 records into 'sbtest2'
Creating secondary indexes on 'sbtest2'...
TEXT
  diff want <(grep sbtest out)
  args="$args --max-requests=10"
  expect_legacy "140 40 20 200" oltp $args
  expect_legacy "140 0 20 160" oltp $args --oltp-read-only=on
  expect_legacy "140 0 20 160" oltp $args --oltp-read-only
  expect_legacy "140 40 20 200" oltp $args --oltp-read-only=off
  expect_legacy "0 40 20 60" oltp $args --oltp-write-only=on
  expect_legacy "140 40 0 180" oltp $args --oltp_skip_trx=on
  expect_legacy "100 40 20 160" oltp $args --oltp-range-selects=off
  expect_legacy "60 90 20 170" oltp $args --oltp-point-selects=2 \
    --oltp-simple-ranges=2 --oltp-sum-ranges=0 --oltp-index-updates=2 \
    --oltp-delete-inserts=3
  expect_legacy "10 0 0 10" oltp_simple $args
  expect_legacy "10 0 0 10" select $args
  expect_legacy "0 10 0 10" update_index $args
  expect_legacy "0 10 0 10" update_non_index $args
  expect_legacy "0 10 0 10" insert $args
  expect_legacy "10 0 0 10" select_random_points $args --random-points=3
  expect_legacy "10 0 0 10" select_random_ranges $args
  bench "$scripts/oltp_legacy/delete.lua" $args run
  [ "$(value total)" = 10 ]
  legacy oltp $args cleanup
  diff <(printf "Dropping table 'sbtest%d'...\n" 1 2) <(grep sbtest out)
}

@test "legacy: the null driver, by paths that do not exist" {
  local script
  for script in oltp oltp_simple select insert delete update_index \
    update_non_index select_random_points select_random_ranges; do
    bench --test=/no/such/tests/db/$script.lua $null --max-requests=10 \
      --num-threads=2 run
    [ "$(value transactions)" = 10 ]
    bench /usr/no/oltp_legacy/$script.lua $null --max-requests=10 run
    [ "$(value transactions)" = 10 ]
  done
}

@test "legacy: options" {
  local args="$sqlite --oltp-table-size=20"
  legacy oltp $args --oltp-secondary prepare
  [ "$(sql "SELECT COUNT(*) FROM sqlite_master WHERE name = 'xid_1'")" = 1 ]
  legacy oltp $args cleanup
  legacy oltp $args --oltp-secondary=off --oltp-create-secondary=off prepare
  [ "$(sql "SELECT COUNT(*) FROM sqlite_master WHERE name = 'xid_1'")" = 0 ]
  [ "$(sql "SELECT COUNT(*) FROM sqlite_master WHERE name = 'k_1'")" = 0 ]
  legacy oltp $args cleanup
  legacy oltp $args --oltp-auto-inc=off prepare
  expect_legacy "0 20 0 20" insert $args --oltp-auto-inc=off --max-requests=20
  legacy oltp $args cleanup
  # a plain index gives no ids
  legacy oltp $args --oltp-secondary=on prepare
  expect_legacy "0 20 0 20" insert $args --oltp-secondary=on --max-requests=20
  [ "$(sql 'SELECT COUNT(DISTINCT id) FROM sbtest1')" = 40 ]
  run -1 "$BENCH" "$scripts/oltp_legacy/oltp.lua" $args --oltp-read-only=on \
    --oltp-write-only=on run
  [[ $output == *"--oltp-read-only and --oltp-write-only are mutually"* ]]
}

@test "legacy: bulk_insert, tables sbtest0 to sbtest<T-1>" {
  legacy bulk_insert $sqlite --num-threads=2 prepare
  [ "$(grep -c Creating out)" = 0 ]
  expect_legacy "0 1 0 1" bulk_insert $sqlite --max-requests=3
  [ "$(sql 'SELECT COUNT(*), SUM(id), SUM(k) FROM sbtest0')" = "3 6 6" ]
  [ "$(sql 'SELECT COUNT(*) FROM sbtest1')" = 0 ]
  legacy bulk_insert $sqlite --num-threads=2 cleanup
  diff <(printf "Dropping table 'sbtest%d'...\n" 0 1) <(grep sbtest out)
}

@test "legacy: parallel_prepare makes each table once" {
  local args="$sqlite --oltp-table-size=10 --oltp-tables-count=5"
  legacy parallel_prepare $args --num-threads=2 --max-requests=10 run
  [ "$(grep -c 'thread prepare[01]' out)" = 2 ]
  [ "$(sql "SELECT COUNT(*) FROM sqlite_master
            WHERE name LIKE 'sbtest_' AND type = 'table'")" = 5 ]
}

@test "legacy: the common part serves scripts of users" {
  cp "$scripts/oltp_legacy/common.lua" .
  cat >mine.lua <<'LUA'
local folder = string.match(test, "(.*/)")
if folder then dofile(folder .. "common.lua") else require("common") end
function thread_init(thread_id)
   set_vars()
   db_connect()
end
function event(thread_id)
   db_query("SELECT c FROM sbtest" .. sb_rand_uniform(1, oltp_tables_count) ..
            " WHERE id=" .. sb_rand(1, oltp_table_size))
end
LUA
  local args="$sqlite --oltp-table-size=30 --oltp-tables-count=2"
  bench ./mine.lua $args prepare
  expect "5 0 0 5" ./mine.lua $args --max-requests=5
  expect "5 0 0 5" mine $args --max-requests=5
  [ "$(sql 'SELECT COUNT(*) FROM sbtest2')" = 30 ]
}

@test "legacy: all threads load, a table can be resumed" {
  local args="$sqlite --oltp-table-size=12000 --oltp-tables-count=2"
  local check="$sqlite --table-size=12000 --tables=2"
  legacy oltp $args --num-threads=3 --load-analyze=on prepare
  [ "$(grep -c 'Creating secondary indexes on' out)" = 2 ]
  bench oltp_common $check check
  [ "$(sql "SELECT COUNT(*) FROM sqlite_stat1")" -ge 2 ]

  cat >cut.lua <<'LUA'
function prepare()
   db_query("DELETE FROM sbtest1 WHERE id > 300")
   db_query("DROP INDEX k_1")
   db_query("DROP TABLE sbtest2")
end
LUA
  bench ./cut.lua $sqlite prepare
  legacy oltp $args --table-exists=resume --create-index=before prepare
  grep -q "^Resuming table 'sbtest1'" out
  grep -q "^Creating table 'sbtest2'" out
  bench oltp_common $check check
  if "$BENCH" "$scripts/oltp_legacy/oltp.lua" $args prepare >out 2>err; then false; fi
  legacy oltp $args --table-exists=skip --num-threads=2 prepare
  [ "$(grep -c '^Skipping' out)" = 2 ]
}

@test "legacy: less than no rows and less than no tables" {
  # as scripts may want them: options are checked
  local size
  for size in -5 0/0 0; do
    printf 'require("oltp_legacy/common")\noltp_table_size = %s\n' $size >mine.lua
    timeout 60 "$BENCH" ./mine.lua $sqlite --num-threads=2 prepare >out 2>err
    [ "$size" = 0/0 ] || grep "^Inserting $size records into 'sbtest1'" out
    [ "$(sql 'SELECT COUNT(*) FROM sbtest1')" = 0 ]
    legacy oltp $sqlite cleanup
  done
  printf 'require("oltp_legacy/common")\noltp_tables_count = -1\n' >mine.lua
  timeout 60 "$BENCH" ./mine.lua $sqlite prepare >out 2>err
  ! grep sbtest out
}

@test "legacy: numbers and words in all forms" {
  local args="--db-driver=null --max-requests=10" word
  for word in on ON true yes 1; do
    expect_legacy "140 0 20 160" oltp $args --oltp-read-only=$word
    expect_legacy "140 40 0 180" oltp $args --oltp-skip-trx=$word
    expect_legacy "140 40 20 200" oltp $args --oltp-range-selects=$word
  done
  for word in off Off false no 0; do
    expect_legacy "140 40 20 200" oltp $args --oltp-read-only=$word
    expect_legacy "100 40 20 160" oltp $args --oltp_range_selects=$word
  done
  expect_legacy "50 40 20 110" oltp $args --oltp-point-selects=1e0 --oltp-table-size=0x10
  legacy oltp $sqlite --oltp-table-size=1e2 prepare
  [ "$(sql 'SELECT COUNT(*) FROM sbtest1')" = 100 ]
}

@test "the loader refuses numbers that are none" {
  cat >mine.lua <<'LUA'
local load = require("bench_load")
function prepare()
   local con = sysbench.sql.driver():connect()
   local inf = math.huge
   for _, numbers in ipairs({{1, 1, -1}, {1, 1, 0 / 0}, {1, 1, inf},
                             {1, -1, 1}, {-1, 1, 1}}) do
      print(select(2, pcall(load.run, con, numbers[1], numbers[2], numbers[3],
                            {}, false)))
   end
   print(select(2, pcall(load.check, con, 1, -1)))
   print(select(2, pcall(load.check, con, inf, 1)))
end
LUA
  timeout 60 "$BENCH" ./mine.lua $null prepare >out 2>err
  cat >want <<'TEXT'
the number of rows of a table must be from 0 to less than 2^63, not -1
the number of rows of a table must be from 0 to less than 2^63, not nan
the number of rows of a table must be from 0 to less than 2^63, not inf
the number of tables must be from 0 to less than 2^63, not -1
the number of a table must be from 0 to less than 2^63, not -1
the number of rows of a table must be from 0 to less than 2^63, not -1
the number of a table must be from 0 to less than 2^63, not inf
TEXT
  diff want <(grep '^the' out | sed 's/-nan/nan/')
}

@test "legacy: a prepare or a create_insert of a script's own is called once" {
  cat >mine.lua <<'LUA'
require("oltp_legacy/common")
function create_insert(n) print("mine " .. n) end
LUA
  bench ./mine.lua $null --num-threads=3 --oltp-tables-count=2 prepare
  [ "$(grep -c '^mine [12]$' out)" = 2 ]
  echo 'function prepare() print("all mine") end' >>mine.lua
  bench ./mine.lua $null --num-threads=3 --oltp-tables-count=2 prepare
  [ "$(grep -c '^all mine$' out)" = 1 ]
}
