#!/usr/bin/env bats
# sqlite.bats - faults of a database in a file: what is said, counted and
# returned.

load helper

setup() {
  setup_fault
  "$BENCH" --db-driver=help 2>&1 | grep -q '^ *sqlite' || skip "built without sqlite"
  base=("$BENCH" "$events" --db-driver=sqlite --sqlite-db="$dir/db" --time=60)
  sql "CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)"
  sql "INSERT INTO counter VALUES (1, 0), (2, 0)"
}

teardown() {
  [[ -z ${mounted-} ]] || umount -l "$mounted"
}

# The administrator: one statement, its value on standard output.
sql() {
  cat >"$dir/admin.lua" <<'LUA'
sysbench.cmdline.options = {text = {"statement", ""}}
function init()
  local rs = sysbench.sql.driver():connect():query(sysbench.opt.text)
  local row
  if rs ~= nil then row = rs:fetch_row() end
  if row then print("value " .. row[1]) end
end
function event() return true end
LUA
  "$BENCH" "$dir/admin.lua" --db-driver=sqlite --sqlite-db="$dir/db" --text="$1" \
    --time=1 run | sed -n 's/^value //p'
}

counted() { sql "SELECT n FROM counter WHERE id = 1"; }
transactions() { counter transactions; }

# Somebody else holds the write lock until let_go.
hold() {
  coproc HOLD { exec python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()' "$dir/db"; }
  holder=$HOLD_PID # bash forgets it when the process has ended
  read -r -t 30 _ <&"${HOLD[0]}"
}

let_go() {
  echo >&"${HOLD[1]}"
  wait "$holder"
}

@test "a file that cannot be written, a folder that is missing, no database" {
  bounded -1 "$BENCH" "$events" --db-driver=sqlite --sqlite-db="$dir/none/db" run
  grep -q "^FATAL: cannot open SQLite database '$dir/none/db': " "$err"
  lacks 'use --db-driver' "$err"

  head -c 4096 /dev/urandom >"$dir/noise"
  bounded -1 "$BENCH" "$events" --db-driver=sqlite --sqlite-db="$dir/noise" run
  grep -q "^FATAL: cannot open SQLite database '$dir/noise': file is not a database" "$err"

  # The owner of everything, root, needs a file system that refuses to write.
  small_disk "$dir/ro" 8m root
  mounted=$dir/ro
  sql "PRAGMA wal_checkpoint(TRUNCATE)"
  sql "PRAGMA journal_mode=delete"
  cp "$dir/db" "$dir/ro/db"
  mount -o remount,ro "$dir/ro"
  bounded -1 "$BENCH" "$events" --db-driver=sqlite --sqlite-db="$dir/ro/db" \
    --sqlite-journal-mode=delete --time=2 run
  grep -qE "^FATAL: (cannot open SQLite database|SQLite error (8|14) )" "$err"
}

@test "a pipe and a circle of links are no databases" {
  mkfifo "$dir/pipe"
  bounded -1 "$BENCH" "$events" --db-driver=sqlite --sqlite-db="$dir/pipe" run
  grep -q "^FATAL: cannot open SQLite database '$dir/pipe': not a regular file" "$err"
  ln -s circle "$dir/circle"
  bounded -1 "$BENCH" "$events" --db-driver=sqlite --sqlite-db="$dir/circle" run
  grep -q "^FATAL: cannot open SQLite database '$dir/circle': Too many levels of symbolic links" "$err"
}

@test "a statement is interrupted by its time limit" {
  endless="WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c"
  bounded -1 "${base[@]}" --what=sql --sql="$endless" --db-query-timeout=0.2 run
  grep -q '^FATAL: SQLite error 9 (57014): ' "$err"
  grep -q '^FATAL: the statement took longer than --db-query-timeout=0.2$' "$err"
  bounded "${base[@]}" --time=1 --what=sql --sql="$endless" --db-query-timeout=0.2 \
    --db-ignore-errors=9 --forced-shutdown=1 run
  ((status == 0 || status == 2))
  (($(counter 'ignored errors') >= 2))
  # At the deadline it is interrupted, too, and that is no error.
  bounded -2 "${base[@]}" --time=1 --what=sql --sql="$endless" --forced-shutdown=1 run
  in_time 4
  [[ $(counter 'ignored errors') -eq 0 ]]
  lacks interrupted "$err"
}

@test "writers meet: as many increments as events" {
  bounded -0 "${base[@]}" --what=stale --threads=4 --events=400 run
  (($(counter 'ignored errors') > 0))
  [[ $(counted) -eq 400 && $(counter 'total number of events') -eq 400 ]]
  [[ $(counter transactions) -eq 400 ]]
  grep -qE '^WARNING: error 5(17)? \(40001\) [0-9]+ times?, ' "$err"
}

@test "a lock that is not given: restarted until it is, the run ends on time" {
  hold
  bounded -0 "${base[@]}" --what=count --time=2 --sqlite-busy-timeout=100 run
  in_time 2
  (($(counter 'ignored errors') >= 5))
  in_background "${base[@]}" --what=count --events=10 --sqlite-busy-timeout=100 \
    --report-interval=1 run
  within 30 grep -q '^\[ [0-9]*s \]' "$out"
  let_go
  ended -0
  [[ $(counted) -eq 10 && $(counter 'total number of events') -eq 10 ]]
}

@test "a lock that is waited for when the time is over is nobody's error" {
  hold
  bounded "${base[@]}" --what=count --threads=3 --time=1 --sqlite-busy-timeout=60000 run
  let_go
  ((status == 0))
  [[ $(counter 'ignored errors') -eq 0 && $(counter 'total number of events') -eq 0 ]]
  lacks 'database is locked' "$err"
  [[ $(counted) -eq 0 ]]
}

@test "a duplicate key: fatal, or restarted" {
  same="INSERT INTO counter VALUES (1, 0)"
  bounded -1 "${base[@]}" --what=half --sql="$same" run
  grep -qF "FATAL: SQLite error 1555 (23505): UNIQUE constraint failed: counter.id for query '$same'" "$err"
  bounded -0 "${base[@]}" --what=half --sql="$same" --db-ignore-errors=1555 --time=1 run
  (($(counter 'ignored errors') >= 10))
  [[ $(counted) -eq 0 && $(counter 'total number of events') -eq 0 ]]
}

@test "statements that fail: their messages" {
  bounded -1 "${base[@]}" --what=sql --sql="SELECT * FROM nowhere" run
  grep -q '^FATAL: SQLite error 1 (42P01): no such table: nowhere for query ' "$err"
  lacks 'did you run the prepare' "$err"
  bounded -1 "$BENCH" oltp_read_only --db-driver=sqlite --sqlite-db="$dir/db" run
  grep -q 'did you run the prepare command' "$err"
  bounded -1 "${base[@]}" --what=sql --sql="SELEC 1" run
  grep -q '^FATAL: SQLite error 1 (42601): ' "$err"
  bounded -1 "${base[@]}" --what=sql --sql="INSERT INTO counter (id) VALUES (1, 2)" run
  grep -q '^FATAL: SQLite error 1 (42601): ' "$err"
  bounded -1 "${base[@]}" --what=sql --sql="PRAGMA query_only=1; UPDATE counter SET n = 1" run
  grep -q '^FATAL: SQLite error 8 (25006): ' "$err"
  grep -qx 'FATAL: the server is read-only' "$err"
}

@test "a statement that is too large: its size is told" {
  bounded -1 "${base[@]}" --what=large --sql="SELECT length(zeroblob(2000000000))" run
  grep -q '^FATAL: SQLite error 18 ' "$err"
  grep -qx 'FATAL: it may be too large (1200042 bytes)' "$err"
}

@test "the disk is full: the table and the error are named" {
  small_disk "$dir/full" 2m root
  mounted=$dir/full
  bounded -1 "$BENCH" oltp_read_only --db-driver=sqlite --sqlite-db="$dir/full/db" \
    --table-size=100000 prepare
  grep -q "^FATAL: .* MiB needed in '$dir/full/db', .* or use --force to go on anyway$" "$err"
  bounded -1 "$BENCH" oltp_read_only --db-driver=sqlite --sqlite-db="$dir/full/db" \
    --table-size=100000 --force prepare
  grep -q 'SQLite error 13 (53100): ' "$err"
  grep -q sbtest1 "$err"
}

@test "the disk is full during a run: fatal, listed: restarted, an intact file" {
  small_disk "$dir/full" 1m root
  mounted=$dir/full
  cp "$dir/db" "$dir/full/db"
  filled=("$BENCH" "$events" --db-driver=sqlite --sqlite-db="$dir/full/db" --what=sql
    --sqlite-journal-mode=delete)
  bounded "${filled[@]}" --sql="CREATE TABLE filler (text TEXT)" --events=1 --time=60 run
  filler="INSERT INTO filler VALUES (hex(randomblob(5000)))"
  bounded -1 "${filled[@]}" --sql="$filler" --time=60 run
  grep -q '^FATAL: SQLite error 13 (53100): database or disk is full for query ' "$err"
  (($(counter 'total number of events') > 10))
  bounded -0 "${filled[@]}" --sql="$filler" --time=2 --db-ignore-errors=53100 run
  in_time 2
  (($(counter 'ignored errors') >= 10))
  [[ $(python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchone()[0])' "$dir/full/db") == ok ]]
}

@test "a file that may grow no more: an error, not the signal" {
  bounded -1 bash -c 'ulimit -f 500; exec "$@"' - "$BENCH" oltp_read_only \
    --db-driver=sqlite --sqlite-db="$dir/grown" --table-size=100000 prepare
  grep -qE 'SQLite error (13|778) ' "$err"
  grep -q "cannot load rows .* into 'sbtest1'" "$err"
}

@test "errors outside of the event: the text of the error" {
  bounded -1 "${base[@]}" --where=thread_init --sql="SELECT * FROM nowhere" run
  grep -q "^FATAL: SQLite error .*no such table: nowhere" "$err"
  lacks 'not a string' "$err"
  # An ignorable one is final there, and has its text, too.
  hold
  bounded "${base[@]}" --where=thread_init --sql="UPDATE counter SET n = 5" \
    --sqlite-busy-timeout=50 run
  let_go
  ((status == 1))
  grep -q "^FATAL: thread_init() failed.*SQL error, errno = 5, state = '40001': " "$err"
  lacks 'not a string' "$err"
  # In the hook before a restart: as its class.
  bounded -1 "${base[@]}" --what=duplicate --where=hook --sql="SELECT * FROM nowhere" \
    --db-ignore-errors=23505 --time=60 run
  grep -q "^FATAL: SQLite error .*no such table: nowhere .*(at " "$err"
  lacks 'not a string' "$err"
  bounded -0 "${base[@]}" --what=duplicate --where=hook --sql="SELECT * FROM nowhere" \
    --db-ignore-errors=23505,42P01 --time=1 run
  (($(counter 'ignored errors') >= 2))
}

@test "no file descriptors: a message, how many, and why" {
  bounded -1 bash -c 'ulimit -n 40; exec "$@"' - "${base[@]}" --threads=60 run
  grep -q "^FATAL: cannot open SQLite database '$dir/db': " "$err"
  grep -qE '^FATAL: opening stopped after [1-9][0-9]? of 60 connections failed$' "$err"
}

@test "no memory: a message, no crash" {
  no_memory
}

@test "a permanent error, and all are ignored: ends on time, paused, counted" {
  bounded -0 "${base[@]}" --what=sql --sql="SELECT * FROM nowhere" --time=2 \
    --db-ignore-errors=all run
  in_time 2
  errors=$(counter 'ignored errors')
  # Ten at once, then pauses of 1, 2, 4, ... 100 ms.
  ((errors >= 20 && errors <= 50))
  grep -qE "^WARNING: error 1 \(42P01\) $errors times?, no such table; nowhere$" "$err"
}
