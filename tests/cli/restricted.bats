#!/usr/bin/env bats
# restricted.bats - places where much is missing or forbidden: a read-only system,
# no /proc, no /tmp, part of a processor, little memory, no privileges, an old kernel.
# What can be done without is done; else one line says what is missing, before the run.
load helper

# private COMMAND: a shell command in a mount namespace of its own, where the
# program is /mnt/bench/...; it ends with 77 where it may not mount.
private() {
  unshare -m true 2>/dev/null || skip "no mount namespaces here"
  # The list of suppressions may be where nothing can be read.
  [ -z "${TSAN_OPTIONS:-}" ] || local -x TSAN_OPTIONS="${TSAN_OPTIONS%%:suppressions=*}"
  local expected args
  take_status "$@"
  run --separate-stderr unshare -m bash -c "${args[0]}"
  [ "$status" -ne 77 ] || skip "may not mount"
  stderr=$(complaints)
  as_expected
}

# complaints: what was said that is no progress, and not about files in memory.
complaints() {
  without_machine <<<"$stderr" | grep -Ev "^(Loaded|Checked) [0-9]|fit into (memory|the cache)|of the keys are from" || :
}

# Tests of all kinds and a workload, as shell commands.
every='
  for test in "cpu --events=5" "memory --memory-total-size=5M" "threads --events=5" "mutex --mutex-loops=10"; do
    "$BENCH" $test --threads=2 --json=${test%% *}.json run || exit
  done'
oltp='"$BENCH" oltp_read_write --db-driver=sqlite --sqlite-db=t.db --table-size=100 --events=20 --time=0'

@test "a read-only system: results and tables where something can be written" {
  needs_driver sqlite
  mkdir out
  private -0 "
    mount -t tmpfs none out && mount -o remount,bind,ro / || exit 77
    cd out
    ! touch ../x 2>/dev/null || exit 77
    $every
    $oltp prepare && $oltp check && $oltp --json=o.json --report-interval=1 run && $oltp cleanup &&
    \"\$BENCH\" cpu --sweep=threads:1,2 --events=5 --json=s.json run
    status=\$?
    ls
    exit \$status"
  must is "$stderr" ""
  must is "$(tail -n 6 <<<"$output")" $'cpu.json\nmemory.json\nmutex.json\no.json\ns.json\nthreads.json'
}

@test "a read-only system: what cannot be written is said before the run" {
  needs_driver sqlite
  private -1 "
    mount -o remount,bind,ro / || exit 77
    ! touch x 2>/dev/null || exit 77
    \"\$BENCH\" cpu --events=5 --json=x.json run
    \"\$BENCH\" cpu --events=5 --csv=x.csv run
    mount -t tmpfs -o ro none /dev/shm || exit 77
    TMPDIR= \"\$BENCH\" cpu --sweep=threads:1,2 --events=5 run
    \"\$BENCH\" fileio --file-total-size=1M --file-num=1 prepare
    $oltp prepare"
  must is "$(grep -c 'Threads started' <<<"$output" || :)" 0
  must is "$(grep -c '' <<<"$stderr")" 5
  must has "$stderr" "^FATAL: .*'x\.json'.*Read-only file system"
  must has "$stderr" "^FATAL: .*'x\.csv'.*Read-only file system"
  must has "$stderr" "^FATAL: no folder takes temporary files \(TMPDIR, /tmp, the folder of --json, /dev/shm\): Read-only file system; set TMPDIR to one that can be written to"
  must has "$stderr" "^FATAL: .*'test_file.0'.*Read-only file system"
  must has "$stderr" "^FATAL: .*'t\.db'"
}

