#!/usr/bin/env bats
# fileio --file-crash-log and its command verify: what fsync has acknowledged is
# still there, or verify names the blocks that are not as they should be.
load helper

SIZES="--file-num=3 --file-total-size=384K --file-block-size=16K"

# writes ARG...: a run that can be verified.
writes() {
  bench fileio $SIZES --file-crash-log --file-ack-log=log --time=0 --events=150 "$@" run
}

prepared() {
  "$BENCH" fileio $SIZES prepare >/dev/null
}

verify() {
  bench fileio --file-ack-log=log "$@" verify
}

# must_find STATUS LINE...: the status of verify, and lines of the blocks that
# it finds: no others are there.
must_find() {
  local want=$1
  shift
  verify
  must is "$status" "$want"
  must is "$(grep -cE '^(lost|stale|torn|misdirected|damaged): ' <<<"$output")" $#
  for line; do
    must has "$output" "^$line"
  done
}

# in_background ARG...: starts a run that goes on until it is killed, and waits
# until it has acknowledged something.  Sets pid.
in_background() {
  rm -f log
  "$BENCH" fileio $SIZES --file-crash-log --file-ack-log=log --time=600 --threads=3 \
    --file-fsync-freq=20 "$@" run >text 2>err 3>&- &
  pid=$!
  acknowledged 0
}

# acknowledged N: waits until the log has more than N acknowledged writes.
acknowledged() {
  local n=0
  for ((;;)); do
    n=$("$BENCH" fileio --file-ack-log=log verify 2>/dev/null |
      sed -nE 's/.* ([0-9]+) acknowledged;.*/\1/p')
    ((${n:-0} <= $1)) || return 0
    kill -0 $pid || must is "$(cat err)" "a run that goes on"
    sleep 0.02
  done
}

kill_it() {
  kill -9 $pid
  wait $pid || true
}

# generation_of FILE OFFSET: prints the generation of the block there.
generation_of() {
  od -An -tu8 -j $(($2 + 24)) -N 8 "$1" | tr -d ' '
}

# whole FILE: prints the offset of a block of one generation.  A run that is
# stopped may be in the middle of some.
whole() {
  local at
  for ((at = 0; at < 131072; at += 16384)); do
    [[ $(generation_of "$1" $at) != "$(generation_of "$1" $((at + 15872)))" ]] || break
  done
  echo $at
}

# block FROM OFFSET TO OFFSET [BYTES]: copies a block, or a part of it.
block() {
  dd if="$1" of="$3" bs=512 skip=$(($2 / 512)) seek=$(($4 / 512)) \
    count=$((${5-16384} / 512)) conv=notrunc status=none
}

teardown() {
  [ -z "${pid-}" ] || ! kill -9 "$pid" 2>/dev/null || wait "$pid" || true
}

@test "after a run everything is there, in each I/O mode and test mode" {
  local engine mode slow
  prepared
  for engine in sync async mmap io_uring; do
    io_mode_here $engine || continue
    for mode in rndwr rndrw seqrewr seqwr wal mixed; do
      # Other engines are not for a log, and differ little in what they write.
      [[ $engine == sync || $mode == rndwr || $mode == seqwr ]] || continue
      # Readers are not faster than the log, which ends its last record.
      [[ $mode == mixed ]] && slow=--file-mixed-reads=100 || slow=
      writes -0 --file-io-mode=$engine --file-test-mode=$mode --threads=3 --file-fsync-freq=30 $slow
      must_find 0
      must has "$output" ' ended properly after '
      must has "$output" '^Everything that was acknowledged is there\.$'
    done
  done
}

@test "sizes of blocks, merged requests, flags and ways to synchronise" {
  local args
  prepared
  for args in --file-block-size=64 --file-block-size=5000 --file-block-size=128K "--file-block-size=4K --file-merged-requests=5" \
    --file-fsync-all "--file-fsync-mode=fdatasync --file-fsync-freq=1" \
    "--file-extra-flags=dsync --file-fsync-freq=0 --file-fsync-end=off" \
    "--file-extra-flags=sync --file-fsync-freq=0 --file-fsync-end=off --file-io-mode=async"; do
    [[ $args != *async ]] || io_mode_here async || continue
    writes -0 --file-test-mode=seqrewr --threads=2 $args
    must_find 0
    must holds "$(number 'completed, ') >= 20"
  done
}

@test "without a synchronisation nothing can be said" {
  prepared
  writes -0 --file-test-mode=rndwr --file-fsync-freq=0 --file-fsync-end=off
  must_find 3
  must has "$output" ' 0 acknowledged; 0 fsyncs$'
  must has "$output" '^Cannot tell: nothing was acknowledged\.$'
}

