#!/usr/bin/env bash
# truth.sh - is what the server has acknowledged still there?  Each row makes a
# failure for real, with private servers, and asks `bench verify`.  The commands
# of a row can be copied: put your own server in place of those here.
#
# usage: truth.sh ROW...   truth.sh list   (KILLS=N: how often a server is killed;
#        CALM=N: how many runs in which nothing happens; SLACK=S: by how much the
#        time of an outage may differ, in seconds)
#
# Exit status: 0 if verify has said what it must say, 77 if no such server is
# installed.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${BENCH:=$top/build/bench}" "${KILLS:=2}" "${CALM:=1}" "${SLACK:=0.02}"
# shellcheck source=tests/db/servers.sh
. "$top/tests/db/servers.sh"

work=$(mktemp -d)
proxy=
# shellcheck disable=SC2317 # the trap
leave() {
  local name
  [[ -z ${run-} ]] || kill -KILL "$run" 2>/dev/null || true
  [[ -z $proxy ]] || exec {to_proxy}>&- || true
  for name in a b; do
    [[ ! -e $work/$name/state ]] || servers stop "$work/$name"
  done
  rm -rf "$work"
}
trap leave EXIT

wrong() {
  printf 'WRONG: %s\n' "$*" >&2
  cat "$work/out" "$work/err" >&2 || true
  exit 1
}

# aim DIR: `to` leads to the server.
aim() {
  servers_env "$1"
  case $kind in
  pgsql) to=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT" --pgsql-sslmode=disable) ;;
  mysql) to=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$MY_PORT" --mysql-user="$MY_USER") ;;
  esac
}

# server KIND FLAG...
server() {
  kind=$1
  servers has "$1" || exit 77
  servers start "$1" "$work/a" "${@:2}"
  aim "$work/a"
  "$BENCH" ack "${to[@]}" prepare >"$work/out"
}

# under_load ARG...: a run, which has committed something, and whose connections
# come back if they are lost.
under_load() {
  "$BENCH" ack "${to[@]}" --threads=8 --time=600 --report-interval=1 \
    --ack-log="$work/acks.log" "$@" run >"$work/out" 2>"$work/err" &
  run=$!
  commits
}

# commits: until another interval has commits.
commits() {
  local from
  from=$(wc -l <"$work/out")
  until tail -n "+$((from + 1))" "$work/out" | grep -q 'tps: [1-9]'; do
    kill -0 "$run" 2>/dev/null || wrong 'the run has ended'
    read -rt 0.1 <> <(:) || true
  done
}

# ended: the run ends, because its server is gone.
ended() {
  wait "$run" || true
  run=
}

# verify STATUS: what bench says; its lines are in $work/said.
verify() {
  local status=0
  "$BENCH" verify "$work/acks.log" "${to[@]}" | tee "$work/said" || status=$?
  ((status == $1)) || wrong "bench verify ended with $status, not with $1"
}

# count NAME: the number of such a line.
count() {
  sed -nE "s/^  $1 +([0-9]+) .*/\1/p" "$work/said"
}

# kills: the server of this row is killed under load, KILLS times.
kills() {
  for ((i = 0; i < KILLS; i++)); do
    under_load
    servers kill9 "$work/a"
    ended
    servers restart "$work/a"
    aim "$work/a"
    "${@}"
  done
}

# ---- the rows ----

# loses SECONDS: the last commits before a kill are lost, and none of them is older
# than that.
loses() {
  local most=$1
  lost=0
  judge() {
    local status=0
    "$BENCH" verify "$work/acks.log" "${to[@]}" | tee "$work/said" || status=$?
    ((status <= 1)) || wrong "bench verify ended with $status"
    lost=$((lost + $(count lost)))
    grep -q '^  lost .* 0 in a hole$' "$work/said" || wrong 'a hole'
    awk -v most="$most" '/^Lost, by seconds/ { sub(/.*at most /, ""); if ($0 + 0 > most) exit 1 }' \
      "$work/said" || wrong "more than $most s are lost"
  }
  kills judge
  # The log may have been written in the very moment before.
  for _ in 1 2 3; do
    ((lost > 0)) || kills judge
  done
  ((lost > 0)) || wrong 'nothing was lost'
}