@test "no /tmp at all" {
  needs_driver sqlite
  mkdir root
  private -0 "
    mount -t tmpfs none root && cd root && mkdir usr proc dev home build || exit 77
    for dir in lib lib64 bin; do ln -s usr/\$dir \$dir; done
    mount --rbind /usr usr && mount --rbind /proc proc && mount --rbind /dev dev &&
    mount --bind '${BENCH%/*}' build || exit 77
    mkdir scripts && mount --bind '$BENCH_DATADIR' scripts || exit 77
    unset TMPDIR
    export BENCH=/build/${BENCH##*/} BENCH_DATADIR=/scripts
    exec chroot . /bin/sh -c 'cd /home &&
      \"\$BENCH\" cpu --events=5 --report-interval=1 --json=c.json run &&
      \"\$BENCH\" cpu --sweep=threads:1,2 --events=5 --json=s.json run &&
      $oltp prepare && $oltp run && $oltp cleanup && ls &&
      \"\$BENCH\" cpu --sweep=threads:1,2 --events=5 --json=- run 2>said &&
      grep WARNING: said >&2 &&
      ! ls /dev/shm | grep ^bench-sweep >&2 &&
      mount -t tmpfs -o ro none /dev/shm &&
      ! \"\$BENCH\" cpu --sweep=threads:1,2 --events=5 --json=- run'"
  # the file of the sweep that used memory is gone
  must is "$stderr" "WARNING: no folder takes temporary files (TMPDIR, /tmp, the folder of --json), so the results of steps are kept in memory (/dev/shm)
FATAL: no folder takes temporary files (TMPDIR, /tmp, the folder of --json, /dev/shm): No such file or directory; set TMPDIR to one that can be written to"
  must is "$(grep -A 1 '^c.json$' <<<"$output")" $'c.json\ns.json'
  must is "$(grep -c '"threads": [12],$' <<<"$output" || :)" 2
}

@test "no /proc: everything runs, and sweeps find the program" {
  no_sanitizer /proc
  needs_driver sqlite
  private -0 "
    mount -t tmpfs none /proc || exit 77
    $every
    \"\$BENCH\" fileio --file-total-size=1M --file-num=1 prepare &&
    \"\$BENCH\" fileio --file-total-size=1M --file-num=1 --file-test-mode=rndrw --events=9 run &&
    $oltp prepare && $oltp run && $oltp --clients=3 run && $oltp cleanup &&
    (cd '${BENCH%/*}' && './${BENCH##*/}' cpu --sweep=threads:1,2 --events=5 --json=\"\$OLDPWD/s.json\" run)"
  must is "$stderr" ""
  must json cpu.json 'd["totals"]["events"] == 5'
  must json s.json 'len(d["steps"]) == 2 and all(s["result"]["totals"]["events"] == 5 for s in d["steps"])'
}

@test "no /proc: huge pages that are not there are called that" {
  no_sanitizer /proc
  private -1 "
    mount -t tmpfs none /proc || exit 77
    \"\$BENCH\" memory --memory-hugetlb=on --memory-block-size=1T --memory-total-size=1T run"
  local error=12
  ! emulated || error=22 # qemu refuses the size itself
  must has "$stderr" "^FATAL: cannot allocate 1099511627776 bytes of huge pages \(0 free pages\), errno = $error "
}

# quota COMMAND: the command, with a fiftieth of a processor: less than it gets beside
# many other programs.  PERIOD: in so many microseconds.
quota() {
  local period=${PERIOD-100000}
  local v1=/sys/fs/cgroup/cpu v2=/sys/fs/cgroup name=bench-test.$$
  if mkdir $v1/$name 2>/dev/null; then
    group=$v1/$name
    echo $period >$group/cpu.cfs_period_us
    echo $((period / 50)) >$group/cpu.cfs_quota_us
  elif [ -e $v2/cgroup.controllers ] && mkdir $v2/$name 2>/dev/null; then
    group=$v2/$name
    echo "$((period / 50)) $period" 2>/dev/null >$group/cpu.max || skip "no quota in a new control group"
  else
    skip "may not make a control group"
  fi
  run --separate-stderr bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$group" "$@"
}

# no_group: removes the control group, which is busy until its processes have gone.
no_group() {
  local limit=$((SECONDS + 30))
  until rmdir "$group" 2>/dev/null || [ ! -d "$group" ]; do
    ((SECONDS < limit)) || {
      printf 'cannot remove %s\n' "$group"
      return 1
    }
    read -rt 0.1 <> <(:) || :
  done
}

teardown() {
  cd /
  [ -z "${own-}" ] || rm -r "$own"
  [ -z "${group-}" ] || no_group
}

@test "part of a processor: the figures are those of the quota" {
  quota "$BENCH" cpu --time=1 --json=c.json run
  must is "$status" 0
  must has "$stderr" '^WARNING: the control group of bench may use 0.02 of the [0-9]+ CPUs and was stopped for [0-9.]+ s to keep to that, so the figures are those of the quota, not of the machine; raise its quota \(cpu.max\)$'
  must json c.json 'd["environment"]["limits"]["cpu_quota_cpus"] == 0.02'
  for test in memory "threads --threads=2"; do
    no_group
    # shellcheck disable=SC2086 # it is several words
    quota "$BENCH" $test --time=1 run
    must is "$status" 0
    must has "$stderr" '^WARNING: the control group of bench may use 0.02 of '
  done
}

@test "part of a processor, and nothing for a second: the quota holds it up, and that is no pause" {
  PERIOD=1000000 quota "$BENCH" cpu --time=3 --json=c.json run
  must is "$status" 0
  must has "$stderr" '^WARNING: the control group of bench may use 0.02 of '
  must json c.json '"paused" not in [w["code"] for w in d["warnings"]] and d["client"]["paused_s"] == 0 and d["client"]["run_queue_delay_s"] >= 0.5'
}

@test "little memory: the limit of the control group counts, not the machine" {
  private -1 '
    cat /proc/self/cgroup >/dev/null && mount -t tmpfs none /sys/fs/cgroup || exit 77
    mkdir -p /sys/fs/cgroup/small disk
    echo 67108864 >/sys/fs/cgroup/small/memory.max
    echo 16777216 >/sys/fs/cgroup/small/memory.current
    echo 0::/small >groups
    mount -t tmpfs none disk || exit 77
    limited() {
      local pid=$BASHPID
      mount --bind groups "/proc/$pid/cgroup" || exit 77
      [ "$(cat "/proc/$pid/cgroup")" = 0::/small ] || exit 77
      exec "$BENCH" "$@"
    }
    (limited doctor --db-driver=null oltp_read_only >doctor)
    (limited memory --memory-test=latency --memory-size=60M --time=1 run)
    (limited fileio --file-num=1 --file-total-size=60M --file-dir=disk prepare)'
  must has "$(<doctor)" '^ok +memory +48 MiB of 64 MiB of the control group are available'
  must has "$stderr" '^FATAL: --memory-size asks for 60 MiB, but only 48 MiB are left of the memory of the control group; '
  must has "$stderr" "^FATAL: 60 MiB needed in 'disk', 48 MiB left of the memory of the control group; "
}

@test "without privileges: all kinds of tests, and nothing is said" {
  needs_driver sqlite
  # Folders above it must let everybody through.
  own=$(mktemp -d /tmp/bench-nobody.XXXXXX)
  chmod 777 "$own"
  cd "$own"
  as_nobody -0 bash -c "
    $every
    \"\$BENCH\" fileio --file-total-size=1M --file-num=1 prepare &&
    \"\$BENCH\" fileio --file-total-size=1M --file-num=1 --file-test-mode=rndrw --events=9 run &&
    $oltp prepare && $oltp run && $oltp --clients=3 run && $oltp cleanup"
  must is "$(complaints)" ""
}

@test "few threads: the limit is named" {
  ! nm "$BENCH" | grep -qE '__[at]san_init' || skip "a sanitizer needs processes of its own"
  own=$(mktemp -d /tmp/bench-nobody.XXXXXX)
  chmod 777 "$own"
  cd "$own"
  as_nobody -1 bash -c 'ulimit -u 20; exec "$BENCH" cpu --threads=64 --events=64 run'
  must has "$stderr" '^FATAL: cannot start a thread, errno = 11 \(.*\): the system allows no more of them \(see ulimit -u, and pids.max of the cgroup\)$'
}

@test "few open files: SQLite names the limit, threads need none" {
  needs_driver sqlite
  cat >many.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() end
LUA
  run -1 --separate-stderr bash -c "ulimit -n 64; exec \"\$BENCH\" ./many.lua --db-driver=sqlite --sqlite-db=d.db --threads=60 --time=1 run"
  must has "$stderr" 'the limit of open files is 64 \(ulimit -n\); about [0-9]+ are needed'
  run -0 --separate-stderr bash -c "ulimit -n 64; exec \"\$BENCH\" cpu --threads=60 --events=60 run"
}

@test "fewer open files than SQLite needs: each failure names the limit" {
  needs_driver sqlite
  ! nm "$BENCH" | grep -qE '__[at]san_init' || skip "a sanitizer needs files of its own"
  local n late=0
  for ((n = 4; n < 40; n++)); do # one is what the loader needs
    rm -f bench.sqlite*
    # shellcheck disable=SC2016
    run --separate-stderr bash -c '
      for at in /proc/self/fd/*; do
        (( ${at##*/} > 2 )) && eval "exec ${at##*/}>&-"
      done
      ulimit -n '"$n"'
      exec "$BENCH" oltp_read_write --db-driver=sqlite --table-size=10 prepare'
    [ "$status" != 0 ] || break
    must has "$stderr$output" 'ulimit -n|Too many open files'
    ! grep -qE 'unable to open database file: (Too many open files|No file descriptors available) \(see ulimit -n\) for query' <<<"$stderr$output" || late=1
  done
  must is "$status" 0
  must is "$late" 1
}

