#!/usr/bin/env bats
# pipeline.bats - clients whose statements are in flight on one connection, on real
# servers: what is measured, who gets which rows, and what the loss of a connection does.

. "$BENCH_SRC/tests/db/every_kind.bash"
. "$BENCH_SRC/tests/db/background.bash"
. "$BENCH_SRC/tests/db/shared_connections.bash"

setup_file() {
  mysql_flags=(--max-connections=40)
  pgsql_flags=(--max-connections=40)
  start_kinds
}

teardown() {
  tidy_up
  [ ! -v to ] || "$BENCH" oltp_point_select "${to[@]}" cleanup >/dev/null 2>&1 || :
}

# run_script OPTION...: t.lua, whose results are in a.json.
run_script() {
  "$BENCH" ./t.lua "${to[@]}" --json=a.json "$@" run >out 2>err || status=$?
  cat out err
}

# measured KIND QUERY: a statement of 20 ms; a server executes those of a connection in turn.
measured() {
  aim "$1"
  cat >t.lua <<'L'
sysbench.cmdline.options = { query = { "", "" } }
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query(sysbench.opt.query) end
L
  # A server sleeps for one after the other: of those that were sent together, the n-th answer comes after n sleeps at least.
  run_script --query="$2" --threads=1 --clients=4 --pipeline=4 --events=4 --time=0
  grep -q '^Pipeline: 1 connection, at most 4 statements in flight on each; 4 statements were sent [1-4] times$' out
  [ "$(value a.json "d['totals']['latency_ns']['min'] >= 19.9e6 and d['totals']['period_s'] >= 0.079")" = True ]
  # 40 sleeps of one session, one after the other; a client that has waited for three others has waited as long.
  run_script --query="$2" --threads=1 --clients=4 --pipeline=4 --events=40 --time=0
  [ "$(value a.json "d['database']['pipeline_connections'], d['database']['pipeline_in_flight'], d['database']['pipeline_statements'], d['totals']['queries']['total']")" = "(1, 4, 40, 40)" ]
  [ "$(value a.json "d['database']['pipeline_sends'] <= 40 and d['totals']['latency_ns']['mean'] >= 70e6 and d['totals']['period_s'] >= 0.79")" = True ]
  [ "$(value a.json "d['client']['blocking_calls']")" = 0 ]
  shared=$(value a.json "d['totals']['period_s']")
  # The first control: those who have a connection of their own wait for nobody.
  run_script --query="$2" --threads=1 --clients=4 --pipeline=1 --events=40 --time=0
  grep -q '^Pipeline: 4 connections, at most 1 statement in flight on each; 40 statements were sent 40 times$' out
  [ "$(value a.json "d['totals']['latency_ns']['min'] >= 19.9e6 and d['totals']['period_s'] >= 0.19 and d['totals']['period_s'] < $shared")" = True ]
  # The second: a pause of a client is in no latency of its own.
  run_script --query="$2" --threads=1 --clients=4 --pipeline=4 --events=12 --time=0 --think-time=1s
  [ "$(value a.json "d['totals']['latency_ns']['min'] < 0.9e9 and d['totals']['period_s'] >= 1.9")" = True ]
}

@test "mysql: each is measured from its own send" { measured mysql "SELECT SLEEP(0.02)"; }
@test "pgsql: each is measured from its own send" { measured pgsql "SELECT pg_sleep(0.02)"; }

