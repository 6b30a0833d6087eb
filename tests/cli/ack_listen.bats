#!/usr/bin/env bats
# ack_listen.bats - the acknowledgement log on another machine: what has arrived
# is judged, what has not is never called lost, and clients never wait for it.

load helper
NEEDS_DRIVER=sqlite

teardown() {
  local pid
  for pid in "${job-}" "${listener-}" "${relay-}"; do
    [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
  done
}

# until_it COMMAND...: waits until it succeeds, as long as a test may run.
until_it() {
  until "$@"; do
    read -rt 0.05 <> <(:) || :
  done
}

# listen [PORT]: a listener; sets listener and port.
listen() {
  local try
  for try in {1..50}; do
    port=${1-$((20000 + RANDOM % 12000))}
    : >heard
    "$BENCH" ack-listen --port="$port" --dir="$PWD" ${token:+--token-file="$token"} >heard 2>not_heard 3>&- &
    listener=$!
    while kill -0 $listener 2>/dev/null; do
      ! grep -qs '^Listening at 127.0.0.1 port' heard || return 0
      read -rt 0.05 <> <(:) || :
    done
    must has "$(cat not_heard)" 'Address already in use'
  done
  return 1
}

database() {
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db" --sqlite-synchronous=off --sqlite-busy-timeout=60000)
  bench -0 ack "${to[@]}" prepare
}

delete() {
  python3 -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1], timeout=60)
c.executescript(sys.argv[2])
c.commit()' t.db "DELETE FROM ack_rows WHERE $1"
}

# The first row, and that of the first client, which may have come late: a log
# that was cut off has one of them at least.
delete_first() {
  delete 'number = 1 OR id = (SELECT MIN(id) FROM ack_rows)'
}

# begin: a run in the background, which has committed something.
begin() {
  : >out
  : >err
  "$BENCH" ack "${to[@]}" --threads=2 --time=600 --report-interval=0.1 \
    --ack-log="tcp:127.0.0.1:$port" "$@" run >out 2>err 3>&- &
  job=$!
  commits
  log=$(ls acks-*.log)
}

# commits: until another interval has commits.
commits() {
  local from
  from=$(wc -l <out)
  until tail -n "+$((from + 1))" out | grep -Eq 'tps: [1-9]'; do
    kill -0 $job
    read -rt 0.05 <> <(:) || :
  done
}

# stop STATUS: the run ends.
stop() {
  kill -TERM $job
  status=0
  wait $job || status=$?
  job=
  output=$(cat out) stderr=$(without_machine <err)
  must is "$status" "$1"
}

verify() {
  bench verify "$log" "${to[@]}"
  must is "$status" "$1"
  must has "$output" "^  lost +${2-0} "
}

@test "ack-listen: one file per run, and what was acknowledged is there" {
  database
  listen
  for n in 1000 3000; do
    bench -0 ack "${to[@]}" --threads=2 --clients=8 --events=$n --time=0 --ack-log="tcp:127.0.0.1:$port" run
    log=$(sed -nE "s/^Acknowledgement log '(.*)' at 127.0.0.1:$port: $n acknowledged, 0 aborted, 0 unknown\$/\1/p" <<<"$output")
    must has "$log" '^acks-[0-9]{8}-[0-9]{6}-[0-9a-f]{8}\.log$'
    verify 0
    must has "$output" "^Database: $n rows\$"
    must has "$output" '^ok: everything that was acknowledged is there$'
    # It is what a file of this machine would be: whole chunks, and an end.
    must is "$(($(wc -c <"$log") % 65536))" 0
  done
  must is "$(grep -c 'the log is complete$' heard)" 2
  delete 'id = (SELECT MAX(id) FROM ack_rows)' # a client may have few rows
  verify 1 1
  kill $listener
  wait $listener
  listener=
  bench -1 ack "${to[@]}" --events=1 --ack-log="tcp:127.0.0.1:$port" run
  must has "$stderr" "^FATAL: --ack-log: no listener at 127.0.0.1:$port: the listener cannot be reached: Connection refused$"
}

@test "ack-listen: bench is killed, and the listener has what it was told" {
  database
  listen
  begin
  bench -3 verify "$log" "${to[@]}"
  must has "$stderr" "^FATAL: the run that writes '$log' has not ended$"
  kill -KILL $job
  wait $job || true
  job=
  until_it grep -q 'the link broke' heard
  verify 3
  must has "$output" '^  [1-9][0-9]* acknowledged, 0 aborted, [0-2] unknown$'
  must has "$output" "^Log '$log': .* its end has not arrived at the listener$"
  must has "$output" '^  others +[0-9]'
  must has "$output" '^cannot tell: the log ends at [0-9.]+ s of the run; every commit that was acknowledged until then is there$'
  # The control: a loss is one, with or without an end.
  delete_first
  verify 1 '[12]'
}

