#!/usr/bin/env bats
# clients.bats - many clients on two threads, on real servers: the same
# statements as threads, encrypted sessions, servers that die and come back.

. "$BENCH_SRC/tests/db/every_kind.bash"
. "$BENCH_SRC/tests/db/background.bash"
. "$BENCH_SRC/tests/db/pooler.sh"

setup_file() {
  mysql_flags=(--max-connections=400)
  pgsql_flags=(--max-connections=150 --set=deadlock_timeout=10ms)
  start_kinds
}

# A test that fails leaves nothing to the next one.
teardown() {
  tidy_up
  [ ! -v at ] || "$BENCH" oltp_point_select "${at[@]}" --tables=2 cleanup >/dev/null 2>&1 || :
  pooler_stop
}

# same_work KIND: every client does what a thread would do: each inserts the rows
# that its random numbers say.
same_work() {
  where "$1"
  cat >draw.lua <<'L'
sysbench.cmdline.options = { into = { "table that gets the numbers", "" } }
function thread_init()
  con = sysbench.sql.driver():connect()
  for n = 1, 20 do
    con:query(("INSERT INTO %s VALUES (%d, %d, %d)"):format(sysbench.opt.into, sysbench.tid, n, sysbench.rand.default(1, 1000000)))
  end
end
function event() con:query_row("SELECT 1") end
L
  for table in by_threads by_clients; do
    sql "$1" "CREATE TABLE $table (client INTEGER, n INTEGER, value INTEGER); $(
      [ "$1" = mysql ] && echo "" || echo "GRANT ALL ON $table TO sbtest;")"
  done
  "$BENCH" draw.lua "${at[@]}" --into=by_threads --threads=8 --events=100 --rand-seed=3 run
  "$BENCH" draw.lua "${at[@]}" --into=by_clients --threads=1 --clients=8 --events=100 --rand-seed=3 run
  [ "$(sql "$1" "SELECT COUNT(*) FROM by_threads JOIN by_clients USING (client, n, value)")" = 160 ]
  sql "$1" "DROP TABLE by_threads; DROP TABLE by_clients"
}

@test "mysql: the same statements as threads" { same_work mysql; }
@test "pgsql: the same statements as threads" { same_work pgsql; }

# many KIND ENGINE: transactions with restarts; nothing is lost or there twice.
many() {
  where "$1"
  "$BENCH" oltp_read_write "${at[@]}" --tables=2 --table-size=2000 prepare
  "$BENCH" oltp_read_write "${at[@]}" --tables=2 --table-size=2000 --threads=2 --clients=100 \
    --events=1000 --time=0 --db-ignore-errors=all --json=a.json run >out
  grep -Eq 'total number of events: +1000$' out
  [ "$(value a.json "d['client']['blocking_calls'], d['run']['threads'], d['run']['clients']")" = "(0, 2, 100)" ]
  [ "$(value a.json "d['client']['loop_arrivals'] > 10000 and d['client']['loop_engine'] in ('epoll', 'io_uring')")" = True ]
  [ "$(sql "$1" "SELECT COUNT(*) FROM sbtest1")" = 2000 ]
  "$BENCH" oltp_read_write "${at[@]}" --tables=2 cleanup
}

@test "mysql: a hundred clients with conflicts" { many mysql; }
@test "pgsql: a hundred clients with conflicts" { many pgsql; }

# even KIND: clients go on in the order in which their answers arrive, so each gets
# its share, also where the server takes the CPU of their threads.
even() {
  local cpu pid
  command -v taskset >/dev/null || skip 'taskset is not installed'
  where "$1"
  cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
  "$BENCH" oltp_point_select "${at[@]}" --table-size=500 prepare
  for pid in $(servers pids "$BATS_FILE_TMPDIR/$1"); do
    taskset -a -c -p "$cpu" "$pid" >/dev/null 2>&1 || :
  done
  taskset -c "$cpu" "$BENCH" oltp_point_select "${at[@]}" --table-size=500 --threads=2 --clients=64 --events=20000 --time=0 run >out
  for pid in $(servers pids "$BATS_FILE_TMPDIR/$1"); do
    taskset -a -c -p "$(taskset -cp $$ | sed 's/.*: //')" "$pid" >/dev/null 2>&1 || :
  done
  "$BENCH" oltp_point_select "${at[@]}" cleanup
  grep 'events (avg/stddev)' out
  sed -n 's/.*events (avg\/stddev): *//p' out | awk -F/ '{ exit !($1 > 0 && $2 / $1 < 0.25) }'
}

