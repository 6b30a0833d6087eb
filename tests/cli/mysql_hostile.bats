#!/usr/bin/env bats
# mysql_hostile.bats - servers that hold their clients, lie to them, or write to
# their terminals.

NEEDS_DRIVER=mysql
load helper

# hostile KIND: starts such a server; `to` leads there.
hostile() {
  quiet_server
  mkfifo in out
  python3 -B "$BENCH_SRC/tests/cli/mysql_hostile.py" "$PWD/server" "$1" <in >out 3>&- &
  exec {server}>in
  read -r line <out
  must is "$line" ready
  to=(--db-driver=mysql "--mysql-socket=$PWD/server")
}

quiet_server() {
  [[ -z ${server-} ]] || exec {server}>&- # it ends with its standard input
  server=
  wait
  rm -f in out server
}

teardown() {
  quiet_server
}

@test "the time for connecting limits the whole login, however much is sent" {
  for kind in drip switches flood; do
    hostile $kind
    # Without a limit of its own the program would stay for ever.
    run --separate-stderr timeout -s KILL 60 \
      "$BENCH" oltp_read_only "${to[@]}" --db-connect-timeout=1 prepare
    must is "$status" 1
    must has "$stderr" "cannot connect to MySQL server on socket"
    must has "$stderr" "110"
    run --separate-stderr timeout -s KILL 60 \
      "$BENCH" oltp_read_only "${to[@]}" --db-connect-timeout=1 --time=1 run
    must is "$status" 1
  done
}

@test "a login with TLS is limited as a whole" {
  hostile drip
  run --separate-stderr timeout -s KILL 60 "$BENCH" oltp_read_only "${to[@]}" \
    --mysql-ssl=required --db-connect-timeout=1 prepare
  must is "$status" 1
  must has "$stderr" "cannot connect to MySQL server on socket"
}

@test "a cancel that does not end holds neither the run nor the program" {
  cat >hangs.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT sleep(9)") end
LUA
  hostile stuck
  run --separate-stderr timeout -s KILL 60 "$BENCH" ./hangs.lua "${to[@]}" --time=1 \
    --forced-shutdown=1 --json=a.json run
  must holds "$status == 2 || $status == 0"
  must has "$output" 'execution time \(avg/stddev\):'
  check a.json "d['totals']['events'] == 0"

  hostile stuck
  run --separate-stderr timeout -s KILL 60 "$BENCH" ./hangs.lua "${to[@]}" --time=30 \
    --db-query-timeout=1 --json=b.json run
  must is "$status" 1
  must has "$stderr" 'Lost connection to server during query|error 2013'
  check b.json "d['run']['end_reason'] == 'error'"
}

@test "answers that do not belong to a statement end the connection" {
  cat >asks.lua <<'LUA'
function prepare()
  con = sysbench.sql.driver():connect()
  con:query("SELECT " .. sysbench.opt.word)
  print("answer", pcall(con.query_row, con, "SELECT 2"))
end
sysbench.cmdline.options = {word = {"what the server looks for", "good"}}
LUA
  hostile twice
  bench ./asks.lua "${to[@]}" --word=good prepare
  must is "$status" 0
  must has "$output" '^answer	true	1$'
  for word in twice skip; do
    bench ./asks.lua "${to[@]}" --word=$word prepare
    must has "$stderr" 'error 2027 .Lost synchronization with the server'
  done
}

@test "texts of the server reach terminals and reports as text" {
  cat >fails.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() pcall(con.query, con, "SELECT bad") end
LUA
  hostile colour
  bench ./fails.lua "${to[@]}" --events=3 --json=a.json run
  must is "$status" 0
  must is "$(LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]\|\xc2\x9b\|\xe2\x80\xae' <<<"$output$stderr" || :)" 0
  must is "$(grep -c '^FATAL: forged' <<<"$stderr" || :)" 0
  must has "$stderr" 'times?, red \\x1b\[31m tab.* c1 \\x9b2J bidi \\u202e end\\r\\nFATAL; forged$'
  for format in text markdown; do
    bench report a.json --format=$format -o out.$format
    must is "$status" 0
    must is "$(LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]\|\xc2\x9b\|\xe2\x80\xae' out.$format || :)" 0
    must is "$(grep -c '^FATAL: forged' out.$format || :)" 0
  done
  bench report a.json -o out.html
  must is "$(LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]\|\xc2\x9b\|\xe2\x80\xae' out.html || :)" 0
}
