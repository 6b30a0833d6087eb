#!/usr/bin/env bats
# Acknowledgement logs of a run of several processes: one of each, and `bench
# verify` reads them together.
load helper

teardown() {
  [ -z "${listener-}" ] || kill -KILL "$listener" 2>/dev/null || true
}

database() {
  needs_driver sqlite
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db" --sqlite-synchronous=off --sqlite-busy-timeout=60000)
  bench -0 "$1" "${to[@]}" prepare
}

change() {
  python3 -c 'import sqlite3, sys
c = sqlite3.connect("t.db", timeout=60)
c.executescript(sys.argv[1])
c.commit()' "$1"
}

verify() {
  bench verify "${logs[@]}" "${to[@]}"
  must is "$status" "$1"
}

# fresh_run: the first one of new tables, of two processes.
fresh_run() {
  bench -0 ack "${to[@]}" --table-exists=drop prepare
  ranks -0 2 ack "${to[@]}" --threads=2 --events=30 --time=0 --ack-log=acks.log run
}

moment='[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC'

# The numbers of three processes, of one run: all are there, or one is not.
judged_together() {
  verify 0
  must has "$output" '^All 3 logs:$'
  must is "$(grep -c "^Log '" <<<"$output")" 3
  must is "$(grep -cx '  300 acknowledged, 0 aborted, 0 unknown' <<<"$output")" 1
  must has "$output" '^Database: 300 rows$'
  must has "$output" '^  unexpected +0 '
  must is "$(tail -n 1 <<<"$output")" 'ok: everything that was acknowledged is there'
  # The control: one row of each process is deleted.
  change 'DELETE FROM ack_rows WHERE number IN
    (SELECT MIN(number) FROM ack_rows GROUP BY number / 8589934592)'
  verify 1
  must has "$output" '^  lost +3 '
  must has "$output" "^  number [0-9]+ of client [01] of '.*', acknowledged at"
}

@test "--ack-log: a file of each process, which verify reads together" {
  database ack
  ranks -0 3 ack "${to[@]}" --threads=2 --events=300 --time=0 --ack-log=acks.log run
  must has "$output" "^The other processes have logs of their own: 'acks.log.rank1' and so on\.\$"
  logs=(acks.log acks.log.rank1 acks.log.rank2)
  judged_together
  # What one process has done is in no log if its own is not given.
  change 'DELETE FROM ack_rows WHERE number / 8589934592 = 0'
  bench -1 verify acks.log.rank1 acks.log.rank2 "${to[@]}"
  must has "$output" '^FAILED: 2 lost$'
  bench ack "${to[@]}" prepare
  ranks -0 3 ack "${to[@]}" --threads=2 --events=300 --time=0 --ack-log=acks.log run
  bench -3 verify acks.log acks.log.rank2 "${to[@]}"
  must has "$output" '^  others +[1-9]'
  must has "$output" '^cannot tell: the logs of 1 of 3 processes are missing, such as that of process 1$'
  # A file that an earlier run of more processes has left behind.
  local query
  query='SELECT number FROM ack_rows'
  mv acks.log.rank2 old.log
  ranks -0 2 ack "${to[@]}" --threads=2 --events=30 --time=0 --ack-log=acks.log run
  bench -2 verify acks.log acks.log.rank1 old.log --query="$query" "${to[@]}"
  must has "$stderr" "^FATAL: 'acks.log' and 'old.log' are logs of two runs: the first is of process 0 of 2, which began at $moment, the other of process 2 of 3, $moment \(expected those of one run\)\$"
  # One of a run of as many, before the tables were made again: both have the
  # same query.
  fresh_run
  mv acks.log.rank1 older.log
  fresh_run
  bench -2 verify acks.log older.log "${to[@]}"
  must has "$stderr" "^FATAL: 'acks.log' and 'older.log' are logs of two runs: the first is of process 0 of 2, which began at $moment, the other of process 1 of 2, $moment \(expected those of one run\)\$"
  logs=(acks.log acks.log.rank1)
  verify 0
  # The same log twice would be acknowledged twice.
  cp acks.log copy.log
  bench -2 verify acks.log copy.log "${to[@]}"
  must has "$stderr" "^FATAL: 'acks.log' and 'copy.log' are the same log$"
}

@test "--ack-log: each process has a stream to the listener" {
  local port
  database ack
  "$BENCH" ack-listen --address=127.0.0.1 --port=0 --dir="$PWD" >heard 2>&1 3>&- &
  listener=$!
  await heard '^Listening'
  port=$(sed -nE 's/^Listening at .* port ([0-9]+);.*/\1/p' heard)
  ranks -0 3 ack "${to[@]}" --threads=2 --events=300 --time=0 --ack-log="tcp:127.0.0.1:$port" run
  must has "$output" '^The listener has a log of each other process, too\.$'
  logs=(acks-*.log)
  judged_together
}

@test "--ack-log: a total of several processes" {
  database counter
  ranks -0 2 counter "${to[@]}" --threads=2 --events=100 --time=0 --ack-log=acks.log run
  logs=(acks.log acks.log.rank1)
  verify 0
  must has "$output" '^Database: 100 since the begin of the run$'
}

@test "verify: logs of two runs are judged one after the other" {
  database ack
  for i in 1 2; do
    bench -0 ack "${to[@]}" --events=50 --time=0 --ack-log=log$i run
  done
  logs=(log1 log2)
  verify 0
  must is "$(grep -c '^Database: 50 rows$' <<<"$output")" 2
  # One query for both: the numbers of a client are the same in both runs.
  bench verify log1 log2 --query='SELECT number FROM ack_rows' "${to[@]}"
  must has "$output" '^All 2 logs, of 2 runs with one query:$'
  must has "$output" '^Database: 100 rows$'
  change 'DELETE FROM ack_rows WHERE run = (SELECT MIN(run) FROM ack_rows) AND id % 50 = 1'
  verify 1
  must is "$(grep -c '^FAILED: 1 lost$' <<<"$output")" 1
  must is "$(grep -c '^ok: ' <<<"$output")" 1
}

@test "verify: a loss outweighs a log that cannot be judged, and each has its reason" {
  database ack
  bench -0 ack "${to[@]}" --events=50 --time=0 --ack-log=lossy.log run
  change 'DELETE FROM ack_rows WHERE id = 1'
  for n in 1 2; do
    printf 'function init() sysbench.ack_query("SELECT %s FROM nowhere%s") end\nfunction event() sysbench.ack(1) end\n' $n $n >bad$n.lua
    bench -0 ./bad$n.lua --events=1 --time=0 --ack-log=bad$n.log run
  done
  echo 'function event() sysbench.ack(1) end' >none.lua
  bench -0 ./none.lua --events=1 --time=0 --ack-log=none.log run
  logs=(bad1.log bad2.log none.log lossy.log)
  verify 1
  must has "$output" '^FAILED: 1 lost$'
  must has "$stderr" '^FATAL: the query of the log failed: SELECT 1 FROM nowhere1: '
  must has "$stderr" '^FATAL: the query of the log failed: SELECT 2 FROM nowhere2: '
  must has "$stderr" '^FATAL: the log has no query: '
}
