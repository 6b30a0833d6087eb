#!/usr/bin/env bash
# connect.sh - connections per second of the workload connect, by the driver
# itself and by the client library in turns, on private servers: MariaDB,
# PostgreSQL, and PostgreSQL through pgbouncer with SCRAM.  Medians of the rates,
# of the processor time of the client per connection, and of the ratios of the
# pairs.  Ratios of runs that follow each other hold on a busy machine as well,
# rates do not.
#
# THREADS [2], CLIENTS of them ["30 200 10:10"; T:N is N clients on T threads],
# SECONDS_EACH run [3].  The library logs in within helper threads, 16 for each
# thread: with more clients than that, servers have more to do at a time in the
# runs of the driver.
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

threads=${THREADS:-2} seconds=${SECONDS_EACH:-3}
# shellcheck source=tests/db/pooler.sh
. "$here/../db/pooler.sh"
pooler_there || die 'there is no pgbouncer: scripts/deps.sh bench'
at_end() { pooler_stop; }
make_work

private_server mysql --password=secret --max-connections=1000
private_server pgsql --max-connections=400

# A pooler that asks for the password of sbpass with SCRAM.
pooler_make
printf '"sbpass" "%s"\n' "$(servers sql "$work/pgsql" \
  "SELECT rolpassword FROM pg_authid WHERE rolname = 'sbpass'")" >"$pooler_dir/users"
pooler_start 'default_pool_size = 5' 'max_client_conn = 2000' 'auth_type = scram-sha-256' \
  "auth_file = $pooler_dir/users" || die 'no pooler'

# shellcheck disable=SC2034 # by name
{
  mysql+=(--mysql-password=secret)
  mysql_tcp=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$MY_PORT" --mysql-password=secret)
  pgsql+=(--pgsql-user=sbpass --pgsql-password=secret)
  pooled=(--db-driver=pgsql --pgsql-host="$pooler_dir" --pgsql-port=6432 --pgsql-user=sbpass --pgsql-password=secret)
}

# one WAY ARG...: connections per second, microseconds of our processor time
# per connection.
one() {
  python3 -c '
import re, resource, subprocess, sys
def used():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime
before = used()  # of what ran in this process before Python
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
cost = used() - before
n = re.search(r"transactions: +(\d+) +\(([0-9.]+)", done.stdout)
if done.returncode != 0 or not n:
    sys.exit("failed: %s\n%s" % (" ".join(sys.argv[1:]), done.stdout))
print(n[2], cost / int(n[1]) * 1e6)' \
    "$BENCH" connect --time="$seconds" --server-stats=off --handshake="$1" "${@:2}" run
}

# column N FILE: the median of that column.
column() {
  awk -v n="$1" '{ print $n }' "$2" | median
}

# pairs NAME CLIENTS: a line of the table.
pairs() {
  local -n target=$1
  local t=$threads n=$2 i own library
  [[ $n != *:* ]] || t=${n%:*} n=${n#*:}
  : >"$work/pairs"
  for ((i = 0; i < PAIRS; i++)); do
    own=$(one own "${target[@]}" --threads="$t" --clients="$n") || exit 1
    library=$(one library "${target[@]}" --threads="$t" --clients="$n") || exit 1
    awk '{ print $0, $1 / $3 }' <<<"$own $library" >>"$work/pairs"
  done
  printf '%-10s %7d %7d %9.0f %9.0f %9.0f %9.0f %8.1f\n' "$1" "$t" "$n" "$(column 1 "$work/pairs")" \
    "$(column 2 "$work/pairs")" "$(column 3 "$work/pairs")" "$(column 4 "$work/pairs")" "$(column 5 "$work/pairs")"
}

title 'connections per second, and us of the client per connection'
printf '%-10s %7s %7s %9s %9s %9s %9s %8s\n' server threads clients own us library us ratio
for clients in ${CLIENTS:-30 200 10:10}; do
  for name in mysql mysql_tcp pgsql pooled; do
    pairs "$name" "$clients"
  done
done