@test "kill -9 of bench loses nothing" {
  local engine
  for engine in sync async mmap io_uring; do
    io_mode_here $engine || continue
    prepared
    in_background --file-io-mode=$engine --file-test-mode=rndwr
    kill_it
    must_find 0
    must has "$output" ' was cut off after '
  done
  prepared
  in_background --file-test-mode=wal
  kill_it
  must_find 0
}

@test "a block of zeros, a swap, an old block, a half, an unknown block" {
  local last first at
  prepared
  writes --file-test-mode=seqrewr
  must_find 0
  printf x | dd of=test_file.0 bs=1 seek=700 conv=notrunc status=none
  must_find 1 "torn: test_file.0, offset 0: bytes 0 to 511 generation .*, bytes 512 to 1023 data with a wrong checksum .*, bytes 1024 to 16383 generation"

  # An old block of the same run: stop the run, take a copy, and let it write
  # everything again.
  in_background --file-test-mode=seqrewr
  kill -STOP $pid
  cp test_file.0 old.0
  kill -CONT $pid
  acknowledged $(($("$BENCH" fileio --file-ack-log=log verify | sed -nE 's/.* ([0-9]+) begun.*/\1/p') + 200))
  kill -INT $pid
  wait $pid || true
  must_find 0
  must has "$output" ' ended properly after '
  mkdir good
  cp test_file.* log good/

  dd if=/dev/zero of=test_file.1 bs=16K seek=2 count=1 conv=notrunc status=none
  must_find 1 "lost: test_file.1, offset 32768: zeros; should be: generation [0-9]+ of thread [0-2], written at [0-9.]+ s, or a later one$"
  must has "$output" '^    lost: +1$'
  must has "$output" '^1 block is not as acknowledged\.$'
  must has "$output" '^They were written [0-9.]+ to [0-9.]+ s before the end of the log\.$'

  cp good/* .
  first=$(generation_of test_file.0 16384) last=$(generation_of test_file.2 49152)
  block good/test_file.2 49152 test_file.0 16384
  block good/test_file.0 16384 test_file.2 49152
  must_find 1 "misdirected: test_file.0, offset 16384: generation $last of thread [0-2] for test_file.2, offset 49152; should be: generation [0-9]+ " \
    "misdirected: test_file.2, offset 49152: generation $first of thread [0-2] for test_file.0, offset 16384; should be: generation [0-9]+ "

  cp good/* .
  at=$(whole old.0)
  first=$(generation_of old.0 $at)
  block old.0 $at test_file.0 $at
  must_find 1 "stale: test_file.0, offset $at: generation $first of thread [0-2]; should be: generation [0-9]+ "

  cp good/* .
  last=$(generation_of test_file.0 $at)
  block old.0 $at test_file.0 $at 8192
  must_find 1 "torn: test_file.0, offset $at: bytes 0 to 8191 generation $first of thread [0-2], bytes 8192 to 16383 generation $last of thread [0-2]; should be: generation [0-9]+ "

  cp good/* .
  head -c 16384 /dev/urandom | dd of=test_file.2 bs=16K conv=notrunc status=none
  must_find 1 "damaged: test_file.2, offset 0: data that no run has written; "

  cp good/* .
  truncate -s 120000 test_file.1
  must_find 1 "lost: test_file.1, offset 114688: bytes 0 to 5119 generation .* bytes 5120 to 16383 missing, because the file is too short or not there; "
  rm test_file.1
  verify -1
  must is "$(grep -c '^lost: test_file.1, ' <<<"$output")" 8
}

@test "an fsync that lies: the files go back to an earlier time" {
  local n
  prepared
  in_background --file-test-mode=rndwr
  kill -STOP $pid
  mkdir old
  cp test_file.* old/
  kill -CONT $pid
  n=$("$BENCH" fileio --file-ack-log=log verify | sed -nE 's/.* ([0-9]+) begun.*/\1/p')
  acknowledged $((n + 100))
  kill_it
  must_find 0
  cp old/test_file.* .
  verify -1
  # The copy may have come in the middle of a write.
  must holds "$(number '    stale: ') >= 1 && $(number '    torn: ') <= 3"
  must holds "$(number '    stale: ') + $(number '    torn: ') + $(number '    as acknowledged, or later: ') + $(number '    unfinished, which is allowed: ') == 24"
}

