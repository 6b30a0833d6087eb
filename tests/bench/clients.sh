#!/usr/bin/env bash
# clients.sh - many clients on two threads, prepared point selects on private
# servers: processor time of the client program per query, start and end
# included, and queries per second, beside our own threads, sysbench (MariaDB)
# and pgbench -j 2 (PostgreSQL); then resident memory per client.
#
# ROWS of the table [20000], SECONDS_EACH run [4], CONNECTIONS to try
# ["16 64 256 1000"].
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

rows=${ROWS:-20000} seconds=${SECONDS_EACH:-4}
servers=$here/../db/servers.sh
pgbench=$(command -v pgbench || find /usr/lib/postgresql -name pgbench 2>/dev/null | tail -n 1)
work=$(mktemp -d)
trap '"$servers" stop "$work/my" >/dev/null 2>&1 || :
      "$servers" stop "$work/pg" >/dev/null 2>&1 || :
      rm -rf "$work"' EXIT

"$servers" start mysql "$work/my" --max-connections=4200 --max-prepared-stmt-count=100000 >/dev/null
"$servers" start pgsql "$work/pg" --max-connections=1100 >/dev/null
eval "$("$servers" env "$work/my")"
eval "$("$servers" env "$work/pg")"
table=(--tables=1 --table-size="$rows" --rand-type=uniform)
# shellcheck disable=SC2034 # by name
{
  mysql=(--db-driver=mysql --mysql-socket="$MY_SOCKET" "${table[@]}")
  pgsql=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT" "${table[@]}")
}
cat >"$work/select.sql" <<END
\\set id random(1, $rows)
SELECT c FROM sbtest1 WHERE id = :id;
END

# cost COMMAND...: microseconds of processor time per query, and queries per
# second, of a report of ours, sysbench or pgbench.
cost() {
  python3 -c '
import re, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
n = re.search(r"(?:transactions actually processed|total number of events): +(\d+)", done.stdout)
rate = re.search(r"(?:tps = |transactions: +\d+ +\()([0-9.]+)", done.stdout)
if done.returncode != 0 or not n or not rate:
    sys.exit("failed: %s\n%s" % (" ".join(sys.argv[1:]), done.stdout))
print((u.ru_utime + u.ru_stime) / int(n[1]) * 1e6, rate[1])' "$@"
}

# take_turns NAME...: each name is a function that runs one program with $n
# connections; a line with the medians of each.
take_turns() {
  local name i
  for ((i = 0; i < PAIRS; i++)); do
    for name in "$@"; do
      "$name" >>"$work/$name" || die 'a run has failed'
    done
  done
  for name in "$@"; do
    printf ' %10.2f %10.0f' "$(awk '{ print $1 }' "$work/$name" | median)" \
      "$(awk '{ print $2 }' "$work/$name" | median)"
    rm "$work/$name"
  done
  printf '\n'
}

ours() {
  declare -n where=$kind
  cost "$BENCH" oltp_point_select "${where[@]}" --time="$seconds" "$@" run
}
clients() { ours --threads=2 --clients="$n"; }
threads() { ours --threads="$n"; }
peer() {
  if [[ $kind == mysql ]]; then
    cost "$SYSBENCH" oltp_point_select "${mysql[@]}" --mysql-user=sbtest --mysql-db=sbtest \
      --threads="$n" --time="$seconds" run
  else
    cost "$pgbench" -n -M prepared -f "$work/select.sql" -h "$PG_SOCKET_DIR" -p "$PG_PORT" \
      -U sbtest -c "$n" -j 2 -T "$seconds" sbtest
  fi
}

for kind in mysql pgsql; do
  declare -n where=$kind
  [[ $kind != pgsql || -n $pgbench ]] || die 'pgbench is not installed'
  "$BENCH" oltp_point_select "${where[@]}" prepare >/dev/null 2>&1
  [[ $kind == mysql ]] && name=sysbench || name='pgbench -j 2'
  title "point selects, $kind: microseconds of the client per query, queries per second"
  printf '%11s %21s %21s %21s\n' connections 'clients on 2 threads' 'our threads' "$name"
  for n in ${CONNECTIONS:-16 64 256 1000}; do
    printf '%11d' "$n"
    take_turns clients threads peer
  done
done

# resident CLIENTS DRIVER-OPTION...: KiB, while a run of oltp_read_write works.
resident() {
  "$BENCH" oltp_read_write "${@:2}" "${table[@]}" --threads=2 --clients="$1" --time=0 --report-interval=1 run \
    >"$work/out" 2>&1 &
  local job=$!
  until grep -q '^\[' "$work/out"; do
    kill -0 "$job" 2>/dev/null || die "a run has failed
$(tail -n 5 "$work/out")"
    sleep 0.1
  done
  settled "$job"
  kill -INT "$job"
  wait "$job" || :
}

printf '\nresident memory per client, oltp_read_write, KiB\n'
for kind in null mysql pgsql; do
  # shellcheck disable=SC2034 # by name
  null=(--db-driver=null)
  declare -n where=$kind
  case $kind in null) n=10000 ;; mysql) n=4000 ;; pgsql) n=1000 ;; esac
  ((!QUICK)) || n=100
  printf '%8s %6d clients %8.1f\n' "$kind" "$n" \
    "$(calc "($(resident "$n" "${where[@]}") - $(resident 2 "${where[@]}")) / ($n - 2)")"
done
