#!/usr/bin/env bats
# acks.bats - the acknowledgement log and its judge, on SQLite: what is wrong is
# named, what is right is not; and the log survives the end of bench.

load helper
NEEDS_DRIVER=sqlite

sqlite() {
  python3 -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1], timeout=60)
c.executescript(sys.argv[2])
c.commit()' t.db "$1"
}

ack() {
  bench ack "${to[@]}" "$@"
}

# A run with these options has a log.
logged() {
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db" --sqlite-synchronous=off --sqlite-busy-timeout=60000)
  ack -0 prepare
  ack -0 --threads=2 --events=200 --time=0 --ack-log=a.log "$@" run
  must has "$output" "^Acknowledgement log 'a.log': $numbers acknowledged, 0 aborted, 0 unknown$"
}

# verify STATUS [ARG...]
verify() {
  bench verify a.log "${to[@]}" "${@:2}"
  must is "$status" "$1"
}

@test "verify: what was acknowledged is there" {
  numbers=200 logged
  verify 0
  must has "$output" '^Database: 200 rows$'
  must has "$output" '^ok: everything that was acknowledged is there$'
  # Rows of another run are none of this one.
  ack --events=10 --time=0 run
  must has "$output" '^Inserts of the run: 10 committed, .*: ok$'
  verify 0
  ack check
  must has "$output" "^Checking table 'ack_rows'... ok$"
  # A name that was mistyped is no empty database, and becomes none.
  bench -2 verify a.log --db-driver=sqlite --sqlite-db=typo.db
  must has "$stderr" "^FATAL: the database file 'typo.db' does not exist \(expected that of the run in --sqlite-db\)$"
  must [ ! -e typo.db ]
  mkfifo pipe
  bench -2 verify pipe
  must is "$stderr" "FATAL: 'pipe' is not a regular file"
}

@test "verify: several rows in a transaction, statements that commit, many clients on a thread" {
  numbers=1000 logged --rows=5
  verify 0
  must has "$output" '^Database: 1000 rows$'
  sqlite 'DROP TABLE ack_rows; DROP TABLE bench_ack'
  numbers=200 logged --autocommit
  must has "$output" '^ +other: +0$'
  verify 0
  sqlite 'DROP TABLE ack_rows; DROP TABLE bench_ack'
  numbers=200 logged --clients=8 --threads=1
  verify 0
  must has "$output" "^Log 'a.log': ack, 8 clients"
}

@test "verify: each fault has its name" {
  numbers=400 logged --events=400 --threads=1
  sqlite 'DELETE FROM ack_rows WHERE number IN (5, 399, 400)'
  verify 1
  must has "$output" '^  lost +3 +.* 2 in a suffix, 1 in a hole$'
  must has "$output" '^  number 5 of client 0, .*: a hole$'
  must has "$output" '^  number 399 of client 0, .*: in a suffix$'
  must has "$output" '^FAILED: 3 lost$'
  sqlite "INSERT INTO ack_rows (run, number, payload) SELECT 1, n, '' FROM
    (SELECT 5 n UNION SELECT 399 UNION SELECT 400 UNION SELECT 77 UNION SELECT 5000)"
  verify 1
  must has "$output" '^  lost +0 '
  must has "$output" '^  duplicate +1 +.*: 77$'
  must has "$output" '^  unexpected +1 +.*: 5000$'
  must has "$output" '^FAILED: 1 duplicate, 1 unexpected$'
  ack -1 check
  must has "$output" 'such as 77 of run 1$'
}

