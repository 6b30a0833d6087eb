#!/usr/bin/env bats
# pool.bats - clients that share connections, on real servers: the wait is
# measured, nothing of a client meets another one, and servers die and come back.

. "$BENCH_SRC/tests/db/every_kind.bash"
. "$BENCH_SRC/tests/db/background.bash"
. "$BENCH_SRC/tests/db/shared_connections.bash"

setup_file() {
  mysql_flags=(--max-connections=40)
  pgsql_flags=(--max-connections=40 --set=deadlock_timeout=10ms)
  start_kinds
}

teardown() {
  tidy_up
  [ ! -v to ] || "$BENCH" oltp_point_select "${to[@]}" --tables=2 cleanup >/dev/null 2>&1 || :
}

# waits KIND QUERY: four clients, one connection, a statement of 20 ms.
waits() {
  aim "$1"
  cat >t.lua <<'L'
sysbench.cmdline.options = { query = { "", "" } }
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query(sysbench.opt.query) end
L
  "$BENCH" t.lua "${to[@]}" --query="$2" --threads=1 --clients=4 --pool=1 --events=40 --time=0 --backend-sample=1 --json=a.json run >out
  cat out
  grep -q '^Pool: 1 connection; ' out
  [ "$(value a.json "d['database']['pool_leases'], d['database']['backends_seen'], d['totals']['queries']['total']")" = "(40, 1, 40)" ]
  [ "$(value a.json "d['database']['pool_waits'] >= 36 and d['database']['pool_wait_s'] >= 36 * 0.06")" = True ]
  [ "$(value a.json "d['totals']['latency_ns']['mean'] >= 75e6")" = True ]
  [ "$(value a.json "[c for c in d['classes'] if c['name'] == 'pool wait'][0]['latency_ns']['percentiles']['50'] >= 59e6")" = True ]
  # The control: as many connections as clients.
  "$BENCH" t.lua "${to[@]}" --query="$2" --threads=1 --clients=4 --pool=4 --events=40 --time=0 --backend-sample=1 --json=a.json run >out
  [ "$(value a.json "d['database']['pool_waits'], d['database']['backends_seen'] <= 4")" = "(0, True)" ]
}

@test "mysql: the wait is measured" { waits mysql "SELECT SLEEP(0.02)"; }
@test "pgsql: the wait is measured" { waits pgsql "SELECT pg_sleep(0.02)"; }

# values KIND OPTION...: each client has its own values in the statements that all share,
# in types that differ, and no statement is lost or there twice.
values() {
  aim "$1"
  cat >t.lua <<'L'
function thread_init(id)
  con = sysbench.sql.driver():connect()
  stmt = con:prepare("INSERT INTO pooled (client, n, word) VALUES (?, ?, ?)")
  p = {}
  p[1] = stmt:bind_create(id % 2 == 0 and sysbench.sql.type.INT or sysbench.sql.type.BIGINT)
  p[2] = stmt:bind_create(sysbench.sql.type.INT)
  p[3] = stmt:bind_create(sysbench.sql.type.VARCHAR, 20)
  stmt:bind_param(unpack(p))
  n = 0
end
function event(id)
  n = n + 1
  p[1]:set(id)
  p[2]:set(n)
  p[3]:set("c" .. id .. "n" .. n)
  con:query("BEGIN")
  stmt:execute()
  con:query("COMMIT")
end
function thread_done(id)
  con:query(("INSERT INTO pooled_ends VALUES (%d, %d)"):format(id, n))
end
L
  sql "$1" "CREATE TABLE pooled (client INTEGER, n INTEGER, word VARCHAR(20)); CREATE TABLE pooled_ends (client INTEGER, n INTEGER); $(
    [ "$1" = mysql ] && echo "" || echo "GRANT ALL ON pooled, pooled_ends TO sbtest;")"
  "$BENCH" t.lua "${to[@]}" "${@:2}" --threads=2 --clients=20 --pool=4 --events=1000 --time=0 --db-ignore-errors=all --json=a.json run >out
  cat out
  [ "$(value a.json "d['totals']['events'], d['totals']['errors']")" = "(1000, 0)" ]
  [ "$(sql "$1" "SELECT COUNT(*) FROM pooled WHERE word = CONCAT('c', client, 'n', n)")" = 1000 ]
  [ "$(sql "$1" "SELECT COUNT(*) FROM (SELECT DISTINCT client, n FROM pooled) AS d")" = 1000 ]
  [ "$(sql "$1" "SELECT SUM(n) FROM pooled_ends")" = 1000 ]
  sql "$1" "DROP TABLE pooled; DROP TABLE pooled_ends"
}