# rows KIND OPTION...: each client gets its own rows, long and short ones.
rows() {
  aim "$1"
  cat >t.lua <<'L'
function thread_init(id)
  con = sysbench.sql.driver():connect()
  stmt = con:prepare("SELECT n, word, NULL FROM many WHERE n BETWEEN ? AND ? ORDER BY n")
  from, to = stmt:bind_create(sysbench.sql.type.INT), stmt:bind_create(sysbench.sql.type.INT)
  stmt:bind_param(from, to)
end
function event(id)
  local first = sysbench.rand.uniform(1, 500)
  local last = first + (id % 3 == 0 and 400 or sysbench.rand.uniform(0, 3))
  local rs
  if id % 2 == 0 then
    from:set(first)
    to:set(last)
    rs = stmt:execute()
  else
    rs = con:query(("SELECT n, word, NULL FROM many WHERE n BETWEEN %d AND %d ORDER BY n"):format(first, last))
  end
  assert(rs.nrows == last - first + 1, "rows of somebody else")
  for n = first, last do
    local row = rs:fetch_row()
    assert(row[1] == tostring(n) and row[2] == "w" .. n .. ("x"):rep(n % 50) and row[3] == nil, "a row of somebody else")
  end
end
L
  sql "$1" "CREATE TABLE many (n INTEGER, word VARCHAR(100)); $([ "$1" = mysql ] && echo "" || echo "GRANT ALL ON many TO sbtest;")"
  sql "$1" "INSERT INTO many VALUES $(
    python3 -c 'print(",".join("({0}, \047w{0}{1}\047)".format(n, "x" * (n % 50)) for n in range(1, 1001)))'
  )"
  run_script "${@:2}" --threads=2 --clients=24 --pipeline=6 --events=2000 --time=0
  [ "$(value a.json "d['totals']['events'], d['totals']['errors'], d['client']['blocking_calls'], d['database']['pipeline_connections']")" = "(2000, 0, 0, 4)" ]
  sql "$1" "DROP TABLE many"
}

@test "mysql: each client gets its own rows" { rows mysql; }
@test "pgsql: each client gets its own rows" { rows pgsql; }
@test "mysql: the same with emulated statements" { rows mysql --db-ps-mode=disable; }
@test "pgsql: the same with emulated statements" { rows pgsql --db-ps-mode=disable; }

# words KIND: strings of emulated statements arrive as they are.
words() {
  aim "$1"
  cat >t.lua <<'L'
sysbench.cmdline.options = { plain = { "", false } }
local odd = "it's a \\ \" ? $1"
function thread_init()
  con = sysbench.sql.driver():connect()
  if sysbench.opt.plain then con:query("SET sql_mode = 'NO_BACKSLASH_ESCAPES'") end
  stmt = con:prepare("INSERT INTO words (word) VALUES (?)")
  word = stmt:bind_create(sysbench.sql.type.VARCHAR, 40)
  stmt:bind_param(word)
end
function event()
  word:set(odd)
  stmt:execute()
end
L
  sql "$1" "CREATE TABLE words (word VARCHAR(100)); $([ "$1" = mysql ] && echo "" || echo "GRANT ALL ON words TO sbtest;")"
  for plain in off on; do
    if [ "$1$plain" = pgsqlon ]; then continue; fi
    run_script --db-ps-mode=disable --plain=$plain --threads=1 --clients=4 --pipeline=4 --events=40 --time=0
    [ "$(value a.json "d['totals']['events'], d['totals']['errors'], d['database']['statements']")" = "(40, 0, 'emulated')" ]
    [ "$(sql "$1" "SELECT COUNT(*) FROM words WHERE LENGTH(word) = 15 AND word LIKE 'it''s a _ \" ? \$1'")" = 40 ]
    sql "$1" "DELETE FROM words"
  done
  sql "$1" "DROP TABLE words"
}

@test "mysql: strings of emulated statements" { words mysql; }
@test "pgsql: strings of emulated statements" { words pgsql; }

# written KIND: no statement is lost or executed twice, though some fail.
written() {
  aim "$1"
  cat >t.lua <<'L'
function thread_init(id)
  con = sysbench.sql.driver():connect()
  stmt = con:prepare("INSERT INTO piped (client, n) VALUES (?, ?)")
  p = { stmt:bind_create(id % 2 == 0 and sysbench.sql.type.INT or sysbench.sql.type.BIGINT), stmt:bind_create(sysbench.sql.type.INT) }
  stmt:bind_param(unpack(p))
  n, tries = 0, 0
end
function event(id)
  tries = tries + 1
  p[1]:set(id)
  p[2]:set(tries % 10 == 0 and n or n + 1) -- a key that is there already
  stmt:execute()
  n = n + 1
end
function thread_done(id) con:query(("INSERT INTO piped_ends VALUES (%d, %d)"):format(id, n)) end
L
  sql "$1" "CREATE TABLE piped (client INTEGER, n INTEGER, PRIMARY KEY (client, n)); CREATE TABLE piped_ends (client INTEGER, n INTEGER); $(
    [ "$1" = mysql ] && echo "" || echo "GRANT ALL ON piped, piped_ends TO sbtest;")"
  run_script --threads=2 --clients=20 --pipeline=10 --events=1000 --time=0 --db-ignore-errors=all
  [ "$(value a.json "d['totals']['events'], d['totals']['errors'] > 50, d['totals']['reconnects']")" = "(1000, True, 0)" ]
  [ "$(sql "$1" "SELECT COUNT(*) FROM piped")" = 1000 ]
  [ "$(sql "$1" "SELECT SUM(n) FROM piped_ends")" = 1000 ]
  sql "$1" "DROP TABLE piped; DROP TABLE piped_ends"
}