# Nobody listens there, which would be the next message.
@test "too few open files for the connections: refused before the first one, in a line" {
  needs_driver mysql
  few() {
    run -1 --separate-stderr bash -c 'ulimit -n 100; exec "$BENCH" "$@" --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port=1 --events=1 run' - "$@"
  }
  echo 'SELECT 1;' >one.sql
  for workload in oltp_point_select ./one.sql; do
    few "$workload" --clients=500 --threads=2
    must has "$stderr" '^FATAL: 500 connections need at least 5[0-9]+ open files, and the system allows 100: raise that limit \(ulimit -n\), or use fewer --clients$'
    must is "$(wc -l <<<"$stderr")" 1
    few "$workload" --clients=97 --threads=97
    must has "$stderr" 'or use fewer --clients$'
    few "$workload" --threads=97
    must has "$stderr" '^FATAL: 97 connections need at least 1[0-9]+ open files, and the system allows 100: raise that limit \(ulimit -n\), or use fewer --threads$'
    must is "$(wc -l <<<"$stderr")" 1
  done
  run -0 --separate-stderr bash -c 'ulimit -n 100; exec "$BENCH" oltp_point_select --db-driver=mysql --mysql-dry-run --threads=200 --events=1 run'
  run -0 --separate-stderr bash -c 'ulimit -n 100; exec "$BENCH" oltp_point_select --db-driver=null --clients=500 --events=1 run'
}

