#!/usr/bin/env bats
# server_stats.bats - what a run reads of its server: the figures, at the right
# interval, and what a user must not read.

load ../lib/servers
load ../lib/within
. "$BENCH_SRC/tests/db/pooler.sh"

setup_file() {
  if servers has pgsql && [[ -x $BENCH_BUILD/tests/db/pgsql_driver ]]; then
    servers start pgsql "$BATS_FILE_TMPDIR/pg"
    servers sql "$BATS_FILE_TMPDIR/pg" 'CREATE ROLE watcher LOGIN IN ROLE sbtest; GRANT pg_read_all_stats TO sbtest'
  fi
  if servers has mysql && [[ -x $BENCH_BUILD/tests/db/mysql_types ]]; then
    servers start mysql "$BATS_FILE_TMPDIR/my"
    servers sql "$BATS_FILE_TMPDIR/my" "CREATE USER watcher@'%'; GRANT PROCESS ON *.* TO watcher@'%'; GRANT ALL ON sbtest.* TO watcher@'%'"
  fi
}

# to pg|my|few|synced: the options of that server in `to`; skips if it is not there.
to() {
  reach "$1" "such server" || return 1
  case $1 in
    pg | synced) to=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT" --pgsql-user="$PG_USER" --pgsql-db="$PG_DB") ;;
    *) to=(--db-driver=mysql --mysql-socket="$MY_SOCKET" --mysql-user="$MY_USER" --mysql-db="$MY_DB") ;;
  esac
  to+=(--table-size=2000 --rand-type=uniform)
  "$BENCH_BUILD/bench" oltp_read_write "${to[@]}" cleanup >/dev/null 2>&1 || true
  "$BENCH_BUILD/bench" oltp_read_write "${to[@]}" prepare >/dev/null
}

teardown() {
  pooler_stop
  [[ -z ${proxy_pid-} ]] || kill "$proxy_pid"
}

bench() {
  "$BENCH_BUILD/bench" "$@"
}

# check FILE CODE: `doc` is the document, `server` its only server.
check() {
  python3 -c '
import json, sys
doc = json.load(open(sys.argv[1]))
server, = doc["servers"]
each = [i["servers"][0] for i in doc["intervals"]]
known = [i for i in each if i["known"]]
'"$2" "$1"
}

figures='
print(json.dumps({k: server[k] for k in server if k != "raw"}))
assert server["target"] and not server["restarts"] and "failure" not in server
assert server["monitor"]["readings"] >= 2 and server["monitor"]["looks"] > 0
# The statements of the connection that reads are transactions, too.
own = 20 + 20 * server["monitor"]["readings"] + 2 * server["monitor"]["looks"]
events = server["figures"]["commits"] / server["per_event"]["commits"]
assert 0.9 * events < server["figures"]["commits"] < 1.1 * events + own, server["per_event"]
assert server["per_event"]["log_bytes"] > 100
assert server["per_event"]["rows_written"] > 2
assert server["per_event"]["cpu_ns"] > 1000
total = sum(i["commits"] for i in known)
assert total <= server["figures"]["commits"], total
assert doc["coincidences"]["intervals"] >= 1 and doc["coincidences"]["found"] == []
'

@test "pgsql: what the server did per event, and its process" {
  to pg
  bench oltp_read_write "${to[@]}" --threads=2 --time=2 --json=r.json run
  check r.json "$figures"'
assert server["pid"] == '"$PG_PID"'
assert server["raw"]["pg_stat_database.xact_commit"] > 0
gap, = server["not_read"]
assert gap["figures"] == "statements" and "pg_stat_statements" in gap["reason"], gap'
  python3 "$BENCH_SRC/tests/cli/results_check.py" "$BENCH_SRC/share/schema/bench-1.schema.json" r.json
}

@test "pgsql: the time of fsyncs, if the server takes it" {
  . "$BENCH_SRC/tests/db/servers.sh"
  [[ -e $BATS_FILE_TMPDIR/pg/state ]] || skip "no such server"
  servers start pgsql "$BATS_FILE_TMPDIR/synced" --durable
  to synced
  (($(servers sql "$server" "SHOW server_version_num") >= 140000)) || skip "PostgreSQL before 14"
  for timing in on off; do
    servers sql "$server" "ALTER ROLE sbtest SET track_wal_io_timing = $timing"
    bench oltp_update_non_index "${to[@]}" --threads=2 --time=3 --json=$timing.json run
    check $timing.json '
print(server["figures"])
assert server["figures"]["fsyncs"] > 0
assert ("fsync_ns" in server["figures"]) == ("'$timing'" == "on")
assert server["figures"].get("fsync_ns", 1) > 0'
  done
  servers stop "$server"
}

