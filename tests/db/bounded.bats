#!/usr/bin/env bats
# bounded.bats - results that a client library receives, over TLS, are bounded as
# all others are.

load ../cli/helper
. "$BENCH_SRC/tests/db/every_kind.bash"

setup_file() {
  command -v openssl >/dev/null || skip "openssl is not installed"
  mysql_flags=(--tls --tls-name=127.0.0.1)
  pgsql_flags=("${mysql_flags[@]}")
  start_kinds
}

# 64,000 rows of 1,000 bytes, or as many as --rows says.
setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  cat >look.lua <<'LUA'
sysbench.cmdline.options = { how = {"what is done", "direct"}, rows = {"how many", 64000} }
local series = {
  mysql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) " ..
    "SELECT a.i, REPEAT('x', 1000), 0.5e0 FROM n a JOIN n b LIMIT %d",
  pgsql = "SELECT i, repeat('x', 1000), 0.5::float8 FROM generate_series(1, %d) n (i)",
}
function thread_init()
  con = sysbench.sql.driver():connect()
  sql = series[sysbench.opt.db_driver]:format(sysbench.opt.rows)
  if sysbench.opt.how == "direct" then return end
  st = con:prepare((sql:gsub("FROM n a", "%0 JOIN (SELECT ?) p"):gsub("n %(i%)$", "%0 WHERE i > ? - 100")))
  id = st:bind_create(sysbench.sql.type.INT)
  st:bind_param(id)
  id:set(1)
end
local events = {}
function events.direct() return con:query(sql) end
function events.prepared() return st:execute() end
function events.unread() st:execute_drawn(1, 10, id) end
function event()
  local rs = events[sysbench.opt.how]()
  if sysbench.opt.rows > 2000 or not rs then return end
  local n = 0
  for _ = 1, rs.nrows do
    local row = rs:fetch_row()
    assert(tonumber(row[1]) > 0 and #row[2] == 1000 and row[3] == "0.5", row[3])
    n = n + 1
  end
  assert(n == 1000, n)
end
LUA
}

# look KIND ARG...: over TLS, so that the library receives the rows.
look() {
  need_kind "$1"
  local to
  if [ "$1" = mysql ]; then
    to=(--mysql-host=127.0.0.1 --mysql-port="$MY_PORT" --mysql-user="$MY_USER" --mysql-ssl=REQUIRED)
  else
    to=(--pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT" --pgsql-user="$PG_USER" --pgsql-sslmode=require)
  fi
  bench ./look.lua --db-driver="$1" "${to[@]}" --events=1 --json=a.json "${@:2}" run
}

# The result has 64 MB.
little_memory() {
  nm "$BENCH" | grep -qE '__[at]san_init' || # whose memory is theirs
    check a.json "d['client']['max_resident_bytes'] < 36 << 20"
}

# bounded KIND WORDS: of the error, before the reason.
bounded() {
  local how
  for how in direct prepared; do
    look "$1" --how="$how" --db-max-result-size=1M
    must is "$status" 1
    must has "$stderr" "^FATAL: $2the result is larger than --db-max-result-size allows"
    little_memory
    # What fits is all there.
    look "$1" --how="$how" --db-max-result-size=2M --rows=1000
    must is "$status" 0
    look "$1" --how="$how" --db-max-result-size=0 --rows=1000
    must is "$status" 0
  done
}

unread() {
  local mode
  for mode in auto disable; do
    look "$1" --how=unread --db-max-result-size=1M --db-ps-mode="$mode"
    must is "$status" 0
    must is "$(number 'read:')" 1
    little_memory
  done
}

@test "mysql: a result of the library is bounded" {
  bounded mysql 'mysql_(stmt_)?store_result\(\) returned error 2008 \('
}

@test "pgsql: a result of the library is bounded" {
  bounded pgsql 'PQexec(Prepared)?\(\) failed: 7 '
}

@test "mysql: rows of the library that nobody reads are dropped" {
  unread mysql
}

@test "pgsql: rows of the library that nobody reads are dropped" {
  unread pgsql
}
