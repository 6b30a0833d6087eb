#!/usr/bin/env bats
# prepare looks at the free space before it writes, and leaves nothing behind
# when that was not enough.
load helper

# on_disk SIZE COMMAND...: a shell command where the folder `disk` is a file
# system of this size in memory, which nobody else sees.
on_disk() {
  unshare -m true 2>/dev/null || skip "no mount namespaces here"
  mkdir -p disk
  local expected args
  take_status "$@"
  run --separate-stderr unshare -m bash -c '
    mount -t tmpfs -o "size=$1" none disk || exit 77
    shift
    "$@"' - "${args[0]}" bash -c "${args[1]}"
  [ "$status" -ne 77 ] || skip "may not mount"
  as_expected
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
  bench -1 fileio --file-num=1 --file-total-size=1000T --file-dir=/dev/shm prepare
  must has "$stderr" "^FATAL: 1000 TiB needed in '/dev/shm', [0-9.]+ [GMKT]iB (free|of free memory|left of the memory of the control group); "
  must [ ! -e /dev/shm/test_file.0 ]
}

@test "fileio: files that are there count" {
  on_disk -0 1M "
    '$BENCH' fileio --file-num=2 --file-total-size=640K --file-dir=disk prepare &&
    '$BENCH' fileio --file-num=2 --file-total-size=896K --file-dir=disk prepare &&
    '$BENCH' fileio --file-num=2 --file-total-size=896K --file-dir=disk --validate prepare"
  must has "$output" '^262144 bytes written'
  must has "$output" '^917504 bytes written'
}

@test "fileio: --force goes on, and a full disk takes back what was made" {
  local args="--file-num=4 --file-total-size=2M --file-dir=disk"
  on_disk -1 1M "
    '$BENCH' fileio $args --force prepare; status=\$?
    find disk -type f; exit \$status"
  must has "$stderr" "^FATAL: Cannot write file 'disk/test_file.[0-3]': no space is left; the files that were created have been removed$"
  must is "$(grep -c disk/test <<<"$(grep ^disk <<<"$output")")" 0
  on_disk -1 1M "
    '$BENCH' fileio --file-num=4 --file-total-size=512K --file-dir=disk prepare
    '$BENCH' fileio $args --force --threads=2 prepare; status=\$?
    du -b disk/test_file.*; exit \$status"
  must has "$stderr" "^FATAL: .*: no space is left; new files were removed, the others have their old length$"
  must is "$(grep -cP '^131072\tdisk/test_file.[0-3]$' <<<"$output")" 4
}

@test "fileio: no limit of file sizes leaves anything behind" {
  run -1 --separate-stderr bash -c "ulimit -f 100; exec '$BENCH' fileio --file-num=3 --file-total-size=384K prepare"
  must is "$stderr" "FATAL: Cannot write file 'test_file.0': it would be larger than the system allows (see ulimit -f); the files that were created have been removed"
  must is "$(find . -name 'test_file.*')" ""
}

# oltp ARG...: a command on the tables of a database file.
oltp() {
  LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;" bench oltp_common \
    --db-driver=sqlite --sqlite-synchronous=off "$@"
}

# opened FILE: another program has the file open, and does nothing, until
# closed().
opened() {
  mkfifo hold held
  python3 -c "
import sqlite3, sys
con = sqlite3.connect(sys.argv[1])
con.execute('SELECT COUNT(*) FROM sqlite_master').fetchone()
open('held', 'w').close()
open('hold').read()" "$1" 3>&- &
  cat held
}

closed() {
  echo >hold
  wait
  rm hold held
}

@test "sqlite: too little space for the tables is refused, --force goes on" {
  needs_driver sqlite
  export LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;"
  local load="'$BENCH' oltp_common --db-driver=sqlite --sqlite-db=disk/t --threads=2"
  on_disk -1 1M "$load --tables=2 --table-size=20000 prepare"
  must has "$stderr" "^FATAL: .*about 8.392 MiB needed in '[^']*/disk/t', [0-9.]+ [KM]iB free; choose fewer --tables or a smaller --table-size, or use --force to go on anyway"
  must is "$(grep -c 'FATAL: .*needed in' <<<"$stderr")" 1
  must is "$(grep -c Creating <<<"$output")" 0
  on_disk 1M "unset LUA_PATH
    '$BENCH' oltp_read_write --db-driver=sqlite --sqlite-db=disk/t --table-size=20000 --force prepare
    ls disk"
  must has "$stderr" "^FATAL: .*database or disk is full"
  must is "$(tail -n 1 <<<"$output")" "Removed the database file 'disk/t'"
  must has "$stderr" "^FATAL: make room for the tables; if nothing else is in the database, remove its file, which also does the work of cleanup$"
}

