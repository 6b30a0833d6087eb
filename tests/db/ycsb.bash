# shellcheck shell=bash
# ycsb.bash - what the tests of the script ycsb do on every database; to be
# sourced.  The caller sets the array `to`, the options that lead there.

. "$BENCH_SRC/tests/db/workload.bash"
# shellcheck disable=SC2034
workload=ycsb

# found OPERATION: how many the report has, and how many were not found.
found() {
  sed -n "s/^    $1 \+\([0-9]\+\) \+[0-9.]\+ \+\([0-9]\+\)$/\1 \2/p" out
}

# all_found OPERATION...: these operations, no others, and each found its row.
all_found() {
  local word
  for word in "$@"; do
    [[ "$(found "$word")" == [1-9]*' 0' ]] || shown "$word"
  done
  [ "$(grep -Ec '^    (read|update|insert|scan|read-modify-write) +[0-9]' out)" -eq $# ] || shown "$@"
}

# ycsb_run WORKLOAD ARG...: a run that proves what it reads, then check.
ycsb_run() {
  local letter=$1
  shift
  good --workload="$letter" --check-reads --threads=3 --events=300 --time=0 --rand-seed=5 "$@" run
}

# ycsb_life PREPARE...: every workload after another, on tables that are made
# with these options.
ycsb_life() {
  local rows
  good --records=777 --threads=2 "$@" prepare
  good check
  grep -q "^Checking table 'usertable', 777 rows... ok$" out || shown check
  ycsb_run a
  all_found read update
  ycsb_run b --write-fields=all
  all_found read update
  ycsb_run c
  all_found read
  ycsb_run d
  all_found read insert
  rows=$((777 + $(found insert | cut -d' ' -f1)))
  good check
  grep -q "^Checking table 'usertable', $rows rows... ok$" out || shown check
  ycsb_run e
  all_found scan insert
  rows=$((rows + $(found insert | cut -d' ' -f1)))
  ycsb_run f
  all_found read read-modify-write
  ycsb_run f --rmw=plain --write-fields=all
  all_found read read-modify-write
  ycsb_run c --distribution=uniform
  ycsb_run a --zipf=java
  grep -q 'zipfian 0.99, java' out || shown run
  good --records=777 check
  grep -q "^Checking table 'usertable', $rows rows... ok$" out || shown check
  grep -Eq "^Checking inserts of all runs \($((rows - 777)) acknowledged, 0 not, the table has $((rows - 777))\)... ok$" out || shown check
}

# wrong PATTERN STATEMENT...: check fails and names this.
wrong() {
  local pattern=$1
  shift
  sql "$@"
  bad "$pattern" check
}

# unread PATTERN WORKLOAD: a run that reads everything finds it, too.
unread() {
  bad "usertable, key $1" --workload="$2" --check-reads --distribution=uniform --events=20000 --time=0 run
}

# changed TEXT PATTERN RULE [WORKLOAD]: a field with this text is found by check
# and by a run.
changed() {
  wrong "Checking table .* 1 field $2, the first is key $key, field3" \
    "UPDATE usertable SET field3 = $1 WHERE ycsb_key = '$key'"
  unread "$key, field3: $3" "${4-c}"
}

# Each thing that may go wrong is named, by check and by a run with --check-reads.
ycsb_mutations() {
  local key=user0000000000000000042 text other
  good --table-exists=drop --records=100 --order=ordered prepare
  ycsb_run d
  good check

  # a field that was changed
  text=$(sql "SELECT field3 FROM usertable WHERE ycsb_key = '$key'")
  other=$(sql "SELECT field4 FROM usertable WHERE ycsb_key = '$key'")
  for letter in c e f; do
    changed "'${text:0:60}##########${text:70}'" 'has not the text of its version' 'its text is not that of its version' $letter
  done
  # half of a write
  changed "'${text:0:60}${other:60}'" 'has not the text of its version' 'its text is not that of its version'
  changed "'f${text:1}'" 'has a wrong check word' 'its check word is wrong'
  changed "'$other'" 'has a wrong check word' 'its check word is wrong'
  changed "'${text:0:99}'" 'has a wrong length' 'its length is wrong'
  changed "'-${text:1}'" 'has no version' 'it has no version'
  changed NULL 'is NULL' 'it is NULL'
  sql "UPDATE usertable SET field3 = '$text' WHERE ycsb_key = '$key'"
  good check

  # a row that was written twice, and has a field of the first write
  ycsb_run a --write-fields=all --distribution=uniform --events=2000
  wrong "1 row is torn: it has fields of different writes of the whole row, the first is key $key, field" \
    "UPDATE usertable SET field3 = '$text' WHERE ycsb_key = '$key'"
  unread "$key, field3: the row is torn" c
  ycsb_run a --write-fields=all --distribution=uniform --events=2000 --check-reads=off
  good check

  # a row too many: with a key that is none, and with that of no row yet
  wrong "1 row does not belong here, the first is key ${key%?}a" \
    "INSERT INTO usertable (ycsb_key) VALUES ('${key%?}a')"
  unread "${key%?}a: the row does not belong here" e
  sql "DELETE FROM usertable WHERE ycsb_key = '${key%?}a'"
  wrong '1 row does not belong here, the first is key user0000000000000055555' \
    "INSERT INTO usertable (ycsb_key) VALUES ('user0000000000000055555')"
  unread 'user0000000000000055555: the row does not belong here' e
  sql "DELETE FROM usertable WHERE ycsb_key = 'user0000000000000055555'"

  # a row that is gone: one of prepare, one that was inserted
  wrong '1 acknowledged insert is lost, the first is key user0000000000000000101' \
    "DELETE FROM usertable WHERE ycsb_key = 'user0000000000000000101'"
  grep -q '1 are LOST' out || shown check
  wrong "1 row is missing, the first is key $key;.*lost" \
    "DELETE FROM usertable WHERE ycsb_key = '$key'"
  unread '(user0000000000000000101|'"$key"'): the row is missing' c
  unread '(user0000000000000000101|'"$key"'): the row is missing' a
  # without --check-reads it is counted, and is no success
  good --workload=c --distribution=uniform --events=20000 --time=0 --json=missing.json run
  [[ "$(found read)" == 1[0-9]*' '[1-9]* ]] || shown run
  [ "$(found read | awk '{ print $1 + $2 }')" -eq 20000 ] || shown run
  python3 - <<'PY'
import json
read = json.load(open("missing.json"))["test"]["operations"]["read"]
assert read["not_found"] > 100 and read["count"] + read["not_found"] == 20000, read
PY
  for letter in a e f; do
    good --workload=$letter --distribution=uniform --events=3000 --time=0 run
    [ "$(grep -Ec '^    (read|update|scan|read-modify-write) .* [1-9][0-9]*$' out)" -gt 0 ] || shown $letter
  done
  good cleanup
}

# Rows that an interrupted prepare has not loaded, and rows of another load.
ycsb_resume() {
  local half
  good --records=20000 --threads=2 --fields=3 "$@" prepare
  half=$(sql 'SELECT MAX(ycsb_key) FROM (SELECT ycsb_key FROM usertable ORDER BY ycsb_key LIMIT 7000) t')
  sql "DELETE FROM usertable WHERE ycsb_key > '$half'"
  bad '13000 rows are missing' check
  good --records=20000 --fields=3 "$@" --table-exists=resume --threads=2 prepare
  good check
  grep -q "20000 rows... ok" out || shown check
  bad 'made with --records=20000, not 20001' --records=20001 --fields=3 "$@" --table-exists=resume prepare
  bad 'made with --rand-seed=42, not 7' --records=20000 --fields=3 "$@" --rand-seed=7 --table-exists=resume prepare
  bad 'made with --fields=3, not 4' --fields=4 run
  good cleanup
  bad 'there is no table bench_ycsb|did you run the prepare command' run
}