# It reads on while it is promoted, by the same connection.
@test "pgsql: the log of a standby, and of what becomes of it" {
  to pg
  . "$BENCH_SRC/tests/db/servers.sh"
  follower=$BATS_FILE_TMPDIR/follower
  servers start pgsql "$follower" --standby-of="$server"
  servers_env "$follower"
  : >s.jsonl
  "$BENCH_BUILD/bench" oltp_point_select "${to[@]}" --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT" --threads=1 \
    --time=120 --stream=s.jsonl --json=s.json run &
  run_pid=$!
  more() { (($(wc -l <s.jsonl) >= lines)); }
  lines=2
  within 60 more
  servers promote "$follower"
  servers sql "$follower" "CREATE TABLE grown AS SELECT generate_series(1, 50000) AS n"
  lines=$(($(wc -l <s.jsonl) + 3))
  within 60 more
  kill -TERM "$run_pid"
  wait "$run_pid" || true
  check s.json '
print(server["not_read"], server["figures"])
assert not any("log_bytes" in n["figures"] or "checkpoint_age" in n["figures"] for n in server["not_read"])
assert server["figures"]["log_bytes"] > 1000000 and not server["restarts"]'
  servers stop "$follower"
}

@test "compare has what servers do per event" {
  to pg
  for i in 1 2; do
    bench oltp_write_only "${to[@]}" --threads=1 --events=1000 --time=0 --repeat=3 --json=$i.json run
  done
  run bench compare 1.json 2.json
  echo "$output"
  [[ $status = 0 ]]
  grep -qE '^server CPU/event +[0-9]' <<<"$output"
  grep -qE '^log bytes/event +[0-9]' <<<"$output"
  bench compare 1.json 2.json --format=json | python3 -c '
import json, sys
by = {f["name"]: f for f in json.load(sys.stdin)["comparisons"][0]["figures"]}
assert by["server CPU/event"]["kind"] == "server_cpu" and by["server CPU/event"]["unit"] == "ns"
assert by["log bytes/event"]["unit"] == "count" and by["log bytes/event"]["base"] > 100'
}

@test "mysql: what the server did per event, and its process" {
  to my
  bench oltp_read_write "${to[@]}" --threads=2 --time=2 --server-user=watcher --json=r.json run
  check r.json "$figures"'
assert server["pid"] == '"$MY_PID"'
assert server["raw"]["Com_commit"] > 0
assert [g["figures"] for g in server["not_read"]] in ([], ["statements"]), server["not_read"]'
  python3 "$BENCH_SRC/tests/cli/results_check.py" "$BENCH_SRC/share/schema/bench-1.schema.json" r.json
}

@test "what a user must not read is named once, and the rest is read" {
  to my
  run bench oltp_read_write "${to[@]}" --threads=2 --time=1 --server-stats=on --json=r.json run
  echo "$output"
  [[ $status = 0 && $(grep -c 'not read: oldest_transaction_s' <<<"$output") = 1 ]]
  [[ $output = *"per event: processor time (ms) "* ]]
  check r.json '
gaps = {g["figures"]: g["reason"] for g in server["not_read"]}
# MySQL has its deadlocks in a table of their own.
assert set(gaps) - {"statements", "deadlocks, history_length"} == {
    "oldest_transaction_s", "sessions that wait for row locks"}, gaps
assert "PROCESS" in gaps["oldest_transaction_s"]
assert server["figures"]["commits"] > 0 and "oldest_transaction_s" not in server["figures"]'
}

@test "the text of a plain run has nothing of it, and off makes no connection" {
  to my
  before=$(servers sql "$server" "SHOW GLOBAL STATUS LIKE 'Connections'" | tr -dc 0-9)
  run bench oltp_point_select "${to[@]}" --threads=1 --events=20 --time=0 --server-stats=off --json=r.json run
  after=$(servers sql "$server" "SHOW GLOBAL STATUS LIKE 'Connections'" | tr -dc 0-9)
  ((off = after - before))
  [[ $status = 0 && $output != *Server:* ]]
  [[ $(grep -c '"servers"' r.json) = 0 ]]
  run bench oltp_point_select "${to[@]}" --threads=1 --events=20 --time=0 run
  [[ $status = 0 && $output != *Server:* ]]
  before=$(servers sql "$server" "SHOW GLOBAL STATUS LIKE 'Connections'" | tr -dc 0-9)
  ((before - after == off)) # a plain run makes as many as with off
  bench oltp_point_select "${to[@]}" --threads=1 --time=1 --json=r.json run
  after=$(servers sql "$server" "SHOW GLOBAL STATUS LIKE 'Connections'" | tr -dc 0-9)
  echo "off $off, on $((after - before))"
  ((after - before == off + 1))
}