# PostgreSQL does not wait for its log: at most three times wal_writer_delay.
row_pgsql_off() {
  server pgsql --set=synchronous_commit=off --set=wal_writer_delay=1s
  loses 3
}

# InnoDB writes its log once in a second: at most some of these.
row_mysql_off() {
  server mysql --set=innodb-flush-log-at-trx-commit=0
  loses 5
}

# The log is written at each commit, and not flushed: a kill of the server loses
# nothing, only one of the machine would.
row_mysql_cache() {
  server mysql --set=innodb-flush-log-at-trx-commit=2
  kills verify 0
}

row_pgsql_on() {
  server pgsql --set=synchronous_commit=on
  kills verify 0
}

row_mysql_on() {
  server mysql --set=innodb-flush-log-at-trx-commit=1
  kills verify 0
}

# The standby does not receive, and is promoted: what it has not got is lost.
row_standby_async() {
  server pgsql --set=synchronous_commit=on
  servers start pgsql "$work/b" --standby-of="$work/a"
  under_load
  servers sql "$work/b" "ALTER SYSTEM SET primary_conninfo = ''"
  servers sql "$work/b" "SELECT pg_reload_conf()" >/dev/null
  until [[ $(servers sql "$work/a" "SELECT count(*) FROM pg_stat_replication") == 0 ]]; do
    read -rt 0.1 <> <(:) || true
  done
  commits
  servers kill9 "$work/a"
  ended
  servers promote "$work/b"
  aim "$work/b"
  verify 1
  (($(count lost) > 0)) || wrong 'nothing was lost'
  grep -q '^  lost .* 0 in a hole$' "$work/said" || wrong 'a hole'
}

# Each commit waits for the standby: nothing is lost.
row_standby_sync() {
  server pgsql --set=synchronous_commit=on
  servers start pgsql "$work/b" --standby-of="$work/a"
  servers sql "$work/a" "ALTER SYSTEM SET synchronous_standby_names = '*'"
  servers sql "$work/a" "SELECT pg_reload_conf()" >/dev/null
  until [[ $(servers sql "$work/a" "SELECT sync_state FROM pg_stat_replication") == sync ]]; do
    read -rt 0.1 <> <(:) || true
  done
  under_load
  commits
  servers kill9 "$work/a"
  ended
  servers promote "$work/b"
  aim "$work/b"
  verify 0
}

# through_proxy WHAT: one COMMIT of a hundred, or its answer, is swallowed.
through_proxy() {
  mkfifo "$work/in"
  exec {to_proxy}<>"$work/in"
  python3 "$top/tests/fault/commit_proxy.py" "$1" 100 "$2" <"$work/in" >"$work/port" {to_proxy}>&- &
  proxy=$!
  until [[ -s $work/port ]]; do
    kill -0 $proxy
    read -rt 0.1 <> <(:) || true
  done
}

# swallowed WHAT EVENTS ARG...: the connection breaks, and the event begins again.
swallowed() {
  local direct=("${to[@]}") port=${PG_PORT-} option=--pgsql-port
  [[ $kind == pgsql ]] || { port=$MY_PORT option=--mysql-port; }
  through_proxy "$1" "$port"
  "$BENCH" ack "${to[@]}" "$option=$(<"$work/port")" --threads=4 --events=1000 --time=0 \
    --db-ps-mode=disable --db-ignore-errors=connection --ack-log="$work/acks.log" "${@:2}" \
    run >"$work/out" 2>"$work/err" || wrong 'the run has failed'
  exec {to_proxy}>&-
  kill $proxy
  wait $proxy || true
  proxy=
  to=("${direct[@]}")
}

# The commit is there, and nobody has heard of it: recovered.
row_answer() {
  server "$1"
  swallowed answer
  verify 0
  (($(count recovered) >= 10)) || wrong 'nothing was recovered'
}

