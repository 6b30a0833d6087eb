#!/usr/bin/env bats
# server_waits.bats - what sessions of a run wait for, on MySQL and MariaDB: by
# performance_schema if it is on and may be read, else by the list of processes.

load ../lib/servers

setup_file() {
  if servers has mysql && [[ -x $BENCH_BUILD/tests/db/mysql_types ]]; then
    start on --set=performance_schema=ON \
      --set=performance-schema-consumer-events-waits-current=ON \
      --set=performance-schema-instrument=wait/%=ON
    start off
  fi
}

# start NAME FLAG...: a server with a user for each set of privileges.
start() {
  servers start mysql "$BATS_FILE_TMPDIR/$1" "${@:2}"
  servers sql "$BATS_FILE_TMPDIR/$1" "
    CREATE USER sees_all@'%'; GRANT PROCESS ON *.* TO sees_all@'%';
    CREATE USER sees_events@'%'; CREATE USER sees_locks@'%';
    GRANT PROCESS ON *.* TO sees_locks@'%';
    GRANT SELECT ON performance_schema.* TO sees_all@'%', sees_events@'%';
    GRANT ALL ON sbtest.* TO sees_all@'%', sees_events@'%', sees_locks@'%'"
}

# use on|off: that server; skips if it is not there.
use() {
  reach "$1" "such server" || return 1
  to=(--db-driver=mysql --mysql-socket="$MY_SOCKET" --mysql-user="$MY_USER" --mysql-db="$MY_DB" --table-size=100)
  "$BENCH_BUILD/bench" oltp_update_non_index "${to[@]}" cleanup >/dev/null 2>&1 || true
  "$BENCH_BUILD/bench" oltp_update_non_index "${to[@]}" prepare >/dev/null
}

# held STATEMENTS NAME OPTION...: a run while they are held in a session, until
# an interval has the wait NAME.  Without a NAME: until there are intervals.
held() {
  local run_pid holder='' seen=$2
  rm -f s.jsonl
  if [[ -n $1 ]]; then
    servers sql "$server" "$1; SELECT SLEEP(300)" >/dev/null 2>&1 3>&- &
    holder=$!
  fi
  "$BENCH_BUILD/bench" oltp_update_non_index "${to[@]}" --threads=2 --time=300 --report-interval=1 \
    --server-stats=on --stream=s.jsonl --json=r.json "${@:3}" run >out 2>&1 3>&- &
  run_pid=$!
  until [[ -s s.jsonl ]] && grep -qF "${seen:+\"name\":\"$seen\"}" <(tr -d ' ' <s.jsonl); do
    kill -0 "$run_pid"
    sleep 0.05
  done
  if [[ -n $holder ]]; then
    servers sql "$server" "KILL $(servers sql "$server" "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP(%'")"
    wait "$holder" || :
  fi
  kill -INT "$run_pid"
  wait "$run_pid" || :
}

# check CODE: `waits` has names and sessions, `gaps` what was not read.
check() {
  python3 -c '
import json
server, = json.load(open("r.json"))["servers"]
waits = {w["name"]: w["sessions"] for w in server["waits"]}
gaps = {g["figures"]: g["reason"] for g in server["not_read"]}
# MySQL has them in a table of their own, for which PROCESS is needed as well.
gaps.pop("deadlocks, history_length", "")
most = server["most"].get("lock_waiting", 0)
print(waits, gaps, most)
'"$1"
}

rows='BEGIN; UPDATE sbtest.sbtest1 SET k = k + 1'
tables='FLUSH TABLES WITH READ LOCK'

@test "performance_schema on: row locks, locks of tables and events have PostgreSQL's kind of names" {
  use on
  held "$rows" Lock:row --server-user=sees_all
  check 'assert gaps == {} and most > 0'
  python3 "$BENCH_SRC/tests/cli/results_check.py" "$BENCH_SRC/share/schema/bench-1.schema.json" r.json
  held "$tables" "$(read_lock)" --server-user=sees_all
  check 'assert most > 0 and "Lock:row" not in waits'
}

# The name of a wait for FLUSH TABLES WITH READ LOCK.
read_lock() {
  case $(servers sql "$server" 'SELECT VERSION()') in
    *MariaDB*) printf 'Lock:backup' ;;
    *) printf 'Lock:globalread' ;;
  esac
}

@test "performance_schema on: without PROCESS a row lock is a wait for the table, and the gap has a name" {
  use on
  held "$rows" Table:handler --server-user=sees_events
  check '
assert set(gaps) == {"oldest_transaction_s", "sessions that wait for row locks"}, gaps
assert all("PROCESS" in why for why in gaps.values()) and "Lock:row" not in waits'
}

@test "performance_schema on, but not for this user: said once, and the list of processes is read" {
  use on
  held "$rows" Lock:row --server-user=sees_locks
  check '
assert set(gaps) == {"waits by performance_schema", "statements"}, gaps
assert "denied" in gaps["waits by performance_schema"] and most > 0
assert not [n for n in waits if n.startswith(("IO:", "Client:", "LWLock:"))]'
  [[ $(grep -c 'not read: waits by performance_schema (SELECT command denied' out) = 1 ]]
}

@test "performance_schema off: states and row locks as before, and no gap for it" {
  use off
  held "$rows" Lock:row --server-user=sees_all
  check 'assert set(gaps) == {"statements"} and most > 0, gaps'
  held "$tables" "$(read_lock)" --server-user=sees_locks
  check 'assert most > 0'
  held '' '' --server-user=sees_events
  check 'assert set(gaps) == {"statements", "oldest_transaction_s", "sessions that wait for row locks"}, gaps'
}
