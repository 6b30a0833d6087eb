#!/usr/bin/env bash
# causes.sh - is the cause of a dip named?  Each row makes a cause for real at
# known moments, with a private server, and asks the run what its dips coincide
# with.  The commands of a row can be copied: put your own server in place of
# those here.
#
# usage: causes.sh ROW...   causes.sh all   causes.sh list
#   RUNS=N             of each row (1); a table at the end says how many were right
#   JOBS=N             of them at a time (1): for `calm`, which has nothing to fear
#   INTERVAL=SECONDS   of the run, which has 120 of them or more (1)
#   KEEP=FOLDER        result documents stay there: ROW.N.json
#
# Exit status: 0 if the sentences name the causes, and if one of 20 runs of `calm`
# at most has a sentence; 77 if this machine can have none of the causes, stderr
# says why; else 1.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${BENCH:=$top/build/bench}" "${INTERVAL:=1}" "${RUNS:=1}" "${JOBS:=1}" "${KEEP:=}"
# shellcheck source=tests/db/servers.sh
. "$top/tests/db/servers.sh"

intervals=120
# When a cause begins: after so many intervals.  No two distances are equal.
moments=(14 23 37 59 89)
# A cause is in the interval after its moment.  It needs some time to begin.
begins=1
# So many of the events change something.
writes=1

work=$(mktemp -d)
run=
groups=()
# shellcheck disable=SC2317 # the trap
leave() {
  [[ -z $run ]] || kill -KILL "$run" 2>/dev/null || true
  [[ -z $run ]] || wait "$run" 2>/dev/null || true
  [[ ! -e $work/a/state ]] || servers stop "$work/a"
  for group in ${groups[@]+"${groups[@]}"}; do
    while read -r pid; do
      printf '%s' "$pid" 2>/dev/null >"${group%/*}/cgroup.procs" || true
    done <"$group/cgroup.procs"
    rmdir "$group" || true
  done
  [[ -z ${keep-} || ! -e $work/result ]] || cp "$work/result" "$keep"
  rm -rf "$work"
}
trap leave EXIT

wrong() {
  printf 'WRONG: %s\n' "$*" >&2
  tail -n 20 "$work/out" "$work/err" >&2 || true
  exit 1
}

cannot() {
  printf 'not here: %s\n' "$*" >&2
  exit 77
}

# group CONTROLLER [NAME]: a new control group of version 1, in $group.
group() {
  local parent=/sys/fs/cgroup/$1
  [[ -e $parent/cgroup.procs && -e $parent/tasks ]] || cannot "no control groups of version 1 for $1"
  group=$parent/bench-causes.$$${2-}
  mkdir "$group" 2>/dev/null || cannot "no new control group in $parent"
  groups+=("$group")
}

# join PID...: they are in $group from now on, and so are their children.
join() {
  for pid; do
    printf '%s' "$pid" >"$group/cgroup.procs"
  done
}

# come_first: before what else this machine does, if it has such groups.
come_first() {
  [[ -w /sys/fs/cgroup/cpu/tasks ]] || return 0
  group cpu first
  echo 8192 >"$group/cpu.shares"
  join "$BASHPID"
}

# The disk of the server stores so many bytes per second.
slow_disk() {
  local disk
  group blkio
  [[ -e $group/blkio.throttle.write_bps_device ]] || cannot 'no limits of disks'
  disk=$(findmnt -no MAJ:MIN -T "${SERVERS_TMP:-/tmp}")
  [[ ! -e /sys/dev/block/$disk/partition ]] || disk=$(cat "/sys/dev/block/$disk/../dev")
  printf '%s %d' "$disk" "$1" 2>/dev/null >"$group/blkio.throttle.write_bps_device" ||
    cannot "disk $disk has no limit"
  # shellcheck disable=SC2046 # words
  join $(servers pids "$work/a")
}

times() { awk "BEGIN { print $1 * $2 }"; }