@test "mysql: on one CPU with the server, each client gets its share" { even mysql; }
@test "pgsql: on one CPU with the server, each client gets its share" { even pgsql; }

# all_back KIND: the server has sixty sessions of the user.
all_back() {
  local count
  case $1 in
    mysql) count="SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'sbtest'" ;;
    pgsql) count="SELECT COUNT(*) FROM pg_stat_activity WHERE usename = 'sbtest'" ;;
  esac
  [ "$(sql "$1" "$count" | tail -n 1)" -ge 60 ]
}

# killed KIND: the server dies and comes back: all clients go on.
killed() {
  where "$1"
  local server=$BATS_FILE_TMPDIR/$1
  "$BENCH" oltp_point_select "${at[@]}" --table-size=500 prepare
  in_background "$BENCH" oltp_point_select "${at[@]}" --table-size=500 --threads=2 --clients=60 --time=300 --report-interval=0.2 \
    --db-ignore-errors=connection --json=a.json run
  within 60 grep -q '^\[' out
  servers kill9 "$server"
  servers restart "$server"
  within 90 all_back "$1"
  kill -INT "$job"
  ended
  [ "$status" = 130 ]
  grep -Eq 'reconnects: +([1-9][0-9]{2,}|[5-9][0-9])' out
  where "$1"
  "$BENCH" oltp_point_select "${at[@]}" cleanup
}

@test "mysql: killed and restarted" { killed mysql; }
@test "pgsql: killed and restarted" { killed pgsql; }

# stuck KIND: a server that is frozen: the run ends by its deadline.
stuck() {
  where "$1"
  "$BENCH" oltp_point_select "${at[@]}" --table-size=500 prepare
  in_background "$BENCH" oltp_point_select "${at[@]}" --table-size=500 --threads=2 --clients=60 --time=20 --forced-shutdown=1 \
    --report-interval=0.2 run
  within 60 grep -q '^\[' out
  frozen "$1"
  ended
  thawed
  [ "$status" = 2 ]
  grep -q 'forcing shutdown' err
  grep -Eq 'total number of events: +[1-9]' out
  grep -q 'unfinished transactions on forced shutdown: 60$' out
  "$BENCH" oltp_point_select "${at[@]}" cleanup
}

@test "mysql: a frozen server" { stuck mysql; }
@test "pgsql: a frozen server" { stuck pgsql; }

# library KIND OPTION: calls that block in a client library run beside the loop.
library() {
  where "$1"
  cat >lock.lua <<'L'
sysbench.cmdline.options = { lock = { "statement that waits for a lock", "" }, unlock = { "", "" } }
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  con:query(sysbench.opt.lock)
  con:query("SELECT 1")
  con:query(sysbench.opt.unlock)
end
L
  "$BENCH" lock.lua "${at[@]}" "$2" --threads=1 --clients=40 --events=200 --lock="$3" --unlock="$4" --json=a.json run >out
  grep -Eq 'total number of events: +200$' out
}

@test "mysql: clients of the library wait for each other's lock" {
  library mysql --mysql-protocol=library "DO GET_LOCK('bench', 60)" "DO RELEASE_LOCK('bench')"
}
@test "mysql: clients wait for each other's lock" {
  library mysql --mysql-protocol=auto "DO GET_LOCK('bench', 60)" "DO RELEASE_LOCK('bench')"
}
@test "pgsql: clients wait for each other's lock" {
  library pgsql --db-ps-mode=auto "SELECT pg_advisory_lock(1)" "SELECT pg_advisory_unlock(1)"
}

# kept KIND STATEMENT: the first worker leaves with a lock that the second one
# waits for, and which ends with its session.
kept() {
  where "$1"
  cat >kept.lua <<'L'
sysbench.cmdline.options = { lock = { "statement that waits for a lock", "" } }
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query(sysbench.opt.lock) end
L
  for workers in --threads=2 "--threads=1 --clients=2"; do
    # shellcheck disable=SC2086 # it is several words
    timeout 60 "$BENCH" kept.lua "${at[@]}" $workers --events=2 --time=0 --lock="$2" run >out 2>err
    grep -Eq 'total number of events: +2$' out
  done
}