# followed FILE: how many intervals a stream has.
followed() {
  wc -l <"$1"
}

# at SECONDS FILE: wait until the stream of a run has so many intervals.
at() {
  until [[ -s $2 && $(followed "$2") -ge $1 ]]; do
    kill -0 "$run_pid"
    sleep 0.05
  done
}

# under_watch OPTION...: a run in the background that ends when end_run is called.
under_watch() {
  "$BENCH_BUILD/bench" oltp_update_non_index "${to[@]}" --threads=2 --time=120 --stream=s.jsonl --json=r.json "$@" run >/dev/null 3>&- &
  run_pid=$!
  at 1 s.jsonl
}

end_run() {
  kill -INT "$run_pid"
  wait "$run_pid" || :
}

# hold_until_seen STATEMENTS: holds locks with them until the run has an interval
# in which it has waited, or ends; $freed: so many intervals it has then.
hold_until_seen() {
  local holder
  servers sql "$server" "$1" >/dev/null 2>&1 3>&- &
  holder=$!
  until grep -qE '"lock_waiting": ?[1-9]' s.jsonl; do
    kill -0 "$run_pid"
    sleep 0.05
  done
  freed=$(followed s.jsonl)
  case $server in
    */pg) servers sql "$server" "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'" ;;
    */my) servers sql "$server" "KILL $(servers sql "$server" "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(%'")" ;;
  esac
  wait "$holder" || :
  at $((freed + 1)) s.jsonl
}

@test "pgsql: a checkpoint and a lock are in the intervals in which they took place" {
  to pg
  under_watch
  servers sql "$server" CHECKPOINT
  checked=$(followed s.jsonl)
  at $((checked + 1)) s.jsonl
  hold_until_seen 'BEGIN; UPDATE sbtest1 SET k = k; SELECT pg_sleep(300)'
  end_run
  check r.json '
checkpoints = [n for n, i in enumerate(each) if i.get("checkpoints")]
waiting = [i.get("lock_waiting", 0) for i in each]
print(checkpoints, waiting, '"$checked, $freed"')
assert len(checkpoints) == 1 and 1 <= checkpoints[0] <= '"$checked"' + 1, checkpoints
assert max(waiting[:'"$checked"']) < 1 <= max(waiting['"$checked"':'"$freed"' + 1]), waiting
assert any(w["name"].startswith("Lock:") for w in server["waits"]), server["waits"]'
}

@test "mysql: a lock of all tables is in the intervals in which it was held" {
  to my
  under_watch --server-user=watcher
  begun=$(followed s.jsonl)
  hold_until_seen 'FLUSH TABLES WITH READ LOCK; SELECT SLEEP(300)'
  end_run
  check r.json '
waiting = [i.get("lock_waiting", 0) for i in each]
print(waiting, '"$begun, $freed"')
assert max(waiting[:'"$begun"']) < 1 <= max(waiting['"$begun"':'"$freed"' + 1]), waiting'
}

@test "an interval that is too short for a reading has what looks have seen" {
  to pg
  "$BENCH_BUILD/bench" oltp_update_non_index "${to[@]}" --threads=2 --time=120 --report-interval=0.25 --stream=s.jsonl run >/dev/null 3>&- &
  run_pid=$!
  at 1 s.jsonl
  psql -h "$PG_SOCKET_DIR" -p "$PG_PORT" -U "$PG_USER" -d "$PG_DB" -qc \
    'BEGIN; UPDATE sbtest1 SET k = k; SELECT pg_sleep(300)' >/dev/null 2>&1 3>&- &
  holder=$!
  # The lock is held until it is seen, or until the run ends.
  until grep -E '"servers": ?\[\{"known": ?false,[^}]*"lock_waiting": ?[0-9.]*[1-9]' s.jsonl; do
    kill -0 "$run_pid"
    sleep 0.05
  done
  servers sql "$server" "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
  wait "$holder" || true
  kill "$run_pid"
  wait "$run_pid" || true
}

