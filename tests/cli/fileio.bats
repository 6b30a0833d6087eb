#!/usr/bin/env bats
# The fileio test: its files, what it does to them, and what it says.
load helper

SIZES="--file-num=3 --file-total-size=400K --file-block-size=16K"

# io ARG...: the fileio test on files of the sizes above.
# As long as so many events take, if --time does not say otherwise.
io() {
  bench fileio --time=0 $SIZES "$@"
}

prepared() {
  "$BENCH" fileio $SIZES "$@" prepare >/dev/null
}

# traced CALLS ARG...: the same under strace; the calls are in the file trace.
traced() {
  ! emulated || skip "strace sees the emulator"
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe true 2>/dev/null || skip "strace may not trace here"
  local expected args
  take_status "$@"
  rm -f thread.*
  # A leak checker cannot work under strace.
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" run --separate-stderr \
    strace -ff -o thread -e trace="${args[0]}" "$BENCH" fileio $SIZES "${args[@]:1}"
  # What the loader reads of libraries does not count, and how long a thread has
  # waited for a CPU, which the system says in three numbers.  Nor does the read
  # of a whole file, by which a writing run finds out whose the file is.
  cat thread.* |
    grep -v 'ELF\|, 784, \|"[0-9]* [0-9]* [0-9]*\\n"\|, 147456, 0) = 147456' >trace
  as_expected
}

calls() {
  grep -Ec "\b$1\(" trace || true
}

# engines: the I/O modes that are here.
engines() {
  local mode
  for mode in sync async mmap io_uring; do
    ! io_mode_here $mode || echo "$mode"
  done
}

@test "prepare creates, reuses and extends; cleanup removes" {
  io -0 prepare
  must is "$(sed -n 3,8p <<<"$output")" "3 files, 133Kb each, 0Mb total
Creating files for the test...
Extra file open flags: (none)
Creating file test_file.0
Creating file test_file.1
Creating file test_file.2"
  must has "$output" '^442368 bytes written in [0-9.]+ seconds \([0-9.]+ MiB/sec\)\.$'
  must is "$(stat -c %s:%a test_file.2)" 147456:600

  truncate -s 20000 test_file.0
  : >test_file.1
  io prepare
  must has "$output" '^Extending existing file test_file.0$'
  must has "$output" '^Creating file test_file.1$'
  must has "$output" '^Reusing existing file test_file.2$'
  must has "$output" '^278528 bytes written'
  must is "$(stat -c %s test_file.0)" 147456

  io prepare
  must has "$output" '^No bytes written\.$'

  touch test_file.3 other
  rm test_file.1
  io -0 cleanup
  must has "$output" '^Removing test files\.\.\.$'
  must is "$(ls | grep -v separate-stderr | tr '\n' ' ')" "other test_file.3 "
}

@test "prepare fills the holes of files that have their size" {
  prepared
  truncate -s 0 test_file.0
  truncate -s 147456 test_file.0
  truncate -s 65536 test_file.1
  truncate -s 147456 test_file.1
  [ "$(du -k --total test_file.[01] | tail -1 | cut -f1)" -lt 250 ] || skip "no holes on this file system"
  io -0 prepare
  must has "$output" '^Creating file test_file.0$'
  must has "$output" '^Extending existing file test_file.1$'
  must has "$output" '^Reusing existing file test_file.2$'
  must has "$output" '^229376 bytes written'
  must holds "$(du -k --total test_file.* | tail -1 | cut -f1) >= 432"
}

@test "prepare really writes the data, with several threads in the order of the files" {
  bench -0 fileio --file-num=20 --file-total-size=20M --threads=8 prepare
  must is "$(grep -c '^Creating file ' <<<"$output")" 20
  must is "$(grep '^Creating file ' <<<"$output" | sort -V)" "$(grep '^Creating file ' <<<"$output")"
  must holds "$(du -k --total test_file.* | tail -1 | cut -f1) >= 20480"
}

@test "a short prepare says nothing on stderr" {
  prepared 2>err
  must is "$(cat err)" ""
}

@test "another folder" {
  mkdir sub
  io -0 --file-dir=sub prepare
  must has "$output" '^Creating file sub/test_file.0$'
  io -0 --file-dir=sub/ --file-test-mode=rndrw --events=100 run
  io --file-dir=sub cleanup
  must is "$(ls sub)" ""
  mkdir $'esc\e[31m'
  io --file-dir=$'esc\e[31m' prepare
  must has "$output" '^Creating file esc\\x1b\[31m/test_file\.0$'
  io -1 --file-dir=nowhere --events=1 prepare
  must is "$stderr" "FATAL: Cannot open folder 'nowhere' errno = 2 (No such file or directory)"
}

