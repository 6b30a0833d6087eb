#!/usr/bin/env bats
# How prepare fills tables, on SQLite: the same rows whatever the way, resumed
# after an interruption, and what check says of them.

load helper
NEEDS_DRIVER=sqlite

# on FILE ARG...: a command on the tables of this file.
on() {
  local file=$1
  shift
  LUA_PATH="./?.lua;$BENCH_SRC/src/lua/scripts/?.lua;;" \
    bench oltp_common --db-driver=sqlite --sqlite-db="$PWD/$file" \
    --sqlite-synchronous=off "$@"
}

# succeeds ARG...: on ARG..., with status 0.
succeeds() {
  on "$@" -0
}

# sum FILE TABLES: a checksum of all rows.
sum() {
  cat >sum.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   for n = 1, tonumber(sysbench.opt.count) do
      local rs = con:query("SELECT id, k, c, pad FROM sbtest" .. n ..
                           " ORDER BY id")
      for _ = 1, rs.nrows do
         print("= " .. table.concat({unpack(rs:fetch_row(), 1, 4)}, " "))
      end
   end
end
LUA
  "$BENCH" ./sum.lua --db-driver=sqlite --sqlite-db="$PWD/$1" --count="$2" \
    prepare | grep '^=' | cksum
}

@test "--data-size: tables of about this size, by any workload that loads rows" {
  local workload unit
  for workload in oltp_read_write:'row per table|rows per table' tpcb:'branch|branches' ycsb:'record|records' \
    json:'document|documents' secondary:'key|keys' bank:'account|accounts' counter:'row|rows'; do
    unit=${workload#*:} workload=${workload%%:*}
    rm -f d
    bench -0 "$workload" --db-driver=sqlite --sqlite-db=d --sqlite-synchronous=off --threads=2 --data-size=8M prepare
    must has "$output" "^--data-size=8M: [0-9]+ ($unit)$"
    must is "$(grep -c -- --data-size <<<"$output")" 1
    bench -0 "$workload" --db-driver=sqlite --sqlite-db=d --threads=2 check
    must holds "$(python3 -c 'import sqlite3
c = sqlite3.connect("d")
print(abs(c.execute("PRAGMA page_count").fetchone()[0] * c.execute("PRAGMA page_size").fetchone()[0] / 2 ** 23 - 1) < 0.2)') == True"
  done
  on f -1 --data-size=8M --table-size=10 prepare
  must has "$stderr" '^FATAL: .*--data-size=8M and --table-size both set the size of the tables: use one$'
  bench -1 tpcc --db-driver=sqlite --sqlite-db=f --data-size=8M prepare
  must has "$stderr" '^FATAL: .*--data-size=8M: the smallest is [0-9]+M$'
  bench -1 tpcc --db-driver=sqlite --sqlite-db=f --data-size=1G --scale=2 prepare
  must has "$stderr" '^FATAL: .*--data-size=1G and --scale both set'
  bench -1 counter --db-driver=sqlite --sqlite-db=f --data-size=1T prepare
  must has "$stderr" '^FATAL: .*--data-size=1T: the largest is [0-9]+M$'
}

@test "the same rows by any way, by one thread and by many" {
  succeeds a --tables=2 --table-size=30000 prepare
  succeeds b --tables=2 --table-size=30000 --threads=8 prepare
  succeeds c --tables=2 --table-size=30000 --load-method=insert prepare
  succeeds d --tables=2 --table-size=30000 --load-method=bulk \
    --create-index=before prepare
  succeeds e --tables=2 --table-size=30000 --rand-seed=5 prepare
  want=$(sum a 2)
  [ "${want##* }" -gt 10000000 ]
  for file in b c d; do
    must is "$(sum "$file" 2)" "$want"
  done
  [ "$(sum e 2)" != "$want" ]
}

@test "the lines of prepare, once per table" {
  succeeds t --tables=2 --table-size=100 --threads=4 prepare
  must is "$(sort <<<"$output" | grep "'")" \
    "Creating a secondary index on 'sbtest1'...
Creating a secondary index on 'sbtest2'...
Creating table 'sbtest1'...
Creating table 'sbtest2'...
Inserting 100 records into 'sbtest1'
Inserting 100 records into 'sbtest2'"
  must has "$stderr" '^Loaded 200 rows in [0-9.]+ s, [0-9]+ rows/s$'
}

@test "resume: tables without rows, with some, with all" {
  succeeds t --tables=3 --table-size=20000 prepare
  want=$(sum t 3)
  cat >cut.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("DELETE FROM sbtest1 WHERE id BETWEEN 300 AND 7000")
   con:query("DROP INDEX k_1")
   con:query("DELETE FROM sbtest2")
end
LUA
  bench -0 ./cut.lua --db-driver=sqlite --sqlite-db="$PWD/t" prepare
  on t -1 --tables=3 --table-size=20000 check
  must has "$output" "'sbtest1'\.\.\. number of rows 13299 instead of 20000, .*6701 rows missing, the first is row 300, index k_1 is missing"
  must has "$output" "'sbtest3'\.\.\. ok"
  succeeds t --tables=4 --table-size=20000 --table-exists=resume prepare
  must has "$output" "^Resuming table 'sbtest2'"
  must has "$output" "^Creating table 'sbtest4'"
  succeeds t --tables=4 --table-size=20000 --threads=2 check
  must is "$(sum t 3)" "$want"
}

@test "resume: tables of another load" {
  succeeds t --table-size=2000 prepare
  on t -1 --table-size=1000 --table-exists=resume prepare
  must has "$stderr" "cannot resume loading 'sbtest1': it has rows that are not of a table of 1000 rows"
  on t -1 --table-size=2000 --rand-seed=9 --table-exists=resume prepare
  must has "$stderr" "resume needs the same --rand-seed"
}

@test "check: single rows that differ" {
  succeeds t --table-size=12000 prepare
  cat >change.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("UPDATE sbtest1 SET k = 1 + k % 12000 WHERE id = 11999")
   con:query("UPDATE sbtest1 SET c = REPLACE(c, '1', '2') WHERE id IN (3, 4)")
end
LUA
  bench -0 ./change.lua --db-driver=sqlite --sqlite-db="$PWD/t" prepare
  on t -1 --table-size=12000 check
  must has "$output" "\.\.\. 1 row with another k, the first is row 11999, 2 rows with another c, the first is row 3$"
}

@test "check: options that prepare was not given, and a hint at them" {
  local hint="^Runs modify rows, so check works right after prepare only, with its --rand-seed, --rand-type, --compat and --table-size$"
  succeeds t --tables=2 --table-size=1000 --rand-type=uniform prepare
  succeeds t --tables=2 --table-size=1000 --rand-type=uniform check
  must is "$(grep -E "$hint" <<<"$output")" ""
  on t -1 --tables=2 --table-size=1000 check
  must has "$output" "'sbtest1'\.\.\. 99[0-9] rows with another k, the first is row 1$"
  must is "$(grep -cE "$hint" <<<"$output")" 1
  on t -1 --tables=2 --table-size=1000 --rand-type=uniform --rand-seed=9 check
  must has "$output" "$hint"
  # Rows that are right: options are not what is wrong.
  echo 'function prepare() sysbench.sql.driver():connect():query("DROP INDEX k_1") end' >drop.lua
  bench ./drop.lua --db-driver=sqlite --sqlite-db="$PWD/t" prepare
  on t -1 --tables=2 --table-size=1000 --rand-type=uniform check
  must has "$output" "index k_1 is missing$"
  must is "$(grep -E "$hint" <<<"$output")" ""
}

@test "SIGINT: whole chunks, exit 130, and resume" {
  local scripts="$BENCH_SRC/src/lua/scripts"
  local file="$PWD/t"
  LUA_PATH="$scripts/?.lua;;" "$BENCH" oltp_common --db-driver=sqlite \
    --sqlite-db="$file" --table-size=5000000 prepare >out 2>err &
  local pid=$!
  until grep -q Inserting out; do kill -0 $pid; done
  kill -INT $pid
  status=0
  wait $pid || status=$?
  output=$(<out) stderr=$(without_machine <err)
  must [ "$status" -eq 130 ]
  must has "$stderr" '^WARNING: interrupted: ([1-9][0-9]*00000|0) of 5000000 rows are loaded; .*--table-exists=resume'
}

@test "SIGINT while another program has the lock" {
  local pid holder scripts="$BENCH_SRC/src/lua/scripts"
  succeeds t --table-size=0 prepare
  cat >hold.lua <<'LUA'
function prepare()
   sysbench.sql.driver():connect():query("BEGIN IMMEDIATE")
   io.open("held", "w"):close()
   io.open("let_go"):read()
end
LUA
  mkfifo let_go
  "$BENCH" ./hold.lua --db-driver=sqlite --sqlite-db="$PWD/t" prepare 3>&- &
  holder=$!
  until [ -e held ]; do kill -0 $holder; done
  LUA_PATH="$scripts/?.lua;;" "$BENCH" oltp_common --db-driver=sqlite \
    --sqlite-db="$PWD/t" --sqlite-busy-timeout=1 --table-size=100 \
    --table-exists=resume --verbosity=5 prepare >out 2>err 3>&- &
  pid=$!
  until grep -q 'Ignoring error' out err; do kill -0 $pid; done
  kill -INT $pid
  status=0
  wait $pid || status=$?
  : >let_go
  wait $holder
  output=$(<out) stderr=$(without_machine <err)
  must [ "$status" -eq 130 ]
  must has "$stderr" '^WARNING: interrupted: 0 of 100 rows are loaded; '
  succeeds t --table-size=100 --table-exists=resume prepare
  succeeds t --table-size=100 check
}

@test "a script's own values are used, and not resumed" {
  cat >own.lua <<'LUA'
require("oltp_common")
function get_pad_value() return "mine" end
LUA
  LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;" bench -0 ./own.lua \
    --db-driver=sqlite --sqlite-db="$PWD/t" --table-size=5 prepare
  must is "$(sum t 1 | cut -d' ' -f2)" "$((5 * (2 + 2 + 2 + 120 + 5)))"
  LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;" bench -1 ./own.lua \
    --db-driver=sqlite --sqlite-db="$PWD/t" --table-size=5 \
    --table-exists=resume prepare
  must has "$stderr" 'not made by the loader'
}

@test "the next id follows, and wrong words are refused" {
  succeeds t --table-size=50 prepare
  cat >add.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("INSERT INTO sbtest1(k) VALUES (1)")
   print("next " .. con:query_row("SELECT MAX(id) FROM sbtest1"))
end
LUA
  bench ./add.lua --db-driver=sqlite --sqlite-db="$PWD/t" prepare
  must has "$output" '^next 51$'
  on t -1 --load-method=fast prepare
  must has "$stderr" 'load-method'
  on t -1 --load-method=bulk --db-driver=null prepare
  must has "$stderr" 'load-method=bulk is not possible: the driver has no bulk load'
}

@test "no room on the disk, then resume" {
  succeeds t --table-size=1000 cleanup
  status=0
  # A limit of the size of files stands for a disk that is full.
  (
    trap '' XFSZ
    ulimit -f 30000
    LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;" exec "$BENCH" oltp_common \
      --db-driver=sqlite --sqlite-db="$PWD/t" --table-size=250000 prepare
  ) >out 2>err || status=$?
  stderr=$(without_machine <err)
  must [ "$status" -eq 1 ]
  must has "$stderr" "cannot load rows [0-9]+ to [0-9]+ \(chunk [123] of 3\) into 'sbtest1': .*(full|I/O)"
  succeeds t --table-size=250000 --table-exists=resume prepare
  succeeds t --table-size=250000 check
}

# watch STATUS LINE ARG...: a load on a terminal, which is interrupted as soon
# as it shows the line; exits with STATUS.  What was shown is in `shown`.
watch() {
  cat >watch.py <<'PY'
import os, pty, re, signal, sys
until = re.compile(sys.argv[1].encode())
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
shown, sent = b"", False
while True:
    try:
        some = os.read(terminal, 65536)
    except OSError:  # the other end is closed
        break
    if not some:
        break
    shown += some
    if not sent and until.search(shown):
        os.kill(pid, signal.SIGINT)
        sent = True
status = os.waitpid(pid, 0)[1]
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(status))
PY
  local want=$1 line=$2
  shift 2
  status=0
  LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;" python3 watch.py "$line" \
    "$BENCH" oltp_common --db-driver=sqlite --sqlite-synchronous=off "$@" \
    >shown || status=$?
  output=$(tr '\r\033' '^!' <shown)
  must [ "$status" -eq "$want" ]
}

