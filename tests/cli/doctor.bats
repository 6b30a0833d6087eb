#!/usr/bin/env bats
# bench doctor: what it looks at, on this machine and with SQLite;
# tests/db/advice.bats does it with servers.

load helper

# line LEVEL SUBJECT TEXT: there is such a finding.
line() {
  must has "$output" "^$1 +$2 +$3"
}

@test "doctor: the machine" {
  bench -0 doctor --threads=3
  line ok processors '[0-9]+ for 3 threads|ok +processors +[0-9]+, of which'
  line '(ok|warn)' memory '[0-9.]+ [MG]iB of [0-9.]+ [MGT]iB( of the control group)? are available'
  line ok 'open files' '(ulimit -n allows [0-9]+, the run needs about 64|no limit)'
  line '(ok|warn)' wake-ups 'a sleeping thread wakes up [0-9]+ us late'
  line '(ok|warn)' noise 'other programs use [0-9]+% of the CPUs'
  must has "$output" '^[0-9]+ ok, [0-9]+ to check, 0 failed$'
  bench -0 doctor cpu
  bench -0 doctor help
  must has "$output" 'bench doctor \[TEST\] \[OPTION\]'
}

@test "doctor: clients are no threads" {
  needs_driver null
  bench doctor oltp_read_only --db-driver=null --threads=2 --clients=100
  line '(ok|warn)' processors '[0-9]+(,| for 100 clients on 2 threads)'
  line ok processes '(ulimit -u allows [0-9]+, the run needs about 18|no limit)'
  local threads
  for threads in 2 500; do
    (ulimit -n 100 && "$BENCH" doctor --db-driver=null oltp_read_only --threads=$threads --clients=500 >out) && return 1
    must has "$(<out)" '^fail +open files +ulimit -n allows 100, .*; raise the limit, or use fewer --clients$'
  done
}

@test "doctor: limits of the process that are too low" {
  (ulimit -n 100 && "$BENCH" doctor --db-driver=null oltp_read_only --threads=500 >out) && return 1
  must has "$(<out)" '^fail +open files +ulimit -n allows 100, the run needs about 564; raise the limit'
}

@test "doctor: refuses what a run refuses, runs nothing, writes nothing" {
  bench -1 doctor cpu --cpu-max-prime=0
  must has "$stderr" 'Invalid value for --cpu-max-prime'
  bench -1 doctor nosuchtest
  must has "$stderr" "Cannot find benchmark 'nosuchtest'"
  bench -0 doctor cpu --event-log=e
  must is "$(ls -I 'separate-*')" ''
  bench -1 doctor compare
  must is "$stderr" "doctor looks at tests and scripts, and 'compare' is a tool"
}

@test "doctor: findings as a document" {
  bench -0 doctor cpu --json=a.json
  must has "$output" '^[0-9]+ ok, [0-9]+ to check, 0 failed$'
  must json a.json "d['ok'] + d['warn'] + d['fail'] == len(d['findings']) and d['fail'] == 0"
  must json a.json "[f for f in d['findings'] if f['subject'] == 'processors'][0]['level'] in ('ok', 'warn')"
  bench -1 doctor fileio --file-num=2 --file-total-size=32K --json=-
  must has "$stderr" '^fail +files '
  printf '%s' "$output" >b.json
  must json b.json "'prepare' in [f for f in d['findings'] if f['level'] == 'fail'][0]['advice']"
  bench -1 doctor cpu --json=nowhere/a.json
  must has "$stderr" "^FATAL: .*'nowhere/a.json'"
}

@test "doctor: one table" {
  needs_driver sqlite
  at=(--db-driver=sqlite --sqlite-db="$PWD/a.db")
  bench oltp_read_only "${at[@]}" --table-size=100 prepare
  bench doctor oltp_read_only "${at[@]}" --table-size=100
  line ok tables 'sbtest1: the highest ids are close to the 100 of --table-size'
}