@test "a disk that swallows writes after a while, and an fsync that fails" {
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe true 2>/dev/null || skip "strace may not trace here"
  export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
  prepared
  run -0 --separate-stderr strace -f -o trace -e trace=pwrite64 \
    -e inject=pwrite64:retval=16384:when=100+ -P test_file.1 \
    "$BENCH" fileio $SIZES --file-crash-log --file-ack-log=log --time=0 --events=960 \
    --file-test-mode=seqrewr run
  must has "$output" 'fsyncs/s'
  verify -1
  must is "$(grep -c '^stale: test_file.1, offset' <<<"$output")" 8
  must is "$(number '    as acknowledged, or later: ')" 16

  # What is written before a failed fsync is never acknowledged, whatever a
  # later one says.
  prepared
  run -1 --separate-stderr strace -f -o trace -e trace=fsync -e inject=fsync:error=EIO:when=1 -P test_file.1 \
    "$BENCH" fileio $SIZES --file-crash-log --file-ack-log=log --time=0 --events=60 --file-fsync-freq=30 \
    --file-test-mode=seqrewr run
  must has "$stderr" "^FATAL: Failed to fsync file 'test_file.1' errno = 5 "
  truncate -s 0 test_file.1
  must_find 0
  must is "$(number 'never acknowledged: ')" 16
}

@test "what verify cannot judge" {
  prepared
  writes -0 --file-test-mode=rndwr
  bench -3 fileio verify
  must is "$stderr" "FATAL: verify needs --file-ack-log=FILE, the log of the run, or the file that bench ack-listen has made of it"
  verify -3 --file-ack-log=none
  must has "$stderr" "^FATAL: Cannot open file 'none' errno = 2 "
  verify -3 --file-ack-log="$PWD"
  must has "$stderr" "^FATAL: Cannot read file '$PWD' errno = 21 "
  verify -3 --file-ack-log=test_file.0
  must is "$stderr" "FATAL: Cannot use 'test_file.0': it is not a log of --file-ack-log"
  cp log damaged
  printf x | dd of=damaged bs=1 seek=57 conv=notrunc status=none
  verify -3 --file-ack-log=damaged
  must is "$stderr" "FATAL: Cannot use 'damaged': the beginning of the log is damaged"
  mkdir empty
  verify -3 --file-dir=empty
  must is "$stderr" "FATAL: None of the files is there; is --file-dir right?"
  verify -3 --file-device=/dev/null
  must is "$stderr" "FATAL: 'log' is the log of a run without --file-device"
}

@test "a log with a damaged record, or with zeros inside, is incomplete" {
  prepared
  writes -0 --file-test-mode=rndwr --file-fsync-freq=10 --events=20
  cp log whole
  cat >damage.py <<'PY'
import subprocess, sys
log = bytearray(open("whole", "rb").read())
begin = 65536
def verify(bytes):
    open("log", "wb").write(bytes)
    p = subprocess.run([sys.argv[1], "fileio", "--file-ack-log=log", "verify"], stdout=subprocess.PIPE, text=True)
    return p.returncode, p.stdout
assert verify(log)[0] == 0
end = begin + 32 * next(i for i in range(len(log)) if not any(log[begin + 32 * i:begin + 32 * i + 32]))
assert end - begin > 40 * 32
for at in range(begin, end):
    other = bytearray(log)
    other[at] ^= 1 << at % 8
    status, text = verify(other)
    assert status in (1, 3) and "Everything" not in text, (at, status, text)
    assert "The log is incomplete: 1 record is missing or damaged, the first at offset %d.\n" % (at & ~31) in text, (at, text)
    synced = log[(at & ~31) + 4] == 5
    assert status == 3 or synced, (at, text)
other = log[:begin] + bytes(80 * 32) + log[begin + 80 * 32:end] if end - begin > 100 * 32 else log[:begin] + bytes(5 * 32) + log[begin + 5 * 32:]
status, text = verify(other)
assert status == 3 and "records are missing or damaged, the first at offset 65536.\n" in text, (status, text)
PY
  must python3 damage.py "$BENCH"
}

@test "the log replaces an older log and nothing else" {
  prepared
  echo precious >log
  writes -1 --file-test-mode=rndwr
  must has "$stderr" "^FATAL: Invalid value for --file-ack-log: 'log' \(expected a new file, or the log of another run; this file is something else\)$"
  must is "$(cat log)" precious
  rm log
  writes --file-test-mode=rndwr
  writes -0 --file-test-mode=rndwr --events=20
  must has "$stderr" "^WARNING: the log of acknowledged writes is in the file system of the files, so "
  must_find 0
  must has "$output" '^Writes of blocks: 20 begun, 20 completed, 20 acknowledged; 3 fsyncs$'
  must holds "$(stat -c %s log) == 65536 + 32 * (2 * 20 + 3 + 1)"
}
