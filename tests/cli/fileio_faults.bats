#!/usr/bin/env bats
# The fileio test when files, limits and system calls are not as they should
# be: a message that names what is wrong, exit status 1, and no other file is
# ever touched.
load helper

SIZES="--file-num=3 --file-total-size=384K --file-block-size=16K"

io() {
  bench fileio $SIZES "$@"
}

prepared() {
  "$BENCH" fileio $SIZES "$@" prepare >/dev/null
}

# injected WHAT ARG...: a run in which a system call fails on purpose.
injected() {
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe true 2>/dev/null || skip "strace may not trace here"
  local expected args
  take_status "$@"
  # A leak checker cannot work under strace.
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" run --separate-stderr strace -f -o trace -e trace="${args[0]%%:*}" -e inject="${args[0]}" \
    "$BENCH" fileio $SIZES "${args[@]:1}"
  [[ $stderr != *"built without it"* ]] || skip "built without this I/O mode"
  as_expected
}

# small_disk SIZE: a file system of this size in the folder disk.
small_disk() {
  mkdir disk
  mount -t tmpfs -o "size=$1" none disk 2>/dev/null || skip "may not mount"
}

teardown() {
  cd "$BATS_TEST_TMPDIR" || return
  if mountpoint -q disk 2>/dev/null; then umount -l disk; fi
}

@test "missing and short files" {
  io -1 --file-test-mode=rndrd run
  must is "$(grep -v 'fit into memory' <<<"$stderr")" \
    "FATAL: Cannot open file 'test_file.0' errno = 2 (No such file or directory)
WARNING: Did you forget to run the prepare step?"
  must has "$output" '^Doing random read test$'
  io --file-test-mode=rndrd --verbosity=1 run
  must is "$stderr" "FATAL: Cannot open file 'test_file.0' errno = 2 (No such file or directory)"
  prepared
  truncate -s 100000 test_file.1
  io -1 --file-test-mode=rndrd run
  must is "$(grep -v 'fit into memory' <<<"$stderr")" \
    "FATAL: Size of file 'test_file.1' is 97.656KiB, but at least 128KiB is expected.
WARNING: Did you run 'prepare' with different --file-total-size or --file-num values, or end a run with --file-test-mode=seqwr early?"
}

@test "a directory, a link, a pipe in the place of a file" {
  local mode
  echo precious >victim
  for mode in prepare run; do
    rm -rf test_file.*
    prepared
    rm test_file.1
    mkdir test_file.1
    io -1 --file-test-mode=seqrewr $mode
    must has "$stderr" "^FATAL: Cannot open file 'test_file.1': it is a directory"

    rmdir test_file.1
    ln -s victim test_file.1
    io -1 --file-test-mode=seqrewr $mode
    must has "$stderr" "^FATAL: Cannot open file 'test_file.1': it is a symbolic link"

    rm test_file.1
    mkfifo test_file.1
    io -1 --file-test-mode=seqrewr $mode
    must has "$stderr" "^FATAL: Cannot open file 'test_file.1': it is a pipe"
  done
  rm test_file.1
  ln -s victim test_file.1
  io -0 --file-test-mode=seqwr --events=10 run
  must is "$(stat -c %F test_file.1)" "regular file"
  must is "$(cat victim)" precious
}

@test "cleanup: what cannot be removed is an error, a link is removed itself" {
  prepared
  rm test_file.0 test_file.1
  echo precious >victim
  ln -s ../victim test_file.0
  mkdir test_file.1
  io -1 cleanup
  must has "$stderr" "^FATAL: Cannot remove file 'test_file.1' errno = [0-9]+ \("
  must is "$(ls | grep -v separate-stderr | tr '\n' ' ')" "test_file.1 victim "
  must is "$(cat victim)" precious
}

@test "a full disk in prepare names the file" {
  small_disk 256k
  io -1 --file-dir=disk --force prepare
  must has "$stderr" "^FATAL: Cannot write file 'disk/test_file.[12]': no space is left; the files that were created have been removed$"
  must is "$(ls disk)" ""
}