@test "mysql: a lock that ends with its session" { kept mysql "DO GET_LOCK('bench', 600)"; }
@test "pgsql: a lock that ends with its session" { kept pgsql "SELECT pg_advisory_lock(1)"; }

# refused KIND: fewer connections than clients: one line, and the run does not
# take place.
refused() {
  where "$1"
  status=0
  # Otherwise a client that is quick finds that the table is missing.
  "$BENCH" oltp_point_select "${at[@]}" --table-size=100 prepare >/dev/null
  "$BENCH" oltp_point_select "${at[@]}" --table-size=100 --threads=2 --clients=500 --time=1 run >out 2>err || status=$?
  [ "$status" = 1 ]
  grep -Eqi 'too many (connections|clients)|remaining connection slots are reserved' err
  [ "$(grep -ci 'FATAL' err)" -lt 10 ]
}

@test "mysql: more clients than connections" { refused mysql; }
@test "pgsql: more clients than connections" { refused pgsql; }

@test "pgsql: a file of SQL" {
  where pgsql
  echo '\set n random(1, 100)
SELECT :n + 1;' >f.sql
  "$BENCH" ./f.sql "${at[@]}" --threads=1 --clients=30 --events=600 --json=a.json run >out
  grep -Eq 'total number of events: +600$' out
  [ "$(value a.json "d['client']['blocking_calls']")" = 0 ]
}

# churned KIND QUERY: connections that are closed after some events are others for
# the server, prepared statements go on, and the server sees no broken session.
churned() {
  local who lives clients ids
  where "$1"
  cat >ids.lua <<'L'
sysbench.cmdline.options = { query = { "asks the server for the number of the session", "" } }
function thread_init()
  con = sysbench.sql.driver():connect()
  stmt = con:prepare(sysbench.opt.query)
end
function event()
  local row = stmt:execute():fetch_row()
  io.stdout:write("id " .. row[1] .. "\n")
end
L
  for who in --threads=4 "--threads=2 --clients=20"; do
    # shellcheck disable=SC2086 # two options
    "$BENCH" ids.lua "${at[@]}" $who --query="$2" --connection-lifetime=4..6 --events=400 --time=0 --json=a.json run >out
    [ "$(grep -c '^id ' out)" = 400 ]
    [ "$(value a.json "d['totals']['reconnects'] > 40 and d['totals']['errors'] == 0")" = True ]
    # A client that comes late finds no event left, and shows no session.
    lives=$(value a.json "d['totals']['reconnects']")
    clients=$(value a.json "d['run'].get('clients', d['run']['threads'])")
    ids=$(grep '^id ' out | sort -u | wc -l)
    ((lives < ids && ids <= lives + clients))
    # The control: without it, each client keeps its session.
    # shellcheck disable=SC2086
    "$BENCH" ids.lua "${at[@]}" $who --query="$2" --events=400 --time=0 --json=a.json run >out
    (($(grep '^id ' out | sort -u | wc -l) <= clients))
  done
}

@test "mysql: connections that are replaced between events" {
  local before
  before=$(sql mysql "SHOW GLOBAL STATUS LIKE 'Aborted_clients'")
  churned mysql "SELECT CONNECTION_ID()"
  [ "$(sql mysql "SHOW GLOBAL STATUS LIKE 'Aborted_clients'")" = "$before" ]
}
@test "pgsql: connections that are replaced between events" { churned pgsql "SELECT pg_backend_pid()"; }

# idle KIND: clients that only keep their connections ping, which is in no count.
idle() {
  where "$1"
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --table-exists=drop prepare >out
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --threads=2 --clients=20 --idle-clients=90% --idle-ping=0.1 --rate=100 --events=150 --time=0 --json=a.json run >out
  grep -q '^Idle clients: 18$' out
  [ "$(value a.json "d['totals']['queries']['total'], d['totals']['events'], d['run']['idle_clients']")" = "(150, 150, 18)" ]
  [ "$(value a.json "d['database']['idle_pings'] >= 18 and d['database']['idle_pings_failed']")" = 0 ]
  # The control: they never ping.
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --threads=4 --idle-clients=2 --idle-ping=0 --events=50 --time=0 --json=a.json run >out
  [ "$(value a.json "'idle_pings' in d['database']")" = False ]
}

@test "mysql: idle clients ping" { idle mysql; }
@test "pgsql: idle clients ping" { idle pgsql; }

