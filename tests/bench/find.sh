#!/usr/bin/env bash
# find.sh [SECONDS [SLO]] - do two searches for the highest rate agree?
#
# Searches twice on SQLite and on a private PostgreSQL server, with statements
# that really work, so the machine must be quiet.  After each pair it prints the
# two intervals and whether they overlap.  Each search takes some minutes with
# steps of SECONDS (20 by default).  SLO is p99<=2ms by default.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
src=$here/../..
bench=${BENCH:-$src/build/bench}
seconds=${1:-20} slo=${2:-p99<=2ms}
work=$(mktemp -d)
server=
# shellcheck source=tests/db/servers.sh
. "$src/tests/db/servers.sh"

end() {
  [[ -z $server ]] || servers stop "$server"
  rm -rf "$work"
}
trap end EXIT

# pair NAME OPTIONS...: prepare, two searches, and whether they agree.
pair() {
  local name=$1
  shift
  "$bench" "$@" --table-size=100000 prepare >"$work/prepare.log" ||
    { cat "$work/prepare.log"; return 1; }
  for i in 1 2; do
    printf '\n== %s, search %s ==\n' "$name" "$i"
    "$bench" "$@" --table-size=100000 --find=rate --slo="$slo" --time="$seconds" \
      --json="$work/$name.$i.json" run || printf 'exit status %s\n' "$?"
  done
  "$bench" report "$work/$name.1.json" -o "$work/$name.html"
  # There is no limit of the rate that could be known here.
  python3 "$src/tests/cli/find_agree.py" inf "$work/$name".?.json || true
}

pair sqlite oltp_point_select --db-driver=sqlite --sqlite-db="$work/find.db" --threads=2
if servers has pgsql; then
  server=$work/pg
  servers start pgsql "$server"
  servers_env "$server"
  pair pgsql oltp_point_select --db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" \
    --pgsql-port="$PG_PORT" --pgsql-user="$PG_USER" --pgsql-db="$PG_DB" --threads=16
fi
