#!/usr/bin/env bash
# server_stats.sh - what reading a server costs when it has many connections:
# milliseconds of a reading and of a look, and whether one comes too late.
#
# The servers are private ones on this machine, and all connections work as fast
# as they can: two threads of the client carry them, and the servers have what
# remains of the processors.  MYSQL [100 1000 4000] and PGSQL [100 500] are the
# numbers of connections, TIME [20] the seconds of each run, RATE [0] its events
# per second (0: as many as it can).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BENCH=${BENCH:-$here/../../build/bench}
TIME=${TIME:-20} RATE=${RATE:-0} MYSQL=${MYSQL-100 1000 4000} PGSQL=${PGSQL-100 500}
export BENCH_DATADIR=${BENCH_DATADIR:-$here/../../src/lua/scripts}
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"
make_work

quietly() {
  "$@" >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
}

# largest NUMBER...
largest() {
  printf '%s\n' "$@" | sort -n | tail -n 1
}

# row NUMBER: a run with so many connections.
row() {
  quietly "$BENCH" oltp_point_select "${to[@]}" --table-size=10000 --clients="$1" --threads=2 \
    --time="$TIME" --rate="$RATE" --report-interval=1 --json="$work/json" run
  python3 - "$kind" "$1" "$work/json" <<'PY'
import json, sys
kind, number, name = sys.argv[1:]
doc = json.load(open(name))
server, = doc["servers"]
m = server["monitor"]
known = sum(i["servers"][0]["known"] for i in doc["intervals"])
print("%-6s %11s %10.0f %9d of %-3d %6d %6d %10.2f %8.2f %7d %8.2f" % (
    kind, number, doc["totals"]["events_per_s"], known, len(doc["intervals"]), m["late"], m["missed"],
    m["reading_mean_ns"] / 1e6, m["reading_max_ns"] / 1e6, m["looks"], m["look_mean_ns"] / 1e6))
PY
}

# rows KIND NUMBER...: with a server that has room for them.
rows() {
  kind=$1
  shift
  (($# > 0)) || return 0
  private_server "$kind" --max-connections=$(($(largest "$@") + 20))
  declare -n to=$kind
  case $kind in
    mysql) servers sql "$work/$kind" "GRANT PROCESS ON *.* TO $MY_USER@'%'" ;;
    pgsql) servers sql "$work/$kind" "GRANT pg_read_all_stats TO $PG_USER" ;;
  esac
  quietly "$BENCH" oltp_point_select "${to[@]}" --table-size=10000 prepare
  for number; do
    row "$number"
  done
  servers stop "$work/$kind"
}

printf '%s\n' "$("$BENCH" --version)"
printf '%-6s %11s %10s %16s %6s %6s %10s %8s %7s %8s\n' server connections events/s 'with a reading' late missed \
  'reading ms' 'max ms' looks 'look ms'
# shellcheck disable=SC2086 # words
rows mysql $MYSQL
# shellcheck disable=SC2086
rows pgsql $PGSQL