@test "verify: cannot tell" {
  numbers=2000 logged --events=2000 --threads=1
  must is "$(wc -c <a.log)" 196608
  # A byte of a record is not what was written; the file ends too early.
  cp a.log b.log
  printf 'x' | dd of=b.log bs=1 seek=$((65536 + 40 + 3)) conv=notrunc status=none
  bench -3 verify b.log "${to[@]}"
  must has "$output" '^  others +1 '
  must has "$output" '^cannot tell: 1 part of the log is damaged$'
  for size in 131000 131072; do
    head -c $size a.log >c.log
    bench -3 verify c.log "${to[@]}"
    must has "$output" '^cannot tell: [1-3] parts? of the log (is|are) damaged$'
  done
  verify 3 --query='SELECT number FROM nowhere'
  must has "$stderr" '^FATAL: the query of the log failed: SELECT number FROM nowhere: no such table: nowhere$'
  verify 3 --query='SELECT number, run FROM ack_rows'
  must has "$stderr" 'has 2 columns, not one'
  verify 3 --query="SELECT 'x'"
  must has "$stderr" "the query returns 'x', which is not a number"
  verify 3 --db-driver=null
  must has "$stderr" 'keeps no rows'
  head -c 100 a.log >short.log
  bench -2 verify short.log "${to[@]}"
  must is "$stderr" "FATAL: 'short.log' is truncated"
  printf 'bench acknowledgements 1\n%70000s' '' >other.log
  bench -2 verify other.log "${to[@]}"
  must has "$stderr" 'another byte order'
}

@test "verify: bench is killed, and its log has everything" {
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db" --sqlite-synchronous=off --sqlite-busy-timeout=60000)
  ack prepare
  for _ in $(seq "${KILLS:-2}"); do
    rm -f out
    "$BENCH" ack "${to[@]}" --threads=2 --time=600 --report-interval=1 --ack-log=a.log run >out 2>&1 3>&- &
    pid=$!
    until grep -Eq 'tps: [1-9]' out; do
      kill -0 $pid
      read -rt 0.1 <> <(:) || :
    done
    verify 3 # it still runs
    must has "$stderr" "^FATAL: the run that writes 'a.log' has not ended$"
    kill -KILL $pid
    wait $pid || true
    verify 0
    must has "$output" 'the run did not end in the usual way$'
    must has "$output" '^  unexpected +0 '
    # What was under way is unknown, for each client at most once.
    must has "$output" '^  [1-9][0-9]* acknowledged, 0 aborted, [0-2] unknown$'
  done
}

@test "ack-log: what is refused" {
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db")
  ack prepare
  ack -1 --ack-log=no/where --events=1 run
  must has "$stderr" "^FATAL: cannot open 'no/where' for writing"
  bench -1 cpu --ack-log=a.log --events=1 run
  must is "$stderr" "FATAL: --ack-log is for scripts that call sysbench.ack(), such as the workload ack"
  ack -1 --ack-log=a.log --repeat=2 run
  must has "$stderr" "^FATAL: --ack-log cannot be used with --sweep, --repeat or --find"
  ack -1 --rows=2 --autocommit run
  [ ! -e a.log ]
  bench -2 verify t.db "${to[@]}"
  must has "$stderr" "^FATAL: 't.db' is not a file that verify can judge \(expected an acknowledgement log"
}

@test "ack-log: a script that names nothing, and one that names too much" {
  cat >none.lua <<'LUA'
function event() end
LUA
  bench -0 ./none.lua --ack-log=a.log --events=3 --time=0 run
  must has "$stderr" '^WARNING: --ack-log: nothing was named'
  cat >much.lua <<'LUA'
function event()
  for i = 1, tonumber(n) do sysbench.ack(i) end
end
LUA
  bench -0 ./much.lua --n=256 --ack-log=a.log --events=1 --time=0 run
  bench -1 ./much.lua --n=257 --ack-log=a.log --events=1 --time=0 run
  must has "$stderr" 'ack: a transaction can have at most 256 numbers'
  bench -0 ./much.lua --n=257 --events=1 --time=0 run
  echo 'function event() sysbench.ack(1.5) end' >half.lua
  bench ./half.lua --events=1 --time=0 run
  must has "$stderr" "bad argument #1 to 'ack' \(a whole number from 0 to 2\^53 expected\)"
}