@test "sqlite: the space of tables that are replaced counts" {
  needs_driver sqlite
  export LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;"
  # The journal is in memory: how large a log on the disk becomes would depend
  # on when it is emptied.
  local load="'$BENCH' oltp_common --db-driver=sqlite --sqlite-journal-mode=memory --table-size=8000"
  on_disk -0 2560K "
    $load --sqlite-db=disk/t prepare >&2 || exit 10
    $load --sqlite-db=disk/other prepare && exit 11
    rm -f disk/other
    $load --sqlite-db=disk/t --table-exists=drop prepare"
  must has "$stderr" "^FATAL: .*about 1.678 MiB needed in '[^']*/disk/other', [0-9.]+ [KM]iB free; "
  must is "$(grep -c 'FATAL: ' <<<"$stderr")" 1
  must has "$output" "^Dropping table 'sbtest1'\.\.\.$"
}

@test "sqlite: cleanup removes a file in which nothing is left" {
  needs_driver sqlite
  local mode
  for mode in wal delete; do
    oltp -0 --sqlite-db=t --sqlite-journal-mode=$mode --tables=2 --table-size=100 prepare
    oltp -0 --sqlite-db=t --sqlite-journal-mode=$mode --tables=2 cleanup
    must has "$output" "^Removed the database file 't'$"
    must is "$(ls t* 2>/dev/null)" ""
  done
}

@test "sqlite: cleanup leaves what is not its own" {
  needs_driver sqlite
  oltp --sqlite-db=t --tables=2 --table-size=10000 prepare
  oltp -0 --sqlite-db=t --tables=1 cleanup
  must has "$output" "^'t' keeps its size of [0-9.]+ MiB, because other tables are in it; VACUUM makes it smaller$"
  oltp -0 --sqlite-db=t --tables=2 --table-size=10000 --table-exists=resume prepare
  # a mark of another program
  python3 -c "
import sqlite3
con = sqlite3.connect('t')
con.execute('PRAGMA user_version=7')
con.execute('PRAGMA application_id=9')
con.commit()"
  oltp -0 --sqlite-db=t --tables=2 cleanup
  must [ -s t ]
  # names that are not the file itself
  oltp --sqlite-db=u --table-size=10 prepare
  ln -s u link
  oltp --sqlite-db=link cleanup
  must [ -L link ]
  must [ -s u ]
  ln u another
  oltp --sqlite-db=u cleanup
  must [ -s another ]
  must [ -s u ]
}

@test "sqlite: cleanup leaves a file that another program has open" {
  needs_driver sqlite
  local mode
  for mode in wal delete; do
    rm -f t*
    oltp --sqlite-db=t --sqlite-journal-mode=$mode --table-size=100 prepare
    opened t
    oltp --sqlite-db=t --sqlite-journal-mode=$mode cleanup
    closed
    must is "$status" 0
    must has "$output" "^The database file 't' (is empty, and stays|stays, because another program uses it)$"
    must [ -s t ]
  done
}

@test "--table-exists=drop drops nothing if the new table is not possible" {
  needs_driver sqlite
  oltp --sqlite-db=t --table-size=10 prepare
  oltp -1 --sqlite-db=t --table-size=10 --table-exists=drop --create-table-options=nonsense prepare
  oltp -0 --sqlite-db=t --table-size=10 check
  oltp -0 --sqlite-db=t --table-size=10 --table-exists=drop prepare
  must is "$(python3 -c "
import sqlite3
print(sqlite3.connect('t').execute(\"SELECT name FROM sqlite_master WHERE name LIKE '%try%'\").fetchall())")" "[]"
}

@test "cleanup leaves an empty file that it has not made" {
  needs_driver sqlite
  : >notes.txt
  bench -0 oltp_read_write --db-driver=sqlite --sqlite-db=notes.txt cleanup
  must [ -e notes.txt ]
  must is "$(grep -c 'Removed' <<<"$output" || :)" 0
}

@test "try: too little space for the tables is one line" {
  needs_driver sqlite
  on_disk -1 1M "TMPDIR=\$PWD/disk '$BENCH' try --minutes=0.1"
  must has "$stderr" "^FATAL: no room for the tables: about [0-9.]+ MiB needed in '[^']*/try.db', [0-9.]+ [KM]iB free; make room, or use fewer --minutes$"
  must is "$(grep -c . <<<"$stderr")" 1
}