# The server has never got the commit: absent, and not lost.
row_commit() {
  server "$1"
  swallowed commit
  verify 0
  (($(count recovered) == 0 && $(count lost) == 0)) || wrong 'recovered, or lost'
  grep -qE '^  [0-9]+ acknowledged, 0 aborted, [1-9][0-9]+ unknown$' "$work/said" ||
    wrong 'nothing was unknown'
}
row_pgsql_answer() { row_answer pgsql; }
row_mysql_answer() { row_answer mysql; }
row_pgsql_commit() { row_commit pgsql; }
row_mysql_commit() { row_commit mysql; }

# A program that inserts again without a look makes duplicates.
row_retry() {
  server pgsql
  swallowed answer --retry-unknown=same
  verify 1
  (($(count duplicate) >= 10)) || wrong 'no duplicates'
}

# calm KIND: nothing happens, CALM times: no client is without service, nothing is
# lost, and a history has no anomaly.
calm() {
  local i table=ack_rows
  server "$1"
  [[ $kind == pgsql ]] || table=$MY_DB.$table
  "$BENCH" append "${to[@]}" prepare >"$work/out"
  for ((i = 0; i < CALM; i++)); do
    "$BENCH" ack "${to[@]}" --threads=8 --events=2000 --time=0 --ack-log="$work/acks.log" \
      run >"$work/out" 2>"$work/err" || wrong 'the run has failed'
    ! grep -qE 'clients whose service failed: +[1-9]|first error' "$work/out" || wrong 'an outage'
    verify 0
    (($(count lost) == 0 && $(count recovered) == 0 && $(count unexpected) == 0)) ||
      wrong 'a calm run has lost something'
    "$BENCH" append "${to[@]}" --isolation=serializable --threads=8 --events=600 --time=0 \
      --history-file="$work/history.log" run >"$work/out" 2>"$work/err" || wrong 'the run has failed'
    "$BENCH" verify "$work/history.log" | tail -n 1 | tee "$work/out"
    grep -qx 'Verdict: nothing contradicts serializable' "$work/out" || wrong 'an anomaly'
    # The control of this row: what is deleted is missed.
    servers sql "$work/a" "DELETE FROM $table WHERE number = 5" >/dev/null
    verify 1
    (($(count lost) == 1)) || wrong 'a row was deleted, and is not missed'
    "$BENCH" append "${to[@]}" cleanup >"$work/out"
    "$BENCH" append "${to[@]}" prepare >"$work/out"
  done
}
row_calm_pgsql() { calm pgsql; }
row_calm_mysql() { calm mysql; }

# history STATUS ISOLATION: clients read lists and write them back, and verify asks
# whether that was serializable.
history() {
  local status=0
  server pgsql
  "$BENCH" append "${to[@]}" prepare >"$work/out"
  "$BENCH" append "${to[@]}" --method=read_write --isolation="$2" --threads=8 --events=3000 \
    --time=0 --history-file="$work/history.log" run >"$work/out" 2>"$work/err" || wrong 'the run has failed'
  "$BENCH" verify "$work/history.log" --expect=serializable | tee "$work/said" || status=$?
  ((status == $1)) || wrong "bench verify ended with $status, not with $1"
}

# Two clients read the same list, and each writes its own element behind it.
row_read_committed() {
  history 1 read-committed
  grep -q '^lost-update: ' "$work/said" || wrong 'no lost update'
  grep -q '^  The shortest cycle of [2-9]' "$work/said" || wrong 'no cycle'
}

row_serializable() {
  history 0 serializable
  grep -qx 'Verdict: nothing contradicts serializable' "$work/said" || wrong 'an anomaly'
}

