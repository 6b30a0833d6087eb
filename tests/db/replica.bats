#!/usr/bin/env bats
# replica.bats - the workload replica beside a primary and a standby whose delay
# is known: what it measures is what was set.

setup_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  servers has pgsql || return 0
  servers start pgsql "$BATS_FILE_TMPDIR/a" --set=synchronous_commit=remote_apply
  servers start pgsql "$BATS_FILE_TMPDIR/b" --standby-of="$BATS_FILE_TMPDIR/a" \
    --set=max_standby_streaming_delay=-1
}

teardown_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  servers stop "$BATS_FILE_TMPDIR/b"
  servers stop "$BATS_FILE_TMPDIR/a"
}

setup() {
  . "$BENCH_SRC/tests/db/servers.sh"
  cd "$BATS_TEST_TMPDIR" || return 1
  servers has pgsql || skip "no PostgreSQL server is installed"
  a=$BATS_FILE_TMPDIR/a b=$BATS_FILE_TMPDIR/b
  servers_env "$b"
  standby=127.0.0.1:$PG_PORT standby_port=$PG_PORT
  servers_env "$a"
  primary=127.0.0.1:$PG_PORT
  to=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT" --replica-host="$standby" --threads=4)
  . "$BENCH_SRC/tests/db/workload.bash"
  workload=replica
}

# apply_delay TIME: the standby applies a commit so long after it was made.
apply_delay() {
  servers sql "$b" "ALTER SYSTEM SET recovery_min_apply_delay = '$1'"
  servers sql "$b" "SELECT pg_reload_conf()" >/dev/null
  until [[ $(servers sql "$b" "SHOW recovery_min_apply_delay") == "$1" ]]; do
    read -rt 0.1 <> <(:) || :
  done
}

# synchronous NAMES: the primary waits for these standbys.
synchronous() {
  local state=async
  [[ -z $1 ]] || state=sync
  servers sql "$a" "ALTER SYSTEM SET synchronous_standby_names = '$1'"
  servers sql "$a" "SELECT pg_reload_conf()" >/dev/null
  until [[ $(servers sql "$a" "SELECT sync_state FROM pg_stat_replication") == "$state" ]]; do
    read -rt 0.1 <> <(:) || :
  done
}

# run_shows EXPRESSION ARG...: in the result of a run, which Python calls r.
run_shows() {
  local what=$1
  shift
  good --time=0 --json=out.json "$@" run
  python3 - "$what" <<'PY' || shown "$@"
import json, sys
r = json.load(open("out.json"))["test"]
sys.exit(not eval("(" + sys.argv[1] + ")"))
PY
}

@test "replica: a standby that applies commits 500 ms later" {
  good prepare
  apply_delay 500ms
  # The delay counts from the commit record, and the client's time from the
  # answer, so a slow answer takes from it.
  run_shows 'r["visible_not_after"]["count"] >= 4 and r["visible_not_after"]["p50_ms"] >= 400 and
    r["visible_not_before"]["p50_ms"] > 100 and
    r["visible_not_before"]["p50_ms"] <= r["visible_not_after"]["p50_ms"] and
    r["stale"]["after_0_ms"]["share"] >= 0.9 and
    r["read_your_writes"]["violations"] > 100 and r["read_your_writes"]["clients"] == 4' \
    --watch=100 --probe-interval=10 --events=600
  # Reads that come late enough see their write.
  run_shows 'r["stale"]["after_5000_ms"] == {"reads": 4, "stale": 0, "share": 0} and
    r["read_your_writes"]["violations"] == 0' --watch=0 --read-after=5000 --events=8
  good check
  says '^replica_rows: sum of n: Writes of all runs: .*: ok$'
}

@test "replica: reads that change between the primary and a standby go back" {
  good prepare --table-exists=drop
  apply_delay 500ms
  run_shows 'r["monotonic_reads"]["violations"] > 0 and r["monotonic_reads"]["clients"] > 0' \
    --replica-host="$primary,$standby" --watch=0 --read-after=0,1 --events=400
  says '^    monotonic reads: broken by [1-9][0-9]* of [12][0-9]* reads, for [1-4] of 4 clients$'
  run_shows 'r["monotonic_reads"]["violations"] == 0 and r["read_your_writes"]["clients"] == 2' \
    --replica-host="$primary,$standby" --replica-choice=sticky --watch=0 --read-after=0,1 --events=400
}

@test "replica: synchronous_commit=remote_apply leaves no stale read" {
  good prepare --table-exists=drop
  apply_delay 0
  synchronous '*'
  run_shows 'r["read_your_writes"]["violations"] == 0 and r["read_your_writes"]["reads"] >= 300 and
    r["monotonic_reads"]["violations"] == 0 and r["visible_not_before"]["max_ms"] == 0 and
    r["not_visible_in_time"] == 0' --read-after=0,1,5 --events=800
  synchronous ''
}

# standby_has N: waits until the standby has so many tables of the workload.
standby_has() {
  until [[ $(servers sql "$b" "SELECT count(*) FROM pg_class WHERE relname IN ('bench_replica', 'replica_rows')") == "$1" ]]; do
    read -rt 0.1 <> <(:) || :
  done
}

@test "replica: a write that never comes, a table that never comes, no replica" {
  good prepare --table-exists=drop
  apply_delay 1500ms
  run_shows 'r["not_visible_in_time"] >= 1 and r["visible_not_after"]["count"] == 0 and
    r["read_your_writes"]["violations"] == r["read_your_writes"]["reads"]' \
    --watch=100 --visible-timeout=1 --probe-interval=100 --events=60
  good cleanup
  apply_delay 0
  standby_has 0
  servers sql "$b" "SELECT pg_wal_replay_pause()" >/dev/null
  good prepare
  bad "replica: what was written to bench_replica did not arrive at $standby in 3 s; is it a replica of this database?" --visible-timeout=1 run
  servers sql "$b" "SELECT pg_wal_replay_resume()" >/dev/null
  bad 'replica: --replica-host is needed, the hosts of the replicas' --replica-host= run
}

# on_standby N CONDITION: waits until so many backends of the standby are so.
on_standby() {
  until [[ $(servers sql "$b" "SELECT count(*) FROM pg_stat_activity WHERE $2") == "$1" ]]; do
    read -rt 0.1 <> <(:) || :
  done
}

@test "replica: the DROP of an earlier table arrives while a run looks at it" {
  local run
  good prepare --table-exists=drop
  standby_has 2
  # A reader on the standby holds the DROP up, and the DROP holds the run up.
  # Between its statements the reader has no snapshot that could be in the way.
  cat >hold.lua <<'LUA'
sysbench.cmdline.commands = {hold = {function()
  local con = sysbench.sql.driver():connect()
  con:query("BEGIN")
  con:query("LOCK TABLE bench_replica IN ACCESS SHARE MODE")
  io.stdout:write("it holds\n")
  io.stdout:flush()
  io.read()
end}}
LUA
  coproc reader { exec "$BENCH" hold.lua "${to[@]:0:2}" --pgsql-port="$standby_port" hold; }
  until read -r line <&"${reader[0]}" && [[ $line == "it holds" ]]; do :; done
  good prepare --table-exists=drop
  on_standby 1 "backend_type = 'startup' AND wait_event_type = 'Lock'"
  good --time=0 --events=8 run &
  run=$!
  on_standby 1 "wait_event_type = 'Lock' AND query LIKE 'SELECT MAX(mark)%'"
  echo >&"${reader[1]}"
  wait "$run"
}
