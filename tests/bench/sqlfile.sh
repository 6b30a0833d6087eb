#!/usr/bin/env bash
# sqlfile.sh - files of SQL on a private PostgreSQL server, prepared, beside
# pgbench with the same files on the same tables.
#
# SCALE of pgbench's tables [2], SECONDS_EACH run [3], THREADS to try ["1 4"].
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

find_pgbench() {
  command -v pgbench || find /usr/lib/postgresql -name pgbench 2>/dev/null | tail -n 1
}
pgbench=$(find_pgbench)
[[ -n $pgbench ]] || die 'pgbench is not installed'

scale=${SCALE:-2} seconds=${SECONDS_EACH:-3}
servers=$here/../db/servers.sh
work=$(mktemp -d)
trap '"$servers" stop "$work/pg" >/dev/null 2>&1 || :
      rm -rf "$work"' EXIT
"$servers" start pgsql "$work/pg" >/dev/null
eval "$("$servers" env "$work/pg")"
server=(-h "$PG_SOCKET_DIR" -p "$PG_PORT" -U sbtest)
"$pgbench" -i -q -s "$scale" "${server[@]}" sbtest >/dev/null 2>&1
for script in select-only tpcb-like; do
  "$pgbench" --show-script=$script 2>&1 | sed '1,/^--/{/^--/d}' >"$work/$script.sql"
done

# theirs SCRIPT THREADS: transactions per second.
theirs() {
  "$pgbench" -n -M prepared -f "$work/$1.sql" -D scale="$scale" "${server[@]}" \
    -c "$2" -j "$2" -T "$seconds" sbtest 2>/dev/null |
    awk '/^tps = / { print $3; exit }'
}

title "passes per second on PostgreSQL, scale $scale"
printf '%12s %8s %12s %12s %8s\n' file threads bench pgbench ratio
for script in select-only tpcb-like; do
  for threads in ${THREADS:-1 4}; do
    a='' b=''
    for ((i = 0; i < PAIRS; i++)); do
      a+=$(rate "$BENCH" "$work/$script.sql" --db-driver=pgsql \
        --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT" \
        --define=scale="$scale" --threads="$threads" --time="$seconds" run)$'\n' || exit 1
      one=$(theirs "$script" "$threads")
      [[ -n $one ]] || die 'pgbench has failed'
      b+=$one$'\n'
    done
    ours=$(median <<<"${a%$'\n'}") other=$(median <<<"${b%$'\n'}")
    printf '%12s %8d %12.0f %12.0f %8.3f\n' "$script" "$threads" "$ours" "$other" \
      "$(calc "$ours / $other")"
  done
done
