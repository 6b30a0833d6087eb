#!/usr/bin/env bats
# What is said before and after a run about the tables and about durability, on
# SQLite; tests/db/advice.bats does it with servers.

load helper
NEEDS_DRIVER=sqlite

# on TEST ARG...: a test on the tables of this file.
on() {
  local test=$1
  shift
  bench "$test" --db-driver=sqlite --sqlite-db="$PWD/a.db" --time=0 --events=50 "$@"
}

@test "keys that do not exist: before the run, in the report and in the document" {
  on oltp_read_only --tables=3 --table-size=100 prepare
  on -0 oltp_read_only --tables=3 --table-size=10000 --json=a.json run
  must has "$stderr" '^WARNING: the highest id of sbtest1 to sbtest3 is 100 but --table-size is 10000, so at least 99 % of the keys do not exist$'
  # Said once; the document has what came of it.
  must is "$(grep -c 'reads found no row' <<<"$stderr")" 0
  # Nobody splits such a line in three.
  must is "$(grep -c ':.*:' <<<"$stderr")" 0
  check a.json "[w['code'] for w in d['warnings']].count('missing_rows') == 1" \
    "d['totals']['queries']['read_empty'] > 0.5 * d['totals']['queries']['read']"
  # Rows that are there, and more of them than keys, are not worth a word.
  on oltp_read_only --tables=3 --table-size=100 --json=b.json run
  must is "$(grep -c 'rows\|no row' <<<"$stderr")" 0
  check b.json "d['totals']['queries']['read_empty'] == 0" \
    "not any(w['code'] == 'missing_rows' for w in d['warnings'])"
  on oltp_read_only --tables=1 --table-size=50 run
  must is "$(grep -c 'rows\|no row' <<<"$stderr")" 0
}

@test "--tables and --table-size that are not given are those of the tables" {
  on oltp_read_write --tables=3 --table-size=300 prepare
  on -0 oltp_read_only --json=a.json run
  must has "$output" '^Read from the tables: --tables=3 --table-size=300$'
  check a.json "d['options']['tables']['value'] == 3" "d['options']['table_size']['value'] == 300" \
    "d['totals']['queries']['read_empty'] == 0"
  on -0 oltp_read_only --table-size=200 --json=a.json run
  must has "$output" '^Read from the tables: --tables=3$'
  check a.json "d['options']['table_size']['value'] == 200"
  on -0 oltp_read_only --tables=2 --json=a.json run
  must has "$output" '^Read from the tables: --table-size=300$'
  check a.json "d['options']['tables']['value'] == 2"
  on -0 select_random_points --json=a.json run
  must has "$output" '^Read from the tables: --table-size=300$'
  bench -0 doctor oltp_read_only --db-driver=sqlite --sqlite-db="$PWD/a.db"
  must has "$output" 'sbtest1 to sbtest3: the highest ids are close to the 300 of --table-size'
  ln -s "$BENCH" sysbench
  run --separate-stderr ./sysbench oltp_read_only --db-driver=sqlite --sqlite-db="$PWD/a.db" \
    --events=10 --time=0 run
  must is "$(grep -c 'Read from' <<<"$stderr$output")" 0
  on -0 oltp_read_only warmup
  must is "$(grep -c '^Prewarming' <<<"$output")" 3
  on -0 oltp_read_only check
  must is "$(grep -c '^Checking table .* ok$' <<<"$output")" 3
  on -0 oltp_read_only cleanup
  must is "$(grep -c '^Dropping table' <<<"$output")" 3
  on oltp_read_only prepare
  on -0 oltp_read_only run
  must is "$(grep -c 'Read from' <<<"$stderr$output")" 0
}

@test "a table of another size is not read, and removed" {
  on oltp_read_only --tables=3 --table-size=40 prepare
  on oltp_read_only --tables=2 cleanup
  on oltp_read_only --tables=2 --table-size=90 prepare
  on -0 oltp_read_only --json=a.json run
  must has "$output" '^Read from the tables: --tables=2 --table-size=90; sbtest3 has another number of rows$'
  check a.json "d['options']['tables']['value'] == 2" "d['options']['table_size']['value'] == 90"
  on -0 oltp_read_only check
  on -0 oltp_read_only cleanup
  must is "$(grep -c '^Dropping table' <<<"$output")" 3
}