@test "a full disk in a run" {
  local engine
  small_disk 256k
  for engine in sync async io_uring; do
    io_mode_here $engine || continue
    io -1 --file-dir=disk --file-test-mode=seqwr --file-io-mode=$engine --threads=2 --events=200 run
    must has "$stderr" "^FATAL: Failed to write file 'disk/test_file.[12]': .* at offset [0-9]+ errno = 28 \(No space left"
    must has "$stderr" '^WARNING: the files are on tmpfs'
    must has "$output" 'total number of events:'
  done
  io -1 --file-dir=disk --file-test-mode=seqwr --file-io-mode=mmap --events=200 run
  must has "$stderr" "^FATAL: SIGBUS .*: Failed to write file 'disk/test_file.[12]': 16384 bytes at offset [0-9]+"
}

@test "the limit of file sizes" {
  run -1 --separate-stderr bash -c "ulimit -f 100; exec $BENCH fileio $SIZES prepare"
  must has "$stderr" "^FATAL: Cannot write file 'test_file.0': it would be larger than the system allows \(see ulimit -f\)"
  run -1 --separate-stderr bash -c "ulimit -f 100; exec $BENCH fileio $SIZES --file-test-mode=seqwr --events=20 run"
  must has "$stderr" "^FATAL: Failed to write file 'test_file.0': (only 4096 of )?16384 bytes at offset 98304 errno = 27 \(File too large\)$"
}

@test "a folder that may not be written" {
  mkdir closed
  prepared --file-dir=closed
  chmod 555 closed
  as_nobody -1 "$BENCH" fileio $SIZES --file-dir=closed prepare
  must has "$stderr" "^FATAL: Cannot open file 'closed/test_file.0' errno = 13 \(Permission denied\)$"
  as_nobody -1 "$BENCH" fileio $SIZES --file-dir=closed --file-test-mode=seqwr run
  must has "$stderr" "^FATAL: Cannot open file 'closed/test_file.0' errno = 13"
  as_nobody -1 "$BENCH" fileio $SIZES --file-dir=closed cleanup
}

@test "a folder that may not be listed" {
  mkdir -m 333 blind
  as_nobody -0 "$BENCH" fileio $SIZES --file-dir=blind prepare
  as_nobody -0 "$BENCH" fileio $SIZES --file-dir=blind --file-test-mode=rndrw --events=9 run
  as_nobody -0 "$BENCH" fileio $SIZES --file-dir=blind cleanup
  must is "$(ls blind)" ""
}

@test "files that are removed or cut off during the run" {
  local engine pid
  for engine in sync async mmap io_uring; do
    io_mode_here $engine || continue
    prepared
    : >out
    "$BENCH" fileio $SIZES --file-io-mode=$engine --file-test-mode=rndrd --threads=2 \
      --time=30 run >out 2>err &
    pid=$!
    until grep -q 'Threads started' out; do kill -0 $pid || break; done
    truncate -s 0 test_file.1
    status=0
    wait $pid || status=$?
    must is "$engine $status" "$engine 1"
    must has "$(cat err)" "Failed to read file 'test_file.1': .*bytes at offset [0-9]+"
  done
  prepared
  : >out
  "$BENCH" fileio $SIZES --file-test-mode=rndrd --time=3 run >out 2>err &
  pid=$!
  until grep -q 'Threads started' out; do kill -0 $pid || break; done
  rm test_file.1
  status=0
  wait $pid || status=$?
  must is "$status" 1
  must is "$(grep FATAL err)" "FATAL: File 'test_file.1' was removed or replaced during the run"
}

@test "interrupted calls are repeated" {
  prepared
  injected -0 pwrite64:error=EINTR:when=3+7 --file-test-mode=rndwr --events=100 run
  must is "$(number 'total number of events:')" 100
  injected -0 fsync:error=EINTR:when=1 --file-test-mode=rndwr --file-fsync-freq=0 --events=5 run
  if io_mode_here async; then
    injected -0 io_submit:error=EINTR:when=3+7 --file-io-mode=async --file-test-mode=rndrw --events=100 run
  fi
  if io_mode_here io_uring; then
    injected -0 io_uring_enter:error=EINTR:when=3+7 --file-io-mode=io_uring --file-test-mode=rndrw --events=100 run
  fi
  injected -0 pwrite64:error=EINTR:when=2 prepare
}

