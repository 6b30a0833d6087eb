#!/usr/bin/env bats
# fileio --file-crash-log with its log on another machine: what has arrived there
# is judged, and what has not is never held against the disk.
load helper

SIZES="--file-num=3 --file-total-size=384K --file-block-size=16K"

teardown() {
  local pid
  for pid in "${job-}" "${listener-}" "${relay-}"; do
    [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
  done
}

# until_it COMMAND...: waits until it succeeds, two minutes at most.
until_it() {
  local end=$((SECONDS + 120))
  until "$@"; do
    must test $SECONDS -lt $end
    read -rt 0.05 <> <(:) || :
  done
}

listen() {
  "$BENCH" ack-listen --address=127.0.0.1 --port=0 --dir="$PWD" >heard 2>&1 3>&- &
  listener=$!
  until_it grep -q '^Listening' heard
  port=$(sed -nE 's/^Listening at .* port ([0-9]+);.*/\1/p' heard)
  "$BENCH" fileio $SIZES prepare >prepared
}

writes() {
  bench fileio $SIZES --file-test-mode=rndwr --threads=3 --file-fsync-freq=30 --file-crash-log \
    --file-ack-log="tcp:127.0.0.1:$port" --time=0 --events=600 "$@" run
}

# begin: a run that goes on, and whose log has a synchronisation.
begin() {
  "$BENCH" fileio $SIZES --file-test-mode=rndwr --threads=3 --file-fsync-freq=30 --file-crash-log \
    --file-ack-log="tcp:127.0.0.1:$port" --time=600 "$@" run >out 2>err 3>&- &
  job=$!
  until_it compgen -G 'acks-*.log' >found
  log=$(cat found)
  until_it acknowledged
}

acknowledged() {
  kill -0 $job
  "$BENCH" fileio --file-ack-log="$log" verify 2>/dev/null | grep -qE ' [1-9][0-9]* acknowledged;'
}

verify() {
  bench fileio --file-ack-log="$log" verify
  must is "$status" "$1"
}

zero() {
  dd if=/dev/zero of="$1" bs=16K count=1 conv=notrunc status=none
}

@test "fileio: the log is at the listener, and verify reads it" {
  listen
  writes -0
  log=$(sed -nE "s/^Log of acknowledged writes '(.*)' at 127.0.0.1:$port: [1-9][0-9]* records\$/\1/p" <<<"$output")
  must has "$log" '^acks-[0-9]{8}-[0-9]{6}-[0-9a-f]{8}\.log$'
  must is "$(grep -c 'the log is complete$' heard)" 1
  verify 0
  must has "$output" ' ended properly after '
  must has "$output" '^Everything that was acknowledged is there\.$'
  # It has what a file of this machine has.
  must has "$output" '^Writes of blocks: ([1-9][0-9]*) begun, \1 completed, \1 acknowledged; '
  zero test_file.1
  verify 1
  must has "$output" '^lost: test_file.1, offset 0: zeros; should be: generation '
}

@test "fileio: bench is killed, and what had arrived is judged" {
  listen
  begin
  kill -KILL $job
  wait $job || true
  job=
  until_it grep -q 'the link broke' heard
  verify 3
  must has "$output" ' and is unknown after '
  must has "$output" '^Cannot tell what was acknowledged after [0-9.]+ s of the run; everything acknowledged until then is there\.$'
  zero test_file.0
  zero test_file.1
  zero test_file.2
  verify 1
}

@test "fileio: a log without its end, and a block that no write of it explains" {
  listen
  writes -0
  log=$(echo acks-*.log)
  python3 -c 'import sys
with open(sys.argv[1], "r+b") as f: # the last record
    f.seek((len(f.read().rstrip(b"\0")) - 1) // 32 * 32)
    f.write(bytes(32))' "$log"
  verify 3
  must has "$output" '^ +torn, by no write of the log: +0$'
  must has "$output" '; everything acknowledged until then is there\.$'
  # Those that a write has filled are judged.
  local from at=0
  for from in 0 1 2 3 4 5 6 7; do
    at=$((from * 16384))
    printf 'xxxxxxxx' | dd of=test_file.0 bs=1 seek=$((at + 1000)) conv=notrunc status=none
  done
  verify 3
  must has "$output" '^ +torn, by no write of the log: +[1-8]$'
  must has "$output" '^ +unfinished, which is allowed: +0$'
  must has "$output" '^[1-8] blocks? (is|are) torn; only a write that is not in the log could explain that\.$'
  [[ $output != *'is there.'* ]]
}

# told: the records that the run says are at the listener are those of the file.
told() {
  local n
  n=$(sed -nE "s/^Log of acknowledged writes '.*' at 127.0.0.1:$port: ([1-9][0-9]*) records\$/\1/p" "$1")
  must is "$(python3 -c 'import sys
records = open(sys.argv[1], "rb").read()[65536:]
print(sum(any(records[i:i + 4]) for i in range(0, len(records), 32)))' "$log")" "$n"
}

@test "fileio: a file is replaced under the run, and the log is at the listener" {
  listen
  begin
  mv test_file.1 other
  kill -TERM $job
  status=0
  wait $job || status=$?
  job=
  must is "$status" 143
  must has "$(cat err)" "^FATAL: .*test_file.1"
  told out
}

@test "fileio: a disk that hangs, and the log is at the listener" {
  ! nm "$BENCH" | grep -qE '__[at]san_init' || skip "sanitizers cannot be traced"
  strace -o probe true 2>/dev/null || skip "strace is not installed, or may not trace here"
  listen
  status=0
  strace -D -f -o trace -P "$PWD/test_file.1" -e trace=pwrite64 \
    -e inject=pwrite64:delay_enter=20000000:when=20+ "$BENCH" fileio $SIZES --file-test-mode=rndwr --threads=2 \
    --file-fsync-freq=5 --file-crash-log --file-ack-log="tcp:127.0.0.1:$port" --time=1 --forced-shutdown=1 run \
    >out 2>err 3>&- || status=$?
  must is "$status" 2
  must has "$(cat err)" '^FATAL: The --max-time limit has expired, forcing shutdown'
  log=$(echo acks-*.log)
  told out
}

@test "fileio: the listener dies, and the run goes on" {
  listen
  begin
  kill -KILL $listener
  wait $listener || true
  listener=
  until_it grep -q "^WARNING: --file-ack-log=tcp:127.0.0.1:$port: .*; the run goes on, and the log waits for the listener\$" err
  kill -TERM $job
  status=0
  wait $job || status=$?
  job=
  must is "$status" 143
  output=$(cat out) stderr=$(cat err)
  must has "$stderr" "^FATAL: --file-ack-log: the log '$log' at 127.0.0.1:$port is not complete, [0-9]+ of [0-9]+ records are not there: "
  verify 3
}

@test "fileio: a link that is slower than the log" {
  listen
  "$BENCH_SRC/tests/fault/tcp_proxy.py" --control=control --owner=$$ "$port" >relayed 2>&1 3>&- &
  relay=$!
  until_it test -s relayed
  port=$(cat relayed)
  "$BENCH_SRC/tests/fault/tcp_proxy.py" --send=control 'rate 2000'
  writes -1 --events=20000 --file-fsync-freq=0
  must has "$stderr" "^FATAL: --file-ack-log: the log 'acks-.*' at 127.0.0.1:$port is not complete, [1-9][0-9]* of [1-9][0-9]* records are not there: "
}

@test "fileio: what is refused" {
  bench -1 fileio $SIZES --file-crash-log --file-ack-log=tcp:nowhere run
  must has "$stderr" "^FATAL: Invalid value for --file-ack-log: 'tcp:nowhere' \(expected the name of a file, or tcp:HOST:PORT of bench ack-listen\)"
  bench -3 fileio --file-ack-log=tcp:127.0.0.1:7377 verify
  must has "$stderr" '^FATAL: verify needs --file-ack-log=FILE, the log of the run, or the file that bench ack-listen has made of it$'
}
