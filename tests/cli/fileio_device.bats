#!/usr/bin/env bats
# The fileio test on a block device: a loop device that this file makes.
load helper

# A device of 1 MiB; its content is the file `backing`.
device() {
  [ "$(id -u)" = 0 ] && command -v losetup >/dev/null || skip "only root makes devices, with losetup"
  tr '\0' 'k' </dev/zero | head -c 1M >backing
  DEVICE=$(losetup -f --show backing 2>/dev/null) || skip "no loop devices here"
}

teardown() {
  [ -z "${DEVICE:-}" ] || losetup -d "$DEVICE"
}

# flush: what was written to the device is in its file.
flush() {
  sync "$DEVICE"
}

@test "writing to a device needs --yes-destroy" {
  device
  for mode in seqwr seqrewr rndwr rndrw wal; do
    bench -1 fileio --file-device=$DEVICE --file-test-mode=$mode --events=10 run
    must is "$stderr" "FATAL: Writing to $DEVICE destroys the data on it; use --yes-destroy if that is what you want"
  done
  bench -1 fileio --file-device=$DEVICE prepare
  flush
  must is "$(tr -d k <backing | wc -c)" 0
}

@test "reading a device leaves it as it is" {
  device
  bench -0 fileio --file-device=$DEVICE --file-test-mode=seqrd --events=64 run
  must has "$output" '^1 files, 1MiB each$'
  must has "$stderr" '^WARNING: the device \(1MiB\) fits into memory'
  must is "$(number 'total number of events:')" 64
  bench -0 fileio --file-device=$DEVICE --file-test-mode=rndrd --file-extra-flags=direct --events=64 run
  bench -0 fileio --file-device=$DEVICE cleanup
  must has "$output" "^Nothing to remove: $DEVICE stays as it is\.$"
  flush
  must is "$(tr -d k <backing | wc -c)" 0
}

@test "prepare and run on a device" {
  device
  bench -0 fileio --file-device=$DEVICE --yes-destroy --validate --file-block-size=4K prepare
  must has "$output" "^Writing device $DEVICE$"
  must has "$output" '^1048576 bytes written'
  for mode in seqwr rndrw wal rndrd; do
    bench -0 fileio --file-device=$DEVICE --yes-destroy --validate --file-block-size=4K --file-test-mode=$mode \
      --threads=2 --events=500 --json=result.json run
  done
  must has "$(cat result.json)" "\"device\": *\"${DEVICE#/dev/}\""
  flush
  must holds "$(tr -d k <backing | wc -c) > 1000000"
}

@test "options of files have no effect on a device, and it says so" {
  device
  for command in prepare "--file-test-mode=rndrd --events=5 run"; do
    bench -0 fileio --file-device=$DEVICE --yes-destroy --file-num=2 --file-total-size=1M $command
    must has "$stderr" '^WARNING: --file-num has no effect with --file-device; --file-device-size limits what is used of it$'
    must has "$stderr" '^WARNING: --file-total-size has no effect with --file-device; --file-device-size limits what is used of it$'
    must [ "$(grep -c 'has no effect' <<<"$stderr")" = 2 ]
  done
  bench fileio --file-device=$DEVICE --yes-destroy --file-test-mode=seqwr --events=5 run
  must [ "$(grep -c 'has no effect\|are short' <<<"$stderr")" = 0 ]
}

# written KEY: of test.device_writes in result.json.
written() {
  python3 -c 'import json, sys; print(json.load(open("result.json"))["test"]["device_writes"].get(sys.argv[1]))' "$1"
}

