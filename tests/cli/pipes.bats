#!/usr/bin/env bats
# pipes.bats - pipelines, beside servers that answer in pieces, with much, with
# errors, or not at all.

load helper
load fake_server

# with_each FUNCTION: calls it for each driver that there is, with a server that
# `to` leads to; DRIVER is its name.
with_each() {
  local tried=0
  for DRIVER in mysql pgsql; do
    "$BENCH" --db-driver=help | grep -q "^  $DRIVER - " || continue
    tried=1
    fake_server pipes.py "$PWD" $DRIVER
    to=(--db-driver=$DRIVER)
    if [[ $DRIVER == mysql ]]; then
      to+=("--mysql-socket=$PWD/server")
    else
      to+=("--pgsql-host=$PWD")
    fi
    "$1"
  done
  ((tried)) || skip "no driver with a protocol of its own"
}

@test "answers in pieces, and more of them than sockets hold" {
  cat >much.lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  update = con:prepare("UPDATE t SET done = 1")
end
local pad = (" "):rep(20000)
function event()
  local p = con:pipeline(function(p)
    for i = 1, 60 do
      local word = i % 20 == 0 and "long" or i % 7 == 0 and "drip" or "some"
      p:query("SELECT " .. word .. pad .. ("x"):rep(i))
      p:execute(update)
    end
  end)
  assert(p.n == 120)
  for i = 1, 60 do
    local rs = p[2 * i - 1]
    assert(rs.nrows == 1 and rs.nfields == 1 and p[2 * i] == nil and not p:error(2 * i))
    local value = rs:fetch_row()[1]
    if i % 20 == 0 then
      assert(#value == 300000)
    else
      assert(tonumber(value) == 20000 + #"SELECT some" + i, value)
    end
    assert(rs:fetch_row() == nil)
  end
end
LUA
  much() {
    for how in "--threads=2" "--threads=1 --clients=4"; do
      bench -0 ./much.lua "${to[@]}" $how --events=8 --time=0 --forced-shutdown=100 run
      must is "$(number 'read:')" 480
      must is "$(number 'write:')" 480
      must is "$(number 'other:')" 0
    done
  }
  with_each much
}

@test "what an error leaves of a pipeline" {
  cat >errors.lua <<'LUA'
function prepare()
  local con = sysbench.sql.driver():connect()
  local q
  print(pcall(con.pipeline, con, function(p)
    q = p
    p:query("SELECT one")
    p:query("SELECT bad")
    p:query("UPDATE done")
  end))
  print(q[1].nrows, q[2], q:error(1), q:error(2), q:error(3))
  print(con:query_row("SELECT 1"))
  print(pcall(q[1].fetch_row, q[1]))
  local p = con:pipeline(function(p) print(pcall(function() return p[1] end)) end)
  print(pcall(q[1].fetch_row, q[1]))
  print(pcall(p.query, p, "SELECT 1"))
  print(pcall(con.pipeline, con, function(p) p:execute(7) end))
end
LUA
  errors() {
    local third="not executed"
    [[ $DRIVER == pgsql ]] || third=nil
    bench -0 ./errors.lua "${to[@]}" prepare
    must has "$output" "^false	.*SQL error, errno = .*, state = '42...': bad words"
    must has "$output" "^1	nil	nil	SQL error, errno = .*bad words	$third"
    must has "$output" "^8$"
    must has "$output" "^true	table: "
    must has "$output" "^false	.*the pipeline has no results yet"
    must has "$output" "^false	.*the results of a pipeline end with the next one of its connection"
    must has "$output" "^false	.*the pipeline has ended"
    must has "$output" "^false	.*bad argument #1 to 'execute' \(statement expected, got number\)"
  }
  with_each errors
}

@test "a connection that ends in the middle of a pipeline" {
  cat >gone.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
n = 0
function event()
  n = n + 1
  con:pipeline(function(p)
    for i = 1, 10 do p:query("SELECT " .. i) end
    if n % 3 == 1 then p:query("SELECT gone") end
    for i = 1, 10 do p:query("SELECT " .. i .. (" "):rep(9000)) end
  end)
end
LUA
  cat >unknown.lua <<'LUA'
function prepare()
  local con = sysbench.sql.driver():connect()
  local q
  pcall(con.pipeline, con, function(p)
    q = p
    p:query("SELECT drip")
    p:query("SELECT gone")
    p:query("SELECT one")
  end)
  print(q[1] and q[1].nrows, q:error(1), (q:error(2):gsub("\n", " ")), q:error(3))
end
LUA
  gone() {
    bench -0 ./gone.lua "${to[@]}" --events=6 --time=0 --db-ignore-errors=connection run
    must is "$(number 'reconnects:')" 3
    must is "$(number 'total number of events:')" 6
    bench -1 ./gone.lua "${to[@]}" --events=6 --time=0 run
    must has "$stderr" 'Lost connection|server closed the connection unexpectedly'
    bench ./unknown.lua "${to[@]}" prepare
    must has "$output" "^1	nil	.*(Lost connection|server closed).*	the connection broke before its answer$"
  }
  with_each gone
}

@test "results of a pipeline are bounded" {
  cat >rows.lua <<'LUA'
function prepare()
  local con = sysbench.sql.driver():connect()
  local q
  print(pcall(con.pipeline, con, function(p) q = p p:query("SELECT long") end))
  print(q[1] and q[1].nrows)
end
LUA
  cat >sum.lua <<'LUA'
function prepare()
  local con = sysbench.sql.driver():connect()
  print(pcall(con.pipeline, con, function(p)
    for _ = 1, 3 do p:query("SELECT long") end
  end))
  print(con:query_row("SELECT 1"))
end
LUA
  rows() {
    bench ./rows.lua "${to[@]}" --db-max-result-size=200K prepare
    must has "$output" "^false	.*--db-max-result-size allows"
    bench ./sum.lua "${to[@]}" --db-max-result-size=800K prepare
    must has "$output" "^false	.*the results of the pipeline take more than --db-max-result-size allows"
    must has "$output" "^8$"
  }
  with_each rows
}