@test "files that the test did not make are neither changed nor removed" {
  prepared
  local command
  printf 'a photo, or a letter' >mine
  head -c 300000 /dev/urandom >large
  for file in mine large; do
    cp $file test_file.1
    # Nothing else refuses a file of this size.
    truncate -s 300000 test_file.1
    cp test_file.1 $file
    for command in prepare "--validate prepare" cleanup \
      "--file-test-mode="{seqwr,seqrewr,rndwr,rndrw,wal}" --events=1 run"; do
      io -1 $command
      must has "$stderr" "^FATAL: File 'test_file.1' was not made by the fileio test: it stays as it is .choose another --file-dir, move it away, or use --force.$"
      must cmp $file test_file.1
      prepared --file-num=1 --file-total-size=133K
    done
    rm test_file.1
    prepared
    cp $file test_file.1
    io -0 --file-test-mode=rndrd --events=10 run
  done
  io -0 --file-test-mode=rndwr --events=300 --force run
  ! cmp -s large test_file.1
  rm test_file.*
  prepared
  ln test_file.0 second
  io -1 --validate prepare
  must has "$stderr" "^FATAL: File 'test_file.0' has a second name, a hard link: it stays as it is"
  must is "$(tr -d '\0' <second | wc -c)" 0
  io -0 --validate --force prepare
  io -0 --force cleanup
  must is "$(ls -I 'separate-*' | tr '\n' ' ')" "large mine second "
}

@test "files of every kind of run and block size are its own" {
  local args
  while read -r args; do
    io -0 $args prepare
    io -0 $args --file-test-mode=rndwr --events=50 run
  done <<'END'
--file-block-size=512 --validate
--file-block-size=64K
--file-block-size=3000 --validate
--file-block-size=3000
--file-block-size=4K@50,16K@50
--file-crash-log --file-ack-log=log
END
  io --validate prepare
  printf X | dd of=test_file.1 bs=1 seek=20000 conv=notrunc status=none
  truncate -s 70000 test_file.2
  io -0 --file-block-size=4K cleanup
  must is "$(ls test_file.* 2>/dev/null)" ""
}

@test "files that sysbench made are written to, under both names" {
  command -v sysbench >/dev/null || skip "sysbench is not installed"
  local check mode
  ln -s "$BENCH" sysbench
  for check in off on; do
    for mode in rndwr seqrewr; do
      sysbench fileio $SIZES --validate=$check prepare >/dev/null
      # Blocks do not divide these files: the blocks that sysbench writes are
      # anywhere.
      sysbench fileio $SIZES --validate=$check --file-test-mode=$mode --events=60 --time=0 run >/dev/null
      io -0 --file-test-mode=$mode --events=1 run
      BENCH=$PWD/sysbench io -0 --file-test-mode=$mode --events=1 run
      io -0 cleanup
      must is "$(ls test_file.* 2>/dev/null)" ""
    done
  done
}

@test "cleanup removes names, and follows none" {
  echo data >kept
  ln -s kept test_file.0
  ln -s "$PWD" test_file.1
  mkfifo test_file.2
  run -0 --separate-stderr timeout 120 "$BENCH" fileio --file-num=3 cleanup
  must is "$(ls -I 'separate-*')" kept
  must is "$(<kept)" data
  # A folder is not removed.
  mkdir test_file.0
  bench -1 fileio --file-num=1 cleanup
  must has "$stderr" "Cannot remove file 'test_file.0'"
}

@test "the header tells all that was asked for" {
  prepared
  io --file-test-mode=seqrd --file-merged-requests=2 --events=10 run
  must is "$(sed -n '/^Extra/,/^Doing/p' <<<"$output")" "Extra file open flags: (none)
3 files, 133.33KiB each
400KiB total file size
Block size 16KiB
Merging requests up to 32KiB for sequential IO.
Periodic FSYNC enabled, calling fsync() each 100 requests.
Calling fsync() at the end of test, Enabled.
Using synchronous I/O mode
Doing sequential read test"
  io --file-test-mode=rndrw --file-fsync-all --file-io-mode=mmap --events=10 \
    --file-extra-flags=dsync,sync run
  must is "$(sed -n '/^Extra/,/^Doing/p' <<<"$output")" "Extra file open flags: sync dsync 
3 files, 133.33KiB each
400KiB total file size
Block size 16KiB
Number of IO requests: 10
Read/Write ratio for combined random IO test: 1.50
Calling fsync() after each write operation.
Using fast mmaped I/O mode
Doing random r/w test"
}

@test "every mode with every I/O mode passes its own validation" {
  local mode engine
  for engine in $(engines); do
    prepared --validate
    for mode in seqwr seqrewr seqrd rndrd rndwr rndrw; do
      io -0 --validate --threads=8 --file-io-mode=$engine --file-test-mode=$mode \
        --file-fsync-freq=50 --file-merged-requests=3 --events=1500 run
      must is "$(number 'total number of events:')" 1500
    done
  done
}

@test "async with direct and checksums" {
  local engine
  SIZES="--file-num=3 --file-total-size=384K --file-block-size=16K"
  for engine in $(engines); do
    prepared --validate
    io --validate --threads=4 --file-io-mode=$engine --file-test-mode=rndrw \
      --file-extra-flags=direct --events=500 run
    [[ $stderr == *"may not support"* ]] && skip "no direct I/O on this file system"
    must is "$engine $status" "$engine 0"
  done
}

