#!/usr/bin/env bash
# instructions.sh - instructions of the program (not of the kernel) per event:
# the OLTP workloads on private MariaDB and PostgreSQL servers beside sysbench, on
# SQLite, and with statements that are answered at once.
#
# They do not depend on what else the machine does.  One thread, 4 tables,
# uniform keys, prepared statements; two runs of different length, the difference
# divided by that of the events, so that no start and no end is in it.
# ROWS per table [20000], WORKLOADS to count [all].
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"
command -v valgrind >/dev/null || die 'valgrind is not installed'

rows=${ROWS:-20000}
workloads=${WORKLOADS:-oltp_point_select select_random_points
  select_random_ranges oltp_read_only oltp_read_write oltp_write_only
  oltp_update_index oltp_update_non_index oltp_delete oltp_insert bulk_insert}
make_work
private_server mysql
private_server pgsql
# shellcheck disable=SC2034 # count() takes them by name
{
  sqlite=(--db-driver=sqlite --sqlite-db="$work/db")
  null=(--db-driver=null)
}

# set_job WORKLOAD DRIVER: sets job, few and many; code has to be compiled before
# it is counted.  Tables of one name have other columns for other workloads.
set_job() {
  declare -n where=$2
  job=("$1" "${where[@]}" --threads=1)
  few=10000 many=30000
  case $1 in
    select_random_*) job+=(--table-size="$rows" --rand-type=uniform) few=3000 many=9000 ;;
    bulk_insert) few=100000 many=300000 ;;
    *) job+=(--tables=4 --table-size="$rows" --rand-type=uniform) ;;
  esac
  case $1 in
    oltp_read_*) few=1000 many=3000 ;;
    oltp_write_only) few=2000 many=6000 ;;
  esac
}

# count PROGRAM WORKLOAD DRIVER: of one event.
count() {
  local job few many first second
  set_job "$2" "$3"
  # What runs write must not be in the way of the next.
  "$BENCH" "${job[@]}" cleanup >/dev/null 2>&1 || :
  "$BENCH" "${job[@]}" prepare >/dev/null || die "cannot prepare $2 on $3"
  first=$(instructions "$1" "${job[@]}" --events="$few" --time=0 run) || exit 1
  if [[ $2 == *insert* ]]; then
    "$BENCH" "${job[@]}" cleanup >/dev/null
    "$BENCH" "${job[@]}" prepare >/dev/null
  fi
  second=$(instructions "$1" "${job[@]}" --events="$many" --time=0 run) || exit 1
  calc "($second - $first) / ($many - $few)"
}

# beside WORKLOAD DRIVER: both programs, and their ratio.
beside() {
  local a b
  a=$(count "$BENCH" "$1" "$2") || exit 1
  b=$(count "$SYSBENCH" "$1" "$2") || exit 1
  printf ' %9.0f %9.0f %6.3f' "$a" "$b" "$(calc "$a / $b")"
}

printf 'instructions per event, %s\n' "$("$BENCH" --version)"
printf '%-22s %26s %26s %9s %9s\n' '' 'MariaDB         ' 'PostgreSQL       ' \
  SQLite 'at once'
printf '%-22s %9s %9s %6s %9s %9s %6s %9s %9s\n' workload bench sysbench ratio \
  bench sysbench ratio bench bench
for workload in $workloads; do
  printf '%-22s' "$workload"
  for driver in mysql pgsql; do
    beside "$workload" "$driver"
  done
  for driver in sqlite null; do
    a=$(count "$BENCH" "$workload" "$driver") || exit 1
    printf ' %9.0f' "$a"
  done
  echo
done