@test "--csv and --prometheus have the figures as well" {
  to pg
  for _ in {1..20}; do
    port=$((20000 + RANDOM % 12000))
    "$BENCH_BUILD/bench" oltp_write_only "${to[@]}" --threads=2 --time=60 --server-stats=on --csv=r.csv --prometheus=$port run >/dev/null 2>err 3>&- &
    run_pid=$!
    until [[ -s r.csv && $(wc -l <r.csv) -ge 3 ]]; do
      kill -0 "$run_pid" || break
      sleep 0.05
    done
    ! grep 'Address already in use' err || continue
    break
  done
  # The dashboard asks for nothing else.  A gauge has no value in an interval
  # whose samples were late.
  asked=$(grep -oE 'bench_[a-z_]+' "$BENCH_SRC/share/grafana/bench.json" | grep -v '^bench_ma' | sort -u)
  [[ $(wc -w <<<"$asked") -ge 15 ]]
  until
    curl -s "http://127.0.0.1:$port/metrics" >m
    missing=$(comm -23 <(printf '%s\n' $asked) <(grep -oE '^bench_[a-z_]+' m | sort -u))
    [[ -z $missing ]]
  do
    kill -0 "$run_pid" || { echo "never there: $missing"; return 1; }
    sleep 0.1
  done
  kill "$run_pid"
  wait "$run_pid" || true
  grep -E '^bench_server_(commits|cpu_seconds|log_bytes)_total\{server="[^"]*"\} [0-9.]*[1-9]' m
  [[ $(grep -cE '^bench_server_(commits|cpu_seconds|log_bytes)_total\{' m) = 3 ]]
  grep -qE '^bench_server_connections\{server=' m
  python3 -c '
import csv
rows = list(csv.DictReader(open("r.csv")))
assert sum(float(r["server_commits"] or 0) for r in rows) > 0
assert all(len(r) == len(rows[0]) and None not in r for r in rows)'
}

@test "a frozen server does not hold up the end of the run" {
  to pg
  bench oltp_point_select "${to[@]}" --threads=1 --time=6 --stream=s.jsonl --json=r.json run >out 2>&1 3>&- &
  run_pid=$!
  at 1 s.jsonl
  servers freeze "$server"
  wait "$run_pid" || true
  servers thaw "$server"
  check r.json '
assert not each[-1]["known"]
# Intervals without a reading are counted; the last one may be a part of one.
assert server["monitor"]["missed"] >= len(each) - len(known) - 1 >= 1, server["monitor"]'
}

@test "a server that was frozen for some seconds: the next reading covers them" {
  to pg
  under_watch
  servers freeze "$server"
  at $(($(followed s.jsonl) + 4)) s.jsonl
  servers thaw "$server"
  thawed=$(followed s.jsonl)
  until tail -n 1 s.jsonl | grep -qE '"known": ?true' && (($(followed s.jsonl) > thawed)); do
    kill -0 "$run_pid"
    sleep 0.05
  done
  end_run
  check r.json '
longest = max(i["period_s"] for i in known)
print(server["monitor"], longest)
assert server["monitor"]["missed"] >= 3 and server["monitor"]["late"] >= 1 and longest > 3
assert server["restarts"] == 0'
}

# restarted: a run whose server is started anew in the middle of it.
restarted() {
  under_watch "$@"
  servers restart "$server"
  again=$(followed s.jsonl)
  until tail -n 1 s.jsonl | grep -qE '"known": ?true' && (($(followed s.jsonl) > again + 6)); do
    kill -0 "$run_pid"
    sleep 0.05
  done
  end_run
  check r.json '
counts = [n for n in server["per_event"] if n != "cpu_ns"]
print(server["monitor"], server["restarts"], server["figures"], server["per_event"])
assert server["monitor"]["lost"] >= 1 and server["restarts"] == 1 and server["monitor"]["missed"] >= 1
assert server["monitor"]["readings"] > 2
# No count is negative, and the outage is in none: an event changes one row.
assert all(i.get(n, 0) >= 0 for i in known for n in counts)
totals = doc["totals"]
assert server["figures"]["rows_written"] <= totals["events"] + totals["errors"] + totals["reconnects"] + 2, totals
# Sessions of PostgreSQL tell of their rows up to a second late: the first reading
# after the outage lacks some that the next one has.
assert 0.5 < server["per_event"]["rows_written"] < 2'
}

@test "pgsql: an orderly restart during the run is counted, and in no figure" {
  to pg
  restarted --pgsql-ignore-errors=all
}

@test "mysql: a restart during the run is counted, and in no figure" {
  to my
  restarted --mysql-ignore-errors=all
}

# all_gone: the sessions of earlier runs have ended.
all_gone() {
  local connected=''
  for _ in {1..1200}; do
    # this one is the last
    connected=$(servers sql "$server" "SHOW GLOBAL STATUS LIKE 'Threads_connected'") || connected=refused
    [[ $connected != *[!0-9]1 ]] || return 0
    sleep 0.05
  done
  echo "there still are: $connected"
  return 1
}

