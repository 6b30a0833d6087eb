#!/usr/bin/env bats
# pgsql_hostile.bats - servers that hold their clients, lie to them, or write to
# their terminals.

NEEDS_DRIVER=pgsql
load helper

# hostile KIND: starts such a server; `to` leads there.
hostile() {
  quiet_server
  mkfifo in out
  python3 -B "$BENCH_SRC/tests/cli/pgsql_hostile.py" "$PWD" "$1" <in >out 3>&- &
  exec {server}>in
  read -r line <out
  must is "$line" ready
  to=(--db-driver=pgsql "--pgsql-host=$PWD" --pgsql-password=secret)
}

quiet_server() {
  [[ -z ${server-} ]] || exec {server}>&- # it ends with its standard input
  server=
  wait
  rm -f in out .s.PGSQL.5432
}

teardown() {
  quiet_server
}

# prepare_fails: within its time.
prepare_fails() {
  run --separate-stderr timeout -s KILL 60 \
    "$BENCH" oltp_read_only "${to[@]}" --db-connect-timeout=1 prepare
  must is "$status" 1
}

@test "a login that comes byte by byte ends in time" {
  hostile drip
  prepare_fails
  must has "$stderr" "timeout expired"
}

@test "a login that asks for too many hashes is refused" {
  hostile hashes
  prepare_fails
  must has "$stderr" "the server asks for 2000000000 iterations of SCRAM, more than 1000000 are refused"
}

@test "a login that computes for too long ends in time" {
  hostile pieces
  prepare_fails
  must has "$stderr" "timeout expired"
}

@test "an answer that nobody asked for ends the connection" {
  cat >asks.lua <<'LUA'
function prepare()
  con = sysbench.sql.driver():connect()
  con:query("UPDATE t SET " .. sysbench.opt.word .. " = 1")
  for i = 1, 64 do
    ok, text = pcall(con.query, con, "UPDATE t SET c = " .. i)
    if not ok then break end
  end
  print("answer", ok)
end
sysbench.cmdline.options = {word = {"what the server looks for", "good"}}
LUA
  hostile answers
  bench ./asks.lua "${to[@]}" --word=good prepare
  must is "$status" 0
  must has "$output" '^answer	true$'
  bench ./asks.lua "${to[@]}" --word=twice prepare
  must has "$output" '^answer	false$'
  must has "$stderr" 'lost synchronization with server'
}

@test "texts of the server reach terminals and reports as text" {
  cat >fails.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() pcall(con.query, con, "SELECT bad") end
LUA
  hostile answers
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