@test "mysql: errors of one client are not those of others" { written mysql; }
@test "pgsql: errors of one client are not those of others" { written pgsql; }

# bundled KIND: the bundled scripts of one statement, open and closed, and a file of SQL.
bundled() {
  aim "$1"
  "$BENCH" oltp_point_select "${to[@]}" --table-size=500 --table-exists=drop prepare
  for script in oltp_point_select select_random_points select_random_ranges oltp_update_index; do
    "$BENCH" $script "${to[@]}" --table-size=500 --threads=2 --clients=32 --pipeline=8 --events=1500 --time=0 --json=a.json run >out 2>err
    cat out err
    if grep -q FATAL err; then false; fi
    [ "$(value a.json "d['totals']['events'], d['totals']['queries']['total'], d['database']['pipeline_statements'], d['client']['blocking_calls']")" = "(1500, 1500, 1500, 0)" ]
    [ "$(value a.json "d['database']['pipeline_sends'] < 1500 and d['totals']['errors'] == 0")" = True ]
  done
  "$BENCH" oltp_point_select "${to[@]}" --table-size=500 --threads=2 --clients=32 --pipeline=16 --rate=500 --time=2 --json=a.json run
  [ "$(value a.json "d['totals']['events'] > 0 and d['totals']['errors'] == 0")" = True ]
  echo 'SELECT c FROM sbtest1 WHERE id = 5;' >f.sql
  "$BENCH" ./f.sql "${to[@]}" --threads=1 --clients=8 --pipeline=8 --events=200 --time=0 --json=a.json run
  [ "$(value a.json "d['totals']['events'], d['database']['pipeline_statements']")" = "(200, 200)" ]
  "$BENCH" oltp_point_select "${to[@]}" cleanup
}

@test "mysql: bundled scripts" { bundled mysql; }
@test "pgsql: bundled scripts" { bundled pgsql; }

# refused KIND: what is no single statement ends the run, and the message says what it was.
refused() {
  aim "$1"
  "$BENCH" oltp_point_select "${to[@]}" --table-size=100 --table-exists=drop prepare
  status=0
  "$BENCH" oltp_read_write "${to[@]}" --table-size=100 --threads=1 --clients=4 --pipeline=2 --time=10 run >out 2>err || status=$?
  cat err
  [ "$status" = 1 ]
  grep -q -- '^FATAL: event() failed in client [0-3]: --pipeline is for events of one statement, and this one begins a transaction: BEGIN$' err
  "$BENCH" oltp_point_select "${to[@]}" cleanup
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  con:query("SELECT 1")
  con:query("SELECT 2")
end
L
  status=0
  run_script --threads=1 --clients=4 --pipeline=4 --time=10
  [ "$status" = 1 ]
  grep -q -- '^FATAL: event() failed at ./t.lua:4 in client [0-3]: --pipeline is for events of one statement, and this is the second one of an event: SELECT 2$' err
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:reconnect() end
L
  status=0
  run_script --threads=1 --clients=4 --pipeline=4 --time=10
  [ "$status" = 1 ]
  grep -q -- '^FATAL: event() failed at ./t.lua:2 in client [0-3]: reconnect failed: with --pipeline a client shares its connection' err
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELEKT 1") end
L
  status=0
  run_script --threads=1 --clients=4 --pipeline=4 --time=10
  [ "$status" = 1 ]
  grep -Eiq 'FATAL.*syntax' err
}

@test "mysql: what is refused" { refused mysql; }
@test "pgsql: what is refused" { refused pgsql; }