# server KIND FLAG...
server() {
  kind=$1
  servers has "$1" || cannot "no $1 server is installed"
  [[ $("$BENCH" --db-driver=help 2>&1) == *"  $1 - "* ]] || cannot "built without $1"
  come_first
  servers start "$1" "$work/a" "${@:2}"
  servers_env "$work/a"
  case $kind in
  pgsql) to=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT" --pgsql-user="$PG_USER" --pgsql-db="$PG_DB") ;;
  mysql) to=(--db-driver=mysql --mysql-socket="$MY_SOCKET" --mysql-user="$MY_USER" --mysql-db="$MY_DB") ;;
  esac
  case $kind in
  pgsql) admin "GRANT pg_read_all_stats TO $PG_USER" ;;
  mysql) admin "GRANT PROCESS ON *.* TO $MY_USER@'%'" ;;
  esac
}

admin() { servers sql "$work/a" "$1" >/dev/null; }

# under_load WHAT ARG...: a run of so many intervals, which has begun.
under_load() {
  "$BENCH" "$@" "${to[@]}" --time="$(times "$INTERVAL" "$intervals")" --server-stats=on \
    --report-interval="$INTERVAL" --stream="$work/stream" --json="$work/result" \
    run >"$work/out" 2>"$work/err" 3>&- &
  run=$!
}

# at N: the stream has so many intervals; `now` is how many it has.
at() {
  until now=$(wc -l 2>/dev/null <"$work/stream") && ((now >= $1)); do
    kill -0 "$run" 2>/dev/null || wrong 'the run has ended too early'
    read -rt 0.05 <> <(:) || true
  done
}

# each COMMAND...: the command is the cause, at all moments.
each() {
  local moment
  begun=()
  for moment in "${moments[@]}"; do
    at "$moment"
    begun+=("$now")
    "$@"
  done
  ended
}

ended() {
  wait "$run" || wrong "the run has failed"
  run=
}

# named SERIES...: a sentence is about one of them, and the dips and what the
# server says of it are where the cause was.
named() {
  sed -nE 's/^ *(.* dips? coincides? with .*)/  \1/p' "$work/out"
  python3 - "$work/result" "${begun[*]}" "$(times "$begins" 1/"$INTERVAL")" "$@" <<'PY' || wrong "no sentence names $*"
import json, math, statistics, sys
doc = json.load(open(sys.argv[1]))
begun = [int(n) for n in sys.argv[2].split()]
late = 1 + math.ceil(float(sys.argv[3]))
said = doc["coincidences"]
dips = [(d["first"], d["last"]) for d in said["dips"]]
print(f"  begun after {begun}, {said['intervals']} intervals, dips {dips}")
missed = [n for n in begun if not any(first <= n + late and last >= n - 1 for first, last in dips)]
assert len(missed) <= len(begun) // 5, f"no dip after {missed}"
found = said["found"]
assert found and any(f["series"] in sys.argv[4:] for f in found), found
first = next(f for f in found if f["series"] in sys.argv[4:])
assert first["p"] <= 0.01 and first["hits"] >= max(1, len(begun) - 1), first

kind, _, name = first["series"].partition(".")
if kind == "server" and name != "checkpoint_age":
    key = {"checkpoint_running": "checkpoint_running_ratio"}.get(name, name)
    seen = [i["servers"][0].get(key, 0) for i in doc["intervals"]]
    usual = statistics.median(seen)
    away = [n for n in begun if not any(v > usual for v in seen[max(n - 1, 0) : n + late + 1])]
    assert len(away) <= len(begun) // 5, f"{key} is not high after {away}: {seen}"
PY
}

# slow: events that wait most of the time, so that a busy machine hardly slows
# them down.  Each thread has a row of its own.
slow() {
  slow_tables
  slow_run
}

slow_tables() {
  case $kind in
  pgsql) nap=pg_sleep my= ;;
  mysql) nap=SLEEP my="USE $MY_DB; " ;;
  esac
  admin "${my}CREATE TABLE rows_of_threads (id INT PRIMARY KEY, k INT)"
  for i in {0..15}; do printf '(%d, 0),' "$i"; done >"$work/rows"
  admin "${my}INSERT INTO rows_of_threads VALUES $(sed 's/,$//' "$work/rows")"
  [[ $kind == mysql ]] || admin "GRANT ALL ON rows_of_threads TO $PG_USER"
  cat >"$work/slow.lua" <<LUA
function thread_init()
  con = sysbench.sql.driver():connect()
