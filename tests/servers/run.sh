#!/usr/bin/env bash
# run.sh - gets servers of other versions, poolers and proxies, and runs every workload
# on each: prepare, check, run with threads, run with clients, check, cleanup; before
# them bench doctor and server statistics.  All without TLS, then with verified TLS.
# Run by hand; nothing is installed on this system.
#
# usage: tests/servers/run.sh --list
#        tests/servers/run.sh SERVER...
#
# WORKLOADS='doctor tpcc' runs only these, PASSES=tls only with TLS.  BENCH is the
# program (default: build/bench of the sources).  What was downloaded stays in CACHE
# (default: servers-cache in the folder of the program), whose folder every user can
# reach: servers do not run as root.  Status 0: all steps of all workloads passed, or
# ended with the line that lines() has.
set -uo pipefail

BENCH_SRC=$(cd "$(dirname "$0")/../.." && pwd)
BENCH=$(realpath -m "${BENCH-$BENCH_SRC/build/bench}")
CACHE=${CACHE-$(dirname "$BENCH")/servers-cache}
export BENCH_SRC BENCH
. "$BENCH_SRC/tests/db/servers.sh"
. "$BENCH_SRC/tests/db/own_tables.bash"

# name | kind | how to get the server | its version, or release of Debian | what is in
# front of it: front_NAME RELEASE MODE
catalogue() {
  cat <<'TABLE'
installed-mysql|mysql|installed||
installed-pgsql|pgsql|installed||
postgresql-16|pgsql|npm|16.14.0-beta.17|
postgresql-17|pgsql|npm|17.10.0-beta.17|
postgresql-18|pgsql|npm|18.4.0-beta.17|
mariadb-11.4|mysql|maven|11.4.5|
mariadb-11.8|mysql|mariadb|trixie|
mysql-9|mysql|mysql|sid|
pgbouncer-1.18-session|pgsql|installed||pgbouncer bookworm session
pgbouncer-1.18-transaction|pgsql|installed||pgbouncer bookworm transaction
pgbouncer-1.26-session|pgsql|installed||pgbouncer sid session
pgbouncer-1.26-transaction|pgsql|installed||pgbouncer sid transaction
pgpool-4.3|pgsql|installed||pgpool bookworm
pgpool-4.7|pgsql|installed||pgpool sid
odyssey-session|pgsql|installed||odyssey sid session
odyssey-transaction|pgsql|installed||odyssey sid transaction
haproxy-pgsql|pgsql|installed||haproxy bookworm
haproxy-mysql|mysql|installed||haproxy bookworm
mysql-router|mysql|mysql|sid|router sid 0
mysql-router-sharing|mysql|mysql|sid|router sid 1
go-mysql-server|mysql|none||gms v0.20.0
dolt|mysql|none||dolt v0.40.5-0.20260507221239-14b38e279fc6
vitess-24|mysql|mysql|sid|vitess v0.24.4
TABLE
}

# Lines that end a workload on a server for a good reason: server | workload | line;
# "-": the workload is too slow there.
lines() {
  cat <<'TABLE'
pgpool-4.3|json|are LOST
pgpool-4.3|queue|are LOST
go-mysql-server|append|no row for
go-mysql-server|long_fork|no row for
go-mysql-server|register|no row for
go-mysql-server|ingest|no row for
go-mysql-server|ack|are LOST
go-mysql-server|bank|are LOST
go-mysql-server|counter|are LOST
go-mysql-server|queue|are LOST
go-mysql-server|json|returned error 20[12]
go-mysql-server|tpcc|duplicate primary key
go-mysql-server|tpcb|-
dolt|append|no row for
dolt|long_fork|no row for
dolt|register|no row for
dolt|ingest|no row for
dolt|bank|are LOST
dolt|counter|are LOST
dolt|queue|are LOST|nobody has committed|duplicate primary key
dolt|json|is missing, after
dolt|tpcb|^Checking
dolt|tpcc|violation
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

. "$BENCH_SRC/tests/servers/get.sh"

# ---- the workloads ----

# As own_tables(), and the others, whose options are those of prepare.
workloads() {
  echo 'doctor|--table-size=2000|sbtest1|'
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
    doctor) echo prepare doctor statistics cleanup ;;
    connect) echo threads clients ;;
    *bulk_insert) echo prepare threads cleanup ;; # a client has no table of its own
    append | long_fork | register) echo prepare threads clients cleanup ;; # see verify
    oltp_* | select_*) echo prepare check threads clients cleanup ;;
    *) echo prepare check threads clients check cleanup ;;
  esac
}

# step NAME: the command.
step() {
  local events=() shown=$workload
  [[ $workload != *bulk_insert ]] || events=(--threads=4)
  [[ $shown != doctor ]] || local workload=oltp_read_write
  case $1 in
    threads) bundled "${made[@]}" --threads=4 --time=20 --events=400 run ;;
    clients) bundled "${made[@]}" --threads=2 --clients=16 --time=20 --events=1000 run ;;
    prepare) bundled --threads=2 "${made[@]}" "${events[@]}" "$1" ;;
    doctor)
      "$BENCH" doctor "$workload" "${to[@]}" "${made[@]}" >out 2>err
      status=$?
      grep -vE "^warn +(noise|durability|wake-ups) " out | sed -En "s/^(warn|fail)/# $server $pass: &/p"
      ;;
    statistics)
      bundled "${made[@]}" --threads=2 --time=2 --server-stats=on --json=r.json run
      [[ $status != 0 ]] || statistics >>err || status=$?
      ;;
    *) bundled "${made[@]}" "${events[@]}" "$1" ;;
  esac
}