@test "validation finds a block that was damaged on disk" {
  local engine
  for engine in $(engines); do
    prepared --validate
    printf X | dd of=test_file.1 bs=1 seek=20000 conv=notrunc status=none
    io -1 --validate --file-io-mode=$engine --file-test-mode=seqrd --events=27 run
    must has "$stderr" "^FATAL: Validation failed in file 'test_file.1' at offset 16384: "
    must has "$stderr" '0x[0-9a-f]{8} .*0x[0-9a-f]{8}'
    must has "$output" 'total number of events:'
  done
}

@test "validation finds files that were swapped, and copies of an older prepare" {
  prepared --validate
  cp test_file.2 older
  mv test_file.0 t
  mv test_file.1 test_file.0
  mv t test_file.1
  io -1 --validate --file-test-mode=seqrd --events=27 run
  must has "$stderr" "^FATAL: Validation failed in file 'test_file.0' at offset 0: the data is that of file number 1\."
  prepared --validate
  cp older test_file.2
  io -1 --validate --file-test-mode=seqrd --events=27 run
  must has "$stderr" "^FATAL: Validation failed in file 'test_file.2' at offset 0: the data comes from another prepare"
}

@test "files without checksums do not validate, and prepare --validate rewrites them" {
  prepared
  io -1 --validate --file-test-mode=rndrd --events=10 run
  must has "$stderr" 'prepared with --validate'
  io --validate prepare
  must has "$output" '^Creating file test_file.0$'
  must has "$output" '^442368 bytes written'
  io -0 --validate --file-test-mode=rndrd --events=100 run
}

@test "files with checksums pass between sysbench and this program" {
  command -v sysbench >/dev/null || skip "sysbench is not installed"
  SIZES="--file-num=3 --file-total-size=384K --file-block-size=16K"
  sysbench fileio $SIZES --validate=on prepare >/dev/null
  io -0 --validate --file-test-mode=rndrw --events=300 run
  prepared --validate
  run -0 sysbench fileio $SIZES --validate=on --file-test-mode=seqrd --events=24 run
  must is "$(grep -c FATAL <<<"$output")" 0
}

@test "arrivals and a warm-up" {
  local engine
  for engine in $(engines); do
    prepared
    io -0 --file-io-mode=$engine --file-test-mode=rndrw --threads=2 --rate=300 --warmup-time=1 --time=1 \
      --json=result.json run
    # A busy disk or machine is late with what is due.
    check result.json "200 < d['rate']['arrivals'] / d['rate']['offered_s'] < 400" \
      "0 < d['totals']['events'] <= d['rate']['arrivals'] + 2" \
      "abs(d['totals']['events'] + d['rate']['backlog'] - d['rate']['arrivals']) <= 2"
  done
}

@test "a request that completes between two arrivals ends then" {
  local engine
  SIZES="--file-num=3 --file-total-size=384K --file-block-size=16K"
  for engine in $(engines); do
    prepared
    io --file-io-mode=$engine --file-test-mode=rndrd --file-extra-flags=direct --rate=5 --time=2 --rand-seed=1 \
      --json=result.json run
    [[ $stderr == *"may not support"* ]] && skip "no direct I/O on this file system"
    must is "$engine $status" "$engine 0"
    # The latency of a read is its own, and not the 200 ms to the next arrival.
    check result.json "d['classes'][0]['name'] == 'read' and d['classes'][0]['count'] > 4" \
      "d['classes'][0]['latency_ns']['percentiles']['50'] < 50e6"
  done
}

@test "results keep reads, writes and fsyncs apart, and tell the queue depth" {
  prepared
  io -0 --file-test-mode=rndrw --events=1030 --json=result.json run
  must is "$(tr -d ' \n' <result.json | grep -oE '"classes":\[\{"name":"read","count":[0-9]+' | head -n 1)" \
    '"classes":[{"name":"read","count":600'
  must has "$(tr -d ' \n' <result.json)" '\{"name":"write","count":400,'
  # 10 series of 3 among the requests, and the pass at the end.
  must has "$(tr -d ' \n' <result.json)" '\{"name":"fsync","count":33,'
  must has "$(cat result.json)" '"final_sync_s"'
  must is "$(grep -c queue_depth result.json)" 0
  io_mode_here async || skip "no asynchronous I/O here"
  io --file-io-mode=async --file-iodepth=4 --file-test-mode=rndrd --events=100 --json=queued.json run
  must has "$(cat queued.json)" '"queue_depth_mean"'
  must has "$(cat queued.json)" '"queue_depth_max": ?[1-4]\b'
}

@test "many threads and an fsync after every request" {
  local mode i
  prepared
  for i in 1 2 3 4 5; do
    for mode in rndwr rndrw; do
      io -0 --threads=64 --file-test-mode=$mode --file-fsync-freq=1 --events=2000 run
      io -0 --threads=8 --file-test-mode=$mode --file-fsync-freq=1 --events=2000 run
    done
  done
}

@test "fsyncs among the requests, and one pass at the end" {
  traced -0 pwrite64,fsync --file-test-mode=seqwr --events=400 run
  must is "$(calls pwrite64) $(calls fsync)" "391 12"
  must is "$(number 'total number of events:')" 400
}