# There are so many sessions of the user.
sessions() {
  local count
  case $1 in
    mysql) count="SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'sbtest'" ;;
    pgsql) count="SELECT count(*) FROM pg_stat_activity WHERE usename = 'sbtest' AND pid <> pg_backend_pid()" ;;
  esac
  [ "$(sql "$1" "$count")" = "$2" ]
}

# Pings have been sent by so many sessions of PostgreSQL.
have_pinged() {
  [ "$(sql pgsql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'sbtest' AND query = 'SELECT 1'")" = "$1" ]
}

# status_of NAME VALUE: MariaDB's.
status_of() { [ "$(sql mysql "SELECT variable_value FROM information_schema.global_status WHERE variable_name = '$1'")" = "$2" ]; }

# begin_idle KIND: 98 of 100 clients are idle, so most of them have left the Lua
# state, and it was collected.  --json has a session of its own.
begin_idle() {
  where "$1"
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --table-exists=drop prepare >out
  in_background "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --threads=2 --clients=100 --idle-clients=98 \
    --idle-ping=0.1 --rate=50 --time=600 --json=a.json run
  within 60 sessions "$1" 101
}

end_idle() {
  kill -INT "$job"
  ended
  cat out err
  [ "$status" = 130 ]
  [ "$(value a.json "d['database']['idle_pings'] > 98 and d['database']['idle_pings_failed']")" = 0 ]
  within 60 sessions "$1" 0
}

@test "mysql: the statements of idle clients stay prepared, and they leave politely" {
  local before
  before=$(sql mysql "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'Aborted_clients'")
  begin_idle mysql
  within 60 status_of Prepared_stmt_count 100
  # Whoever has been pinged twice has had all the time to lose something.
  within 60 pings_beyond 1000
  sessions mysql 101
  status_of Prepared_stmt_count 100
  end_idle mysql
  status_of Prepared_stmt_count 0
  status_of Aborted_clients "$before"
}

# pings_beyond N: MariaDB has answered so many more statements than this test's
# first call has seen.
pings_beyond() {
  local now
  now=$(sql mysql "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'Com_select'")
  : "${first_selects:=$now}"
  ((now - first_selects > $1))
}

@test "pgsql: idle clients keep their connections" {
  begin_idle pgsql
  within 60 have_pinged 98
  sessions pgsql 101
  end_idle pgsql
}

# storm KIND: clients that come at once, for one event each.  All sums are those
# of the report, whatever the time it takes them to connect.
storm() {
  where "$1"
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --table-exists=drop prepare >out
  for who in --threads=2 "--threads=2 --clients=10"; do
    # shellcheck disable=SC2086 # two options
    "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 $who --rate=50 --storm=3@500ms,20@0.2 --time=4 \
      --event-log=log.csv --json=a.json run >out
    [ "$(value a.json "[(s['at_s'], s['clients'], s['refused'], s['connected']['count'], s['served']['count']) for s in d['storms']]")" = \
      "[(0.2, 20, 0, 20, 20), (0.5, 3, 0, 3, 3)]" ]
    [ "$(value a.json "all(0 < s['connected']['p50_ns'] <= s['served']['p50_ns'] <= s['served']['p99_ns'] <= s['served']['max_ns'] for s in d['storms'])")" = True ]
    # They are no threads to anybody, and their events count.
    [ "$(value a.json "len(d['threads']['each']), d['totals']['events'] >= 23")" = "$([[ $who == *clients* ]] && echo "(10, True)" || echo "(2, True)")" ]
    [ "$(value a.json "d['totals']['events']")" = $(($(wc -l <log.csv) - 1)) ]
    grep -q '^    at 0.200 s, 20 clients:$' out
    grep -Eq '^        served: +20: half within [0-9.]+ s, 99% within [0-9.]+ s, all within [0-9.]+ s$' out
  done
}

@test "mysql: storms of clients" { storm mysql; }
@test "pgsql: storms of clients" { storm pgsql; }

# impatient KIND: clients of a storm whose turn (--connect-rate) has not come when
# the run ends open nothing.
impatient() {
  local who
  where "$1"
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --table-exists=drop prepare >out
  for who in --threads=4 "--threads=2 --clients=4" "--threads=64 --clients=4"; do
    # shellcheck disable=SC2086 # two options
    "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 $who --rate=50 --storm=60@0.5 --connect-rate=10 --time=1 --json=a.json run >out 2>err
    cat out err
    [ "$(value a.json "[(s['refused'], s['connected']['count'] <= 6) for s in d['storms']]")" = "[(0, True)]" ]
    grep -Eq '^        not served: +5[0-9] until the end of the run$' out
    if grep -q 'the run ended before' err; then false; fi
  done
}