@test "ack-listen: the listener is killed, and the run goes on" {
  database
  listen
  begin
  kill -KILL $listener
  wait $listener || true
  listener=
  until_it grep -q "^WARNING: --ack-log=tcp:127.0.0.1:$port: .*; the run goes on, and the log waits for the listener\$" err
  commits
  stop 143
  must has "$stderr" "^FATAL: --ack-log: the log '$log' at 127.0.0.1:$port is not complete, it ends at [0-9.]+ s of the run, and [0-9]+ of [1-9][0-9]* answers of the server are not there: .*"
  must has "$output" '^Inserts of the run: [1-9]'
  verify 3
  must has "$output" '^  others +[1-9]'
  must has "$output" '^cannot tell: the log ends at '
}

@test "ack-listen: the listener comes back, and nothing is missing" {
  database
  listen
  begin
  kill -KILL $listener
  wait $listener || true
  until_it grep -q 'the log waits for the listener$' err
  commits
  listen "$port"
  until_it grep -q 'the listener has all of the log again$' err
  must has "$(cat heard)" "$log: the log goes on\$"
  stop 143
  verify 0
  must has "$output" '^  unexpected +0 '
}

@test "ack-listen: a listener that stands still does not slow the run" {
  database
  listen
  begin
  kill -STOP $listener
  commits
  commits
  kill -CONT $listener
  stop 143
  verify 0
  must has "$output" '^  unexpected +0 '
}

@test "ack-listen: the link is slower than the log, and the run ends all the same" {
  database
  listen
  "$BENCH_SRC/tests/fault/tcp_proxy.py" --control=control --owner=$$ "$port" >relayed 2>&1 3>&- &
  relay=$!
  until_it test -s relayed
  port=$(cat relayed)
  # The smallest batch, 64 KiB, takes 2 s: in 3 s it has to be answered.
  "$BENCH_SRC/tests/fault/tcp_proxy.py" --send=control 'rate 32000'
  begin
  # Half as much again as the link carries until the run gives up, 48 bytes for each;
  # a line is 100 ms.
  until_it awk '{ for (i = 1; i < NF; i++) if ($i == "tps:") { n += $(i + 1) / 10; s += 0.1 } }
    END { exit !(48 * n > 1.5 * 32000 * (s + 5)) }' out
  stop 143
  must has "$stderr" "^FATAL: --ack-log: the log '$log' at 127.0.0.1:$port is not complete, it ends at [0-9.]+ s of the run, and [1-9][0-9]* of [1-9][0-9]* answers of the server are not there: the link is too slow, and the run waits no longer than 5 s"
  run ! grep 'the log waits for the listener' err
  until_it grep -q 'the link broke' heard
  verify 3
  must has "$output" '^  others +[1-9]'
  must has "$output" '^cannot tell: the log ends at [0-9.]+ s of the run; every commit that was acknowledged until then is there$'
  delete_first
  verify 1 '[12]'
}

@test "ack-listen: a full disk is said, and the run goes on" {
  mkdir small
  mount -t tmpfs -o size=68k none small 2>/dev/null || skip "no file system can be mounted here"
  database
  : >heard
  "$BENCH" ack-listen --address=127.0.0.1 --port=0 --dir=small >heard 2>&1 3>&- &
  listener=$!
  until_it grep -q '^Listening' heard
  port=$(sed -nE 's/^Listening at .* port ([0-9]+);.*/\1/p' heard)
  bench ack "${to[@]}" --threads=1 --events=3000 --time=0 --ack-log="tcp:127.0.0.1:$port" run
  kill -KILL $listener
  wait $listener || true
  listener=
  log=$(ls small/acks-*.log)
  must is "$status" 1
  must has "$stderr" "^FATAL: --ack-log: the log 'acks-.*' at .* is not complete, .*: the listener has refused it: cannot write 'acks-.*', errno = 28 \(No space left on device\)$"
  bench verify "$log" "${to[@]}"
  umount small
  must is "$status" 3
}

@test "ack-listen: nobody reads what it says any more" {
  local from line
  database
  mkfifo said
  "$BENCH" ack-listen --address=127.0.0.1 --port=0 --dir="$PWD" >said 2>not_heard 3>&- &
  listener=$!
  exec {from}<said
  read -r line <&$from
  exec {from}<&-
  port=$(sed -nE 's/^Listening at .* port ([0-9]+);.*/\1/p' <<<"$line")
  bench -0 ack "${to[@]}" --events=1000 --time=0 --ack-log="tcp:127.0.0.1:$port" run
  log=$(ls acks-*.log)
  verify 0
  kill -0 $listener
}

@test "ack-listen: strangers, on both sides" {
  listen
  exec {talk}<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET / HTTP/1.1\r\nHost: nobody, who has a long name\r\n\r\n' >request
  cat request >&$talk # in one write: the listener may close after the first line
  # The end may come as a reset: the listener has read only as much as it needed.
  output=$(cat <&$talk 2>not_heard) || true
  exec {talk}>&-
  must is "$output" ''
  until_it grep -q '^127.0.0.1 port .*: refused: it is not a run of bench with --ack-log=tcp:$' heard
  [ -z "$(ls -- *.log 2>/dev/null)" ]
  # And what answers a run is no listener.
  serve_metrics
  job=$pid
  database
  bench -1 ack "${to[@]}" --events=1 --ack-log="tcp:127.0.0.1:$port" run
  must has "$stderr" "^FATAL: --ack-log: no listener at 127.0.0.1:$port: (what listens there is no bench ack-listen|the listener has closed|the listener cannot be reached|the listener does not answer)"
}