@test "fsync at the end: each file once, whatever the number of threads" {
  prepared
  traced -0 fsync,fdatasync --threads=4 --file-test-mode=rndwr --file-fsync-freq=0 --events=100 run
  must is "$(calls fsync) $(calls fdatasync)" "3 0"
  traced fsync,fdatasync --threads=4 --file-test-mode=rndwr --file-fsync-freq=0 --events=100 \
    --file-fsync-mode=fdatasync run
  must is "$(calls fsync) $(calls fdatasync)" "0 3"
  traced fsync,fdatasync --threads=4 --file-test-mode=rndwr --file-fsync-freq=0 --events=100 \
    --file-fsync-end=off run
  must is "$(calls fsync) $(calls fdatasync)" "0 0"
  traced fsync,fdatasync --threads=4 --file-test-mode=rndrd --file-fsync-freq=1 --events=100 run
  must is "$(calls fsync) $(calls fdatasync)" "0 0"
  traced fsync,pwrite64 --threads=4 --file-test-mode=rndwr --file-fsync-all --events=100 run
  must is "$(calls pwrite64) $(calls fsync)" "100 100"
}

@test "several block sizes, and a ratio of bytes" {
  local engine
  for engine in $(engines); do
    prepared
    io -0 --file-block-size=4K@3,32K@1 --file-rw-ratio=2 --file-rw-unit=bytes --file-io-mode=$engine \
      --file-test-mode=rndrw --threads=2 --events=4000 --file-fsync-freq=0 --json=result.json run
    must has "$output" '^Block sizes 4KiB \(75%\), 32KiB \(25%\)$'
    must is "$(python3 -c 'import json; d = json.load(open("result.json")); f = d["totals"]["file_operations"]
r, w = f["read"], f["write"]
mean = (r["bytes"] + w["bytes"]) / 4000 / 1024
print(r["count"] + w["count"], 1.8 < r["bytes"] / w["bytes"] < 2.2, 10 < mean < 12)
print(d["options"]["file-block-size"]["value"])')" "4000 True True
4K@3,32K@1"
  done
  io --file-block-size=8K --file-test-mode=rndrd --events=1 --json=result.json run
  must is "$(python3 -c 'import json; print(json.load(open("result.json"))["options"]["file-block-size"])')" \
    "{'value': 8192, 'source': 'command_line'}"
}

@test "wal: each commit is written and synchronised, in the order of the log" {
  prepared
  traced -0 pwrite64,fsync,fdatasync --file-test-mode=wal --file-fsync-mode=fdatasync --events=60 run
  must is "$(calls pwrite64) $(calls fdatasync) $(calls fsync)" "60 60 0"
  # 9 blocks in each of 3 files, the last one shorter; after the last file the
  # log begins again.
  must is "$(sed -nE 's/.*pwrite64.*, ([0-9]+), ([0-9]+)\) .*/\1@\2/p' trace | sed -n '8,10p;27,28p' | tr '\n' ' ')" \
    "16384@114688 5461@131072 16384@0 5461@131072 16384@0 "
  must is "$(number 'total number of events:')" 60
  traced pwrite64,fsync,fdatasync --file-test-mode=wal --file-extra-flags=dsync --events=60 run
  must is "$(calls pwrite64) $(calls fdatasync) $(calls fsync)" "60 0 0"
}

@test "wal: threads share writes, and no record is lost" {
  SIZES="--file-num=3 --file-total-size=384K --file-block-size=4K"
  prepared --validate
  io -0 --file-test-mode=wal --validate --threads=8 --events=2000 --json=result.json run
  must has "$output" '^Doing write-ahead log test$'
  must has "$output" '^Each event is durable when it ends \(group commit\)\.$'
  must has "$output" ' 2000 +0 +[0-9.]+ .* commit$'
  must is "$(python3 -c 'import json; f = json.load(open("result.json"))["totals"]["file_operations"]
print(f["write"]["bytes"], f["write"]["count"] == f["fsync"]["count"], f["write"]["count"] <= 2000)')" "$((2000 * 4096)) True True"
  io -0 --validate --file-test-mode=seqrd --events=96 run
}

@test "wal: a disk that is full ends the run with the file's name" {
  prepared
  ulimit -f 100 # blocks of 1024 bytes
  io -1 --file-test-mode=wal --threads=4 --events=100 run
  must has "$stderr" "^FATAL: Failed to write file 'test_file.0': "
}

