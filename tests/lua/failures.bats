# failures.bats - what is printed when a script fails: each cause once, in words
# of the script.  As sysbench the words are those that others search for.
load ../cli/helper

as_sysbench() {
  [ -e sysbench ] || ln -s "$BENCH" sysbench
  run --separate-stderr ./sysbench "$@"
}

# A script that fails in its 101st event.
late_failure() {
  cat >t.lua <<'L'
local n = 0
function event()
  n = n + 1
  if n > 100 then error("no more") end
end
L
}

@test "an event fails: its line and thread, and why the report is short" {
  late_failure
  bench -1 t.lua run
  must is "$stderr" "FATAL: event() failed at t.lua:4 in $worker 0: no more"
  must is "$(grep -A 3 'ended early' <<<"$output" | grep .)" \
    "The run ended early: event() failed at t.lua:4 in $worker 0: no more
General statistics:"
  must has "$output" 'total number of events: +100$'
  bench t.lua --histogram run
  must has "$output" '^The run ended early: event'
  must has "$output" '^Latency histogram'
}

@test "many threads fail alike: one line" {
  echo 'function event() error("no") end' >t.lua
  bench -1 t.lua --threads=8 run
  must has "$stderr" '^FATAL: event\(\) failed at t\.lua:1 in '"$worker"' [0-7]: no$'
  must [ "$(wc -l <<<"$stderr")" = 1 ]
  echo 'function thread_init() error("no") end function event() end' >t.lua
  bench t.lua --threads=8 run
  must is "$stderr" "FATAL: thread_init() failed at t.lua:1: no"
}

@test "no event has ended: no report, and the document says why" {
  echo 'function event() error("no") end' >t.lua
  bench -1 t.lua --json=t.json run
  must [ "$(tail -n 1 <<<"$output")" = "Threads started!" ]
  must check t.json 'd["run"]["end_reason"] == "error"' \
    'd["run"]["error"] == "event() failed at t.lua:1 in '"$worker"' 0: no"'
}

@test "as sysbench: its words, and no report after a failed event" {
  late_failure
  echo 'function sysbench.hooks.report_cumulative() print("hook") end' >>t.lua
  as_sysbench t.lua run
  must is "$status" 1
  must is "$stderr" "FATAL: \`thread_run' function failed: t.lua:4: no more"
  must [ "$(tail -n 1 <<<"$output")" = "Threads started!" ]
  # Errors elsewhere leave the report, as they do there.
  echo 'function event() end function thread_done() error("no") end' >t.lua
  as_sysbench t.lua --events=1 run
  must has "$output" 'total number of events: +1$'
  must is "$stderr" "FATAL: \`thread_done' function failed: t.lua:1: no"
  echo 'function thread_init() error("no") end function event() end' >t.lua
  as_sysbench t.lua run
  must is "$stderr" "FATAL: \`thread_init' function failed: t.lua:1: no
FATAL: Thread initialization failed!"
}

@test "bundled scripts: the cause alone, the trace on demand" {
  mkdir folder
  : >x.db
  bench -1 oltp_read_only --db-driver=sqlite --sqlite-db=folder --threads=4 run
  must is "$stderr" \
    "FATAL: cannot open SQLite database 'folder': unable to open database file: Is a directory"
  bench oltp_read_only --db-driver=sqlite --sqlite-db=folder --verbosity=4 run
  must has "$stderr" '^FATAL: thread_init\(\) failed at .*/oltp_common\.lua:[0-9]+: connection creation failed$'
  bench oltp_read_only --db-driver=sqlite --sqlite-db=x.db --json=t.json run
  must is "$stderr" "FATAL: SQLite error 1 (42P01): no such table: sbtest1 for query 'SELECT c FROM sbtest1 WHERE id=?'
FATAL: did you run the prepare command?"
  must check t.json 'd["run"]["error"].endswith("no such table: sbtest1")' \
    '".lua" not in d["run"]["error"]'
  # A script of the user has its own line, whatever it calls.
  cat >t.lua <<'L'
require("oltp_common")
function prepare_statements() end
function event() con:query("SELEC") end
L
  bench ./t.lua --db-driver=sqlite --sqlite-db=x.db run
  must is "$(without_machine <<<"$stderr")" "FATAL: SQLite error 1 (42601): near \"SELEC\": syntax error for query 'SELEC' (at ./t.lua:3)"
  bench ./t.lua --db-driver=sqlite --sqlite-db=x.db --verbosity=4 run
  must has "$stderr" '^FATAL: event\(\) failed at \./t\.lua:3 in '"$worker"' 0: SQL error, errno = 1,'
}

@test "an event that returns a value: a warning, once, with its line" {
  printf '\nfunction event()\n  return 0\nend\n' >t.lua
  bench -0 t.lua --threads=3 --time=5 run
  must is "$stderr" "WARNING: event() (line 2 of t.lua) returned a value (number), which ends its $worker (3 of 3 ${worker}s)"
  echo 'function event(id) return id == 1 and "x" end' >t.lua
  bench t.lua --threads=2 --time=1 run
  must has "$stderr" "returned a value \(string\), which ends its $worker \(1 of 2 ${worker}s\)$"
  # Restarts are no values.
  echo 'n = 0 function event() n = n + 1 if n % 2 == 1 then error({errcode = 1}) end end' >t.lua
  bench t.lua --events=10 run
  must is "$stderr" ""
  echo 'function event() return 0 end' >t.lua
  as_sysbench t.lua run
  must is "$stderr" ""
}

