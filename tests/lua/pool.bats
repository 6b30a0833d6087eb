#!/usr/bin/env bats
# pool.bats - clients that share connections: --pool.
load ../cli/helper

null() {
  bench "$1" --db-driver=null "${@:2}" run
}

# The same with a limit, for failure.
limited() {
  run --separate-stderr timeout -s KILL 120 "$BENCH" "$1" --db-driver=null "${@:2}" run
  stderr=$(without_machine <<<"$stderr")
}

@test "the wait for a connection is in the latency, and a class" {
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
L
  # One statement takes 20 ms; each of four clients waits for the three others.
  null -0 ./t.lua --threads=1 --clients=4 --pool=1 --null-latency=20000 --events=40 --time=0 --json=a.json
  must is "$stderr" ""
  must has "$output" '^Pool: 1 connection; (3[6-9]|40) of 40 leases had to wait, [0-9.]+ ms each and [0-9.]+ ms at most$'
  check a.json "d['totals']['events'] == 40" "d['database']['pool_connections'] == 1" \
    "d['database']['pool_leases'] == 40" "36 <= d['database']['pool_waits'] <= 40" \
    "d['database']['pool_wait_s'] >= 36 * 0.06" "d['database']['pool_longest_wait_s'] >= 0.06" \
    "d['totals']['latency_ns']['mean'] >= 75e6" "d['totals']['period_s'] >= 0.79" \
    "[c['count'] for c in d['classes'] if c['name'] == 'pool wait'] == [40]" \
    "[c for c in d['classes'] if c['name'] == 'pool wait'][0]['latency_ns']['percentiles']['50'] >= 59e6" \
    "[c for c in d['classes'] if c['name'] == 'SELECT ?'][0]['latency_ns']['min'] >= 20e6"
  # The control: nobody waits.
  null -0 ./t.lua --threads=1 --clients=4 --pool=4 --null-latency=20000 --events=40 --time=0 --json=a.json
  must has "$output" '^Pool: 4 connections; 0 of 40 leases had to wait$'
  check a.json "d['database']['pool_waits'] == 0" "d['database']['pool_wait_s'] == 0" \
    "[c for c in d['classes'] if c['name'] == 'pool wait'][0]['latency_ns']['max'] == 0"
}

@test "first come, first served, on each thread" {
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event(id)
  con:query("SELECT 1")
  io.stdout:write("turn " .. id .. "\n")
end
L
  null -0 ./t.lua --threads=1 --clients=5 --pool=1 --null-latency=2000 --events=50 --time=0
  # After the first round, each comes after the same other one.
  must is "$(awk '/^turn/ { n++; if (n > 5 && $2 != last[n % 5]) bad++; last[n % 5] = $2 } END { print n, bad + 0 }' <<<"$output")" "50 0"
}

@test "every bundled OLTP script, a file of SQL, and restarts" {
  for script in oltp_read_write oltp_point_select oltp_delete oltp_update_index; do
    null -0 $script --threads=2 --clients=30 --pool=3 --events=500 --time=0 --tables=2 --table-size=100 --null-latency=100
    must is "$stderr" ""
    must has "$output" 'total number of events: +500$'
    must has "$output" '^Pool: 3 connections; [0-9]+ of 500 leases had to wait'
  done
  null -0 oltp_read_write --threads=2 --clients=30 --pool=3 --events=500 --time=0 --tables=2 --table-size=100 --null-error-rate=0.02
  must has "$output" 'ignored errors: +[1-9]'
  must has "$output" 'total number of events: +500$'
  null -0 oltp_read_write --threads=2 --clients=30 --pool=3 --events=500 --time=0 --tables=2 --table-size=100 --null-error-rate=0.02 \
    --null-error=lost --db-ignore-errors=connection
  must has "$output" 'reconnects: +[1-9]'
  must has "$output" 'total number of events: +500$'
  null -0 bulk_insert --threads=2 --clients=30 --pool=3 --events=500 --time=0 --null-latency=100
  must has "$output" 'total number of events: +500$'
  echo 'BEGIN;
SELECT 1;
COMMIT;' >f.sql
  null -0 ./f.sql --threads=2 --clients=30 --pool=3 --events=500 --time=0 --null-latency=100
  must has "$output" '^Pool: 3 connections; [0-9]+ of 500 leases had to wait'
}