@test "tables that do not exist: which, how many are there, and what loads them" {
  on oltp_read_only --tables=3 --table-size=20 prepare
  on -1 oltp_read_only --tables=5 --table-size=20 run
  must has "$stderr" "^WARNING: the table 'sbtest4' cannot be read, and 3 of 5 tables are there: prepare with the same options and --table-exists=resume loads the rest$"
  on -0 oltp_read_only --tables=5 --table-size=20 --table-exists=resume prepare
  on -0 oltp_read_only --tables=5 --table-size=20 run
  must is "$(grep -c 'cannot be read' <<<"$stderr")" 0
}

@test "keys that do not exist: one line for tables in a row, also of different sizes" {
  on oltp_read_only --tables=1 --table-size=1 prepare
  on oltp_read_only --tables=1 --table-size=1000 run
  must has "$stderr" '^WARNING: the highest id of sbtest1 is 1 but --table-size is 1000, so at least 99.9 % of the keys do not exist$'
  # A run with other options has put rows into one of three.
  on oltp_read_only --tables=1 cleanup
  on oltp_read_only --tables=3 --table-size=20 prepare
  cat >more.lua <<'LUA'
function event()
  local con = sysbench.sql.driver():connect()
  con:query("INSERT INTO sbtest2 (id, k) VALUES (40, 1)")
end
LUA
  bench ./more.lua --db-driver=sqlite --sqlite-db="$PWD/a.db" --time=0 --events=1 run
  on oltp_read_only --tables=3 --table-size=100 run
  must has "$stderr" '^WARNING: the highest id of sbtest1 to sbtest3 is 20 to 40 but --table-size is 100, so at least 60 to 80 % of the keys do not exist$'
}

@test "an index on k that is gone: before the run, by doctor, and not where none is wanted" {
  on oltp_read_write --tables=3 --table-size=20 prepare
  on oltp_read_write --tables=3 --table-size=20 run
  must is "$(grep -c 'no index' <<<"$stderr")" 0
  bench -0 doctor oltp_read_write --db-driver=sqlite --sqlite-db="$PWD/a.db"
  must is "$(grep -c '^warn  indexes' <<<"$output")" 0
  python3 -c 'import sqlite3
c = sqlite3.connect("a.db")
c.execute("DROP INDEX k_1")
c.execute("CREATE INDEX mine ON sbtest1 (pad, k)")
c.execute("DROP INDEX k_3")
c.execute("CREATE INDEX other_name ON sbtest3 (k)")'
  local test
  for test in oltp_read_write oltp_insert select_random_points; do
    on -0 $test --tables=3 --table-size=20 run
    must has "$stderr" '^WARNING: sbtest1 has no index on column k, so this is not the usual workload: create it, or give --create-secondary=off$'
  done
  bench -0 doctor oltp_read_write --db-driver=sqlite --sqlite-db="$PWD/a.db"
  must has "$output" '^warn  indexes +sbtest1 has no index on column k'
  for test in 'oltp_read_write --create-secondary=off' 'oltp_read_write --create-index=off' oltp_point_select; do
    # shellcheck disable=SC2086
    on -0 $test --tables=3 --table-size=20 run
    must is "$(grep -c 'no index' <<<"$stderr")" 0
  done
  ln -s "$BENCH" sysbench
  run -0 --separate-stderr ./sysbench oltp_read_write --db-driver=sqlite --sqlite-db="$PWD/a.db" \
    --tables=3 --table-size=20 --events=10 --time=0 run
  must is "$(grep -c 'no index' <<<"$stderr")" 0
}

