#!/bin/sh
# try.sh - an installed program does what a first user does with it: the cpu
# test, and OLTP on SQLite from prepare to cleanup.  Prints TAP.
#
# usage: try.sh [PROGRAM]
#
# It is for packages and runs where they are installed, so it needs only a POSIX
# shell and grep.  The program runs in a folder of its own.
set -u

program=${1:-bench}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-try.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset BENCH_DATADIR LUA_PATH LUA_CPATH

count=0 failed=0
# runs PATTERN ARGUMENT...: it succeeds and prints the pattern.
runs() {
  pattern=$1
  shift
  count=$((count + 1))
  if "$program" "$@" >said 2>&1 </dev/null && grep -qE -e "$pattern" said; then
    echo "ok $count - $*"
  else
    echo "not ok $count - $*"
    sed 's/^/# /' said
    failed=1
  fi
}

runs '^bench [0-9]' --version
runs 'total number of events: *100$' cpu --cpu-max-prime=1000 --threads=2 --events=100 --time=0 run

oltp() {
  runs "$1" oltp_read_write --db-driver=sqlite --sqlite-db=try.db --tables=2 \
    --table-size=1000 --threads=2 --events=20 --time=0 "$2"
}
oltp '^Creating table' prepare
oltp '^Checking' check # a run changes the data
oltp 'total number of events: *20$' run
oltp '^Dropping table' cleanup

# What was measured can be shown.
runs 'total number of events' cpu --cpu-max-prime=100 --events=10 --time=0 --json=cpu.json run
runs 'events' report cpu.json --format=text

echo "1..$count"
exit "$failed"