# The figures of the server, and the process whose CPU time is shown: no proxy.
statistics() {
  python3 - r.json <<'PY'
import json, sys
for s in json.load(open(sys.argv[1]))["servers"]:
    name = open("/proc/%d/comm" % s["pid"]).read().strip() if s.get("pid") else None
    known = s.get("figures", {})
    if s.get("failure") or "commits" not in known or name not in (None, "postgres", "mysqld", "mariadbd", "dolt", "ld-linux-x86-64", "ld-linux-x86-6"):
        sys.exit("server statistics: failure %s, process %s, figures %s" % (s.get("failure"), name, sorted(known)))
PY
}

# One workload: a line that says which step failed, and the end of its output.  A mode of
# prepared statements that a message names is used from there on.
try() {
  local one mode line expected
  [[ -z ${WORKLOADS-} || " $WORKLOADS " == *" $workload "* ]] || return 0
  expected=$(lines | sed -n "s,^$server|$workload|,,p")
  if [[ $expected == '-' ]]; then
    printf 'ok %s %s %s # not run: too slow there\n' "$server" "$pass" "$workload"
    return
  fi
  for one in $(steps); do
    step "$one" </dev/null
    [[ $status != 0 ]] || continue
    mode=$(grep -Eom 1 -e 'use --db-ps-mode=[a-z]+' out err | sed 's/.*--/--/')
    line=$(grep -hE '^(FATAL|fail)' err out | head -n 1)
    line=${line:-$(grep -F '... ' out | grep -vE '\.\.\. (ok$|left out)' | head -n 1)}
    step cleanup </dev/null
    [[ $status == 0 ]] || bundled --force cleanup </dev/null
    if [[ -n $mode && " ${to[*]} " != *' --db-ps-mode='* ]]; then
      printf '# %s %s %s: %s: "%s"\n' "$server" "$pass" "$workload" "$one" "$line"
      to+=("$mode")
      try
    elif [[ -n $expected ]] && grep -qE -- "$expected" <<<"$line"; then
      printf 'ok %s %s %s # %s ends with: %s\n' "$server" "$pass" "$workload" "$one" "$line"
    else
      printf 'not ok %s %s %s: %s: %s\n' "$server" "$pass" "$workload" "$one" "$line"
      return 1
    fi
    return
  done
  printf 'ok %s %s %s\n' "$server" "$pass" "$workload"
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
  local kind how version front server=$1 pass port ca='' failed=0
  dir=$(mktemp -d) || return # for the trap, too
  trap 'front_stop; [[ ! -e $dir/server/state ]] || servers stop "$dir/server"; rm -rf "$dir"' EXIT
  IFS='|' read -r _ kind how version front < <(catalogue | grep "^$server|")
  mkdir -p "$CACHE"
  "get_$how" "$version" || die "cannot get $server: see the messages above, or the logs in $CACHE"
  cd "$dir" || return
  if [[ $how != none ]]; then
    servers start "$kind" "$dir/server" --tls || die "$server does not start"
    servers_env "$dir/server"
    port=${MY_PORT-${PG_PORT-}} ca=${MY_CA-${PG_CA-}}
  fi
  # shellcheck disable=SC2086 # its arguments
  [[ -z $front ]] || front_$front || die "$server cannot be had, or does not start: see the messages above, or the logs in $CACHE"
  for pass in ${PASSES-plain tls}; do
    case $kind-$pass in
      mysql-plain) to=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$port") ;;
      mysql-tls) to=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$port" --mysql-ssl=VERIFY_IDENTITY --mysql-ssl-ca="$ca") ;;
      pgsql-plain) to=(--db-driver=pgsql --pgsql-host=localhost --pgsql-port="$port" --pgsql-sslmode=disable) ;;
      pgsql-tls) to=(--db-driver=pgsql --pgsql-host=localhost --pgsql-port="$port" --pgsql-sslmode=verify-full --pgsql-sslrootcert="$ca") ;;
    esac
    printf '# %s %s: %s\n' "$server" "$pass" "$(sql 'SELECT version()')"
    all_workloads || failed=1
  done
  return "$failed"
}

if [[ $# == 0 || $1 == -* ]]; then
  [[ ${1-} == --list ]] || die "usage: run.sh --list, or the names of servers"
  catalogue | cut -d'|' -f1
  exit 0
fi
[[ -x $BENCH ]] || die "there is no $BENCH: build bench first, or name another program: BENCH=FILE"
for name; do
  catalogue | grep -q "^$name|" || die "unknown server '$name'; --list has the names"
done
failed=0
for name; do
  (one_server "$name") || failed=1
done
exit "$failed"
