#!/usr/bin/env bash
# database.sh - throughput on private MariaDB and PostgreSQL servers beside
# sysbench: 4 tables, uniform keys, prepared statements, Unix sockets.
#
# ROWS per table [20000], SECONDS_EACH run [3], THREADS to try ["16 64"].
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

rows=${ROWS:-20000} seconds=${SECONDS_EACH:-3}
servers=$here/../db/servers.sh
work=$(mktemp -d)
trap '"$servers" stop "$work/my" >/dev/null 2>&1 || :
      "$servers" stop "$work/pg" >/dev/null 2>&1 || :
      rm -rf "$work"' EXIT

"$servers" start mysql "$work/my" >/dev/null
"$servers" start pgsql "$work/pg" >/dev/null
eval "$("$servers" env "$work/my")"
eval "$("$servers" env "$work/pg")"
mysql=(--mysql-socket="$MY_SOCKET")
pgsql=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT")

title "events per second, 4 tables of $rows rows"
printf '%-7s %-18s %8s %12s %12s %8s\n' server test threads bench sysbench ratio
for server in mysql pgsql; do
  declare -n where=$server
  job=("${where[@]}" --tables=4 --table-size="$rows" --rand-type=uniform)
  "$BENCH" oltp_read_write "${job[@]}" --threads=4 prepare >/dev/null
  for name in oltp_point_select oltp_read_write; do
    ignore=(--mysql-ignore-errors=1213,1020,1205,1062)
    for threads in ${THREADS:-16 64}; do
      both "$name" "${job[@]}" "${ignore[@]}" --threads="$threads" --time="$seconds" run
      printf '%-7s %-18s %8d %12.0f %12.0f %8.3f\n' "$server" "$name" "$threads" \
        "$ours" "$theirs" "$(calc "$ours / $theirs")"
    done
  done
done
