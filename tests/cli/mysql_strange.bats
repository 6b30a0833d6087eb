#!/usr/bin/env bats
# mysql_strange.bats - results that have not the form that was asked for are
# errors, whoever looks at them.

NEEDS_DRIVER=mysql
load helper
load fake_server

strange_server() {
  fake_server mysql_strange.py "$PWD/server"
  to=(--db-driver=mysql "--mysql-socket=$PWD/server")
}

@test "a row that is longer than its packet" {
  strange_server
  cat >look.lua <<'LUA'
function prepare()
  con = sysbench.sql.driver():connect()
  print("good", con:query_row("SELECT 1"))
  print(pcall(con.query_row, con, "SELECT bad"))
  print("none", con:query("SELECT bad"):fetch_row())
end
LUA
  bench -0 ./look.lua "${to[@]}" prepare
  must is "$(tail -n 3 <<<"$output")" "good	1
false	query_row: the row that was sent cannot be read
none	nil"
}

@test "a table whose rows have too few columns" {
  strange_server
  bench -1 oltp_read_only "${to[@]}" --table-size=10 check
  must has "$stderr" "the server's answer cannot be read"
}

@test "a server that stores nothing of an INSERT" {
  strange_server
  bench -1 oltp_read_only "${to[@]}" --mysql-user=empty --table-size=10 --load-method=insert prepare
  must has "$stderr" "^FATAL: .*cannot load rows 1 to 10 .*into 'sbtest1': the server has not stored [0-9]+ of the rows it was sent"
}

@test "a SELECT without a result set: there are no rows" {
  strange_server
  cat >look.lua <<'LUA'
function prepare()
  con = sysbench.sql.driver():connect()
  local rs = con:query("SELECT ok")
  print("rows", rs.nrows, rs.nfields, rs:fetch_row(), con:query_row("SELECT ok"))
end
LUA
  bench -0 ./look.lua "${to[@]}" prepare
  must is "$(tail -n 1 <<<"$output")" "rows	0	0	nil	nil"
}

@test "a limit of packets that is NULL" {
  strange_server
  # Whatever becomes of the rows that this server does not take.
  bench oltp_read_only "${to[@]}" --table-size=10 --load-method=bulk prepare
  must [ "$status" -lt 2 ]
  must is "$(grep -ci 'runtime error\|sanitizer' <<<"$stderr")" 0
}

@test "a result without an end is bounded" {
  strange_server
  cat >look.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT endless") end
LUA
  bench -1 ./look.lua "${to[@]}" --db-max-result-size=1M --events=1 --json=a.json run
  must has "$stderr" '^FATAL: mysql_store_result\(\) returned error 2008 \(the result is larger than --db-max-result-size allows\)'
  check a.json "'--db-max-result-size' in d['run']['error']"
}

@test "rows that nobody reads are counted and dropped" {
  strange_server
  cat >look.lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  st = con:prepare("SELECT many, ?")
  id = st:bind_create(sysbench.sql.type.INT)
  st:bind_param(id)
end
function event() st:execute_drawn(1, 10, id) end
LUA
  bench -0 ./look.lua "${to[@]}" --db-max-result-size=1M --events=1 --json=a.json run
  must is "$(number 'read:')" 1
  nm "$BENCH" | grep -qE '__[at]san_init' || # whose memory is theirs
    check a.json "d['client']['max_resident_bytes'] < 36 << 20"
}
