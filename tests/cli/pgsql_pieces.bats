#!/usr/bin/env bats
# pgsql_pieces.bats - messages of a PostgreSQL server that nobody has asked for,
# in pieces: libpq has read the first half of one when its own answer ends.

NEEDS_DRIVER=pgsql
load helper
load fake_server

@test "a notification in two pieces behind the answer of the library" {
  fake_server pgsql_pieces.py "$PWD"
  cat >listens.lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  con:query("LISTEN news")
  con:query("UNLISTEN other")
  statement = con:prepare("UPDATE t SET n = 1")
end
function event()
  statement:execute()
  for i = 1, 3 do
    con:prepare("UPDATE t SET n = " .. i):execute()
  end
end
LUA
  bench -0 ./listens.lua --db-driver=pgsql --pgsql-host="$PWD" --events=5 \
    --forced-shutdown=60 run
  must is "$(number 'write:')" 20
}

@test "a result without an end is bounded" {
  fake_server pgsql_pieces.py "$PWD"
  cat >look.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("ENDLESS") end
LUA
  bench -1 ./look.lua --db-driver=pgsql --pgsql-host="$PWD" --db-max-result-size=1M --events=1 run
  must has "$stderr" 'the result is larger than --db-max-result-size allows'
}

@test "rows that nobody reads are counted and dropped" {
  fake_server pgsql_pieces.py "$PWD"
  cat >look.lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  st = con:prepare("MANY ?")
  id = st:bind_create(sysbench.sql.type.INT)
  st:bind_param(id)
end
function event() st:execute_drawn(1, 10, id) end
LUA
  bench -0 ./look.lua --db-driver=pgsql --pgsql-host="$PWD" --db-ps-mode=disable \
    --db-max-result-size=1M --events=1 --json=a.json run
  must is "$(number 'read:')" 1
  nm "$BENCH" | grep -qE '__[at]san_init' || # whose memory is theirs
    check a.json "d['client']['max_resident_bytes'] < 36 << 20"
}