@test "a share of the writes can be trims" {
  local mode
  SIZES="--file-num=2 --file-total-size=2M --file-block-size=16K"
  for mode in sync io_uring; do
    prepared
    io --file-io-mode=$mode --file-test-mode=rndrw --file-trim=25 --file-fsync-freq=0 --rand-seed=1 --events=2000 --json=result.json run
    [[ $stderr == *"built without it"* || $stderr == *"does not allow io_uring"* ]] && continue
    [[ $stderr == *"errno = 95"* ]] && skip "no holes on this file system"
    must is "$mode $status" "$mode 0"
    must is "$(($(class read count) + $(class write count) + $(class trim count)))" 2000
    must holds "$(class trim count) > 150 && $(class trim count) < 250"
    must is "$(class trim bytes)" "$(($(class trim count) * 16384))"
    must is "$(python3 -c 'import json; print(json.load(open("result.json"))["totals"]["file_operations"]["trim"]["count"])')" "$(class trim count)"
    must has "$output" '^    trims/s: +[1-9][0-9]*\.[0-9]{2}$'
    must holds "$(number 'trims/s:') < $(number 'writes/s:')"
  done
  prepared
  io -0 --file-test-mode=rndwr --file-trim=100 --events=2000 --file-random-dist=uniform run
  must holds "$(du -k --total test_file.* | tail -1 | cut -f1) < 100"
  must is "$(stat -c %s test_file.0)" 1048576
}

@test "trims in the layout of 1.1, and none without --file-trim" {
  SIZES="--file-num=2 --file-total-size=256K --file-block-size=16K"
  prepared
  io --file-test-mode=rndwr --file-trim=50 --events=200 --compat=1.1 run
  [[ $stderr == *"errno = 95"* ]] && skip "no holes on this file system"
  must is "$status" 0
  must has "$output" '^         trim:  IOPS=[1-9][0-9]*\.[0-9]{2}$'
  io --file-test-mode=rndwr --events=200 --json=result.json run
  must [ "$(grep -c trim <<<"$output")" = 0 ]
  must is "$(python3 -c 'import json; print(sorted(json.load(open("result.json"))["totals"]["file_operations"]))')" "['fsync', 'read', 'write']"
}

@test "options that have no effect cause one warning each, and no error" {
  SIZES="--file-num=2 --file-total-size=256K --file-block-size=16K"
  prepared
  local queue='without --file-io-mode=async or io_uring: each thread has one request at a time'
  local own='in this --file-test-mode, which decides itself when to synchronise'
  ignored --file-test-mode=rndrd --file-batch=4 --file-iodepth=8 --file-steady-window=5 --yes-destroy
  must is "$found" "WARNING: --file-async-backlog (--file-iodepth) has no effect $queue
WARNING: --file-batch has no effect $queue
WARNING: --file-steady-window has no effect without --file-steady
WARNING: --yes-destroy has no effect without --file-device"
  ignored --file-test-mode=wal --file-fsync-freq=7 --file-fsync-all
  must is "$found" "WARNING: --file-fsync-freq has no effect $own
WARNING: --file-fsync-all has no effect $own"
  # Where they have an effect, and with their defaults, there is none.
  ignored --file-test-mode=rndwr --file-fsync-freq=7 --file-fsync-all --file-steady=50 --file-steady-window=5
  must is "$found" ""
  ignored --file-test-mode=rndrd --file-iodepth=128 --file-batch=1
  must is "$found" ""
  ignored --file-test-mode=mixed --threads=3 --time=0.1 --file-fsync-freq=100
  must is "$found" ""
}

# ignored OPTION...: sets `found` to what is said about options without effect.
ignored() {
  io -0 "$@" --events=5 run
  found=$(grep 'has no effect' <<<"$stderr" || true)
}

@test "seqwr that ends early says that its files are short" {
  SIZES="--file-num=2 --file-total-size=256K --file-block-size=16K"
  io -0 --file-test-mode=seqwr --events=5 run
  must has "$stderr" '^WARNING: the run ended after 5 of 16 writes, so the new files are short; run prepare before another --file-test-mode$'
  io -1 --file-test-mode=rndrd --events=5 run
  must has "$stderr" '^WARNING: Did you run .prepare. with different --file-total-size or --file-num values, or end a run with --file-test-mode=seqwr early\?$'
  io --file-test-mode=seqwr --events=16 run
  must [ "$(grep -c 'are short' <<<"$stderr")" = 0 ]
  io -0 --file-test-mode=rndrd --events=5 run
}

# class NAME FIELD: of result.json.
class() {
  python3 -c 'import json, sys
print(sum({**c["latency_ns"], **c}[sys.argv[2]] for c in json.load(open("result.json"))["classes"] if c["name"] == sys.argv[1]))' "$@"
}

@test "--report-classes: the latencies of each kind of request" {
  SIZES="--file-num=2 --file-total-size=256K --file-block-size=16K"
  prepared
  io -0 --file-test-mode=rndrw --events=500 --file-fsync-freq=50 --percentiles=99.9,50 --report-classes run
  must has "$output" '^Operations \(times in ms\):$'
  must has "$output" '^  share +count +errors +MiB/s +avg +50% +95% +99.9% +max  operation$'
  must has "$output" '^ +[0-9.]+% +[0-9]+ +0 +[0-9.]+ +([0-9]+\.[0-9]{3} +){5} read$'
  must has "$output" '^ +[0-9.]+% +[0-9]+ +0 +0\.00 +([0-9]+\.[0-9]{3} +){5} fsync$'
  # Percentiles do not fall, and all requests are there.
  must python3 - "$output" <<'PY'
import re, sys
rows = [line.split() for line in re.findall(r"^ *[0-9.]+% .*$", sys.argv[1].split("Operations (")[1], re.M)]
assert sorted(r[-1] for r in rows) == ["fsync", "read", "write"], rows
assert sum(int(r[1]) for r in rows) >= 500, rows
for r in rows:
    p50, p95, p999, most = map(float, r[5:9])
    assert p50 <= p95 <= p999 <= most, r
PY
  # The old name, and none without either.
  io --file-test-mode=rndrd --events=10 --report-statements run
  must has "$output" '^Operations \(times in ms\):$'
  io --file-test-mode=rndrd --events=10 run
  must [ "$(grep -c '^Operations' <<<"$output")" = 0 ]
}