# The network is closed for two seconds: bench measures the same, and counts the
# events that became due in that time.
row_closed() {
  server pgsql --set=synchronous_commit=off
  mkfifo "$work/in"
  exec {to_proxy}<>"$work/in"
  python3 "$top/tests/fault/pause_proxy.py" "$PG_PORT" <"$work/in" >"$work/times" {to_proxy}>&- &
  proxy=$!
  until [[ -s $work/times ]]; do
    kill -0 $proxy
    read -rt 0.1 <> <(:) || true
  done
  under_load --pgsql-port="$(<"$work/times")" --threads=16 --rate=1000
  echo 2.000 >&$to_proxy
  until (($(wc -l <"$work/times") == 2)); do
    kill -0 $proxy
    read -rt 0.1 <> <(:) || true
  done
  commits
  kill -TERM "$run"
  ended
  sed -n '/^Outages:/,/^$/p' "$work/out" | tee "$work/said"
  python3 - "$(tail -n 1 "$work/times")" "$SLACK" "$work/said" <<'PY' || wrong 'that is not the time, or not the arrivals'
import re, sys
closed, slack = float(sys.argv[1]), float(sys.argv[2])
found = [(float(s), int(n)) for s, n in re.findall(r" for ([0-9.]+) s, .*?([0-9]+) arrivals", open(sys.argv[3]).read())]
length, arrivals = max(found)
print("closed for %.3f s, measured %.3f s, %d arrivals" % (closed, length, arrivals))
sys.exit(not (abs(length - closed) <= slack and abs(arrivals - 1000 * length) <= 6 * (1000 * length) ** 0.5))
PY
}

# block FROM N TO M: copies a block of 16 KiB.
block() {
  dd if="$1" of="$3" bs=16K skip="$2" seek="$4" count=1 conv=notrunc status=none
}

# finds VERDICT...: verify names these blocks, and no others.  Then the files are
# as they were.
finds() {
  local status=0
  "$BENCH" fileio --file-dir="$work/files" --file-ack-log="$work/writes.log" verify >"$work/said" || status=$?
  grep -E '^(lost|stale|torn|misdirected|damaged|Everything)' "$work/said" || true
  ((status == 1)) || wrong "verify ended with $status, not with 1"
  [[ $(grep -oE '^(lost|stale|torn|misdirected|damaged): ' "$work/said" | tr -d '\n') == "$(printf '%s: ' "$@")" ]] ||
    wrong "not found: $*"
  cp "$work"/good/* "$work/files"
}

# Files are changed behind the program's back, after fsync has acknowledged them.
row_files() {
  local sizes=(--file-dir="$work/files" --file-num=3 --file-total-size=384K --file-test-mode=seqrewr
    --file-crash-log --file-ack-log="$work/writes.log" --events=100 --time=0)
  mkdir "$work/files" "$work/old" "$work/good"
  "$BENCH" fileio "${sizes[@]:0:3}" prepare >"$work/out"
  "$BENCH" fileio "${sizes[@]}" run >"$work/out" 2>"$work/err"
  cp "$work"/files/* "$work/old"
  "$BENCH" fileio "${sizes[@]}" run >"$work/out" 2>"$work/err"
  cp "$work"/files/* "$work/good"
  block /dev/zero 0 "$work/files/test_file.0" 1
  finds lost
  block "$work/good/test_file.0" 1 "$work/files/test_file.2" 3
  block "$work/good/test_file.2" 3 "$work/files/test_file.0" 1
  finds misdirected misdirected
  block "$work/old/test_file.1" 2 "$work/files/test_file.1" 2
  finds stale
  "$BENCH" fileio --file-dir="$work/files" --file-ack-log="$work/writes.log" verify | tail -n 1
}

# bench itself is killed: its log has everything up to then.
row_bench() {
  server pgsql
  under_load
  kill -KILL "$run"
  ended
  verify 0
  (($(count unexpected) == 0)) || wrong 'the log has gaps'
}

rows=$(declare -F | sed -nE 's/^declare -f row_(.*)/\1/p' | grep -vxE 'answer|commit')
case ${1-} in
'' | list) printf '%s\n' "$rows" ;;
*)
  for row; do
    grep -qx -- "$row" <<<"$rows" || { printf 'truth.sh: no row %s\n' "$row" >&2; exit 2; }
    (
      printf '== %s\n' "$row"
      work=$work/$row && mkdir "$work"
      trap leave EXIT
      "row_$row"
    )
  done
  ;;
esac