@test "keys that do not exist: no matter where rows are only added, or no rows are kept" {
  on oltp_insert --table-size=10 prepare
  on -0 oltp_insert --table-size=1000 run
  must is "$(grep -c 'rows\|no row' <<<"$stderr")" 0
  bench oltp_read_only --db-driver=null --table-size=1000 --events=10 --time=0 --json=a.json run
  must is "$stderr" ''
  check a.json "not any(w['code'] == 'missing_rows' for w in d['warnings'])"
}

@test "keys that do not exist: as sysbench at verbosity 4 only" {
  on oltp_read_only --table-size=10 prepare
  ln -s "$BENCH" sysbench
  run -0 --separate-stderr ./sysbench oltp_read_only --db-driver=sqlite --sqlite-db="$PWD/a.db" \
    --table-size=1000 --events=10 --time=0 run
  must is "$(grep -c 'rows\|no row' <<<"$stderr")" 0
  run --separate-stderr ./sysbench oltp_read_only --db-driver=sqlite --sqlite-db="$PWD/a.db" \
    --table-size=1000 --events=10 --time=0 --verbosity=4 run
  must has "$stderr" 'WARNING: the highest id of sbtest1 is 10 but --table-size is 1000'
}

@test "writes that need not be durable" {
  on oltp_write_only --table-size=100 prepare
  on -0 oltp_write_only --table-size=100 --sqlite-synchronous=off --json=a.json run
  must has "$stderr" '^WARNING: writes were faster than durable ones, because synchronous = off \(a crash of the machine can destroy the data\)$'
  # A busy machine is a warning, too.
  check a.json "[w['code'] for w in d['warnings']].count('not_durable') == 1"
  # The default of SQLite in this program is for the document only.
  on oltp_write_only --table-size=100 --json=b.json run
  must is "$(grep -c durable <<<"$stderr")" 0
  check b.json "any('synchronous = normal' in w['text'] for w in d['warnings'])"
  on oltp_write_only --table-size=100 --sqlite-synchronous=full --json=c.json run
  check c.json "not any(w['code'] == 'not_durable' for w in d['warnings'])"
  # Who only reads loses nothing.
  on oltp_read_only --table-size=100 --sqlite-synchronous=off --json=d.json run
  must is "$(grep -c durable <<<"$stderr")" 0
  check d.json "not any(w['code'] == 'not_durable' for w in d['warnings'])"
  # A script of the user's own that writes is told, too.
  cat >own.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("INSERT INTO sbtest1 (k) VALUES (1)") end
LUA
  on ./own.lua --sqlite-synchronous=off run
  must has "$stderr" 'synchronous = off'
}

@test "data that fit into the cache, and keys that are not spread evenly, in runs of a second" {
  on oltp_read_only --table-size=100 prepare
  on -0 oltp_read_only --table-size=100 --events=0 --time=1 --sqlite-cache-size=-20000 --json=a.json run
  must has "$stderr" '^WARNING: the data \(0.0 MiB\) fit into the cache \(cache_size = -20000\), so reads do not measure the disk; use more rows with --table-size if your data are larger$'
  must has "$stderr" '^WARNING: 75% of the keys are from 1% of the rows, because --rand-type is special by default; use --rand-type=uniform for an even load$'
  check a.json "{'cached_data', 'hot_rows'} <= {w['code'] for w in d['warnings']}"
  on -0 oltp_read_only --table-size=100 --events=0 --time=1 --sqlite-cache-size=-1 --rand-type=special --json=b.json run
  check b.json "not {'cached_data', 'hot_rows'} & {w['code'] for w in d['warnings']}"
  # Statements without a table measure no disk in any case.
  echo 'SELECT 1, 2' >bare.sql
  for workload in connect ./bare.sql; do
    on -0 "$workload" --events=0 --time=1 --sqlite-cache-size=-20000 --json=d.json run
    check d.json "'cached_data' not in {w['code'] for w in d['warnings']}"
  done
  # Too short to be a measurement.
  on -0 oltp_read_only --table-size=100 --sqlite-cache-size=-20000 --json=c.json run
  check c.json "not {'cached_data', 'hot_rows'} & {w['code'] for w in d['warnings']}"
}