@test "mysql: shared statements have the values of their client" { values mysql; }
@test "pgsql: shared statements have the values of their client" { values pgsql; }
@test "mysql: the same through the library" { values mysql --mysql-protocol=library; }
@test "mysql: emulated statements" { values mysql --db-ps-mode=disable; }
@test "pgsql: emulated statements" { values pgsql --db-ps-mode=disable; }

@test "mysql: statements are prepared once on each connection" {
  aim mysql
  prepared() { sql mysql "SHOW GLOBAL STATUS LIKE 'Com_stmt_prepare'" | grep -oE '[0-9]+$'; }
  "$BENCH" oltp_point_select "${to[@]}" --table-size=100 --table-exists=drop prepare
  local before after
  before=$(prepared)
  "$BENCH" oltp_point_select "${to[@]}" --table-size=100 --threads=2 --clients=30 --pool=5 --events=2000 --time=0 run >out
  after=$(prepared)
  "$BENCH" oltp_point_select "${to[@]}" cleanup
  echo "$before $after"
  # Each of the clients would have its own, else.
  ((after - before == 5))
}

# mixed KIND: transactions with conflicts and restarts.
mixed() {
  aim "$1"
  "$BENCH" oltp_read_write "${to[@]}" --tables=2 --table-size=500 --table-exists=drop prepare
  "$BENCH" oltp_read_write "${to[@]}" --tables=2 --table-size=500 --threads=2 --clients=60 --pool=8 \
    --events=1500 --time=0 --db-ignore-errors=all --connection-lifetime=50 --json=a.json run >out 2>err
  cat out err
  if grep -Eq 'FATAL|--pool' err; then false; fi
  grep -Eq 'total number of events: +1500$' out
  [ "$(value a.json "d['client']['blocking_calls'], d['database']['pool_rolled_back'], d['totals']['reconnects'] > 10")" = "(0, 0, True)" ]
  [ "$(sql "$1" "SELECT COUNT(*) FROM sbtest1")" = 500 ]
  "$BENCH" oltp_read_write "${to[@]}" --tables=2 cleanup
}

@test "mysql: transactions with conflicts" { mixed mysql; }
@test "pgsql: transactions with conflicts" { mixed pgsql; }

# left KIND: what a client leaves open does not meet the next one.
left() {
  aim "$1"
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event(id)
  con:query("BEGIN")
  con:query(("INSERT INTO left_open VALUES (%d)"):format(id))
end
L
  sql "$1" "CREATE TABLE left_open (client INTEGER); $([ "$1" = mysql ] && echo "" || echo "GRANT ALL ON left_open TO sbtest;")"
  "$BENCH" t.lua "${to[@]}" --threads=1 --clients=6 --pool=2 --events=30 --time=0 --json=a.json run >out 2>err
  cat out err
  [ "$(grep -c '^WARNING: a transaction that was open' err)" = 1 ]
  [ "$(value a.json "d['database']['pool_rolled_back']")" = 30 ]
  [ "$(sql "$1" "SELECT COUNT(*) FROM left_open")" = 0 ]
  sql "$1" "DROP TABLE left_open"
}

@test "mysql: open transactions are rolled back" { left mysql; }
@test "pgsql: open transactions are rolled back" { left pgsql; }

@test "mysql: killed and restarted" { killed mysql --pool=6; }
@test "pgsql: killed and restarted" { killed pgsql --pool=6; }

@test "mysql: a frozen server" { stuck mysql --pool=6; }
@test "pgsql: a frozen server" { stuck pgsql --pool=6; }
