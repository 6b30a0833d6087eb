#!/usr/bin/env bash
# pgbench.sh - beside pgbench with prepared statements on the same tables of a
# private PostgreSQL server: point selects, the script tpcb, and pgbench's own
# scripts as files of SQL.
#
# usage: tests/bench/pgbench.sh [selects | tpcb | files]...     the default: all
#
# ROWS of the selects' table [20000], SCALE of the other tables [10], SECONDS_EACH
# run [3], THREADS to try ["1 8"].
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

pgbench=$(find_pgbench)
[[ -n $pgbench ]] || die 'pgbench is not installed'
rows=${ROWS:-20000} scale=${SCALE:-10} seconds=${SECONDS_EACH:-3}
make_work
private_server pgsql
ours=("${pgsql[@]}") theirs=(-h "$PG_SOCKET_DIR" -p "$PG_PORT" -U sbtest)

# by_pgbench THREADS ARGUMENT...: transactions per second.
by_pgbench() {
  local out
  out=$("$pgbench" -n -M prepared "${theirs[@]}" -c "$1" -j "$1" -T "$seconds" "${@:2}" \
    sbtest 2>&1) || die "pgbench has failed: $out"
  awk '/^tps = / { print $3; exit }' <<<"$out"
}

# compare WHAT ARGUMENT... -- ARGUMENT...: of bench, and of pgbench.
compare() {
  local what=$1 mine=() threads a b i
  shift
  while [[ $1 != -- ]]; do
    mine+=("$1")
    shift
  done
  shift
  for threads in ${THREADS:-1 8}; do
    a='' b=''
    for ((i = 0; i < PAIRS; i++)); do
      a+=$(rate "$BENCH" "${mine[@]}" "${ours[@]}" --threads="$threads" --time="$seconds" run)$'\n' || exit 1
      b+=$(by_pgbench "$threads" "$@")$'\n' || exit 1
    done
    a=$(median <<<"${a%$'\n'}") b=$(median <<<"${b%$'\n'}")
    printf '%-22s %8d %12.0f %12.0f %8.3f\n' "$what" "$threads" "$a" "$b" "$(calc "$a / $b")"
  done
}

selects() {
  local job=(oltp_point_select --tables=1 --table-size="$rows" --rand-type=uniform)
  "$BENCH" "${job[@]}" "${ours[@]}" prepare >/dev/null 2>&1
  printf '\\set id random(1, %d)\nSELECT c FROM sbtest1 WHERE id = :id;\n' "$rows" >"$work/select.sql"
  compare 'point selects' "${job[@]}" -- -f "$work/select.sql"
}

tpcb() {
  "$BENCH" tpcb "${ours[@]}" --scale="$scale" --load-analyze=on prepare >/dev/null 2>&1
  compare tpcb tpcb --
  "$BENCH" tpcb "${ours[@]}" check >/dev/null 2>&1 || die 'the tables are not as they should be'
}

files() {
  local name file
  "$pgbench" -i -q -s "$scale" "${theirs[@]}" sbtest >/dev/null 2>&1
  for name in select-only tpcb-like; do
    file=$work/$name.sql
    "$pgbench" --show-script=$name 2>&1 | sed '1,/^--/{/^--/d}' >"$file"
    compare "file of $name" "$file" --define=scale="$scale" -- -f "$file" -D scale="$scale"
  done
}

parts=("$@")
((${#parts[@]})) || parts=(selects tpcb files)
title 'events per second on PostgreSQL'
printf '%-22s %8s %12s %12s %8s\n' what threads bench pgbench ratio
for part in "${parts[@]}"; do
  [[ " selects tpcb files " == *" $part "* ]] || die "there is no part '$part': selects, tpcb, files"
  "$part"
done