# Each has done more than half of what was due: the disk was not too busy.
at_their_rates() {
  io -0 --file-test-mode=mixed --threads=5 --file-mixed-reads=300 --file-mixed-commits=40 --file-mixed-checkpoint=100 \
    --time=2 --json=result.json run
  # The checkpointer writes, too.
  checkpoint=$(($(class write count) - $(class commit count)))
  holds "$(class read count) > 300 && $(class commit count) > 40 && $checkpoint > 100"
}

@test "mixed: readers, a log and a checkpointer, each with its rate" {
  SIZES="--file-num=3 --file-total-size=384K --file-block-size=16K"
  prepared
  local checkpoint
  sooner_or_later at_their_rates
  must has "$output" '^Doing mixed \(log, checkpointer, random read\) test$'
  # No more than its rate allows.
  must holds "$(class read count) <= 603 && $(class commit count) <= 81 && $checkpoint <= 201"
  # The checkpointer synchronises after each file of 8 blocks.
  must is "$(class fsync count)" "$(($(class commit count) + checkpoint / 8))"

  # The log is written and synchronised only, record by record.
  traced pwrite64,pread64,fsync,openat --file-test-mode=mixed --threads=3 --file-mixed-reads=20 --file-mixed-commits=20 \
    --file-mixed-checkpoint=20 --time=1 run
  local log
  log=$(sed -nE 's/.*test_file\.2", O_RDWR.* = ([0-9]+)$/\1/p' trace)
  must holds "$(grep -c "pread64($log," trace) == 0"
  must is "$(grep -c "pwrite64($log," trace)" "$(grep -c "fsync($log)" trace)"
}

@test "mixed: with a rate, a late request has waited since it was due" {
  SIZES="--file-num=2 --file-total-size=256K --file-block-size=16K"
  prepared
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe -e inject=fsync:delay_exit=1 true 2>/dev/null || skip "strace may not trace here"
  # Each fsync takes 100 ms: of 40 commits a second, ten are possible.
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" run -0 --separate-stderr strace -f -o /dev/null -e trace=fsync \
    -e inject=fsync:delay_exit=100000 "$BENCH" fileio $SIZES --file-test-mode=mixed --threads=3 --file-mixed-reads=20 \
    --file-mixed-commits=40 --file-mixed-checkpoint=1 --time=2 --json=result.json run
  must holds "$(class commit count) <= 21"
  must holds "$(class commit max) > 1e9"
}

@test "--file-steady ends the run when the throughput is steady" {
  prepared
  io -0 --file-test-mode=rndrd --threads=2 --rate=2000 --file-steady=60 --file-steady-window=0.2 --time=60 --json=result.json run
  must has "$output" '^Steady state \(last 5 windows of 0\.2 s\):$'
  must holds "$(number 'total number of events:') < 2000 * 30"
  must is "$(python3 -c 'import json; s = json.load(open("result.json"))["test"]["steady"]; print(s["reached"], 1000 < s["events_per_s"] < 3000)')" \
    "True True"
  # The control: less than a thousandth of a percent does not happen.
  io -0 --file-test-mode=rndrd --file-steady=0.001 --file-steady-window=0.02 --time=0.5 run
  must has "$stderr" '^WARNING: the run has not become steady: the last 5 windows of 0.02 s have a range of'
  io --file-test-mode=rndrd --file-steady=50 --time=0.2 run
  must has "$stderr" '^WARNING: the run was too short to become steady: --file-steady needs 5 windows of 10 s; raise --time or lower --file-steady-window'
}

@test "reads per write" {
  prepared
  traced pread64,pwrite64 --file-test-mode=rndrw --file-fsync-freq=0 --events=1000 run
  must is "$(calls pread64) $(calls pwrite64)" "600 400"
}

@test "no request crosses the end of a file that no block divides" {
  local mode
  prepared
  for mode in seqrewr seqrd rndrw; do
    traced -0 pread64,pwrite64 --file-test-mode=$mode --file-merged-requests=4 \
      --file-fsync-freq=0 --events=300 run
    must is "$(sed -nE 's/.*(pread64|pwrite64)\(.*, ([0-9]+), ([0-9]+)\) *= .*/\2 \3/p' trace |
      awk '$1 + $2 > 136533 || $2 % 16384 { bad++ } END { print bad + 0 }')" 0
    must holds "$(grep -cE 'p(read|write)64' trace) >= 300"
  done
  must is "$(stat -c %s test_file.0)" 147456
}

@test "sequential modes cover each block once" {
  prepared
  traced pread64 --threads=4 --file-test-mode=seqrd --events=27 run
  must is "$(calls pread64)" 27
  must is "$(sed -nE 's/pread64\(([0-9]+), .*, ([0-9]+)\) += [0-9]+$/\1 \2/p' trace |
    sort -u | wc -l)" 27
}

