# shellcheck shell=bash
# json.bash - what the tests of the script json do on every database; to be
# sourced.
. "$BENCH_SRC/tests/db/workload.bash"
# shellcheck disable=SC2034
workload=json

# The table is loaded, run in all ways, and checked.
json_life() {
  good --documents=60 --groups=7 --body=33 --threads=2 prepare
  good check
  says "^Checking table 'json_docs'... ok$"
  says "^Checking index 'json_k'... ok$"
  good --threads=2 --events=300 --time=0 --json=j.json --report-classes run
  says '^Updates of the run: ([0-9]+) committed, 0 with unknown outcome, the tables have \1: ok$'
  says '^Documents read and compared: [1-9][0-9]+: ok$'
  says '^ +[0-9.]+% +[0-9]+ +0 .* find$'
  python3 -c 'import json
d = json.load(open("j.json"))
r = d["test"]["reconciliation"]
assert r["verdict"] == "ok" and 20 <= r["committed"] <= 110 and r["in_tables"] == r["committed"], r
assert d["totals"]["counters"]["document updates"] == r["committed"]
assert d["test"]["compared"]["documents"] == d["totals"]["counters"]["documents compared"] > 300'
  good --threads=3 --clients=9 --updates=100 --finds=0 --events=500 --time=0 run
  says '^Updates of the run: 500 committed, 0 with unknown outcome, the tables have 500: ok$'
  # Each row is read, and has another version than at first.
  good --updates=0 --finds=100 --events=200 --time=0 run
  good --updates=0 --finds=0 --events=50 --time=0 run
  says '^Documents read and compared: 50: ok$'
  good check
  says '^json_docs: sum of n: Updates of all runs: [5-9][0-9][0-9] committed, 0 with unknown outcome, the tables have [5-9][0-9][0-9]: ok$'
  bad 'the tables were made with --groups=7, not 8' --groups=8 run
  bad '--updates and --finds are 60 and 50 percent: together they are more than 100' --updates=60 --finds=50 run
}

# put EXPRESSION: gives document 29 other text.
put() {
  sql "UPDATE json_docs SET doc = $1 WHERE id = 29"
}

# wrong PATTERN EXPRESSION: check and run name what is wrong with document 29.
wrong() {
  put "$2"
  bad "^Checking table 'json_docs'... 1 row of json_docs with another document, the first is row 29: $1" check
  bad "json: table json_docs, row 29: $1" --updates=0 --finds=100 --rand-type=uniform --events=300 --time=0 run
  [ "$(grep -c '^Documents read' out)" = 0 ]
  put "'$right'"
  good check
}

# json_mutations [TEXT]: each thing that may go wrong is named.  TEXT: what DROP
# INDEX needs after the name.
json_mutations() {
  local right body n
  right=$(sql 'SELECT doc FROM json_docs WHERE id = 29')
  body=$(sed -E 's/.*"body": ?"([0-9a-f]*)".*/\1/' <<<"$right")
  n=$(sed -E 's/.*"n": ?([0-9]+).*/\1/' <<<"$right")

  wrong 'member id is 30, after [0-9]+ updates it is 29' "'$(sed -E 's/"id": ?29/"id": 30/' <<<"$right")'"
  wrong "member body is \"0*\", after [0-9]+ updates it is \"$body\"" "'${right/$body/0000}'"
  wrong 'it has other members' "'${right%\}}, \"zones\": null}'"
  wrong 'member tags is missing, after' "'${right/tags/tagx}'"
  put "'$(sed -E "s/\"n\": ?$n/\"n\": $((n + 7))/" <<<"$right")'"
  bad 'json_docs: sum of n: Updates of all runs: .*: nobody has committed 7' check
  put "'$(sed -E "s/\"n\": ?$n/\"n\": -5/" <<<"$right")'"
  bad 'row 29: member n is not a number' check
  put "'$right'"
  broken "'json_docs'... 1 row missing, the first is row 29" \
    'UPDATE json_docs SET id = 900 WHERE id = 29' 'UPDATE json_docs SET id = 29 WHERE id = 900'
  # The order of members is that of the database.
  put "'{\"id\": 29, $(sed -E 's/"id": ?29, ?//; s/^\{//' <<<"$right")'"
  good check
  good --updates=0 --finds=100 --rand-type=uniform --events=300 --time=0 run
  put "'$right'"
  sql 'DELETE FROM json_docs WHERE id = 29'
  bad 'json: table json_docs, row 29: it is missing' --updates=0 --finds=0 --rand-type=uniform --events=3000 --time=0 run
  sql "INSERT INTO json_docs(id, doc) VALUES (29, '$right')"
  good check
  sql "DROP INDEX json_k${1:-}"
  bad "^Checking index 'json_k'... it does not exist$" check
  bad 'json_docs has no index json_k; use prepare with --table-exists=resume' --events=1 run
  sql 'CREATE INDEX json_k ON json_docs(k)'
  good check
}

# An update that the database has lost is found.
json_lost() {
  good --documents=20 --groups=3 --table-exists=drop prepare
  good --updates=100 --finds=0 --threads=2 --events=60 --time=0 run
  sql 'CREATE TABLE json_save AS SELECT id, doc FROM json_docs'
  good --updates=100 --finds=0 --threads=2 --events=30 --time=0 run
  sql 'UPDATE json_docs SET doc = (SELECT s.doc FROM json_save s WHERE s.id = json_docs.id)' 'DROP TABLE json_save'
  # Every document is right by itself.
  bad 'json_docs: sum of n: Updates of all runs: 90 committed, 0 with unknown outcome, the tables have 60: 30 are LOST$' check
  says "^Checking table 'json_docs'... ok$"
}

# json_resume [TEXT]: rows and the index that an interrupted prepare has not
# made, and other tables.
json_resume() {
  good --documents=300 --groups=30 --table-exists=drop prepare
  sql 'DELETE FROM json_docs WHERE id > 120' "DROP INDEX json_k${1:-}"
  bad "'json_docs'... 180 rows missing, the first is row 121" check
  good --documents=300 --groups=30 --table-exists=resume prepare
  good check
  bad 'resume is not possible: the tables were made with --data-seed=1, not 2' \
    --documents=300 --groups=30 --data-seed=2 --table-exists=resume prepare
  good cleanup
  lacks_table bench_json
}
