#!/usr/bin/env bash
# pipeline.sh - what a pipeline gains: prepared point selects of one connection on
# private MariaDB and PostgreSQL servers, each alone and DEPTHS at a time. Queries
# per second, and the client's instructions (without the kernel's) for a query.
#
# DEPTHS to measure ["2 10 100"], SECONDS_EACH run [3], PARTS ["rate
# instructions"].
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

depths=${DEPTHS:-2 10 100} seconds=${SECONDS_EACH:-3}
parts=${PARTS:-rate instructions}
servers=$here/../db/servers.sh
script=$here/pipeline.lua
work=$(mktemp -d)
trap '"$servers" stop "$work/my" >/dev/null 2>&1 || :
      "$servers" stop "$work/pg" >/dev/null 2>&1 || :
      rm -rf "$work"' EXIT

"$servers" start mysql "$work/my" >/dev/null
"$servers" start pgsql "$work/pg" >/dev/null
eval "$("$servers" env "$work/my")"
eval "$("$servers" env "$work/pg")"
# shellcheck disable=SC2034 # taken by name
{
  mysql=(--db-driver=mysql --mysql-socket="$MY_SOCKET")
  pgsql=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT")
}

# queries DEPTH: per second, of one run of the job.
queries() {
  calc "$1 * $(rate "$BENCH" "${job[@]}" --depth="$1" --time="$seconds" run)"
}

rates() {
  local depth i one many
  for depth in $depths; do
    one='' many=''
    for ((i = 0; i < PAIRS; i++)); do
      one+=$(queries 1)$'\n' || exit 1
      many+=$(queries "$depth")$'\n' || exit 1
    done
    one=$(median <<<"${one%$'\n'}") many=$(median <<<"${many%$'\n'}")
    printf '%-8s %6d %14.0f %14.0f %8.2f\n' "$1" "$depth" "$one" "$many" \
      "$(calc "$many / $one")"
  done
}

# count DEPTH: of a query.  Code has to be compiled before it is counted.
count() {
  local few many
  few=$(instructions "$BENCH" "${job[@]}" --depth="$1" \
    --events=$((20000 / $1)) --time=0 run) || exit 1
  many=$(instructions "$BENCH" "${job[@]}" --depth="$1" \
    --events=$((60000 / $1)) --time=0 run) || exit 1
  calc "($many - $few) / ((60000 / $1 - 20000 / $1) * $1)"
}

counts() {
  local depth one many
  one=$(count 1)
  for depth in $depths; do
    many=$(count "$depth")
    printf '%-8s %6d %14.0f %14.0f %8.2f\n' "$1" "$depth" "$one" "$many" \
      "$(calc "$many / $one")"
  done
}

# part WORD TITLE FUNCTION: for both servers, if it is asked for.
part() {
  local driver
  [[ " $parts " == *" $1 "* ]] || return 0
  title "$2"
  printf '%-8s %6s %14s %14s %8s\n' server depth alone pipeline ratio
  for driver in mysql pgsql; do
    declare -n where=$driver
    job=("$script" "${where[@]}" --threads=1)
    "$BENCH" "${job[@]}" cleanup >/dev/null 2>&1 || :
    "$BENCH" "${job[@]}" prepare >/dev/null || die "cannot prepare on $driver"
    "$3" "$driver"
  done
}

part rate 'queries per second' rates
part instructions 'instructions of the client per query' counts
