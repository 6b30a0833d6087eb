#!/usr/bin/env bats
# pgsql_hostile.bats - servers that hold their clients, lie to them, or write to
# their terminals.

NEEDS_DRIVER=pgsql
load helper
load fake_server

# hostile KIND: starts such a server; `to` leads there.
hostile() {
  fake_server pgsql_hostile.py "$PWD" "$1"
  to=(--db-driver=pgsql "--pgsql-host=$PWD" --pgsql-password=secret)
}

# prepare_fails: within its time.
prepare_fails() {
  run -1 --separate-stderr timeout -s KILL 60 \
    "$BENCH" oltp_read_only "${to[@]}" --db-connect-timeout=1 prepare
}

@test "a login that comes byte by byte ends in time" {
  hostile drip
  prepare_fails
  must has "$stderr" "timeout expired"
}

@test "a login that asks for too many hashes is refused, also in pieces" {
  for kind in hashes pieces; do
    hostile $kind
    prepare_fails
    must has "$stderr" "the server asks for 2000000000 iterations of SCRAM, more than 1000000 are refused"
  done
}

@test "an answer that nobody asked for ends the connection" {
  # Each answer is awaited in full, so that what is too much is there when the
  # next statement begins.
  cat >asks.lua <<'LUA'
local function await_updates(count)
  repeat
    local told = io.open("updates")
    local answered = told and told:read("*n")
    if told then told:close() end
  until answered == count
end

function prepare()
  con = sysbench.sql.driver():connect()
  con:query("UPDATE t SET " .. sysbench.opt.word .. " = 1")
  await_updates(1)
  for i = 2, 65 do
    ok, text = pcall(con.query, con, "UPDATE t SET c = " .. i)
    if not ok then break end
    await_updates(i)
  end
  print("answer", ok)
end
sysbench.cmdline.options = {word = {"what the server looks for", "good"}}
LUA
  hostile answers
  bench -0 ./asks.lua "${to[@]}" --word=good prepare
  must has "$output" '^answer	true$'
  bench ./asks.lua "${to[@]}" --word=twice prepare
  must has "$output" '^answer	false$'
  must has "$stderr" 'lost synchronization with server'
}

@test "texts of the server reach terminals and reports as text" {
  hostile answers
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

@test "the search for a role goes on behind a server that does not answer" {
  mkdir quiet
  hostile answers # it answers 1: a replica
  mkfifo in.2 out.2
  python3 -B "$BENCH_SRC/tests/cli/pgsql_hostile.py" "$PWD/quiet" silent <in.2 >out.2 3>&- &
  exec {quiet}>in.2
  read -r line <out.2
  must is "$line" ready
  echo 'function event() sysbench.sql.driver():connect():query("SELECT 1") end' >meets.lua
  run --separate-stderr timeout -s KILL 60 "$BENCH" ./meets.lua --db-driver=pgsql \
    --pgsql-host="$PWD/quiet,$PWD" --server-role=replica --db-connect-timeout=4 --events=1 --time=0 run
  exec {quiet}>&-
  must is "$status" 0
  must has "$output" 'total number of events: +1$'
}