@test "a server without a connection to spare is named, and the run goes on" {
  . "$BENCH_SRC/tests/db/servers.sh"
  [[ -e $BATS_FILE_TMPDIR/my/state ]] || skip "no such server"
  servers start mysql "$BATS_FILE_TMPDIR/few" --max-connections=10
  to few
  # Long enough for the monitor to ask while all connections are in use.
  for how in on auto; do
    all_gone
    bench oltp_point_select "${to[@]}" --threads=10 --events=20000 --time=0 --server-stats=$how --json=r.json run >out
    check r.json '
assert "Too many connections" in server["failure"] and server["target"], server
assert server["figures"] == {} and server["period_s"] == 0, server'
  done
  all_gone
  bench oltp_point_select "${to[@]}" --threads=10 --events=20000 --time=0 --server-stats=on run >out
  cat out
  grep -E "^    socket .*: not read: .*Too many connections" out
  servers stop "$server"
}

@test "behind a pooler, --server-host reads the server" {
  to pg
  pooler_there || skip "pgbouncer is not installed"
  pooler_start "auth_type = any"
  status=0
  bench oltp_point_select --db-driver=pgsql --pgsql-host="$pooler_dir" --pgsql-port=6432 --pgsql-user="$PG_USER" \
    --pgsql-db="$PG_DB" --table-size=2000 --db-ps-mode=disable --threads=2 --time=2 \
    --server-host="127.0.0.1:$PG_PORT" --json=r.json run >out 2>&1 || status=$?
  cat out "$pooler_dir/log"
  [[ $status = 0 ]]
  check r.json '
print(server["target"], server.get("pid"), server["per_event"])
assert "127.0.0.1" in server["target"] and server["pid"] == '"$PG_PID"'
assert server["figures"]["commits"] > 0 and server["figures"]["connections"] >= 1'
}

@test "behind a pooler, the process is that of the server" {
  to pg
  pooler_there || skip "pgbouncer is not installed"
  pooler_start "auth_type = any"
  bench oltp_point_select --db-driver=pgsql --pgsql-host="$pooler_dir" --pgsql-port=6432 --pgsql-user="$PG_USER" \
    --pgsql-db="$PG_DB" --table-size=2000 --db-ps-mode=disable --threads=1 --time=1 --server-stats=on --json=r.json run
  check r.json '
print(server.get("pid"), server["not_read"])
assert server["pid"] == '"$PG_PID"'
assert not any("CPU" in n["figures"] for n in server["not_read"])'
}

@test "mysql: behind a proxy as old as the server, the process is that of the server" {
  to my
  servers shutdown "$server"
  python3 -c '
import socket, sys, threading
def copy(a, b):
    while data := a.recv(65536):
        b.sendall(data)
    b.shutdown(socket.SHUT_WR)
front = socket.create_server(("127.0.0.1", 0))
print(front.getsockname()[1], flush=True)
while True:
    client = front.accept()[0]
    server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    for pair in (client, server), (server, client):
        threading.Thread(target=copy, args=pair, daemon=True).start()
' "$MY_PORT" >port 2>proxy.log 3>&- &
  proxy_pid=$!
  servers restart "$server"
  servers_env "$server"
  until [[ -s port ]]; do kill -0 "$proxy_pid"; done
  bench oltp_point_select --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$(<port)" --mysql-user="$MY_USER" \
    --mysql-db="$MY_DB" --table-size=2000 --threads=1 --time=1 --server-stats=on --json=r.json run
  check r.json '
print(server.get("pid"), server["not_read"])
assert server["pid"] == '"$MY_PID"
}

@test "behind a pooler, the monitor and the run prepare under different names" {
  to pg
  pooler_there || skip "pgbouncer is not installed"
  pooler_start "auth_type = any" "default_pool_size = 1" # all share a session
  cat >both.lua <<'L'
function thread_init()
  con = sysbench.sql.driver():connect()
  own = con:prepare("SELECT 1")
end
function event()
  repeat
    own:execute()
    local both = con:query_row("SELECT count(*) FROM pg_prepared_statements WHERE " ..
      "name LIKE 'bench\\_%\\_1' AND statement = 'SELECT 1' OR name LIKE 'bench\\_apart\\_%' AND statement LIKE '%activity%'")
  until tonumber(both) > 1
end
L
  status=0
  timeout 100 "$BENCH_BUILD/bench" ./both.lua --db-driver=pgsql --pgsql-host="$pooler_dir" --pgsql-port=6432 --pgsql-user="$PG_USER" \
    --pgsql-db="$PG_DB" --events=1 --time=0 --server-stats=on --json=r.json run >out 2>&1 || status=$?
  cat out "$pooler_dir/log"
  [[ $status = 0 ]]
}
