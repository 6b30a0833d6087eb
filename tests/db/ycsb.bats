#!/usr/bin/env bats
# ycsb.bats - the script ycsb on real servers, and one that is killed.

mysql_flags=(--durable)
pgsql_flags=(--durable)
. "$BENCH_SRC/tests/db/every_kind.bash"
. "$BENCH_SRC/tests/db/in_a_run.bash"

setup() {
  . "$BENCH_SRC/tests/db/ycsb.bash"
  cd "$BATS_TEST_TMPDIR" || return 1
  export LUA_PATH="./?.lua;$BENCH_SRC/src/lua/scripts/?.lua;;"
}

# fresh KIND: the same, and no tables of another test are there.
fresh() {
  aim "$1"
  good cleanup
}

@test "A to F, and check, with every form of keys" {
  for kind in $kinds; do
    fresh "$kind"
    ycsb_life
    good cleanup
    ycsb_life --key=int
    good cleanup
    ycsb_life --order=ordered --fields=20 --field-length=200
    good cleanup
  done
}

@test "what check and --check-reads find" {
  for kind in $kinds; do
    fresh "$kind"
    good prepare
    ycsb_mutations
  done
}

@test "resume" {
  for kind in $kinds; do
    fresh "$kind"
    ycsb_resume
    ycsb_resume --key=int --load-method=insert
  done
}

@test "clients that share threads, and plain text" {
  for kind in $kinds; do
    fresh "$kind"
    good --records=500 prepare
    for letter in a d e f; do
      good --workload=$letter --check-reads --clients=20 --threads=2 --events=1000 --time=0 run
      ! grep -q 'blocked' err || shown run
      good --workload=$letter --check-reads --db-ps-mode=disable --threads=2 --events=300 --time=0 run
    done
    good check
    good cleanup
  done
}

# versions: the sum of the versions of two rows; each change adds one.
versions() {
  sql 'SELECT field0 FROM usertable WHERE ycsb_key = 1' 'SELECT field0 FROM usertable WHERE ycsb_key = 2' |
    {
      sum=0
      while read -r field; do sum=$((sum + 16#${field:1:11})); done
      echo $sum
    }
}

@test "a read-modify-write in a transaction loses no update, a plain one does" {
  for kind in $kinds; do
    fresh "$kind"
    good --records=2 --fields=1 --order=ordered --key=int prepare
    good --workload=f --threads=8 --events=2000 --time=0 --rand-seed=1 run
    changes=$(found read-modify-write | cut -d' ' -f1)
    before=$(versions)
    [ "$before" -eq "$changes" ] || shown "$before of $changes"
    good --workload=f --rmw=plain --threads=8 --events=2000 --time=0 --rand-seed=2 run
    changes=$(found read-modify-write | cut -d' ' -f1)
    [ $(($(versions) - before)) -lt "$changes" ] || shown plain
    good check
    good cleanup
  done
}

# killed WORKLOAD: its server is killed in the middle of a run.
killed() {
  : >out
  until_enough ycsb
  "$BENCH" ./until_enough.lua "${to[@]}" --workload="$1" --check-reads --threads=4 --time=600 --db-ignore-errors=all --report-interval=1 run >out 2>err &
  local pid=$!
  has_committed $pid
  servers kill9 "$BATS_FILE_TMPDIR/$kind"
  servers restart "$BATS_FILE_TMPDIR/$kind"
  goes_on $pid
  : >enough
  status=0
  wait $pid || status=$?
  [ "$status" -eq 0 ] || shown "$1"
  grep -Eq '^    reconnects: +[1-9]' out || shown "$1"
}

@test "the server is killed in the middle of a run: nothing is lost, nothing twice" {
  for kind in $kinds; do
    fresh "$kind"
    good --records=1000 prepare
    for letter in d a; do
      killed $letter
      aim "$kind"
      good check
    done
    grep -Eq '^Checking inserts of all runs \([1-9][0-9]* acknowledged.*ok$' out || shown check
    good cleanup
  done
}