@test "a transaction that an event leaves open is rolled back, and told once" {
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  con:query("BEGIN")
  con:query("SELECT 1")
end
L
  null -0 ./t.lua --threads=2 --clients=6 --pool=2 --events=30 --time=0 --json=a.json
  must is "$(grep -c '^WARNING: a transaction that was open at the end of an event was rolled back: its connection goes to another client (--pool)$' <<<"$stderr")" 1
  must has "$output" '^Pool: 2 connections; .*; 30 open transactions were rolled back$'
  check a.json "d['database']['pool_rolled_back'] == 30"
}

@test "what a statement leaves in its session is told once for each kind" {
  cat >t.lua <<'L'
function thread_init()
  con = sysbench.sql.driver():connect()
  con:query("SET NAMES utf8")
  con:query("SET TRANSACTION READ ONLY")
end
function event() con:query("CREATE TEMPORARY TABLE t (a INT)") end
L
  null -0 ./t.lua --threads=2 --clients=6 --pool=2 --events=30 --time=0
  must is "$(grep -c '^WARNING: ' <<<"$stderr")" 2
  must has "$stderr" '^WARNING: a statement leaves a setting in one of the connections that the clients share \(--pool\), and the others do not have it: SET NAMES utf8$'
  must has "$stderr" 'leaves a temporary table in .*: CREATE TEMPORARY TABLE t \(a INT\)$'
}

@test "scripts that a pool does not suit" {
  cat >two.lua <<'L'
function thread_init()
  local drv = sysbench.sql.driver()
  one, two = drv:connect(), drv:connect()
end
function event() one:query("SELECT 1") end
L
  null -1 ./two.lua --threads=1 --clients=4 --pool=2 --events=10
  must has "$stderr" '^FATAL: --pool: the script opens a second connection, and a client that shares one can have no other$'
  null -1 connect --threads=1 --clients=4 --pool=2 --events=10
  must has "$stderr" '^FATAL: --pool: the script opens a connection for each event, and such connections cannot be shared$'
  # One after the other is possible, and a script may have its own loop.
  cat >own.lua <<'L'
function thread_init()
  local drv = sysbench.sql.driver()
  drv:connect():disconnect()
  con = drv:connect()
end
function thread_run(id)
  while ffi.C.sb_more_events(id) do
    ffi.C.sb_event_start(id)
    con:query("SELECT 1")
    ffi.C.sb_event_stop(id)
  end
end
function event() end
L
  null -0 ./own.lua --threads=1 --clients=4 --pool=2 --events=40 --null-latency=100
  must has "$output" 'total number of events: +40$'
}

@test "a connection that the body of the script opens" {
  cat >t.lua <<'L'
con = sysbench.sql.driver():connect()
function event() con:query("SELECT 1") end
L
  # Clients that kept their leases until they all begin would stop the others.
  limited ./t.lua --threads=1 --clients=100 --pool=10 --events=300 --time=0
  must is "$status" 0
  must is "$stderr" ""
  must has "$output" 'total number of events: +300$'
  # One that fails gives its lease back, too.
  cat >t.lua <<'L'
con = sysbench.sql.driver():connect()
if sysbench.tid == 3 then error("no") end
function event() con:query("SELECT 1") end
L
  limited ./t.lua --threads=1 --clients=20 --pool=2 --events=300 --time=0
  must is "$status" 1
  must has "$stderr" 'no$'
}

@test "the lives of shared connections, their rate, and the end of a run" {
  null -0 oltp_point_select --threads=2 --clients=20 --pool=2 --connection-lifetime=10 --events=1000 --time=0 --null-latency=100 --json=a.json
  check a.json "70 <= d['totals']['reconnects'] <= 110"
  # When the time ends, one event is executed and two wait: all three are finished.
  null -0 oltp_point_select --threads=1 --clients=3 --pool=1 --time=1 --null-latency=300000 --json=a.json
  check a.json "d['totals']['events'] >= 3" "d['totals']['period_s'] >= 1.59" "d['database']['pool_leases'] == d['totals']['events']"
  # A server that never answers: all are left.
  null -2 oltp_point_select --threads=1 --clients=5 --pool=1 --time=1 --forced-shutdown=1 --null-error=hang --null-error-rate=1 --db-ignore-errors=all
  must has "$stderr" 'forcing shutdown'
}

@test "arrivals wait for a connection, too" {
  null -0 oltp_point_select --threads=1 --clients=10 --pool=1 --rate=200 --null-latency=20000 --events=40 --time=0 --json=a.json
  check a.json "d['totals']['events'] == 40" "d['totals']['latency_ns']['max'] >= 150e6"
}