# What came to Linux after 4.18, which is the oldest that the static program is for.  No
# such kernel runs here: its answers are simulated, by strace (ENOSYS for calls) and by a
# filter (EINVAL for advice).
newer='?io_uring_setup,?io_uring_enter,?io_uring_register,?pidfd_open,?pidfd_send_signal,?pidfd_getfd,?clone3,?close_range,?openat2,?faccessat2,?fchmodat2,?epoll_pwait2,?futex_waitv,?process_madvise,?memfd_secret,?cachestat'

@test "a kernel of 2018: what it lacks is done without" {
  needs_driver sqlite
  ! emulated || skip "strace sees the emulator"
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe true 2>/dev/null || skip "strace may not trace here"
  (cd "$BENCH_BUILD" && $BENCH_CC -o "$BATS_TEST_TMPDIR/old_kernel" "$BENCH_SRC/tests/cli/old_kernel.c")
  ./old_kernel true || skip "calls cannot be filtered here"
  # MADV_DONTNEED, MADV_KEEPONFORK: known; MADV_COLD, MADV_POPULATE_WRITE, MADV_GUARD_INSTALL: not.
  must is "$(./old_kernel python3 -c '
import ctypes
c = ctypes.CDLL(None, use_errno=True)
for advice in 4, 19, 20, 23, 102:
    print(advice, "known" if c.madvise(None, 0, advice) == 0 else ctypes.get_errno())')" \
    "$(printf '%s\n' '4 known' '19 known' '20 22' '23 22' '102 22')"
  # Stacks of clients have guards all the same.
  must ./old_kernel "$BENCH_BUILD/tests/unit/loop/test_stacks"
  # A leak checker cannot work under strace.
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" run -0 --separate-stderr \
    strace -f -qq --seccomp-bpf -o calls -e trace="$newer" -e inject="$newer:error=ENOSYS" ./old_kernel bash -c "
    $every
    \"\$BENCH\" memory --memory-test=latency --memory-size=4M --time=1 run 2>said &&
    \"\$BENCH\" fileio --file-total-size=1M --file-num=1 prepare &&
    \"\$BENCH\" fileio --file-total-size=1M --file-num=1 --file-test-mode=rndrw --events=9 run &&
    \"\$BENCH\" cpu --sweep=threads:1,2 --events=5 --json=s.json run &&
    \"\$BENCH\" cpu --time=0 --rate=200 --events=5 run &&
    $oltp prepare && $oltp run && $oltp --clients=3 run && $oltp cleanup"
  must is "$(complaints)" ""
  must has "$(<calls)" 'io_uring_setup\(.*ENOSYS .*INJECTED'
  must json s.json 'all(s["result"]["totals"]["events"] == 5 for s in d["steps"])'
}

# Filters of containers refuse calls that they do not know with EPERM.
@test "a filter that is older than the kernel: clients still sleep while they wait" {
  needs_driver null
  ! emulated || skip "strace sees the emulator"
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe true 2>/dev/null || skip "strace may not trace here"
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" run -0 --separate-stderr \
    strace -f -qq --seccomp-bpf -o calls -e trace=io_uring_setup,?epoll_pwait2 \
    -e inject=io_uring_setup,?epoll_pwait2:error=EPERM "$BENCH" oltp_point_select --db-driver=null \
    --null-latency=200000 --clients=3 --events=9 --time=0 run
  must is "$(number '    transactions:')" 9
  must holds "$(grep -c epoll_pwait2 calls || :) <= 100"
}
