#!/usr/bin/env bats
# mysql_hostile.bats - servers that hold their clients, lie to them, or write to
# their terminals.

NEEDS_DRIVER=mysql
load helper
load fake_server

# hostile KIND: starts such a server; `to` leads there.
hostile() {
  fake_server mysql_hostile.py "$PWD/server" "$1"
  to=(--db-driver=mysql "--mysql-socket=$PWD/server")
}

@test "the time for connecting limits the whole login, however much is sent" {
  for kind in drip switches flood; do
    hostile $kind
    # Without a limit of its own the program would stay for ever.
    run -1 --separate-stderr timeout -s KILL 60 \
      "$BENCH" oltp_read_only "${to[@]}" --db-connect-timeout=1 prepare
    must has "$stderr" "cannot connect to MySQL server on socket"
    must has "$stderr" "110"
    run -1 --separate-stderr timeout -s KILL 60 \
      "$BENCH" oltp_read_only "${to[@]}" --db-connect-timeout=1 --time=1 run
  done
}

@test "a login with TLS is limited as a whole" {
  hostile drip
  run -1 --separate-stderr timeout -s KILL 60 "$BENCH" oltp_read_only "${to[@]}" \
    --mysql-ssl=required --db-connect-timeout=1 prepare
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
  run -1 --separate-stderr timeout -s KILL 60 "$BENCH" ./hangs.lua "${to[@]}" --time=30 \
    --db-query-timeout=1 --json=b.json run
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
  bench -0 ./asks.lua "${to[@]}" --word=good prepare
  must has "$output" '^answer	true	1$'
  for word in twice skip; do
    bench ./asks.lua "${to[@]}" --word=$word prepare
    must has "$stderr" 'error 2027 .Lost synchronization with the server'
  done
}

@test "texts of the server reach terminals and reports as text" {
  hostile colour
  texts_are_harmless
}

@test "a server that lets clients in, and does not say which role it has" {
  hostile silent
  echo 'function event() sysbench.sql.driver():connect() end' >meets.lua
  # Without a limit of the question the program would stay for ever.
  run -1 --separate-stderr timeout -s KILL 60 \
    "$BENCH" ./meets.lua "${to[@]}" --server-role=primary --db-connect-timeout=1 --events=1 run
  must has "$stderr" "^FATAL: no server with --server-role=primary within --db-connect-timeout=1: .*: it lets clients in, and does not answer whether it is read-only"
}
