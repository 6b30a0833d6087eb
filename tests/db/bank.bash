# shellcheck shell=bash
# bank.bash - what the tests of the script bank do on every database; to be
# sourced.
. "$BENCH_SRC/tests/db/workload.bash"
# shellcheck disable=SC2034
workload=bank

# The table is loaded, run and checked.
bank_life() {
  good --accounts=20 --balance=500 --threads=2 prepare
  good check
  good --threads=3 --readers=20 --events=500 --time=0 --rand-seed=1 --json=b.json run
  says '^Totals read, --read=sum, isolation level: the default: [1-9][0-9]*, wrong: 0: ok$'
  says '^Transfers of the run: [1-9][0-9]* committed, 0 with unknown outcome, the tables have [0-9]+: ok$'
  python3 -c 'import json
d = json.load(open("b.json"))
t = d["test"]
assert t["totals"]["read"] + t["reconciliation"]["committed"] == 500, t
assert t["reconciliation"]["in_tables"] == t["reconciliation"]["committed"], t
assert 50 < t["totals"]["read"] < 150 and t["totals"]["verdict"] == "ok", t
assert {"take", "give", "total"} <= {c["name"] for c in d["classes"]}, d["classes"]'
  [ "$(sql 'SELECT SUM(balance) FROM bank_accounts')" = 10000 ]
  good --threads=2 --readers=100 --events=10 --time=0 run
  says ': 10, wrong: 0: ok$'
  says '^Transfers of the run: 0 committed'
  good check
  says '^bank_accounts: sum of transfers: Transfers of all runs: .*: ok$'
  says '^Checking the totals of readers... ok$'
  bad 'the tables were made with --accounts=20, not 21' --accounts=21 run
}

# Each thing that may go wrong is named.
bank_mutations() {
  broken "'bank_accounts'... sum of balance is 9999, but 20 accounts began with 500: it should be 10000" \
    'UPDATE bank_accounts SET balance = balance - 1 WHERE id = 7' \
    'UPDATE bank_accounts SET balance = balance + 1 WHERE id = 7'
  broken 'sum of transfers is [0-9]+, which is odd: half of a transfer is missing' \
    'UPDATE bank_accounts SET transfers = transfers - 1 WHERE id = 7' \
    'UPDATE bank_accounts SET transfers = transfers + 1 WHERE id = 7'
  broken 'sum of transfers: Transfers of all runs: .*: 1 are LOST' \
    'UPDATE bank_accounts SET transfers = transfers - 1 WHERE id IN (7, 8)' \
    'UPDATE bank_accounts SET transfers = transfers + 1 WHERE id IN (7, 8)'
  broken "'bank_accounts'... 1 row missing, the first is row 20" \
    'UPDATE bank_accounts SET id = 99 WHERE id = 20' 'UPDATE bank_accounts SET id = 20 WHERE id = 99'
  broken 'transfers is negative in 1 row of bank_accounts, the first has id 3' \
    'UPDATE bank_accounts SET transfers = transfers + CASE id WHEN 3 THEN -1000 ELSE 1000 END WHERE id IN (3, 4)' \
    'UPDATE bank_accounts SET transfers = transfers - CASE id WHEN 3 THEN -1000 ELSE 1000 END WHERE id IN (3, 4)'
  broken "Checking the totals of readers... bench_bank.wrong_totals is 2" \
    'UPDATE bench_bank SET wrong_totals = 2' 'UPDATE bench_bank SET wrong_totals = 0'
  good check
  good --table-exists=drop prepare
  broken 'balance has changed without a transfer in 2 rows of bank_accounts, the first has id 5' \
    'UPDATE bank_accounts SET balance = balance + CASE id WHEN 5 THEN -1 ELSE 1 END WHERE id IN (5, 6)' \
    'UPDATE bank_accounts SET balance = 1000 WHERE id IN (5, 6)'
}

# Rows that an interrupted prepare has not loaded, and other tables.
bank_resume() {
  good --accounts=50 --table-exists=drop prepare
  sql 'DELETE FROM bank_accounts WHERE id > 20'
  bad "'bank_accounts'... 30 rows missing, the first is row 21" check
  bad 'resume is not possible: the tables were made with --accounts=50, not 40' --accounts=40 --table-exists=resume prepare
  good --accounts=50 --table-exists=resume prepare
  good check
  good cleanup
}
