#!/usr/bin/env bash
# kills.sh - kills sessions of a run by hundreds: each that was alive is
# replaced, and the program's memory does not grow.
#
# usage: kills.sh mysql|pgsql [KILLS [SECONDS]]     (1000 kills during 60 s)
# Needs BENCH, BENCH_SRC and BENCH_BUILD as the makefile sets them; status 0 if
# all held.  EXTRA has more options of the run.  Slow machines take longer.
set -euo pipefail

kind=$1 kills=${2-1000} seconds=${3-60}
dir=$(mktemp -d)
. "$BENCH_SRC/tests/db/servers.sh"
cleanup() {
  [[ -z ${job-} ]] || kill -KILL "$job" 2>/dev/null || true
  [[ ! -e $dir/server/state ]] || servers stop "$dir/server"
  rm -rf "$dir"
}
trap cleanup EXIT

servers start "$kind" "$dir/server" --max-connections=100
servers_env "$dir/server"
sql() { servers sql "$dir/server" "$1"; }

# hit SESSION: it was alive, and is ended.
if [[ $kind == mysql ]]; then
  target=("--mysql-host=127.0.0.1" "--mysql-port=$MY_PORT")
  table=sbtest.counter
  list="SELECT id FROM information_schema.processlist WHERE user = 'sbtest' ORDER BY RAND() LIMIT 1"
  hit() { sql "KILL $1" 2>/dev/null; }
else
  target=("--pgsql-host=127.0.0.1" "--pgsql-port=$PG_PORT")
  table=counter
  list="SELECT pid FROM pg_stat_activity WHERE application_name = 'bench' ORDER BY random() LIMIT 1"
  hit() { [[ $(sql "SELECT pg_terminate_backend($1)") == t ]]; }
fi
sql "CREATE TABLE $table (id INT PRIMARY KEY, n INT NOT NULL)"
sql "INSERT INTO $table VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0)"
[[ $kind == mysql ]] || sql "GRANT ALL ON counter TO sbtest"

cat >"$dir/script.lua" <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  st = con:prepare("UPDATE counter SET n = n + 1 WHERE id = ?")
  id = st:bind_create(sysbench.sql.type.INT)
  st:bind_param(id)
  id:set(sysbench.tid + 1)
end
function event()
  con:query("BEGIN")
  st:execute()
  con:query("COMMIT")
end
LUA

# shellcheck disable=SC2086
"$BENCH" "$dir/script.lua" --db-driver="$kind" "${target[@]}" --threads=8 \
  --time=0 --db-ignore-errors=connection ${EXTRA-} run \
  >"$dir/out" 2>"$dir/err" &
job=$!
# Before that a lost connection is a failure of the start.
until grep -q '^Threads started' "$dir/out"; do
  kill -0 "$job" || { cat "$dir/out" "$dir/err" >&2; exit 1; }
  sleep 0.05
done

resident() { awk '/^VmRSS/ { print $2 }' "/proc/$job/status"; }

hits=0 first=0 since=$EPOCHREALTIME
for ((i = 0; i < kills; i++)); do
  # Never two at once: each kill is to hit a connection that is in use.
  until session=$(sql "$list") && [[ -n $session ]]; do
    kill -0 "$job" || { cat "$dir/out" "$dir/err" >&2; exit 1; }
    sleep 0.01
  done
  ! hit "$session" || hits=$((hits + 1))
  ((i != kills / 4)) || first=$(resident)
  pause=$(awk -v s="$since" -v n="$EPOCHREALTIME" -v i="$i" -v k="$kills" -v t="$seconds" \
    'BEGIN { p = s + (i + 1) * t / k - n; print (p > 0 ? p : 0) }')
  sleep "$pause"
done
last=$(resident)
sleep 1 # the last one comes back
kill -INT "$job"
status=0
wait "$job" || status=$?
job=''

number() { sed -n "s/^ *$1: *\([0-9]*\).*/\1/p" "$dir/out"; }
reconnects=$(number reconnects)
events=$(number 'total number of events')
commits=$(sql "SELECT SUM(n) FROM $table")
printf '%s: %d kills, %d hit, %d reconnects; %d events, %d commits; resident %d kB after a quarter, %d kB at the end; status %d\n' \
  "$kind" "$kills" "$hits" "$reconnects" "$events" "$commits" "$first" "$last" "$status"

fail=0
check() {
  (($1)) || { printf 'kills.sh: not so: %s\n' "$2" >&2; fail=1; }
}
check "status == 130" "ended by the signal"
check "hits > kills * 9 / 10" "nearly every kill hits"
# A session that is killed twice before it notices is replaced once.
check "reconnects <= hits && reconnects * 100 >= hits * 95" "a reconnect for every hit"
check "$(number 'ignored errors') == 0" "a lost connection is no error"
# A COMMIT whose answer was lost may have been executed.
check "commits >= events && commits <= events + reconnects + 8" "every event was committed"
check "last <= first + 512" "memory is flat"
((fail == 0)) || cat "$dir/out" "$dir/err" >&2
exit "$fail"