@test "extra flags in any combination reach the files" {
  local flags want
  SIZES="--file-num=1 --file-total-size=384K --file-block-size=16K"
  prepared
  for flags in sync dsync direct sync,direct dsync,direct sync,dsync sync,dsync,direct; do
    traced openat --file-test-mode=rndrd --file-extra-flags=$flags --events=5 run
    [[ $stderr == *"may not support"* ]] && skip "no direct I/O on this file system"
    must is "$flags $status" "$flags 0"
    want=$(grep '"test_file.0"' trace)
    case ,$flags, in *,sync,*) must has "$want" 'O_SYNC' ;; *,dsync,*) must has "$want" 'O_DSYNC' ;; esac
    case ,$flags, in *,direct,*) must has "$want" 'O_DIRECT' ;; esac
  done
}

@test "direct with sizes that the file system does not take is refused first" {
  local size
  io -1 --file-extra-flags=direct prepare
  must has "$stderr" '^FATAL: Invalid value for --file-total-size: each file would have 136533 bytes \(expected a multiple of [0-9]+ bytes'
  must is "$(ls | grep -c test_file)" 0
  SIZES="--file-num=1 --file-total-size=384K --file-block-size=1000"
  io -1 --file-extra-flags=direct --file-test-mode=seqwr run
  must has "$stderr" "^FATAL: Invalid value for --file-block-size: '1000' \(expected a multiple of [0-9]+ bytes"
  must is "$(ls | grep -c test_file)" 0
}

@test "queued fsyncs come after the writes, and the queue has its depth" {
  io_mode_here async || skip "no asynchronous I/O here"
  ! emulated || skip "strace sees the emulator"
  prepared
  traced -0 io_submit,io_getevents,fsync --file-io-mode=async --file-test-mode=rndwr \
    --file-fsync-freq=10 --events=130 run
  must has "$(cat trace)" 'aio_lio_opcode=IOCB_CMD_FSYNC|IOCB_CMD_FSYNC'
  must is "$(calls fsync)" 0
}

@test "a batch of requests is one system call" {
  io_mode_here async && io_mode_here io_uring || skip "no asynchronous I/O here"
  ! emulated || skip "strace sees the emulator"
  prepared --validate
  traced -0 io_uring_enter --file-io-mode=io_uring --file-test-mode=rndrd --file-iodepth=32 --file-batch=16 --events=320 run
  must holds "$(calls io_uring_enter) <= 2 * 320 / 16"
  traced io_submit --file-io-mode=async --file-test-mode=rndrd --file-iodepth=32 --file-batch=16 --events=320 run
  must is "$(calls io_submit)" "$((320 / 16))"
}

@test "batches and SQPOLL pass the validation" {
  local engine
  for engine in $(engines); do
    prepared --validate
    io -0 --validate --threads=3 --file-io-mode=$engine --file-batch=7 --file-iodepth=16 --file-test-mode=rndrw \
      --file-fsync-freq=50 --events=1500 --time=0 run
    must is "$(number 'total number of events:')" 1500
  done
  io --validate --file-io-mode=io_uring --file-sqpoll --file-batch=4 --file-iodepth=300 --file-test-mode=rndrw --events=3000 --time=0 run
  [[ $stderr == *"built without it"* || $stderr == *"does not allow io_uring"* ]] && skip "no io_uring here"
  must is "$status" 0
  must is "$(number 'total number of events:')" 3000
}

@test "--file-iodepth is --file-async-backlog" {
  io -1 --file-iodepth=0 --file-test-mode=rndrd run
  must has "$stderr" "'0' \(expected an integer from 1 to 1048576\)"
  io_mode_here async || skip "no asynchronous I/O here"
  ! emulated || skip "strace sees the emulator"
  prepared
  traced io_setup,io_uring_setup --file-iodepth=7 --file-io-mode=async --file-test-mode=rndrd --events=20 run
  must has "$(cat trace)" 'io_setup\(7,'
}

@test "the page cache can be dropped before a run" {
  prepared
  traced -0 fadvise64 --file-drop-cache --file-test-mode=rndrd --events=10 run
  must is "$(grep -c DONTNEED trace)" 3
  traced fadvise64 --file-test-mode=rndrd --events=10 run
  must is "$(grep -c DONTNEED trace)" 0
}

@test "distributions of random places" {
  local dist
  prepared
  for dist in default uniform gaussian special pareto zipfian; do
    io -0 --file-random-dist=$dist --file-test-mode=rndrw --events=200 run
  done
}

