#!/usr/bin/env bash
# workloads.sh - what scripts cost: an empty Lua event, a point select whose
# statement is answered at once, and a point select on SQLite, by one thread and
# by two.
#
# The first two beside sysbench (which answers at once with --mysql-dry-run), the
# last beside a C program with the same prepared statement.
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'function event() end\n' >"$work/empty.lua"

title 'empty Lua event'
printf '%8s %14s %14s %8s\n' threads 'bench ns' 'sysbench ns' ratio
declare -A rates
for threads in 1 2; do
  both "$work/empty.lua" --threads="$threads" --time=1 run
  rates[ours,$threads]=$ours rates[theirs,$threads]=$theirs
  printf '%8d %14.2f %14.2f %8.2f\n' "$threads" \
    "$(calc "1e9 * $threads / $ours")" "$(calc "1e9 * $threads / $theirs")" \
    "$(calc "$ours / $theirs")"
done
printf '%8s %14.2f %14.2f   (rate of 2 threads / rate of 1)\n' scaling \
  "$(calc "${rates[ours,2]} / ${rates[ours,1]}")" \
  "$(calc "${rates[theirs,2]} / ${rates[theirs,1]}")"

title 'oltp_point_select, answered at once'
a='' b=''
for ((i = 0; i < PAIRS; i++)); do
  a+=$(rate "$BENCH" oltp_point_select --db-driver=null --time=1 run)$'\n'
  b+=$(rate "$SYSBENCH" oltp_point_select --mysql-dry-run --time=1 run)$'\n'
done
ours=$(median <<<"${a%$'\n'}") theirs=$(median <<<"${b%$'\n'}")
printf 'bench %.0f/s, sysbench %.0f/s, ratio %.2f\n' "$ours" "$theirs" \
  "$(calc "$ours / $theirs")"

title 'oltp_point_select on SQLite, 100,000 rows, one thread'
sqlite=(--db-driver=sqlite --sqlite-db="$work/db" --table-size=100000 --rand-type=uniform)
"$BENCH" oltp_point_select "${sqlite[@]}" prepare >/dev/null
${CC:-cc} -O2 -o "$work/loop" "$here/sqlite_loop.c" -lsqlite3
a='' b=''
for ((i = 0; i < PAIRS; i++)); do
  a+=$(rate "$BENCH" oltp_point_select "${sqlite[@]}" --time=1 run)$'\n'
  b+=$("$work/loop" "$work/db" 100000 1)$'\n'
done
ours=$(median <<<"${a%$'\n'}") theirs=$(median <<<"${b%$'\n'}")
printf 'bench %.0f/s, C loop %.0f/s, ratio %.3f\n' "$ours" "$theirs" \
  "$(calc "$ours / $theirs")"

title 'oltp_point_select on SQLite: readers beside each other'
a='' b=''
for ((i = 0; i < PAIRS; i++)); do
  a+=$(rate "$BENCH" oltp_point_select "${sqlite[@]}" --threads=1 --time=1 run)$'\n'
  b+=$(rate "$BENCH" oltp_point_select "${sqlite[@]}" --threads=2 --time=1 run)$'\n'
done
one=$(median <<<"${a%$'\n'}") two=$(median <<<"${b%$'\n'}")
printf '1 thread %.0f/s, 2 threads %.0f/s, ratio %.2f\n' "$one" "$two" \
  "$(calc "$two / $one")"