@test "on a terminal a line tells how far the load is" {
  watch 130 'Loaded .*Loaded ' --sqlite-db="$PWD/t" --table-size=9000000 prepare
  must has "$output" '\^Loaded [0-9]+ of 9000000 rows \([0-9]+%\), [0-9]+ rows/s, [0-9.]+ MiB/s, ([0-9]+ min )?[0-9]+ s left!\[K\^'
  # nothing of it is left behind, and other text has lines of its own
  must has "$output" '\^!\[KWARNING: interrupted: ([1-9][0-9]*00000|0) of 9000000 rows'
}

@test "silence with a low verbosity, also on a terminal" {
  watch 0 'Loaded ' --sqlite-db="$PWD/t" --table-size=400000 --verbosity=1 \
    prepare
  must is "$(grep -c Loaded shown)" 0
}

# peak ROWS ARG...: the peak of resident memory of a load, in KiB.
peak() {
  cat >peak.py <<'PY'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PY
  local rows=$1
  shift
  LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;" python3 peak.py "$BENCH" \
    oltp_common --table-size="$rows" --threads=2 "$@" prepare
}

@test "memory does not grow with the table" {
  ! nm "$BENCH" | grep -Eq '__(asan|tsan)_init' ||
    skip 'sanitizers keep what was freed'
  for args in --db-driver=null \
    "--db-driver=sqlite --sqlite-synchronous=off --table-exists=drop --sqlite-db=$PWD/t"; do
    # shellcheck disable=SC2086
    small=$(peak 100000 $args)
    # shellcheck disable=SC2086
    large=$(peak 1000000 $args)
    echo "$args: $small and $large KiB"
    # 180 MB of rows more
    holds "$large < $small + 8192"
  done
}
