#!/usr/bin/env bats
# mysql_strange.bats - results that have not the form that was asked for are
# errors, whoever looks at them.

NEEDS_DRIVER=mysql
load helper

strange_server() {
  mkfifo in out
  python3 -B "$BENCH_SRC/tests/cli/mysql_strange.py" "$PWD/server" <in >out 3>&- &
  exec {server}>in
  read -r line <out
  must is "$line" ready
  to=(--db-driver=mysql "--mysql-socket=$PWD/server")
}

teardown() {
  [[ -z ${server-} ]] || exec {server}>&- # it ends with its standard input
  wait
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
  bench ./look.lua "${to[@]}" prepare
  must is "$status" 0
  must is "$(tail -n 3 <<<"$output")" "good	1
false	query_row: the row that was sent cannot be read
none	nil"
}

@test "a table whose rows have too few columns" {
  strange_server
  bench oltp_read_only "${to[@]}" --table-size=10 check
  must is "$status" 1
  must has "$stderr" "the answer of the server cannot be read"
}

@test "a server that stores nothing of an INSERT" {
  strange_server
  bench oltp_read_only "${to[@]}" --table-size=10 --load-method=insert prepare
  must is "$status" 1
  must has "$stderr" "^FATAL: .*cannot load rows 1 to 10 .*into 'sbtest1': the server has not stored [0-9]+ of the rows it was sent"
}