@test "errors and short transfers name file, offset and errno" {
  prepared
  injected -1 pwrite64:error=EIO:when=5 --file-test-mode=seqrewr --events=100 run
  must has "$stderr" "^FATAL: Failed to write file 'test_file.0': 16384 bytes at offset 65536 errno = 5 \(I(nput/output|/O) error\)$"
  must has "$output" 'total number of events: +4$'
  injected -1 pwrite64:retval=512:when=5 --file-test-mode=seqrewr --events=100 run
  must has "$stderr" "^FATAL: Failed to write file 'test_file.0': only 512 of 16384 bytes at offset 65536$"
  injected pwrite64:retval=100:when=5 --file-test-mode=seqrewr --file-extra-flags=direct --events=100 run
  if [[ $stderr != *"may not support"* ]]; then
    must is "$status" 1
    must has "$stderr" "^FATAL: Failed to write file 'test_file.0': only 100 of 16384 bytes at offset 65536$"
  fi
  injected -1 fsync:error=EIO:when=2 --file-test-mode=seqrewr --events=20 run
  must has "$stderr" "^FATAL: Failed to fsync file 'test_file.1' errno = 5"
  injected -1 msync:error=EIO:when=1 --file-io-mode=mmap --file-test-mode=seqrewr --events=5 run
  must has "$stderr" "^FATAL: Failed to fsync file 'test_file.0' errno = 5"
}

@test "a system that takes no more asynchronous requests for a while" {
  io_mode_here async || skip "no asynchronous I/O here"
  prepared
  injected io_submit:error=EAGAIN:when=3 --file-io-mode=async --file-test-mode=rndwr \
    --file-extra-flags=direct --events=50 run
  # Nothing else is in flight: it is an error; otherwise completions make room.
  if [ "$status" = 1 ]; then
    must has "$stderr" '^FATAL: io_submit: Failed to write file .* errno = 11'
  else
    must is "$(number 'total number of events:')" 50
  fi
  injected -1 io_submit:error=EAGAIN:when=1 --file-io-mode=async --file-test-mode=rndwr --events=50 run
  must has "$stderr" "^FATAL: io_submit: Failed to write file 'test_file.[0-2]': 16384 bytes at offset [0-9]+ errno = 11"
}

@test "an fsync that cannot be queued is done all the same" {
  io_mode_here async || skip "no asynchronous I/O here"
  prepared
  injected -0 io_submit:error=EINVAL:when=6 --file-io-mode=async --file-test-mode=seqrewr \
    --file-fsync-freq=5 --events=20 run
  must is "$(number 'total number of events:')" 20
}

@test "limits of asynchronous I/O" {
  io_mode_here async || skip "no asynchronous I/O here"
  prepared
  io -1 --file-io-mode=async --file-async-backlog=1048576 --threads=4 --file-test-mode=rndrd --events=9 run
  must has "$stderr" '^FATAL: Cannot set up 1048576 asynchronous requests for each of 4 threads: fs.aio-max-nr is [0-9]+ .* errno = '
}

@test "io_uring does without registered buffers where the limit of locked memory is low" {
  prepared
  chmod 666 test_file.*
  "$BENCH" fileio $SIZES --file-io-mode=io_uring --file-test-mode=rndrd --events=9 run >/dev/null 2>err ||
    skip "no io_uring: $(grep FATAL err)"
  as_nobody prlimit --memlock=65536:65536 "$BENCH" fileio $SIZES --file-io-mode=io_uring \
    --file-test-mode=rndrw --threads=3 --events=900 run
  # Kernels before 5.12 take rings themselves from that memory.
  if [[ $stderr == *"Cannot set up an io_uring"* ]]; then
    must has "$stderr" '^FATAL: Cannot set up an io_uring.*RLIMIT_MEMLOCK is 65536 bytes'
    return
  fi
  must is "$status" 0
  must is "$(grep 'locked memory' <<<"$stderr")" "WARNING: the limit of locked memory is too low to register the \
buffers of all threads with io_uring, which makes requests slower, 3 times 2097152 bytes, and RLIMIT_MEMLOCK is 65536 \
(see ulimit -l)"
  must is "$(number 'total number of events:')" 900
}

