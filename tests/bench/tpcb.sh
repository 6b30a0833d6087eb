#!/usr/bin/env bash
# tpcb.sh - the script tpcb on a private PostgreSQL server, beside pgbench with
# prepared statements on the same tables.
#
# SCALE of the tables [10], SECONDS_EACH run [5], THREADS to try ["1 8"].
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

find_pgbench() {
  command -v pgbench || find /usr/lib/postgresql -name pgbench 2>/dev/null | tail -n 1
}
pgbench=$(find_pgbench)
[[ -n $pgbench ]] || die 'pgbench is not installed'

scale=${SCALE:-10} seconds=${SECONDS_EACH:-5}
servers=$here/../db/servers.sh
work=$(mktemp -d)
trap '"$servers" stop "$work/pg" >/dev/null 2>&1 || :
      rm -rf "$work"' EXIT
"$servers" start pgsql "$work/pg" >/dev/null
eval "$("$servers" env "$work/pg")"
job=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT")
"$BENCH" tpcb "${job[@]}" --scale="$scale" --load-analyze=on prepare >/dev/null 2>&1

# theirs THREADS: transactions per second.
theirs() {
  "$pgbench" -n -M prepared -h "$PG_SOCKET_DIR" -p "$PG_PORT" -U sbtest \
    -c "$1" -j "$1" -T "$seconds" sbtest 2>/dev/null |
    awk '/^tps = / { print $3; exit }'
}

title "transactions per second on PostgreSQL, scale $scale"
printf '%8s %12s %12s %8s\n' threads bench pgbench ratio
for threads in ${THREADS:-1 8}; do
  a='' b=''
  for ((i = 0; i < PAIRS; i++)); do
    a+=$(rate "$BENCH" tpcb "${job[@]}" --threads="$threads" \
      --time="$seconds" run)$'\n' || exit 1
    one=$(theirs "$threads")
    [[ -n $one ]] || die 'pgbench has failed'
    b+=$one$'\n'
  done
  ours=$(median <<<"${a%$'\n'}") other=$(median <<<"${b%$'\n'}")
  printf '%8d %12.0f %12.0f %8.3f\n' "$threads" "$ours" "$other" \
    "$(calc "$ours / $other")"
done
"$BENCH" tpcb "${job[@]}" check >/dev/null 2>&1 || die 'the tables are not as they should be'