@test "a seed repeats the places" {
  prepared
  traced pread64 --rand-seed=5 --file-test-mode=rndrd --events=50 run
  grep -oE ', 16384, [0-9]+' trace >first
  traced pread64 --rand-seed=5 --file-test-mode=rndrd --events=50 run
  grep -oE ', 16384, [0-9]+' trace >second
  must is "$(cat first)" "$(cat second)"
  must holds "$(sort -u first | wc -l) > 5"
}

@test "the run stops on time, and the report counts the final fsync" {
  prepared
  io -0 --threads=8 --time=1 --file-test-mode=rndwr --report-interval=1 --json=result.json run
  check result.json "d['run']['end_reason'] == 'time_limit' and 1 <= d['totals']['elapsed_s'] < 9"
  must has "$output" '^\[ 1s \] reads: 0\.00 MiB/s writes: [0-9.]+ MiB/s fsyncs: [0-9.]+/s latency \(ms,95%\): [0-9.]+$'
  must holds "$(number 'writes/s:') > 0 && $(number 'fsyncs/s:') > 0"
}

@test "--debug tells each file and each request" {
  prepared
  io -0 --file-test-mode=seqrewr --file-fsync-freq=2 --events=6 --debug run
  must is "$(grep -E '^DEBUG: (Opening|Executing)' <<<"$stderr")" \
    "DEBUG: Opening file: test_file.0
DEBUG: Opening file: test_file.1
DEBUG: Opening file: test_file.2
DEBUG: Executing request, operation: 2, file_id: 0, pos: 0, size: 16384
DEBUG: Executing request, operation: 2, file_id: 0, pos: 16384, size: 16384
DEBUG: Executing request, operation: 3, file_id: 0, pos: 0, size: 0
DEBUG: Executing request, operation: 3, file_id: 1, pos: 0, size: 0
DEBUG: Executing request, operation: 3, file_id: 2, pos: 0, size: 0
DEBUG: Executing request, operation: 2, file_id: 0, pos: 32768, size: 16384"
  io --file-test-mode=seqrd --events=1 --debug run
  must has "$stderr" '^DEBUG: Executing request, operation: 1, file_id: 0, pos: 0, size: 16384$'
  io --file-test-mode=seqrd --events=1 --verbosity=5 run
  must is "$(grep -c 'Executing request' <<<"$stderr")" 0
}

@test "a warning when not the disk is measured" {
  prepared
  io --file-test-mode=rndrd --events=10 run
  must has "$stderr" '^WARNING: the files \(400KiB\) fit into memory'
}

@test "no mode: the options are shown" {
  io -1 --events=1 run
  must is "$stderr" "FATAL: Missing required argument: --file-test-mode"
  must has "$output" '^fileio options:$'
  must has "$output" '^  --file-rw-ratio=RATIO +.*\[1\.5\]$'
}

@test "each refused option" {
  local line
  while IFS='|' read -r line want; do
    bench -1 fileio $line --file-test-mode=rndrd run
    must has "$stderr" "^FATAL: Invalid value for $want"
  done <<'END'
--file-num=0|--file-num: '0' \(expected an integer from 1 to 1000000000\)
--file-num=-1|--file-num: '-1'
--file-num=abc|--file-num: 'abc'
--file-block-size=0|--file-block-size: '0' \(expected a size of 1 or more
--file-block-size=4X|--file-block-size: '4X'
--file-block-size=3G|--file-block-size: '3221225472' \(expected a size of at most
--file-block-size=15 --validate|--file-block-size: '15' \(expected a size of at least 16 with --validate\)
--file-total-size=0|--file-total-size: '0'
--file-total-size=127|--file-total-size: '127' \(expected a size of at least one byte for each of 128 files\)
--file-test-mode=foo --file-num=1|--file-test-mode: 'foo' \(expected one of: seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw, wal, mixed\)
--file-io-mode=foo|--file-io-mode: 'foo' \(expected one of: sync, async, mmap, io_uring\)
--file-async-backlog=0|--file-async-backlog: '0'
--file-async-backlog=1048577|--file-async-backlog: '1048577'
--file-extra-flags=foo|--file-extra-flags: 'foo' \(expected a comma-separated list of: sync, dsync, direct\)
--file-extra-flags=sync,bar|--file-extra-flags: 'bar'
--file-fsync-freq=-1|--file-fsync-freq: '-1'
--file-fsync-all=maybe|--file-fsync-all: 'maybe'
--file-fsync-end=2|--file-fsync-end: '2'
--file-fsync-mode=sync|--file-fsync-mode: 'sync' \(expected one of: fsync, fdatasync\)
--file-merged-requests=-1|--file-merged-requests: '-1'
--file-rw-ratio=-0.1|--file-rw-ratio: '-0.1' \(expected a number of at least 0\)
--file-rw-ratio=abc|--file-rw-ratio: 'abc'
--file-random-dist=foo|--file-random-dist: 'foo'
--file-drop-cache=maybe|--file-drop-cache: 'maybe'
END
  bench -1 fileio --file-test-mode=seqrd --file-block-size=1M --file-merged-requests=3000 run
  must has "$stderr" "^FATAL: Invalid value for --file-merged-requests: '3000' \(expected at most 2047 blocks"
}