end
function event()
  if sysbench.rand.uniform_double() < $writes then
    con:query("UPDATE rows_of_threads SET k = k + 1 WHERE id = " .. sysbench.tid)
  end
  con:query("SELECT $nap(" .. (0.02 + sysbench.rand.uniform_double() * 0.06) .. ")")
end
LUA
}

slow_run() {
  under_load "$work/slow.lua" --threads=16
}

# A transaction holds the rows.
hold() {
  local time
  time=$(times "$INTERVAL" 3)
  case $kind in
  pgsql) admin "BEGIN; UPDATE rows_of_threads SET k = k; SELECT pg_sleep($time); ROLLBACK" ;;
  mysql) admin "${my}BEGIN; UPDATE rows_of_threads SET k = k + 1; SELECT SLEEP($time); ROLLBACK" ;;
  esac
}

# ---- the rows ----

row_pgsql_lock() {
  server pgsql
  slow
  each hold
  named server.lock_waiting
}

# One event in the whole run.
row_pgsql_lock_once() {
  moments=(61)
  server pgsql
  slow
  each hold
  named server.lock_waiting
}

row_mysql_lock() {
  server mysql
  slow
  each hold
  named server.lock_waiting
}

# All tables are locked, as some backups do.
freeze() {
  admin "FLUSH TABLES WITH READ LOCK; SELECT SLEEP($(times "$INTERVAL" 3)); UNLOCK TABLES"
}

row_mysql_read_lock() {
  server mysql
  slow
  each freeze
  named server.lock_waiting
}

# The control group of the run has a quota for a while.
limit() {
  printf '%s' "$1" >"$group/cpu.cfs_quota_us"
}

# It lasts by the clock: the run says nothing when it is stopped.
squeeze() {
  limit 1000
  read -rt "$(times "$INTERVAL" 3)" <> <(:) || true
  limit -1
}

# A program that is stopped reports nothing, for some seconds: it has to work off
# what it has used too much.  All that would have been intervals is one, so that a
# run with short ones has to last longer.
row_quota() {
  intervals=$(awk "BEGIN { print $INTERVAL < 1 ? 2 * $intervals : $intervals }")
  group cpu
  [[ -e $group/cpu.cfs_quota_us ]] || cannot 'no quotas'
  server pgsql
  slow
  join "$run"
  each squeeze
  named system.cpu.throttled
}

# spread: as slow, with rows on thousands of pages.
spread() {
  admin "CREATE TABLE spread_rows (id INT PRIMARY KEY, k INT, pad TEXT) WITH (fillfactor = 80, autovacuum_enabled = off)"
  admin "ALTER TABLE spread_rows ALTER pad SET STORAGE PLAIN"
  admin "INSERT INTO spread_rows SELECT n, 0, repeat('x', 1000) FROM generate_series(1, 40000) n"
  admin "GRANT ALL ON spread_rows TO $PG_USER; CHECKPOINT"
  cat >"$work/slow.lua" <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
end
function event()
  con:query("UPDATE spread_rows SET k = k + 1 WHERE id = " .. sysbench.rand.uniform(1, 40000))
  con:query("SELECT pg_sleep(" .. (0.02 + sysbench.rand.uniform_double() * 0.06) .. ")")
end
LUA
  slow_run
}

# The server syncs, and its disk has other things to do while all pages that
# were changed are written.
row_pgsql_checkpoint() {
  server pgsql --durable --set=checkpoint_timeout=1h --set=shared_buffers=128MB --set=wal_init_zero=off --set=autovacuum=off
  slow_disk $((8 << 20))
  spread
  each admin CHECKPOINT
  named server.checkpoint_running server.checkpoints server.pages_written
}

row_pgsql_checkpoint_once() {
  moments=(61)
  row_pgsql_checkpoint
}

# The log is small, and another client fills it faster than the disk stores the
# pages that it is about.  Commits wait for no disk.
fill() {
  admin "USE $MY_DB; INSERT INTO filler (pad) SELECT REPEAT('x', 2000) FROM seq_1_to_3000"
}

row_mysql_log() {
  writes=0.2 # the run itself does not fill the log
  server mysql --durable --set=innodb_flush_log_at_trx_commit=0 --set=innodb_flush_method=O_DIRECT \
    --set=innodb_log_file_size=4M --set=innodb_buffer_pool_size=256M
  slow_tables
  admin "USE $MY_DB; CREATE TABLE filler (id INT AUTO_INCREMENT PRIMARY KEY, pad TEXT)"
  slow_disk $((8 << 20))
  slow_run
  each fill
  named server.checkpoint_age server.pages_written server.fsyncs
}

