#!/usr/bin/env bash
# pgbench.sh - point selects on a private PostgreSQL server, prepared, beside
# pgbench with the same statement on the same table.
#
# ROWS of the table [20000], SECONDS_EACH run [3], THREADS to try ["1 16"].
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

find_pgbench() {
  command -v pgbench || find /usr/lib/postgresql -name pgbench 2>/dev/null | tail -n 1
}
pgbench=$(find_pgbench)
[[ -n $pgbench ]] || die 'pgbench is not installed'

rows=${ROWS:-20000} seconds=${SECONDS_EACH:-3}
servers=$here/../db/servers.sh
work=$(mktemp -d)
trap '"$servers" stop "$work/pg" >/dev/null 2>&1 || :
      rm -rf "$work"' EXIT
"$servers" start pgsql "$work/pg" >/dev/null
eval "$("$servers" env "$work/pg")"
job=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT"
  --tables=1 --table-size="$rows" --rand-type=uniform)
"$BENCH" oltp_point_select "${job[@]}" prepare >/dev/null
cat >"$work/select.sql" <<END
\\set id random(1, $rows)
SELECT c FROM sbtest1 WHERE id = :id;
END

# theirs THREADS: transactions per second.
theirs() {
  "$pgbench" -n -M prepared -f "$work/select.sql" -h "$PG_SOCKET_DIR" -p "$PG_PORT" \
    -U sbtest -c "$1" -j "$1" -T "$seconds" sbtest 2>/dev/null |
    awk '/^tps = / { print $3; exit }'
}

title "point selects per second on PostgreSQL, $rows rows"
printf '%8s %12s %12s %8s\n' threads bench pgbench ratio
for threads in ${THREADS:-1 16}; do
  a='' b=''
  for ((i = 0; i < PAIRS; i++)); do
    a+=$(rate "$BENCH" oltp_point_select "${job[@]}" --threads="$threads" \
      --time="$seconds" run)$'\n' || exit 1
    one=$(theirs "$threads")
    [[ -n $one ]] || die 'pgbench has failed'
    b+=$one$'\n'
  done
  ours=$(median <<<"${a%$'\n'}") other=$(median <<<"${b%$'\n'}")
  printf '%8d %12.0f %12.0f %8.3f\n' "$threads" "$ours" "$other" \
    "$(calc "$ours / $other")"
done
