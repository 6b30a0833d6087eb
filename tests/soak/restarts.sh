#!/usr/bin/env bash
# restarts.sh - a long run whose server is restarted again and again: orderly
# and by SIGKILL in turns.
#
# usage: restarts.sh mysql|pgsql [SECONDS [EVERY [THREADS [CLIENTS]]]]
#        (3600 300 64; without CLIENTS each thread is a client)
# BENCH is the program (build/bench), BENCH_SRC the sources; EXTRA has more
# options of the run.  It holds, status 0, if the run ended in time and by
# itself, did work between all restarts, its counts add up, all connections were
# replaced, no table lost or gained a row, and neither memory nor descriptors
# grew in the second half, after two restarts at least.
set -euo pipefail

kind=$1 seconds=${2-3600} every=${3-300} threads=${4-64} clients=${5-}
workers=${clients:-$threads}
BENCH_SRC=${BENCH_SRC-$(cd "$(dirname "$0")/../.." && pwd)}
BENCH=${BENCH-$BENCH_SRC/build/bench}
tables=4 rows=10000 grace=5
# So many rows that most events wait for no other one, and so few statements that
# thousands can prepare them again between two restarts.
((workers <= 1000)) || tables=1 rows=$((10 * workers)) grace=35
dir=$(mktemp -d)
. "$BENCH_SRC/tests/db/servers.sh"
# shellcheck disable=SC2317 # called by the trap
cleanup() {
  [[ -z ${job-} ]] || kill -KILL "$job" 2>/dev/null || true
  [[ ! -e $dir/server/state ]] || servers stop "$dir/server"
  rm -rf "$dir"
}
trap cleanup EXIT
die() {
  printf 'restarts.sh: %s\n' "$1" >&2
  cat "$dir/out" "$dir/err" >&2
  exit 1
}

flags=(--max-connections=$((2 * workers + 50)))
[[ $kind != mysql ]] || flags+=(--max-prepared-stmt-count=1000000)
servers start "$kind" "$dir/server" "${flags[@]}"
servers_env "$dir/server"
if [[ $kind == mysql ]]; then
  target=(--mysql-host=127.0.0.1 --mysql-port="$MY_PORT" --mysql-user=sbtest)
  count_rows() { servers sql "$dir/server" "SELECT COUNT(*) FROM sbtest.sbtest$1"; }
else
  target=(--pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT")
  count_rows() { servers sql "$dir/server" "SELECT COUNT(*) FROM sbtest$1"; }
fi
target+=(--db-driver="$kind" --tables="$tables" --table-size="$rows")
"$BENCH" oltp_read_write "${target[@]}" --threads=4 prepare >"$dir/out" 2>"$dir/err" ||
  die 'prepare failed'

who=(--threads="$threads")
# Clients have pauses, which are short enough that all meet each loss: else the
# latency of thousands would be all that a busy server has to show.
[[ -z $clients ]] || who+=(--clients="$clients" --rand-type=uniform
  --think-time=uniform:5s:15s --thread-init-timeout=600)
# shellcheck disable=SC2086
"$BENCH" oltp_read_write "${target[@]}" --"$kind"-ignore-errors=all \
  "${who[@]}" --time="$seconds" --report-interval=10 \
  --json="$dir/run.json" ${EXTRA-} run >"$dir/out" 2>"$dir/err" &
job=$!
until grep -q '^Threads started' "$dir/out"; do
  kill -0 "$job" || die 'it did not start'
  sleep 0.05
done
began=$SECONDS

resident() { awk '/^VmRSS/ { print $2 }' "/proc/$job/status"; }
open_files() { find "/proc/$job/fd" -mindepth 1 | wc -l; }
# until_second N: of the run; false when the run has ended before.
until_second() {
  while ((SECONDS - began < $1)); do
    kill -0 "$job" 2>/dev/null || return 1
    sleep 0.2
  done
}

# The values to compare with are those of a time when the server is there, and
# has been shut down and killed: several times, since each connection that is
# replaced leaves gaps between what is allocated, which later ones fill.
((seconds >= 3 * every)) || die "SECONDS must be at least three times EVERY"
settled=$((seconds / 2 > 2 * every ? seconds / 2 : 2 * every)) restarts=0 first=0 last=0 files=0 most_files=0
look() {
  local now
  if ((first == 0 && SECONDS - began >= settled)); then
    first=$(resident) files=$(open_files)
  fi
  last=$(resident) now=$(open_files)
  ((now <= most_files)) || most_files=$now
}
for ((at = every; at < seconds - every / 2; at += every)); do
  until_second $((at - every / 10 - 1)) || die 'it ended before its time'
  look
  until_second "$at" || die 'it ended before its time'
  if ((restarts % 2 == 0)); then
    servers shutdown "$dir/server"
  else
    servers kill9 "$dir/server"
  fi
  servers restart "$dir/server"
  restarts=$((restarts + 1))
done
until_second $((seconds - 2)) || die 'it ended before its time'
look
status=0
wait "$job" || status=$?
took=$((SECONDS - began))
job=''

# What the document says of itself: "events reconnects errors" and whether the
# intervals add up to the totals, and no stretch between restarts was idle.
figures=$(python3 - "$dir/run.json" "$every" "$seconds" <<'PYTHON'
import json, sys
run = json.load(open(sys.argv[1]))
every, seconds = float(sys.argv[2]), float(sys.argv[3])
totals, rows = run["totals"], run["intervals"]
assert sum(i["events"] for i in rows) == totals["events"], "intervals and events"
assert totals["latency_ns"]["count"] == totals["events"], "latencies and events"
stretch = {}
for i in rows:
    # What is left of the last answers comes after the time.
    n = int(min(i["elapsed_s"] - i["period_s"] / 2, seconds - 1) // every)
    stretch[n] = stretch.get(n, 0) + i["events"]
assert all(stretch.values()), "an idle stretch: %r" % stretch
print(totals["events"], totals["reconnects"], totals["errors"])
PYTHON
) || die 'the counts do not add up'
read -r events reconnects errors <<<"$figures"

printf '%s: %d clients, %d s, %d restarts, %d events, %d reconnects, %d errors; resident %d kB after %d s, %d kB at the end; %d descriptors, %d at most; took %d s, status %d\n' \
  "$kind" "$workers" "$seconds" "$restarts" "$events" "$reconnects" "$errors" "$first" \
  "$settled" "$last" "$files" "$most_files" "$took" "$status"

fail=0
check() {
  (($1)) || { printf 'restarts.sh: not so: %s\n' "$2" >&2; fail=1; }
}
check "status == 0" 'it ended by itself'
check "took <= seconds + grace" 'it ended in time'
check "restarts > 0 && reconnects >= workers * restarts" 'connections were replaced'
check "last <= first + first / 33 + 512" 'memory is flat'
check "most_files <= files + 8" 'descriptors are given back'
for ((t = 1; t <= tables; t++)); do
  check "$(count_rows "$t") == rows" "table $t has its rows"
done
((fail == 0)) || cat "$dir/out" "$dir/err" >&2
exit "$fail"