@test "a method given to pcall(): the error has the script's line" {
  cat >t.lua <<'L'
con = sysbench.sql.driver():connect()
function show(ok, err) print(err) end
function help()
  show(pcall(con.query, con, "SELEC"))
  con:disconnect()
  show(pcall(con.query, con, "SELECT 1"))
  show(pcall(con.query_row, con, "SELECT 1"))
end
L
  bench t.lua --db-driver=sqlite --sqlite-db=x.db help
  must has "$output" '^t\.lua:4: SQL error, errno = 1, '
  must has "$output" '^t\.lua:6: SQL API error$'
  must has "$output" '^t\.lua:7: SQL API error$'
}

@test "sqlite: commands that look or remove make no database" {
  needs_driver sqlite
  bench -0 oltp_read_only --db-driver=sqlite --sqlite-db=typo.db cleanup
  must has "$output" "^The database file 'typo.db' does not exist$"
  local command
  for command in "oltp_read_only prewarm" "oltp_read_write check" "tpcc check"; do
    # shellcheck disable=SC2086
    bench -1 $command --db-driver=sqlite --sqlite-db=typo.db
    must is "$stderr" "FATAL: the database file 'typo.db' does not exist
FATAL: did you run the prepare command?"
  done
  must [ ! -e typo.db ]
  bench -0 oltp_read_only --db-driver=sqlite --sqlite-db=typo.db --table-size=10 prepare
  bench -0 oltp_read_only --db-driver=sqlite --sqlite-db=typo.db --table-size=10 check
}

@test "sqlite: why a file cannot be used" {
  needs_driver sqlite
  bench oltp_read_only --db-driver=sqlite --sqlite-db=/nosuch/x.db prepare
  must has "$stderr" "^FATAL: cannot open SQLite database '/nosuch/x.db': unable to open database file: No such file or directory$"
  run -1 --separate-stderr bash -c 'ulimit -f 100; exec "$BENCH" oltp_read_only --db-driver=sqlite --table-size=100000 prepare'
  must has "$stderr" 'disk I/O error: File too large \(see ulimit -f\)'
}

@test "sqlite: a prepare that was refused leaves no file" {
  local threads
  for threads in 1 3; do
    bench -1 oltp_read_only --db-driver=sqlite --sqlite-db=new.db --table-size=99999999999 --tables=3 --threads=$threads prepare
    must has "$stderr" '^FATAL: .*needed in'
    must [ ! -e new.db ]
  done
  # What was there stays, empty or not.
  : >new.db
  bench -1 oltp_read_only --db-driver=sqlite --sqlite-db=new.db --table-size=99999999999 prepare
  must [ -e new.db ]
}

@test "sqlite: Ctrl-C ends a prepare that still starts its threads" {
  "$BENCH" oltp_read_only --db-driver=sqlite --sqlite-db=many.db --table-size=100 --threads=5000 prepare >out 2>err 3>&- &
  pid=$!
  until grep -q '^Creating a secondary index' out; do
    kill -0 $pid
    read -rt 0.1 <> <(:) || :
  done
  kill -INT $pid
  status=0
  wait $pid || status=$?
  must is "$status" 130
  must has "$(<err)" '^WARNING: interrupted: 100 of 100 rows are loaded'
}

@test "bulk_insert has no options, and says so" {
  bench -0 bulk_insert help
  must has "$output" '^bulk_insert has no options of its own\.$'
  bench -0 bulk_insert --db-driver=null --events=5 --time=0 --treads=5 run
  must has "$stderr" '^WARNING: --treads has no effect: bulk_insert has no options of its own$'
}

# deep COMMAND BODY ARG...: the script has the function, called by that command.
deep() {
  printf 'local function f() %s end\nfunction event() end\nfunction %s() f() end\n' "$2" "$1" >t.lua
  bench t.lua "${@:3}" "${1/event/run}"
}

@test "a stack overflow in C names the option, not only a signal" {
  no_sanitizer "reports of faults"
  local sort="local t = {3, 1, 2} table.sort(t, f)" gsub='return (("xy"):gsub(".", f))' clients
  for clients in off 2; do
    for body in "$sort" "$gsub"; do
      deep event "$body" --threads=2 --clients=$clients --events=10
      # both threads may get there before one of them ends the process
      must is "$status $(sort -u <<<"$stderr")" "1 FATAL: stack overflow: see --thread-stack-size (of init, done and commands: ulimit -s)"
    done
  done
  deep prepare "$gsub"
  must is "$status $stderr" "1 FATAL: stack overflow: see --thread-stack-size (of init, done and commands: ulimit -s)"
}

@test "every other fault does what it always does" {
  no_sanitizer "reports of faults"
  deep event 'require("ffi").cast("int *", 8)[0] = 1' --events=1
  must is "$status $stderr" "139 "
}

@test "connections that others give up because one thread fails are no second reason" {
  needs_driver mysql
  cat >t.lua <<'L'
ffi.cdef "int usleep(uint32_t usec);"
function event(id)
  if id > 0 then db_connect() end
  while not io.open("waiting") do ffi.C.usleep(1000) end
  error("first")
end
L
  # The first connection waits for a greeting, and the others for the first one.
  python3 -c '
import socket
s = socket.socket(socket.AF_UNIX)
s.bind("silent")
s.listen()
open("listening", "w")
kept = [s.accept() for _ in range(1)]
open("waiting", "w")
kept[0][0].recv(1)' 3>&- &
  until [ -e listening ]; do read -rt 0.02 <> <(:) || :; done
  as_sysbench t.lua --db-driver=mysql --mysql-socket="$PWD/silent" --threads=4 --time=20 --forced-shutdown=0 run
  must is "$stderr" "FATAL: \`thread_run' function failed: t.lua:5: first"
  wait
}
