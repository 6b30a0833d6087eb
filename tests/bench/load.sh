#!/usr/bin/env bash
# load.sh - how long prepare takes, beside sysbench, the raw load of a ready
# file, and (SQLite) a program that inserts constants.
#
# usage: load.sh [pgsql] [mysql] [sqlite]      default: all that are installed
#
# ROWS     rows of the one table (1000000)
# THREADS  connections (2)
# PAIRS    rounds; the programs take turns in each
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

ROWS=${ROWS:-1000000}
THREADS=${THREADS:-2}
servers=$here/../db/servers.sh
BENCH_DATADIR=${BENCH_DATADIR:-$here/../../src/lua/scripts}
export BENCH_DATADIR
dir=$(mktemp -d)
started=()

finish() {
  local one
  for one in "${started[@]}"; do
    bash "$servers" stop "$one" || :
  done
  rm -rf "$dir"
}
trap finish EXIT

# seconds COMMAND...: how long it takes.
seconds() {
  local from
  from=$(date +%s.%N)
  "$@" >"$dir/out" 2>&1 || {
    cat "$dir/out" >&2
    die "failed: $*"
  }
  calc "$(date +%s.%N) - $from"
}

workload=(oltp_read_write --table-size="$ROWS" --threads="$THREADS")

bench_prepare() { "$BENCH" "${workload[@]}" "${to[@]}" prepare; }
sysbench_prepare() { "$SYSBENCH" "${workload[@]}" "${to[@]}" prepare; }
sysbench_cleanup() { "$BENCH" "${workload[@]}" "${to[@]}" cleanup; }

start() {
  bash "$servers" --owner=$$ start "$@" >/dev/null
  started+=("$2")
  eval "$(bash "$servers" env "$2")"
}

# The statement that makes the table, as the bundled script sends it.
table() {
  printf 'CREATE TABLE sbtest1(id %s, k INTEGER DEFAULT %s NOT NULL,
    c CHAR(120) DEFAULT %s NOT NULL, pad CHAR(60) DEFAULT %s NOT NULL,
    PRIMARY KEY (id))' "$1" "'0'" "''" "''"
}

pgsql_start() {
  start pgsql "$dir/pgsql" --set=shared_buffers=512MB --set=max_wal_size=4GB
  to=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT"
    --pgsql-user=sbtest --pgsql-db=sbtest)
  psql=(psql -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$PG_PORT" -U sbtest sbtest)
}
pgsql_save() { "${psql[@]}" -c "\\copy sbtest1 TO '$dir/rows'"; }
pgsql_raw() {
  "${psql[@]}" -c "$(table SERIAL)" -c "\\copy sbtest1 FROM '$dir/rows'" \
    -c 'CREATE INDEX k_1 ON sbtest1(k)'
}

mysql_start() {
  start mysql "$dir/mysql" --local-infile=on \
    --set=innodb_buffer_pool_size=512M
  to=(--db-driver=mysql --mysql-socket="$MY_SOCKET" --mysql-user=sbtest
    --mysql-db=sbtest)
  mariadb=(mariadb --no-defaults --socket="$MY_SOCKET" --user=sbtest
    --local-infile=1 --batch sbtest)
}
mysql_save() {
  "${mariadb[@]}" --quick --skip-column-names \
    -e 'SELECT * FROM sbtest1' >"$dir/rows"
}
mysql_raw() {
  "${mariadb[@]}" -e "$(table 'INTEGER NOT NULL AUTO_INCREMENT');
    LOAD DATA LOCAL INFILE '$dir/rows' INTO TABLE sbtest1;
    CREATE INDEX k_1 ON sbtest1(k)"
}

sqlite_start() {
  to=(--db-driver=sqlite --sqlite-db="$dir/file.db")
}
# A program that inserts constants: what SQLite itself takes.
sqlite_save() {
  cc -O2 -o "$dir/constants" "$here/sqlite_constants.c" -lsqlite3
}
sqlite_raw() { "$dir/constants" "$dir/file.db" "$ROWS"; }

# measure KIND
measure() {
  local kind=$1 i ours='' theirs='' raw='' o t r
  "${kind}_start"
  bench_prepare >/dev/null
  "${kind}_save"
  sysbench_cleanup >/dev/null
  for ((i = 0; i < PAIRS; i++)); do
    ours+=$(seconds bench_prepare)$'\n'
    sysbench_cleanup >/dev/null
    raw+=$(seconds "${kind}_raw")$'\n'
    sysbench_cleanup >/dev/null
    [[ $kind != sqlite ]] || continue
    theirs+=$(seconds sysbench_prepare)$'\n'
    sysbench_cleanup >/dev/null
  done
  o=$(median <<<"${ours%$'\n'}")
  r=$(median <<<"${raw%$'\n'}")
  t=-
  [[ $kind == sqlite ]] || t=$(median <<<"${theirs%$'\n'}")
  printf '%-8s %8.2f %8s %8.2f %10s %10s %12.0f\n' "$kind" "$o" "$t" "$r" \
    "$([[ $t == - ]] || calc "$o / $t")" "$(calc "$o / $r")" \
    "$(calc "$ROWS / $o")"
}

title "prepare of one table of $ROWS rows, $THREADS threads, with its index"
printf 'load average %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
printf '%-8s %8s %8s %8s %10s %10s %12s\n' '' bench sysbench raw \
  '/sysbench' '/raw' 'rows/s'
kinds=("$@")
if ((${#kinds[@]} == 0)); then
  for kind in pgsql mysql; do
    ! bash "$servers" has "$kind" || kinds+=("$kind")
  done
  kinds+=(sqlite)
fi
for kind in "${kinds[@]}"; do
  measure "$kind"
done
printf 'load average %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