@test "mysql: a storm that the end of the run cuts off" { impatient mysql; }
@test "pgsql: a storm that the end of the run cuts off" { impatient pgsql; }

status_of() {
  sql mysql "SELECT variable_value FROM information_schema.global_status WHERE variable_name = '$1'" | tr -d ' |' | grep -x '[0-9]*'
}

are_connected() {
  checks=$((checks + 1))
  (($(status_of threads_connected) > 3)) # this look is one of them
}

@test "mysql: who waits for a turn when the start is stopped opens nothing" {
  local who pid status before checks
  where mysql
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --table-exists=drop prepare >out
  for who in --threads=60 "--threads=2 --clients=60"; do
    before=$(status_of connections) checks=1 status=0
    # shellcheck disable=SC2086 # two options
    "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 $who --connect-rate=0.5 --time=1 run >out 2>err 3>&- &
    pid=$!
    within 60 are_connected
    kill -INT $pid
    wait $pid || status=$?
    cat out err
    [ "$status" = 130 ]
    [ "$(<err)" = "WARNING: stopped by SIGINT" ]
    # The rate would have let in one more every two seconds.
    (($(status_of connections) - before - checks < 40))
  done
}

@test "pgsql: a storm that is refused does not end the run" {
  local status=0
  where pgsql
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --table-exists=drop prepare >out
  sql pgsql "ALTER DATABASE sbtest CONNECTION LIMIT 4"
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --threads=4 --storm=9@1 --time=10 --db-connect-timeout=3 --json=a.json run >out 2>err || status=$?
  sql pgsql "ALTER DATABASE sbtest CONNECTION LIMIT -1"
  cat out err
  [ "$status" = 0 ]
  [ "$(value a.json "d['storms'][0]['refused'], d['storms'][0]['connected']['count'], d['storms'][0]['served']['count']")" = "(9, 0, 0)" ]
  value a.json "d['storms'][0]['first_reason']" | grep -q 'too many connections for database'
  grep -Eq '^        refused: +9, the first one: .*too many connections for database' out
  # Told once.
  [ "$(grep -c '^WARNING: .*too many connections' err)" = 1 ]
  if grep -q "^FATAL" err; then false; fi
}

# Ends one session whose last statement was a ping.
end_one() {
  [ "$(sql pgsql "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity WHERE query = 'SELECT 1' AND state = 'idle' AND pid <> pg_backend_pid() LIMIT 1) AS p")" = 1 ]
}

@test "pgsql: an idle client whose connection has gone" {
  local pid status
  where pgsql
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --table-exists=drop prepare >out
  for ignore in 40001 all; do
    "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --threads=2 --clients=10 --idle-clients=8 --idle-ping=0.1 --rate=50 --time=600 --report-interval=1 \
      --db-ignore-errors=$ignore --json=a.json run >out 2>err 3>&- &
    pid=$!
    within 60 end_one
    if [ $ignore = all ]; then
      within 60 grep -q 'reconn/s: [0-9.]*[1-9]' out
      kill -INT $pid
    fi
    status=0
    wait $pid || status=$?
    cat out err
    if [ $ignore = all ]; then
      [ "$status" = 130 ]
      [ "$(value a.json "d['totals']['reconnects'], d['totals']['errors'], d['database']['idle_pings_failed']")" = "(1, 0, 1)" ]
    else
      [ "$status" = 1 ]
      grep -q '^FATAL: a ping of an idle client has failed: SQL error, ' err
    fi
  done
}

# met WHO...: a run of these clients that asks; $seen is its backends and its
# clients.  Call it plainly: in a condition, its own checks would not count.
met() {
  "$BENCH" oltp_point_select "${at[@]}" "$@" --backend-sample=5 --time=0 --json=a.json run >out
  grep -Eq "^Backends seen: $(value a.json "d['database']['backends_seen']") by [0-9]+ clients? that asked [0-9]+ times?$" out
  # The questions are in no count.
  [ "$(value a.json "d['totals']['queries']['total'] - d['totals']['events']")" = 0 ]
  seen=$(value a.json "'%(backends_seen)d of %(backends_askers)d, %(backends_failed)d' % d['database']")
}