@test "mysql: a session of the library has nothing in flight" {
  aim mysql
  run "$BENCH" select_random_points "${to[@]}" --mysql-protocol=library --threads=1 --clients=4 --pipeline=4 --time=10 run
  echo "$output"
  [ "$status" = 1 ]
  [ "$(grep -c -- '^FATAL: --pipeline cannot be used on this connection: --mysql-protocol=library$' <<<"$output")" = 1 ]
}
@test "pgsql: a session of the library has nothing in flight" {
  aim pgsql
  run "$BENCH" select_random_points "${to[@]}" --pgsql-protocol=library --threads=1 --clients=4 --pipeline=4 --time=10 run
  echo "$output"
  [ "$status" = 1 ]
  [ "$(grep -c -- '^FATAL: --pipeline cannot be used on this connection: --pgsql-protocol=library$' <<<"$output")" = 1 ]
}

@test "mysql: killed and restarted" { killed mysql --pipeline=10; }
@test "pgsql: killed and restarted" { killed pgsql --pipeline=10; }

# lost KIND: without a list the loss of a connection ends the run.
lost() {
  aim "$1"
  local server=$BATS_FILE_TMPDIR/$1
  "$BENCH" oltp_point_select "${to[@]}" --table-size=500 --table-exists=drop prepare
  in_background "$BENCH" oltp_point_select "${to[@]}" --table-size=500 --threads=2 --clients=60 --pipeline=10 --time=300 --report-interval=0.2 run
  within 60 grep -q '^\[' out
  servers kill9 "$server"
  ended
  servers restart "$server"
  cat err
  [ "$status" = 1 ]
  grep -q '^FATAL: ' err
  "$BENCH" oltp_point_select "${to[@]}" cleanup
}

@test "mysql: a loss that is not ignored" { lost mysql; }
@test "pgsql: a loss that is not ignored" { lost pgsql; }

# late KIND QUERY: one client asks for a minute, and is cancelled; those behind it keep the connection.  A busy machine may take more
# than the second that a server has for it.
late_once() {
  status=0
  run_script --late="$1" --threads=1 --clients=4 --pipeline=4 --events=40 --time=0 --db-query-timeout=0.5 \
    --db-ignore-errors=1317,1969,3024,57014,connection
  [ "$status" = 0 ] && [ "$(value a.json "d['totals']['events'], d['totals']['reconnects']")" = "(40, 0)" ]
}
late() {
  local status
  aim "$1"
  cat >t.lua <<'L'
sysbench.cmdline.options = { late = { "", "" } }
function thread_init() con = sysbench.sql.driver():connect() end
function event(id)
  tries = (tries or 0) + 1
  con:query(id == 2 and tries == 3 and sysbench.opt.late or "SELECT 1")
end
L
  sooner_or_later late_once "$2"
  # Nobody else was late, unless the cancel came too late for the first one.
  [ "$(value a.json "1 <= d['totals']['errors'] <= 4 and d['totals']['latency_ns']['max'] >= 0.5e9")" = True ]
  # Without a list it is an error, whose message says why.
  status=0
  run_script --late="$2" --threads=1 --clients=4 --pipeline=4 --events=40 --time=0 --db-query-timeout=0.5
  [ "$status" = 1 ]
  grep -qx 'FATAL: the statement took longer than --db-query-timeout=0.5' err
}

@test "mysql: a statement that takes too long" { late mysql "SELECT SLEEP(60)"; }
@test "pgsql: a statement that takes too long" { late pgsql "SELECT pg_sleep(60)"; }

# loop_lag KIND: answers that come together are there for all of them.
loop_lag() {
  aim "$1"
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  con:query("SELECT 1")
  local till = os.clock() + 0.002
  while os.clock() < till do end
end
L
  run_script --threads=1 --clients=8 --pipeline=8 --events=400 --time=0
  # Each answer has one, and the last of eight waits for seven others.
  [ "$(value a.json "d['client']['loop_lag_ns']['count'] >= 400 and d['client']['loop_lag_ns']['max'] >= 2e6")" = True ]
}

@test "mysql: answers that wait behind other clients" { loop_lag mysql; }
@test "pgsql: answers that wait behind other clients" { loop_lag pgsql; }

@test "mysql: a frozen server" { stuck mysql --pipeline=10; }
@test "pgsql: a frozen server" { stuck pgsql --pipeline=10; }