@test "what the device wrote, beside what the test wrote" {
  device
  bench -0 fileio --file-device=$DEVICE --yes-destroy --file-extra-flags=direct --file-test-mode=rndwr --file-block-size=4K \
    --threads=2 --events=100 --json=result.json run
  must is "$(written device) $(written test_bytes) $(written device_bytes) $(written amplification)" \
    "${DEVICE#/dev/} 409600 409600 1.0"
  must has "$output" "^Written by device ${DEVICE#/dev/}: 0\.39 MiB, 1\.00 times the 0\.39 MiB of the test\$"
  # The page cache merges writes to the same place, unless each is synchronised.
  bench fileio --file-device=$DEVICE --file-device-size=64K --yes-destroy --file-test-mode=rndwr --file-block-size=4K \
    --file-fsync-freq=0 --events=1000 --json=result.json run
  must is "$(written test_bytes)" 4096000
  must holds "$(written device_bytes) >= 65536 && $(written device_bytes) < 2000000"
  # Reading, and the name sysbench, print nothing.
  bench fileio --file-device=$DEVICE --file-test-mode=rndrd --events=10 --json=result.json run
  must [ "$(grep -c 'Written by' <<<"$output")" = 0 ]
  must is "$(python3 -c 'import json; print("device_writes" in json.load(open("result.json"))["test"])')" False
  ln -s "$BENCH" sysbench
  run -0 --separate-stderr ./sysbench fileio --file-device=$DEVICE --yes-destroy --file-test-mode=rndwr --events=10 run
  must [ "$(grep -c 'Written by' <<<"$output")" = 0 ]
}

@test "what the device wrote is unknown without a device, and without a synchronisation" {
  local sizes="--file-num=1 --file-total-size=64K --file-block-size=4K"
  bench fileio $sizes prepare
  bench -0 fileio $sizes --file-test-mode=rndwr --file-fsync-end=off --events=10 --json=result.json run
  must has "$output" '^Written by the device: unknown, because without --file-fsync-end a part of it is still in the page cache$'
  must is "$(written unknown) $(written amplification)" "without --file-fsync-end a part of it is still in the page cache None"
  [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] || skip "/dev/shm is no tmpfs"
  mkdir "/dev/shm/bench.$$"
  bench fileio $sizes --file-dir="/dev/shm/bench.$$" prepare
  bench fileio $sizes --file-dir="/dev/shm/bench.$$" --file-test-mode=rndwr --events=10 run
  rm -r "/dev/shm/bench.$$"
  must has "$output" '^Written by the device: unknown, because the system names no device for these files$'
}

@test "a part of a device" {
  device
  bench -0 fileio --file-device=$DEVICE --file-device-size=256K --yes-destroy --file-test-mode=seqwr --events=64 run
  must has "$output" '^1 files, 256KiB each$'
  flush
  must is "$(tail -c +262145 backing | tr -d k | wc -c)" 0
  bench -1 fileio --file-device=$DEVICE --file-device-size=2M --file-test-mode=seqrd run
  must is "$stderr" "FATAL: Invalid value for --file-device-size: '2097152' (expected at most 1048576, the size of $DEVICE)"
  bench -1 fileio --file-device=$DEVICE --file-block-size=2M --file-test-mode=seqrd run
  must has "$stderr" "^FATAL: Invalid value for --file-block-size: '2097152' \(expected at most the 1048576 bytes of the device\)"
}

@test "a device in use is refused" {
  device
  command -v python3 >/dev/null || skip "python3 is not installed"
  mkfifo held done
  # This open has the device alone, as a mounted file system does.
  python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_EXCL)
open("held", "w").close()
open("done").close()' "$DEVICE" &
  local holder=$!
  : <held
  bench fileio --file-device=$DEVICE --yes-destroy --file-test-mode=rndwr --events=10 run
  : >done
  wait $holder
  must is "$status" 1
  must has "$stderr" "^FATAL: Cannot open device '$DEVICE': it is in use"
  flush
  must is "$(tr -d k <backing | wc -c)" 0
}

@test "what is no device is refused" {
  touch plain
  bench -1 fileio --file-device=plain --file-test-mode=rndrd run
  must is "$stderr" "FATAL: Invalid value for --file-device: 'plain' (expected a block device; files are found by --file-dir)"
  # --yes-destroy would not help.
  bench -1 fileio --file-device=plain --file-test-mode=rndwr run
  must is "$stderr" "FATAL: Invalid value for --file-device: 'plain' (expected a block device; files are found by --file-dir)"
  bench -1 fileio --file-device=plain prepare
  must is "$stderr" "FATAL: Invalid value for --file-device: 'plain' (expected a block device; files are found by --file-dir)"
  bench -1 fileio --file-device=/dev/null --file-test-mode=rndrd run
  must has "$stderr" "^FATAL: Invalid value for --file-device: '/dev/null'"
  bench -1 fileio --file-device=nowhere --file-test-mode=rndrd run
  must has "$stderr" "^FATAL: Cannot open device 'nowhere' errno = 2 "
  [ -f plain ]
}