backends() {
  local seen
  where "$1"
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 prepare >out
  # Each client has its own; not all of them need to have asked.
  met --threads=4 --events=2000
  [[ $seen =~ ^([1-4])\ of\ ([1-4]),\ 0$ ]]
  ((BASH_REMATCH[1] == BASH_REMATCH[2]))
  met --threads=2 --clients=30 --events=3000
  [[ $seen =~ ^([0-9]+)\ of\ ([0-9]+),\ 0$ ]]
  ((BASH_REMATCH[1] == BASH_REMATCH[2] && BASH_REMATCH[1] > 10))
  # Whoever comes back gets another one.
  met --threads=2 --connection-lifetime=10 --events=400
  [[ $seen =~ ^([0-9]+)\ of\ [12],\ 0$ ]]
  ((BASH_REMATCH[1] > 20))
}

@test "mysql: which of the server's sessions answer" { backends mysql; }
@test "pgsql: which of the server's sessions answer" { backends pgsql; }

need_pooler() {
  pooler_there || skip "pgbouncer is not installed"
}

@test "pgsql: a pooler gives forty clients five backends" {
  local seen
  where pgsql
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --table-exists=drop prepare >out
  need_pooler
  pooler_start "default_pool_size = 5" "auth_type = any"
  at=(--db-driver=pgsql --pgsql-host="$pooler_dir" --pgsql-port=6432 --db-ps-mode=disable)
  met --threads=2 --clients=40 --events=4000
  [[ $seen =~ ^([1-5])\ of\ ([0-9]+),\ 0$ ]]
  ((BASH_REMATCH[2] > 10))
}

@test "pgsql: modes of statements that a pooler in transaction mode lets work" {
  local mode how
  where pgsql
  need_pooler
  "$BENCH" oltp_point_select "${at[@]}" --table-size=1000 --table-exists=drop prepare >out
  cat >transfer.lua <<'L'
function thread_init()
  con = sysbench.sql.driver():connect()
  st = con:prepare("UPDATE sbtest1 SET k = k + ? WHERE id = ?")
  n, id = st:bind_create(sysbench.sql.type.INT), st:bind_create(sysbench.sql.type.BIGINT)
  st:bind_param(n, id)
end
function event()
  n:set(1)
  id:set(sysbench.rand.uniform(1, 1000))
  con:query("BEGIN")
  st:execute()
  con:query("COMMIT")
  con:pipeline(function(p) p:execute(st) p:query("SELECT 1") end)
end
L
  pooler_start "default_pool_size = 3" "auth_type = any"
  local direct=("${at[@]}") through=(--db-driver=pgsql --pgsql-host="$pooler_dir" --pgsql-port=6432)
  for mode in unnamed simple; do
    for how in "--threads=8" "--threads=2 --clients=20"; do
      "$BENCH" oltp_read_write "${through[@]}" --table-size=1000 --db-ps-mode=$mode $how --events=100 --time=0 --json=a.json run
      [ "$(value a.json "d['database']['statements']")" = "${mode/simple/emulated}" ]
      before=$(sql pgsql "SELECT SUM(k) FROM sbtest1")
      "$BENCH" ./transfer.lua "${through[@]}" --db-ps-mode=$mode $how --events=100 --time=0 run
      [ "$(sql pgsql "SELECT SUM(k) - $before FROM sbtest1")" = 200 ]
    done
    "$BENCH" oltp_read_write "${through[@]}" --db-ps-mode=$mode --table-size=3000 --table-exists=drop prepare
    [ "$(sql pgsql "SELECT COUNT(*) FROM sbtest1")" = 3000 ]
  done
  at=("${direct[@]}")
}

# logins ARG...: prints how often libpq logs in for forty clients.
logins() {
  LD_PRELOAD=$PWD/logins.so "$BENCH" one.lua "${at[@]}" --threads=2 --clients=40 --events=80 --time=0 "$@" run >out 2>err || {
    cat err >&2
    return 1
  }
  grep -c '^libpq logs in$' err || :
}

