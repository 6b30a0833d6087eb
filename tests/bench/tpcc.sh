#!/usr/bin/env bash
# tpcc.sh - the tpcc workload beside others, on MariaDB and PostgreSQL:
# instructions of the client, the time of a load, the time of a check.
#
# The servers are those of MY_SOCKET and PG_SOCKET_DIR with PG_PORT, if they are
# set; otherwise private ones are started.  All tables of the workload there are
# dropped.  The other side is sysbench 1.0.20 with tpcc_plain.lua, which sends
# the same transactions as plain text.  It is not the script that others
# distribute, whose figures may differ.  GO_TPC is the program go-tpc, if it
# is to be in the comparison of loads.
#
# WAREHOUSES [10], THREADS of the load and the check [2], EVENTS between the two
# runs whose instructions are compared [20000; a fifth with plain text, which
# takes valgrind minutes], PARTS [instructions load check].
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

warehouses=${WAREHOUSES:-10} threads=${THREADS:-2} events=${EVENTS:-20000}
parts=${PARTS:-instructions load check}
go_tpc=${GO_TPC:-}
make_work
[[ -n ${MY_SOCKET:-} ]] || private_server mysql
[[ -n ${PG_SOCKET_DIR:-} ]] || private_server pgsql

# aim KIND: `to` has the options that lead to its server, for both programs, and
# `go_to` those of go-tpc.
aim() {
  case $1 in
    MariaDB)
      to=(--db-driver=mysql --mysql-socket="$MY_SOCKET")
      to+=(--mysql-user="${MY_USER:-sbtest}" --mysql-db="${MY_DB:-sbtest}")
      go_to=(-H "${MY_HOST:-127.0.0.1}" -P "${MY_PORT:-3306}"
        -U "${MY_USER:-sbtest}" -D "${MY_DB:-sbtest}")
      ;;
    PostgreSQL)
      to=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT")
      to+=(--pgsql-user="${PG_USER:-sbtest}" --pgsql-db="${PG_DB:-sbtest}")
      go_to=(-d postgres -H "${PG_HOST:-127.0.0.1}" -P "$PG_PORT"
        -U "${PG_USER:-sbtest}" -D "${PG_DB:-sbtest}" --conn-params sslmode=disable)
      ;;
  esac
  to+=(--warehouses="$warehouses")
}

quietly() {
  "$@" >"$work/out" 2>&1 || die "failed: $*
$(cat "$work/out")"
}

# empty: there are no tables of the workload.
empty() {
  quietly "$BENCH" tpcc "${to[@]}" cleanup
}

seconds_of() {
  local from=$EPOCHREALTIME
  "$@"
  calc "$EPOCHREALTIME - $from"
}

load_bench() {
  quietly "$BENCH" tpcc "${to[@]}" --threads="$threads" --load-analyze=on prepare
}

load_plain() {
  quietly "$SYSBENCH" "$here/tpcc_plain.lua" "${to[@]}" tables
  quietly "$SYSBENCH" "$here/tpcc_plain.lua" "${to[@]}" --threads="$threads" prepare
}

load_go_tpc() {
  quietly "$go_tpc" tpcc prepare "${go_to[@]}" --warehouses "$warehouses" \
    -T "$threads" --no-check
}

# one_load WAY: seconds.
one_load() {
  empty
  seconds_of "load_$1"
}

loads() {
  local kind way ways='bench plain' i
  declare -A took
  [[ -z $go_tpc ]] || ways+=' go_tpc'
  title "seconds to load $warehouses warehouses with $threads threads"
  for kind in MariaDB PostgreSQL; do
    aim "$kind"
    for way in $ways; do took[$way]=''; done
    for ((i = 0; i < PAIRS; i++)); do
      for way in $ways; do took[$way]+=$(one_load "$way")$'\n'; done
    done
    for way in $ways; do
      took[$way]=$(median <<<"${took[$way]%$'\n'}")
      printf '%-10s %-8s %8.1f s %8.3f of it by bench\n' "$kind" "$way" \
        "${took[$way]}" "$(calc "${took[bench]} / ${took[$way]}")"
    done
    empty
  done
}

checks() {
  local kind n i took
  title "seconds of check, $warehouses warehouses"
  for kind in MariaDB PostgreSQL; do
    aim "$kind"
    empty
    load_bench
    for n in 1 "$threads"; do
      took=''
      for ((i = 0; i < PAIRS; i++)); do
        took+=$(seconds_of quietly "$BENCH" tpcc "${to[@]}" --threads="$n" check)$'\n'
      done
      printf '%-10s %2d connections %8.2f s\n' "$kind" "$n" \
        "$(median <<<"${took%$'\n'}")"
    done
    empty
  done
}

# The shares of both are those of a deck with 10 new orders among 23 cards.
# per_new_order N PROGRAM SCRIPT: the first N events compile what comes later.
per_new_order() {
  local n=$1 first second
  first=$(instructions "$2" "$3" "${to[@]}" --rand-seed=1 --time=0 \
    --events="$n" run) || exit 1
  second=$(instructions "$2" "$3" "${to[@]}" --rand-seed=1 --time=0 \
    --events="$((2 * n))" run) || exit 1
  calc "($second - $first) / $n * 2.3"
}

client() {
  local kind a b
  command -v valgrind >/dev/null || die 'valgrind is not installed'
  printf 'instructions of the client per new order, %s\n' "$("$BENCH" --version)"
  for kind in MariaDB PostgreSQL; do
    aim "$kind"
    empty
    load_bench
    a=$(per_new_order "$events" "$BENCH" tpcc) || exit 1
    b=$(per_new_order "$((events / 5))" "$SYSBENCH" "$here/tpcc_plain.lua") || exit 1
    printf '%-10s %9.0f bench %9.0f plain text %6.3f\n' "$kind" "$a" "$b" \
      "$(calc "$a / $b")"
    empty
  done
}

printf 'load of the machine: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
for part in $parts; do
  case $part in
    instructions) client ;;
    load) loads ;;
    check) checks ;;
    *) die "PARTS is some of: instructions load check" ;;
  esac
done
printf 'load of the machine: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