@test "more files than a process may open" {
  SIZES="--file-num=600 --file-total-size=600K --file-block-size=1K"
  prepared
  chmod 666 test_file.*
  run -0 --separate-stderr prlimit --nofile=100:2000 "$BENCH" fileio $SIZES --file-test-mode=rndrd --events=9 run
  as_nobody -1 prlimit --nofile=100:500 "$BENCH" fileio $SIZES --file-test-mode=rndrd --events=9 run
  must has "$stderr" '^FATAL: Cannot open 600 files: the limit of open files is 500 \(RLIMIT_NOFILE, see ulimit -n\)'
  # With little to spare it is tried.
  as_nobody -0 prlimit --nofile=100:640 "$BENCH" fileio $SIZES --file-test-mode=rndrd --events=9 run
  as_nobody -1 prlimit --nofile=100:615 "$BENCH" fileio $SIZES --file-test-mode=rndrd --events=9 run
  must has "$stderr" '^FATAL: Cannot open 600 files: the limit of open files is 615 '
  # Results are opened last.
  mkdir -m 777 out
  as_nobody -0 prlimit --nofile=100:616 "$BENCH" fileio $SIZES --file-test-mode=rndrd --events=9 --json=out/r.json run
  check out/r.json "d['totals']['events'] == 9"
}

@test "io_uring and asynchronous I/O that a filter refuses: no limit is blamed" {
  ! emulated || skip "strace sees the emulator"
  prepared
  for why in EPERM:'1 .Operation not permitted' ENOSYS:'38 .Function not implemented'; do
    injected -1 "io_uring_setup:error=${why%%:*}" --file-test-mode=rndrd --file-io-mode=io_uring \
      --events=1 run
    must has "$stderr" "^FATAL: The system does not allow io_uring: see kernel.io_uring_disabled and the seccomp filter of the container; .*errno = ${why#*:}"
    must is "$(grep -c MEMLOCK <<<"$stderr" || :)" 0
    injected -1 "io_setup:error=${why%%:*}" --file-test-mode=rndrd --file-io-mode=async --events=1 run
    must has "$stderr" "^FATAL: The system does not allow asynchronous I/O: see the seccomp filter of the container; .*errno = ${why#*:}"
    must is "$(grep -c aio-max-nr <<<"$stderr" || :)" 0
  done
}

@test "buffers that a filter does not let io_uring register: no limit is blamed" {
  ! emulated || skip "strace sees the emulator"
  io_mode_here io_uring || skip "no io_uring here"
  prepared
  for why in EPERM ENOSYS; do
    injected -0 "io_uring_register:error=$why" --file-test-mode=rndrd --file-io-mode=io_uring --events=9 run
    must has "$stderr" '^WARNING: the system does not allow to register buffers with io_uring, which makes requests slower: see the seccomp filter of the container$'
    must is "$(grep -c 'locked memory' <<<"$stderr" || :)" 0
  done
}

@test "a trim that fails is called a trim, and says what to do without" {
  prepared
  injected -1 fallocate:error=EOPNOTSUPP --file-test-mode=rndwr --file-trim=100 --events=10 run
  must has "$stderr" "^FATAL: Failed to trim file 'test_file\\.[0-2]': 16384 bytes at offset [0-9]+, which this file system or device does not support; leave out --file-trim; errno = 95 \\("
  injected -1 fallocate:error=EIO --file-test-mode=rndwr --file-trim=100 --events=10 run
  must has "$stderr" "^FATAL: Failed to trim file 'test_file\\.[0-2]': 16384 bytes at offset [0-9]+ errno = 5 \\("
}