@test "pgsql: the library logs in for the first client only" {
  local secret
  where pgsql
  need_pooler
  ! nm "$BENCH_BUILD/bench" | grep -qE '__[at]san_init' || skip "a sanitizer has to be loaded first"
  nm -D "$BENCH_BUILD/bench" | grep -q ' U PQconnectStartParams' || skip "this program has a libpq of its own"
  (cd "$BENCH_BUILD" && $BENCH_CC -D_GNU_SOURCE -shared -fPIC -o "$BATS_TEST_TMPDIR/logins.so" "$BENCH_SRC/tests/db/logins.c")
  echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() con:query("SELECT 1") end' >one.lua
  [ "$(logins --pgsql-protocol=library)" = 40 ]
  [ "$(logins)" = 1 ]
  [ "$(logins --connection-lifetime=1)" = 1 ] # nor when connections are replaced
  # With a password, and the same one from a file, which only the library reads.
  secret=$(servers sql "$BATS_FILE_TMPDIR/pgsql" "SELECT rolpassword FROM pg_authid WHERE rolname = 'sbpass'")
  pooler_make
  printf '"sbpass" "%s"\n' "$secret" >"$pooler_dir/users"
  pooler_start "default_pool_size = 5" "auth_type = scram-sha-256" "auth_file = $pooler_dir/users"
  at=(--db-driver=pgsql --pgsql-host="$pooler_dir" --pgsql-port=6432 --pgsql-user=sbpass --db-ps-mode=disable)
  [ "$(logins --pgsql-password=secret)" = 1 ]
  printf '*:*:*:sbpass:secret\n' >pass
  chmod 600 pass
  [ "$(PGPASSFILE=$PWD/pass logins)" = 40 ]
}

# held KIND: scripts that stop their thread for longer than a login may take do not
# make the logins of others fail.
held() {
  local more
  where "$1"
  cat >held.lua <<'L'
ffi.cdef "int usleep(unsigned);"
function thread_init() drv = sysbench.sql.driver() end
function event(id)
  if id == 0 then ffi.C.usleep(2500000) end
  local con = drv:connect()
  con:query("SELECT 1")
  con:disconnect()
end
L
  for more in "${@:2}"; do
    # shellcheck disable=SC2086
    "$BENCH" held.lua "${at[@]}" --threads=1 --clients=8 --db-connect-timeout=2 --events=20 --time=0 $more run >out 2>err || {
      printf 'with %s:\n' "$more"
      cat err
      return 1
    }
    grep -Eq 'total number of events: +20$' out
  done
}

@test "mysql: clients that stop their thread" { held mysql "" "--mysql-compression=on --client-engine=io_uring"; }
@test "pgsql: clients that stop their thread" {
  held pgsql "" --isolation=serializable --server-role=primary "--connect-concurrency=20 --client-engine=io_uring"
}

@test "pgsql: logins that the end of the run cuts are no outage" {
  where pgsql
  echo 'function thread_init() con = sysbench.sql.driver():connect() end
    function event() con:query("SELECT 1") end' >slow.lua
  for more in "" --pool=4 --pool=2; do
    # shellcheck disable=SC2086
    "$BENCH" slow.lua "${at[@]}" --pgsql-options="-c post_auth_delay=2" --threads=1 --clients=4 --time=2.5 \
      --connection-lifetime=1 --server-stats=off $more run >out 2>err || { cat err; return 1; }
    if grep -E 'lost|reconnecting' err; then return 1; fi
    if grep 'service failed' out; then return 1; fi
  done
  # Nor is the time that they get after the end, in which nobody is served.
  echo 'function thread_init() con = sysbench.sql.driver():connect() end
    function event() if sysbench.tid == 0 then con:query("SELECT 1") else con:reconnect() end end' >slow.lua
  "$BENCH" slow.lua "${at[@]}" --pgsql-options="-c post_auth_delay=2" --threads=1 --clients=4 --time=2.5 \
    --server-stats=off run >out 2>err
  if grep 'until the end of the run' out; then return 1; fi
}

@test "pgsql: a login that is refused is not repeated because the thread was held" {
  where pgsql
  cat >held.lua <<'L'
ffi.cdef "int usleep(unsigned);"
function thread_init() drv = sysbench.sql.driver() drv:connect() end
function event()
  pcall(drv.connect, drv)
  ffi.C.usleep(600000)
end
L
  "$BENCH" held.lua "${at[@]}" --pgsql-user=sbpass --pgsql-password=secret --server-stats=off \
    --threads=1 --clients=6 --events=12 --time=0 run >out 2>err &
  run=$!
  within 30 grep -q '^Threads started' out
  : >"$PG_LOG"
  sql pgsql "ALTER ROLE sbpass NOLOGIN"
  wait "$run" || :
  sql pgsql "ALTER ROLE sbpass LOGIN"
  [ "$(grep -c 'is not permitted to log in' "$PG_LOG")" -le 12 ]
}