# The next table with dead rows is given to the automatic vacuum, whose changes
# fill the log.
give() {
  dead=$((dead + 1))
  admin "ALTER TABLE dead$dead SET (autovacuum_enabled = on)"
}

row_pgsql_vacuum() {
  local dead=0 i
  begins=3 # it looks for work every second
  server pgsql --durable --set=checkpoint_timeout=1h --set=max_wal_size=4GB --set=shared_buffers=256MB \
    --set=wal_init_zero=off --set=autovacuum_naptime=1s --set=autovacuum_vacuum_cost_delay=0
  for i in "${!moments[@]}"; do
    admin "CREATE TABLE dead$((i + 1)) WITH (autovacuum_enabled = off) AS SELECT n AS id, repeat('x', 80) AS pad FROM generate_series(1, 200000) n"
    admin "DELETE FROM dead$((i + 1)) WHERE id % 2 = 0"
  done
  slow_disk $((8 << 20))
  spread
  each give
  named server.vacuum_running
}

# burn SECONDS: a program that comes before all others on this processor.
burn() {
  local group=$hog
  (
    join "$BASHPID"
    exec timeout "$1" bash -c 'while :; do :; done'
  ) 3>&- &
  wait $! || true
}

# The run and its server share a processor with it.
row_hog() {
  local hog
  taskset -cp 0 "$BASHPID" >/dev/null || cannot 'processor 0 is not for this process'
  group cpu hog
  hog=$group
  echo 262144 >"$hog/cpu.shares"
  server pgsql
  slow
  each burn "$(times "$INTERVAL" 3)"
  named client.waiting system.cpu.others
}

# Nothing happens.
row_calm() {
  server pgsql
  slow
  ended
  ! grep -E ' dips? coincides? with ' "$work/out" || wrong 'a sentence without a cause'
}

# ---- runs of rows ----

rows=$(declare -F | sed -nE 's/^declare -f row_(.*)/\1/p')

# try ROW N: in a process of its own, which prints all at once at its end.
try() {
  local status=0 out
  out=$(keep=${KEEP:+$KEEP/$1.$2.json} "${BASH_SOURCE[0]}" --try "$1" 2>&1) || status=$?
  printf '== %s %s\n%s\n' "$1" "$2" "$out"
  case $status in
  0) echo right ;;
  77) echo 'not here' ;;
  *) echo wrong ;;
  esac >"$work/$1.$2"
}

# how_many ROW WORD: of its runs.
how_many() {
  cat "$work/$1".* | grep -cx "$2" || true
}

table() {
  local row wrongs rights=0 status=0
  printf '\n%-24s %6s %6s %6s %8s\n' row runs right wrong 'not here'
  for row; do
    wrongs=$(how_many "$row" wrong)
    printf '%-24s %6d %6d %6d %8d\n' "$row" "$RUNS" "$(how_many "$row" right)" "$wrongs" "$(how_many "$row" 'not here')"
    rights=$((rights + $(how_many "$row" right)))
    [[ $row != calm ]] || wrongs=$((wrongs - RUNS / 20))
    ((wrongs <= 0)) || status=1
  done
  ((status != 0 || rights > 0)) || status=77
  return $status
}

case ${1-} in
'' | list) printf '%s\n' "$rows" ;;
--try) "row_$2" ;;
*)
  # shellcheck disable=SC2086 # words
  [[ $1 != all ]] || set -- $rows
  [[ -z $KEEP || -d $KEEP && -w $KEEP ]] ||
    { printf "causes.sh: KEEP: '%s' is no folder to write in\n" "$KEEP" >&2; exit 2; }
  for row; do
    grep -qx -- "$row" <<<"$rows" || { printf 'causes.sh: no row %s\n' "$row" >&2; exit 2; }
  done
  for row; do
    for ((i = 1; i <= RUNS; i++)); do
      ((i <= JOBS)) || wait -n
      try "$row" "$i" &
    done
    wait
  done
  table "$@"
  ;;
esac
