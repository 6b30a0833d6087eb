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
  blockdev --flushbufs "$DEVICE"
}

@test "writing to a device needs --yes-destroy" {
  device
  for mode in seqwr seqrewr rndwr rndrw wal; do
    bench fileio --file-device=$DEVICE --file-test-mode=$mode --events=10 run
    must is "$mode $status" "$mode 1"
    must is "$stderr" "FATAL: Writing to $DEVICE destroys the data on it; use --yes-destroy if that is what you want"
  done
  bench fileio --file-device=$DEVICE prepare
  must is "$status" 1
  flush
  must is "$(tr -d k <backing | wc -c)" 0
}

@test "reading a device leaves it as it is" {
  device
  bench fileio --file-device=$DEVICE --file-test-mode=seqrd --events=64 run
  must is "$status" 0
  must has "$output" '^1 files, 1MiB each$'
  must has "$stderr" '^WARNING: the device \(1MiB\) fits into memory'
  must is "$(number 'total number of events:')" 64
  bench fileio --file-device=$DEVICE --file-test-mode=rndrd --file-extra-flags=direct --events=64 run
  must is "$status" 0
  bench fileio --file-device=$DEVICE cleanup
  must is "$status" 0
  must has "$output" "^Nothing to remove: $DEVICE stays as it is\.$"
  flush
  must is "$(tr -d k <backing | wc -c)" 0
}

@test "prepare and run on a device" {
  device
  bench fileio --file-device=$DEVICE --yes-destroy --validate --file-block-size=4K prepare
  must is "$status" 0
  must has "$output" "^Writing device $DEVICE$"
  must has "$output" '^1048576 bytes written'
  for mode in seqwr rndrw wal rndrd; do
    bench fileio --file-device=$DEVICE --yes-destroy --validate --file-block-size=4K --file-test-mode=$mode \
      --threads=2 --events=500 --json=result.json run
    must is "$mode $status" "$mode 0"
  done
  must has "$(cat result.json)" "\"device\": *\"${DEVICE#/dev/}\""
  flush
  must holds "$(tr -d k <backing | wc -c) > 1000000"
}

@test "a part of a device" {
  device
  bench fileio --file-device=$DEVICE --file-device-size=256K --yes-destroy --file-test-mode=seqwr --events=64 run
  must is "$status" 0
  must has "$output" '^1 files, 256KiB each$'
  flush
  must is "$(tail -c +262145 backing | tr -d k | wc -c)" 0
  bench fileio --file-device=$DEVICE --file-device-size=2M --file-test-mode=seqrd run
  must is "$status" 1
  must is "$stderr" "FATAL: Invalid value for --file-device-size: '2097152' (expected at most 1048576, the size of $DEVICE)"
  bench fileio --file-device=$DEVICE --file-block-size=2M --file-test-mode=seqrd run
  must is "$status" 1
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
  bench fileio --file-device=plain --file-test-mode=rndrd run
  must is "$status" 1
  must is "$stderr" "FATAL: Invalid value for --file-device: 'plain' (expected a block device; files are found by --file-dir)"
  # --yes-destroy would not help.
  bench fileio --file-device=plain --file-test-mode=rndwr run
  must is "$status" 1
  must is "$stderr" "FATAL: Invalid value for --file-device: 'plain' (expected a block device; files are found by --file-dir)"
  bench fileio --file-device=plain prepare
  must is "$status" 1
  must is "$stderr" "FATAL: Invalid value for --file-device: 'plain' (expected a block device; files are found by --file-dir)"
  bench fileio --file-device=/dev/null --file-test-mode=rndrd run
  must is "$status" 1
  must has "$stderr" "^FATAL: Invalid value for --file-device: '/dev/null'"
  bench fileio --file-device=nowhere --file-test-mode=rndrd run
  must is "$status" 1
  must has "$stderr" "^FATAL: Cannot open device 'nowhere' errno = 2 "
  [ -f plain ]
}