# paced KIND: a login that breaks is one attempt, and not another one of the library.
paced() {
  local port relay run
  where "$1"
  port=$PG_PORT
  [ "$1" = pgsql ] || port=$MY_PORT
  rm -f bad
  cat >relay.py <<'PY'
import asyncio, os, sys, time
bad, first, last = 0, 0, 0
async def copy(a, b):
    try:
        while data := await a.read(65536):
            b.write(data)
    except OSError:
        pass
    b.close()
async def serve(r, w):
    global bad, first, last
    if os.path.exists("bad"):
        bad, first, last = bad + 1, first or time.monotonic(), time.monotonic()
        with open("seen", "w") as f:
            f.write("%d %f\n" % (bad, last - first))
        return w.close()
    sr, sw = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
    await asyncio.gather(copy(r, sw), copy(sr, w))
async def main():
    s = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(s.sockets[0].getsockname()[1], flush=True)
    await s.serve_forever()
asyncio.run(main())
PY
  python3 relay.py "$port" >at 3>&- &
  relay=$!
  within 30 test -s at
  read -r port <at
  echo 'function thread_init() con = sysbench.sql.driver():connect() end
    function event() con:query("SELECT 1") end' >one.lua
  "$BENCH" one.lua --db-driver="$1" --"$1"-host=127.0.0.1 --"$1"-port="$port" --"$1"-user=sbtest --threads=2 --clients=20 \
    --connection-lifetime=5 --connect-rate=40 --db-ignore-errors=connection --server-stats=off --time=4 run >out 2>err &
  run=$!
  within 30 grep -q '^Threads started' out
  touch bad
  wait "$run" || { kill "$relay"; cat err; return 1; }
  kill "$relay"
  cat seen
  awk '{ exit !($1 > 20 && $1 <= 40 * $2 + 2) }' seen
}

@test "mysql: --connect-rate counts every attempt" { paced mysql; }
@test "pgsql: --connect-rate counts every attempt" { paced pgsql; }

# by_library KIND: the library logs in if it is asked to; only answers to statements
# come to the loop.
by_library() {
  where "$1"
  "$BENCH" connect "${at[@]}" --handshake=library --threads=1 --clients=8 --events=40 --time=0 --json=a.json run >out
  grep -q '^Connections, by the client library:' out
  [ "$(value a.json "d['client']['loop_arrivals'] <= 40")" = True ]
}

@test "mysql: lives of connections by the library" { by_library mysql; }
@test "pgsql: lives of connections by the library" { by_library pgsql; }

# lives ARG...: a hundred lives of connections without the library.
lives() {
  "$BENCH" connect "${at[@]}" --handshake=own --events=100 --time=0 "$@" run >out 2>err || { cat err; return 1; }
  grep -Eq '^    transactions: +100 ' out
  grep -Eq '^    login +100 ' out
}

@test "pgsql: lives of connections through a pooler, with SCRAM and md5" {
  local kind secret
  where pgsql
  need_pooler
  for kind in scram-sha-256 md5; do
    if [ $kind = md5 ]; then
      secret=md5$(printf secretsbpass | md5sum | cut -d' ' -f1)
    else
      secret=$(servers sql "$BATS_FILE_TMPDIR/pgsql" "SELECT rolpassword FROM pg_authid WHERE rolname = 'sbpass'")
    fi
    pooler_make
    printf '"sbpass" "%s"\n' "$secret" >"$pooler_dir/users"
    pooler_start "default_pool_size = 5" "auth_type = $kind" "auth_file = $pooler_dir/users"
    at=(--db-driver=pgsql --pgsql-host="$pooler_dir" --pgsql-port=6432 --pgsql-user=sbpass)
    lives --pgsql-password=secret --threads=3
    lives --pgsql-password=secret --threads=2 --clients=20
    lives --pgsql-password=wrong && return 1
    grep -q '^FATAL: Connection to database failed: .*authentication failed' err
    pooler_stop
  done
}
