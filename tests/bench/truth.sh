#!/usr/bin/env bash
# truth.sh - are the latencies that bench reports those of the server?  A server
# that takes known times notes each request; beside it the same runs are
# measured, on a calm machine and next to programs that want all CPUs.
#
# BENCH     the program to measure, else build/bench of this checkout
# SECS  of each run, else 3
#
# Prints a table in Markdown.  All times are in milliseconds.  "without" is p99
# less what the client's machine added to each measured event.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BENCH=${BENCH:-$here/../../build/bench}
SECS=${SECS:-3}
[[ -x $BENCH ]] || {
  printf "truth.sh: there is no program '%s': set BENCH\n" "$BENCH" >&2
  exit 1
}

work=$(mktemp -d)
server=
busy=()
# shellcheck disable=SC2317 # the trap
leave() {
  local pid
  for pid in $server "${busy[@]}"; do kill "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap leave EXIT

"${CC:-cc}" -O2 -pthread -o "$work/exact_server" "$here/exact_server.c"
echo 'SELECT 1;' >"$work/one.sql"

# spin: two programs for each CPU.
spin() {
  local i
  for ((i = 2 * $(nproc); i > 0; i--)); do
    while :; do :; done &
    busy+=($!)
  done
}

calm() {
  local pid
  for pid in "${busy[@]}"; do
    kill "$pid"
    wait "$pid" 2>/dev/null || true
  done
  busy=()
}

# row KIND MACHINE OPTION...: one run, one row of the table.
row() {
  local kind=$1 machine=$2
  shift 2
  rm -f "$work/.s.PGSQL.5432"
  "$work/exact_server" "$work/.s.PGSQL.5432" "$kind" >"$work/server" 2>"$work/err" &
  server=$!
  until [[ -S $work/.s.PGSQL.5432 ]]; do read -rt 0.05 <> <(:) || :; done
  "$BENCH" "$work/one.sql" --db-driver=pgsql --pgsql-host="$work" --pgsql-user=x --pgsql-db=x \
    --db-ps-mode=disable --time="$SECS" --percentiles=50,99 --json="$work/run.json" "$@" run \
    >/dev/null 2>&1 || true
  kill "$server"
  wait "$server" || true
  server=
  KIND=$kind MACHINE=$machine OPTIONS="$*" WORK=$work python3 - <<'PY'
import json, os
work = os.environ["WORK"]
d = json.load(open(work + "/run.json"))
n, p50, p99, most = open(work + "/server").read().split()
t = d["totals"]
l = t["latency_ns"]
a = d["client"].get("added_latency_ns", {})
ms = lambda ns: "%.2f" % (ns / 1e6)
print("|", " | ".join([os.environ["KIND"], os.environ["MACHINE"], "`%s`" % os.environ["OPTIONS"],
    n, p50, p99, most, str(t["events"]), ms(l["percentiles"]["50"]), ms(l["percentiles"]["99"]), ms(l["max"]),
    ms(a["p99_without"]) if a else "-",
    ", ".join("`%s`" % w["code"] for w in d["warnings"]) or "-"]), "|")
PY
}

echo '| Server | Machine | Options | requests | p50 | p99 | longest | events | p50 | p99 | longest | without | warnings |'
echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|'
for kind in constant bimodal stall; do
  for machine in calm busy; do
    [[ $machine = calm ]] || spin
    row "$kind" "$machine" --threads=4
    row "$kind" "$machine" --threads=4 --rate=200
    row "$kind" "$machine" --threads=1 --clients=16
    calm
  done
done
