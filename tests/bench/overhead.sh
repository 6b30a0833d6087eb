#!/usr/bin/env bash
# overhead.sh - what watching costs: throughput of 64 clients with and without
# outages, --ack-log, --server-stats and --live, on MariaDB and PostgreSQL.
#
# The servers are private ones on this machine, which do not wait for the disk:
# so the client has the largest share that it can have.  Each option is compared
# with the run without it just before or after; the two take turns in being the
# first.  The machine must be quiet.  TIME [5] is the seconds of each run,
# CLIENTS [64] their clients, KINDS [mysql pgsql] the servers.
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

TIME=${TIME:-5} CLIENTS=${CLIENTS:-64} KINDS=${KINDS:-mysql pgsql}
# shellcheck source=tests/db/servers.sh
. "$here/../db/servers.sh"
work=$(mktemp -d)
trap 'for kind in $KINDS; do servers stop "$work/$kind" >/dev/null 2>&1 || :; done
      rm -rf "$work"' EXIT

# aim KIND: `to` leads to its server.
aim() {
  servers_env "$work/$1"
  case $1 in
    mysql) to=(--db-driver=mysql --mysql-socket="$MY_SOCKET") ;;
    pgsql) to=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT") ;;
  esac
}

quietly() {
  "$@" >"$work/out" 2>&1 || die "failed: $*
$(cat "$work/out")"
}

# ratio NAME TEST OPTION BASE: the rate with an option, of that with another.
ratio() {
  local name=$1 test=$2 option=$3 base=$4 i with without all=''
  for ((i = 0; i < PAIRS; i++)); do
    ((i % 2)) || without=$(rate "$BENCH" "$test" "${to[@]}" "${load[@]}" "$base" run) || exit 1
    with=$(rate "$BENCH" "$test" "${to[@]}" "${load[@]}" "$option" run) || exit 1
    ((i % 2 == 0)) || without=$(rate "$BENCH" "$test" "${to[@]}" "${load[@]}" "$base" run) || exit 1
    all+=$(calc "$with / $without")$'\n'
  done
  printf '%-8s %-16s %-18s %8.1f/s %8.4f (%s to %s)\n' "$kind" "$test" "$name" "$without" \
    "$(median <<<"${all%$'\n'}")" "$(sort -g <<<"${all%$'\n'}" | head -n 1)" \
    "$(sort -g <<<"${all%$'\n'}" | tail -n 1)"
}

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
title "throughput with it, of that without; $CLIENTS clients"
load=(--threads="$CLIENTS" --time="$TIME" --warmup-time=1)
export BENCH_DATADIR=${BENCH_DATADIR:-$here/../../src/lua/scripts}
for kind in $KINDS; do
  servers start "$kind" "$work/$kind" >/dev/null
  aim "$kind"
  quietly "$BENCH" oltp_write_only "${to[@]}" --table-size=100000 prepare
  quietly "$BENCH" ack "${to[@]}" prepare
  load+=(--table-size=100000)
  ratio 'the same' oltp_write_only --stall=0 --stall=0
  ratio outages oltp_write_only --stall=0.1 --stall=0
  ratio --server-stats=on oltp_write_only --server-stats=on --server-stats=off
  ratio --live oltp_write_only --live="$port" --server-stats=off
  unset 'load[-1]'
  ratio --ack-log ack --ack-log="$work/log" --server-stats=off
  servers stop "$work/$kind"
done
