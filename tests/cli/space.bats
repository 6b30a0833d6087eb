#!/usr/bin/env bats
# prepare looks at the free space before it writes, and leaves nothing behind
# when that was not enough.
load helper

# on_disk SIZE COMMAND...: a shell command where the folder `disk` is a file
# system of this size in memory, which nobody else sees.
on_disk() {
  unshare -m true 2>/dev/null || skip "no mount namespaces here"
  mkdir -p disk
  run --separate-stderr unshare -m bash -c '
    mount -t tmpfs -o "size=$1" none disk || exit 77
    shift
    "$@"' - "$1" bash -c "$2"
  [ "$status" -ne 77 ] || skip "may not mount"
}

@test "fileio: too little space is refused before the first byte" {
  on_disk 1M "'$BENCH' fileio --file-num=2 --file-total-size=8M --file-dir=disk prepare; status=\$?
    find disk -type f; exit \$status"
  must is "$status" 1
  must is "$stderr" "FATAL: 8 MiB needed in 'disk', 1 MiB free; choose a smaller --file-total-size or another --file-dir, or use --force to go on anyway"
  must is "$(grep -c disk/ <<<"$output")" 0
}

@test "fileio: a terabyte in memory is refused at once" {
  [ -d /dev/shm ] || skip "no /dev/shm"
  run df --output=fstype /dev/shm
  must has "$output" tmpfs
  bench fileio --file-num=1 --file-total-size=1000T --file-dir=/dev/shm prepare
  must is "$status" 1
  must has "$stderr" "^FATAL: 1000 TiB needed in '/dev/shm', [0-9.]+ [GMKT]iB (free|of free memory|left of the memory of the control group); "
  must [ ! -e /dev/shm/test_file.0 ]
}

@test "fileio: files that are there count" {
  on_disk 1M "
    '$BENCH' fileio --file-num=2 --file-total-size=640K --file-dir=disk prepare &&
    '$BENCH' fileio --file-num=2 --file-total-size=896K --file-dir=disk prepare &&
    '$BENCH' fileio --file-num=2 --file-total-size=896K --file-dir=disk --validate prepare"
  must is "$status" 0
  must has "$output" '^262144 bytes written'
  must has "$output" '^917504 bytes written'
}

@test "fileio: --force goes on, and a full disk takes back what was made" {
  local args="--file-num=4 --file-total-size=2M --file-dir=disk"
  on_disk 1M "
    '$BENCH' fileio $args --force prepare; status=\$?
    find disk -type f; exit \$status"
  must is "$status" 1
  must has "$stderr" "^FATAL: Cannot write file 'disk/test_file.[0-3]': no space is left; the files that were created have been removed$"
  must is "$(grep -c disk/test <<<"$(grep ^disk <<<"$output")")" 0
  on_disk 1M "
    '$BENCH' fileio --file-num=4 --file-total-size=512K --file-dir=disk prepare
    '$BENCH' fileio $args --force --threads=2 prepare; status=\$?
    du -b disk/test_file.*; exit \$status"
  must is "$status" 1
  must has "$stderr" "^FATAL: .*: no space is left; new files were removed, the others have their old length$"
  must is "$(grep -cP '^131072\tdisk/test_file.[0-3]$' <<<"$output")" 4
}

@test "fileio: no limit of file sizes leaves anything behind" {
  run --separate-stderr bash -c "ulimit -f 100; exec '$BENCH' fileio --file-num=3 --file-total-size=384K prepare"
  must is "$status" 1
  must is "$stderr" "FATAL: Cannot write file 'test_file.0': it would be larger than the system allows (see ulimit -f); the files that were created have been removed"
  must is "$(find . -name 'test_file.*')" ""
}