@test "ack-listen: without a descriptor for a run that calls, it does not spin" {
  ! emulated || skip "strace sees the emulator"
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe true 2>/dev/null || skip "strace may not trace here"
  listen
  # The next one must not be confused with it, by its port or by its line.
  kill -KILL $listener
  wait $listener || true
  : >heard
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" strace -f -ttt -qq -o calls -e trace=accept4 \
    -e inject=accept4:error=EMFILE \
    "$BENCH" ack-listen --port="$port" --dir="$PWD" ${token:+--token-file="$token"} >heard 2>not_heard 3>&- &
  listener=$!
  until_it eval "grep -q '^Listening' heard || ! kill -0 $listener"
  must is "$(cat not_heard)" ''
  exec {talk}<>"/dev/tcp/127.0.0.1/$port"
  many() { [ "$(grep -c 'accept4.*EMFILE' calls)" -ge 3 ]; }
  until_it many
  exec {talk}>&-
  # It looks again after half a second.
  must holds "$(awk '/EMFILE/ && ++n == 1 { first = $2 } /EMFILE/ && n == 3 { print $2 - first; exit }' calls) > 0.9"
  pkill -KILL -P $listener
}

@test "ack-listen: a token that only runs with the same one have" {
  (umask 077 && echo 'a token that is long enough' >right && echo 'a token that is long enougj' >wrong)
  token=right
  database
  listen
  local at="tcp:127.0.0.1:$port"
  bench -1 ack "${to[@]}" --events=1 --ack-log="$at" run
  must is "$stderr" "FATAL: --ack-log: no listener at 127.0.0.1:$port: the listener asks for its token: add ,token-file=FILE to the address"
  bench -1 ack "${to[@]}" --events=1 --ack-log="$at,token-file=wrong" run
  must is "$stderr" "FATAL: --ack-log: no listener at 127.0.0.1:$port,token-file=wrong: the listener has refused it: refused: the run has another token"
  until_it grep -q 'refused: the run has another token$' heard
  [ -z "$(ls -- *.log 2>/dev/null)" ]
  # The token itself is never sent.
  if strace -o probe true 2>/dev/null && ! emulated; then
    strace -f -s 500 -o calls -e trace=sendto,sendmsg,write "$BENCH" ack "${to[@]}" --events=1 \
      --ack-log="$at,token-file=right" run >out
    must grep -q 'bench ack hello' calls
    must is "$(grep -c 'long enough' calls)" 0
    rm -f -- *.log
  fi
  bench -0 ack "${to[@]}" --events=10 --ack-log="$at,token-file=$PWD/right" run
  log=$(ls acks-*.log)
  bench verify "$log" "${to[@]}"
  must has "$output" '^ok: everything that was acknowledged is there$'
}

@test "ack-listen: other machines need a token" {
  bench -2 ack-listen --address=0.0.0.0 --port=0
  must is "$stderr" "FATAL: --address=0.0.0.0 can be reached by other machines, so runs need a token: --token-file=FILE"
  bench -2 ack-listen --address=:: --port=0
  (umask 077 && echo 'a token that is long enough' >token && echo short >short)
  cp token open
  chmod 644 open
  bench -1 ack-listen --address=0.0.0.0 --port=0 --token-file=open
  must is "$stderr" "FATAL: the token file 'open' is open to other users (chmod 600 helps)"
  bench ack-listen --address=0.0.0.0 --port=0 --token-file=short
  must is "$stderr" "FATAL: the first line of the token file 'short' is not a token (expected 16 to 1023 characters)"
  bench ack-listen --port=0 --token-file=nowhere
  must is "$stderr" "FATAL: cannot open the token file 'nowhere', errno = 2 (No such file or directory)"
  bench ack-listen --port=0 --token-file=.
  must is "$stderr" "FATAL: the token file '.' is not a regular file"
  "$BENCH" ack-listen --address=0.0.0.0 --port=0 --token-file=token >heard 2>not_heard 3>&- &
  listener=$!
  until_it grep -q '^Listening at 0.0.0.0 port' heard
}

@test "ack-listen: what is refused" {
  bench -1 ack-listen --dir=nowhere --port=0
  must is "$stderr" "FATAL: --dir: cannot make files in 'nowhere', errno = 2 (No such file or directory)"
  bench -2 ack-listen --address=somewhere
  must has "$stderr" "^FATAL: Invalid value for --address: 'somewhere' \(expected the number of an address"
  bench -2 ack-listen logs
  must has "$stderr" "^FATAL: ack-listen takes no file: 'logs'"
  bench -2 ack-listen --port=70000
  must has "$stderr" "Invalid value for --port: '70000' \(expected"
}