@test "doctor: the folder of fileio, its files, room for them" {
  bench -1 doctor fileio --file-num=2 --file-total-size=32K
  line ok folder "'.' is on "
  line fail files '2 of 2 are missing or too small; run the prepare command'
  line ok space 'prepare needs 0 MiB'
  must is "$(ls -I 'separate-*')" ''
  bench fileio --file-num=2 --file-total-size=32K prepare
  bench -0 doctor fileio --file-num=2 --file-total-size=32K
  line ok files 'all 2 are there'
  bench -1 doctor fileio --file-num=2 --file-total-size=1000T
  line fail files '2 of 2 '
  line fail space 'prepare needs 1048576000 MiB in .*; make room'
  bench -1 doctor fileio --file-dir=nowhere
  line fail folder "'nowhere': No such file"
}

@test "doctor: a folder that tells nothing of direct I/O is not one that has none" {
  ! emulated || skip "strace sees the emulator"
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe true 2>/dev/null || skip "strace may not trace here"
  mkdir here
  "$BENCH" fileio --file-dir=here --file-num=1 --file-total-size=16K prepare >/dev/null
  for why in EINVAL EOPNOTSUPP; do
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" run --separate-stderr \
      strace -f -qq -o calls -P here -e trace=?open,openat -e inject=?open,openat:error=$why \
      "$BENCH" doctor fileio --file-dir=here --file-num=1 --file-total-size=16K --file-extra-flags=direct
    must has "$(<calls)" "O_TMPFILE.*$why .*INJECTED"
    if [ $why = EINVAL ]; then
      line fail 'direct I/O' 'the file system does not support O_DIRECT; .*'
    else
      line warn 'direct I/O' 'not checked: (Operation not|Not) supported'
    fi
  done
}

@test "doctor: a SQLite file, its tables and its settings" {
  needs_driver sqlite
  at=(--db-driver=sqlite --sqlite-db="$PWD/a.db" --tables=2)
  bench -1 doctor oltp_read_write "${at[@]}" --table-size=100
  line fail server "the file '$PWD/a.db' does not exist; run the prepare command"
  line ok space 'prepare needs 0 MiB'
  must is "$(ls -I 'separate-*')" ''
  bench oltp_read_write "${at[@]}" --table-size=100 prepare
  bench -0 doctor oltp_read_write "${at[@]}" --table-size=100
  line ok server "SQLite [0-9.]+, file '$PWD/a.db'"
  line ok durability 'synchronous = normal'
  line ok tables 'sbtest1 to sbtest2: the highest ids are close to the 100 of --table-size'
  bench -0 doctor oltp_read_write "${at[@]}" --table-size=1000 --sqlite-synchronous=off
  line warn durability 'synchronous = off .*; writes are faster than on a durable server'
  line warn tables 'the highest id of sbtest1 to sbtest2 is 100 but --table-size is 1000'
  bench oltp_read_write --db-driver=sqlite --sqlite-db="$PWD/b.db" --tables=2 --table-size=12000 prepare
  bench -0 doctor oltp_read_write --db-driver=sqlite --sqlite-db="$PWD/b.db"
  line ok tables 'sbtest1 to sbtest2: the highest ids are close to the 12000 of --table-size'
  bench -1 doctor oltp_read_write "${at[@]}" --tables=3 --table-size=100
  line fail tables '1 of 3 \(sbtest1 to sbtest3\) cannot be read; run the prepare command'
}

@test "doctor: a script of the user's own" {
  echo 'function event() end' >own.lua
  bench -0 doctor ./own.lua
  line warn server 'not checked; give --db-driver'
  bench -0 doctor ./own.lua --db-driver=null
  line ok server null
}

@test "help, in both spellings" {
  bench -0 doctor --help
  must has "$output" 'bench doctor \[TEST\] \[OPTION\]'
  local said=$output
  bench -0 doctor help
  must is "$output" "$said"
}