@test "ack-log: outcomes of a script that fails and goes on" {
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db")
  cat >own.lua <<'LUA'
function init()
  local con = sysbench.sql.driver():connect()
  con:query("DROP TABLE IF EXISTS t")
  con:query("CREATE TABLE t (n INTEGER PRIMARY KEY)")
  con:query("INSERT INTO t VALUES (3)")
  sysbench.ack_query("SELECT n FROM t WHERE n <> 3")
end
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  local n = sysbench.iteration()
  sysbench.ack(n)
  local ok = pcall(con.query, con, "INSERT INTO t VALUES (" .. n .. ")")
  assert(ok == (n ~= 3))
end
LUA
  bench -0 ./own.lua "${to[@]}" --events=5 --time=0 --ack-log=a.log run
  must has "$output" "^Acknowledgement log 'a.log': 4 acknowledged, 1 aborted, 0 unknown$"
  verify 0
  # The control: it was refused, and is there.
  verify 1 --query='SELECT n FROM t'
  must has "$output" '^  phantom +1 +.*: 3$'
  must has "$output" '^FAILED: 1 phantom$'
}

@test "ack-log: a full disk ends the run" {
  small=$PWD/small
  mkdir small
  mount -t tmpfs -o size=4200k none small 2>/dev/null || skip "no file system can be mounted here"
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db" --sqlite-synchronous=off)
  echo 'function event() sysbench.ack(sysbench.iteration()) end' >fill.lua
  bench ./fill.lua --threads=2 --events=1000000 --time=0 --ack-log=small/a.log run
  umount small
  must is "$status" 1
  must has "$stderr" 'ack: No space left on device'
}

@test "ack-log: a log that cannot be ended is an error" {
  ! nm "$BENCH" | grep -qE '__[at]san_init' || skip "sanitizers cannot be traced"
  strace -o probe true 2>/dev/null || skip "strace is not installed, or may not trace here"
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db" --sqlite-synchronous=off)
  ack prepare
  run -1 --separate-stderr strace -f -o trace -P "$PWD/a.log" -e trace=ftruncate \
    -e inject=ftruncate:error=EIO:when=2+ "$BENCH" ack "${to[@]}" --events=5 --time=0 --ack-log=a.log run
  must has "$stderr" "^FATAL: cannot write to 'a.log'"
  must has "$output" '^Inserts of the run: 5 committed'
}

# used WORKLOAD STATEMENT ARG...: a run is as acknowledged, and not any more after
# the statement.
used() {
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db" --sqlite-synchronous=off --sqlite-busy-timeout=60000)
  rm -f t.db
  bench -0 "$1" "${to[@]}" "${@:3}" prepare
  bench -0 "$1" "${to[@]}" --threads=2 --events=100 --time=0 "${@:3}" run
  bench -0 "$1" "${to[@]}" --threads=2 --events=100 --time=0 "${@:3}" --ack-log=a.log run
  verify 0
  sqlite "$2"
  verify 1
  must has "$output" "^FAILED: (at least )?1 lost$"
}

@test "verify: counter, bank, queue, tpcb and tpcc" {
  used counter 'UPDATE counter_rows SET n = n - 1'
  used bank 'UPDATE bank_accounts SET transfers = transfers - 1 WHERE id < 3'
  used queue 'CREATE TABLE last AS SELECT MAX(id) AS id FROM (SELECT id FROM queue_jobs UNION SELECT id FROM queue_done);
    DELETE FROM queue_jobs WHERE id IN (SELECT id FROM last); DELETE FROM queue_done WHERE id IN (SELECT id FROM last)' --threads=1
  used tpcb "DELETE FROM pgbench_history WHERE filler = (SELECT MAX(filler) FROM pgbench_history)"
  must has "$output" '^Database: 99 rows$'
  used tpcc 'DELETE FROM orders WHERE ROWID = (SELECT MAX(ROWID) FROM orders)'     --districts=2 --customers=30 --items=100
  must has "$output" '^  others +[1-9]'
}
