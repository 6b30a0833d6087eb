#!/usr/bin/env bats
# tpcc.bats - the tpcc workload against real servers: the rows of prepare,
# conflicts between clients, a server that is killed, and what check finds.

mysql_flags=(--durable)
pgsql_flags=(--durable)
. "$BENCH_SRC/tests/db/every_kind.bash"
. "$BENCH_SRC/tests/db/in_a_run.bash"

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  export LUA_PATH="./?.lua;$BENCH_SRC/src/lua/scripts/?.lua;;"
}

# small KIND: its server runs; `to` leads to small tables there.
small() {
  aim "$1"
  to+=(--warehouses=2 --customers=30 --items=300)
}

# tpcc ARG...: a command; out, err, status.
tpcc() {
  status=0
  "$BENCH" tpcc "${to[@]}" "$@" >out 2>err || status=$?
}

good() {
  tpcc "$@"
  [ "$status" -eq 0 ] || { cat out err; return 1; }
}

# sql STATEMENT: executes it.
sql() {
  cat >sql.lua <<'LUA'
function prepare() sysbench.sql.driver():connect():query(sysbench.opt.sql) end
sysbench.cmdline.options = {sql = {"statement", ""}, warehouses = {"", 1}, customers = {"", 1}, items = {"", 1}}
LUA
  "$BENCH" ./sql.lua "${to[@]}" "--sql=$1" prepare >sql.out 2>&1 || { cat sql.out; return 1; }
}

# finds CONDITION PATTERN SQL UNDO: check fails by this condition and key.
finds() {
  sql "$3"
  tpcc --threads=2 check
  cat out err
  [ "$status" -eq 1 ]
  grep -Eq "^Condition $1: .* violations?$" out
  grep -Eq "^    $2" out
  sql "$4"
}

corruptions() {
  local key='c_w_id = 1 AND c_d_id = 2 AND c_id = 3'
  finds 1 'warehouse \(w 2\): w_ytd' 'UPDATE district SET d_ytd = d_ytd + 0.01 WHERE d_w_id = 2 AND d_id = 7' \
    'UPDATE district SET d_ytd = d_ytd - 0.01 WHERE d_w_id = 2 AND d_id = 7'
  finds 12 'customer \(w 1, d 2, c 3\)' "UPDATE customer SET c_ytd_payment = c_ytd_payment + 0.01 WHERE $key" \
    "UPDATE customer SET c_ytd_payment = c_ytd_payment - 0.01 WHERE $key"
  finds 2 'district \(w 1, d 1\): d_next_o_id - 1 is' 'UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 1' \
    'UPDATE district SET d_next_o_id = d_next_o_id - 1 WHERE d_w_id = 1 AND d_id = 1'
  finds 7 'order_line \(w 1, d 1, o 2\): ol_delivery_d' \
    'UPDATE order_line SET ol_delivery_d = NULL WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 2 AND ol_number = 1' \
    "UPDATE order_line SET ol_delivery_d = '2026-01-01' WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 2 AND ol_number = 1"
  finds 5 'orders \(w 1, d 3, o [0-9]+\): o_carrier_id is NULL' 'DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 3' \
    'INSERT INTO new_order (no_w_id, no_d_id, no_o_id) SELECT o_w_id, o_d_id, o_id FROM orders
       WHERE o_w_id = 1 AND o_d_id = 3 AND o_carrier_id IS NULL'
  good check
}

# named CONDITION PATTERN: the last check has violations of the condition, and
# one line of it matches.
named() {
  awk -v head="Condition $1:" 'index($0, head) == 1 { on = / violations?$/; next } /^[^ ]/ { on = 0 } on' out >lines
  grep -Eq "^    $2" lines || { cat out; echo "condition $1 does not name $2"; return 1; }
}

# Each condition of a run is broken at a place of its own.
corrupt_all() {
  local text
  while read -r text; do
    [ -z "$text" ] || sql "$text"
  done <<'SQL'
UPDATE district SET d_ytd = d_ytd + 0.01 WHERE d_w_id = 2 AND d_id = 7
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 1
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (2, 3, 1), (2, 3, 3)
UPDATE orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_w_id = 1 AND o_d_id = 4 AND o_id = 2
UPDATE orders SET o_carrier_id = NULL WHERE o_w_id = 1 AND o_d_id = 5 AND o_id = 2
DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 6 AND ol_o_id = 3 AND ol_number = 2
UPDATE order_line SET ol_delivery_d = NULL WHERE ol_w_id = 1 AND ol_d_id = 8 AND ol_o_id = 2 AND ol_number = 1
UPDATE warehouse SET w_ytd = w_ytd - 0.01 WHERE w_id = 1
INSERT INTO history SELECT * FROM history WHERE h_c_w_id = 2 AND h_c_d_id = 4 AND h_c_id = 5 LIMIT 1
UPDATE customer SET c_ytd_payment = c_ytd_payment + 0.01 WHERE c_w_id = 1 AND c_d_id = 2 AND c_id = 3
UPDATE stock SET s_i_id = -1 WHERE s_w_id = 1 AND s_i_id = 11
UPDATE stock SET s_i_id = 11 WHERE s_w_id = 1 AND s_i_id = 12
UPDATE stock SET s_i_id = 12 WHERE s_w_id = 1 AND s_i_id = -1
UPDATE stock SET s_remote_cnt = s_remote_cnt + 1 WHERE s_w_id = 2 AND s_i_id = 7
UPDATE customer SET c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = 2 AND c_d_id = 9 AND c_id = 8
DELETE FROM customer WHERE c_w_id = 2 AND c_d_id = 1 AND c_id = 6
SQL
  tpcc --threads=2 check
  [ "$status" -eq 1 ]
  named 1 'warehouse \(w 2\): w_ytd [0-9.]+, sum of d_ytd'
  named 2 'district \(w 1, d 1\): d_next_o_id - 1 is'
  named 3 'new_order \(w 2, d 3\): rows:'
  named 4 'district \(w 1, d 4\): sum of o_ol_cnt'
  named 5 'orders \(w 1, d 5, o 2\): o_carrier_id is NULL'
  named 6 'orders \(w 1, d 6, o 3\): o_ol_cnt'
  named 7 'order_line \(w 1, d 8, o 2\): ol_delivery_d'
  named 8 'warehouse \(w 1\): w_ytd'
  named 9 'district \(w 2, d 7\): d_ytd'
  named 10 'customer \(w 2, d 4, c 5\): c_balance'
  named 12 'customer \(w 1, d 2, c 3\): c_balance \+ c_ytd'
  named 12 '(orders|history) \(w 2, d 1, c 6\): there is no such customer'
  named sizes 'customer \(all rows\): rows: 599, should be: 600'
  named stock 'stock \(w 1, i 11\): s_'
  named stock 'stock \(w 1, i 12\): s_'
  named stock 'stock \(w 2, i 7\): s_remote_cnt'
  named customer 'customer \(w 2, d 9, c 8\): c_payment_cnt'
}

# A condition that holds before the first run only.
corrupt_loaded() {
  finds 11 'district \(w 1, d 2\): orders that are not new: 22, should be: 21' \
    'DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 2 AND no_o_id = 22' \
    'INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 2, 22)'
}

# A district whose only new order has no row in new_order: nine deliveries have
# emptied warehouse 1 before.
corrupt_empty() {
  good --threads=1 --weights=0,0,0,1,0 --events=9 --time=0 run
  good --threads=1 --weights=1,0,0,0,0 --events=1 --time=0 --rand-seed=3 run
  good check
  finds 5 'orders \(w 1, d [0-9]+, o 31\): o_carrier_id is NULL, but it is not a new order$' \
    'DELETE FROM new_order WHERE no_w_id = 1' \
    'INSERT INTO new_order (no_w_id, no_d_id, no_o_id) SELECT o_w_id, o_d_id, o_id FROM orders
       WHERE o_w_id = 1 AND o_carrier_id IS NULL'
  [ "$(grep -c ' violations*$' out)" -eq 1 ]
  grep -q '^Condition 5: .* 1 violation$' out
}

@test "prepare, check of all rows, run, check, and corruptions" {
  for kind in $kinds; do
    small "$kind"
    good --threads=3 prepare
    good --threads=2 --check-rows check
    [ "$(grep -c '^Checking the rows of .* ok$' out)" -eq 9 ]
    corrupt_loaded
    corrupt_empty
    good --threads=6 --time=600 --events=1500 --rand-seed=3 --json=t.json run
    grep -Eq '^New orders of the run: .*: ok$' out
    good check
    grep -Eq '^New orders of all runs: .*: ok$' out
    # corruptions() needs orders of district 3 that are not delivered
    good --threads=1 --weights=1,0,0,0,0 --events=40 --time=0 --rand-seed=3 run
    corruptions
    # nothing conflicts beyond repair at the highest level, either
    good --threads=4 --time=600 --events=200 --isolation=serializable run
    good check
    corrupt_all
    good cleanup
  done
}

# demand_keys ON|OFF: the server refuses tables without a primary key.
demand_keys() {
  servers sql "$BATS_FILE_TMPDIR/mysql" "SET GLOBAL innodb_force_primary_key = $1" ||
    servers sql "$BATS_FILE_TMPDIR/mysql" "SET GLOBAL sql_require_primary_key = $1"
}

# A test that fails leaves nothing to the next one.
teardown() {
  [ ! -v demanded ] || demand_keys OFF
}

@test "a server that demands primary keys: prepare --history-key" {
  small mysql
  demanded=yes
  demand_keys ON
  tpcc --table-exists=drop prepare
  [ "$status" -eq 1 ]
  grep -Ei '^FATAL: .*primary key' err
  good --table-exists=drop --history-key --threads=2 prepare
  good --check-rows check
  good --threads=3 --time=600 --events=200 run
  good check
  good cleanup
}

@test "check beside a run: all connections read the same moment" {
  for kind in $kinds; do
    small "$kind"
    good --threads=2 --table-exists=drop prepare
    : >run.out # not that of the server before
    "$BENCH" tpcc "${to[@]}" --threads=2 --time=600 --report-interval=1 run >run.out 2>run.err &
    pid=$!
    has_committed $pid run.out
    for _ in 1 2 3 4 5 6 7 8; do
      good --threads=4 check
      [ "$(grep -c '^Condition [0-9a-z]*: .* ok$' out)" -eq 15 ] || shown check
    done
    kill -INT $pid
    wait $pid || :
    cat run.out run.err
    reconciled
    good cleanup
  done
}

# reconciled: the tables have what the run has committed, unless the machine was
# so slow that a client was left behind in a transaction.
reconciled() {
  grep -Eq '^New orders of the run: (.*: ok|clients were left behind, .*)$' run.out
}

# said PID PATTERN: the run has printed such a line.
said() {
  until grep -Eq "$2" run.out; do
    kill -0 "$1" || { cat run.out run.err; return 1; }
    read -rt 0.1 <> <(:) || :
  done
}

@test "checks during a run: one snapshot each, and a corruption is found" {
  for kind in $kinds; do
    small "$kind"
    good --threads=2 --table-exists=drop prepare
    "$BENCH" tpcc "${to[@]}" --threads=3 --time=600 --check-every=100ms run >run.out 2>run.err &
    pid=$!
    said $pid '^Check 4 at .*: all conditions hold '
    # all of them held, while the others wrote
    [ "$(grep '^Check ' run.out | grep -vc 'all conditions hold')" -eq 0 ]
    sql "UPDATE district SET d_ytd = d_ytd + 1 WHERE d_w_id = 1 AND d_id = 2"
    said $pid '^Check [0-9]+ at .* 2 violations .*; the first: condition 1, warehouse \(w 1\): w_ytd '
    kill -INT $pid
    wait $pid || :
    cat run.out run.err
    grep -Eq '^FATAL: done\(\) failed: tpcc: a check during the run has found violations$' run.err
    grep -Eq '^Checks during the run: [0-9]+, one every 0.1 s: [0-9]+ checks? found violations, the first at ' run.out
    reconciled
    good cleanup
  done
}

# ends_without ARG...: the server of a run dies, and then the run is ended.
ends_without() {
  : >out
  "$BENCH" tpcc "${to[@]}" --threads=4 --time=600 --db-ignore-errors=all --report-interval=1 "$@" run >out 2>err &
  pid=$!
  has_committed $pid
  servers kill9 "$BATS_FILE_TMPDIR/$kind"
  kill -INT $pid
}

# over: the run has ended, by the signal.
over() {
  status=0
  wait $pid || status=$?
  cat out err
  [ "$status" -eq 130 ]
}

@test "the server is away at the end of a run: it is waited for, or check cannot tell" {
  for kind in $kinds; do
    small "$kind"
    good --threads=2 --table-exists=drop prepare
    ends_without --db-connect-timeout=300
    servers restart "$BATS_FILE_TMPDIR/$kind"
    over
    grep -Eq '^New orders of the run: .*, and so for each district: ok$' out
    small "$kind"
    good check
    grep -Eq '^New orders of all runs: .*, and so for each district: ok$' out
    ends_without --db-connect-timeout=3
    over
    grep -Eq '^New orders of the run: [0-9]+ committed, [0-9]+ with unknown outcome, but the tables cannot be read$' out
    statement=$(sed -n 's/^FATAL: done() failed: bench_tpcc: the sums of this run are not stored .* To store them, execute once: \(UPDATE .*\)$/\1/p' err)
    [ -n "$statement" ]
    servers restart "$BATS_FILE_TMPDIR/$kind"
    small "$kind"
    good check
    grep -Eq '^New orders of all runs: cannot tell: 1 did not end properly' out
    sql "$statement"
    good check
    grep -Eq '^New orders of all runs: .*, the tables have [0-9]+: ok$' out
    good cleanup
  done
}

@test "the server is killed in the middle of a run: nothing is lost, nothing twice" {
  for kind in $kinds; do
    small "$kind"
    good --threads=2 --table-exists=drop prepare
    : >out
    until_enough tpcc
    "$BENCH" ./until_enough.lua "${to[@]}" --threads=4 --time=600 --db-ignore-errors=all --report-interval=1 run >out 2>err &
    pid=$!
    has_committed $pid
    servers kill9 "$BATS_FILE_TMPDIR/$kind"
    servers restart "$BATS_FILE_TMPDIR/$kind"
    goes_on $pid
    : >enough
    status=0
    wait $pid || status=$?
    cat out err
    [ "$status" -eq 0 ]
    grep -Eq '^    reconnects: +[1-9]' out
    grep -Eq '^New orders of the run: .*: ok$' out
    small "$kind"
    good check
    grep -Eq '^New orders of all runs: .*: ok$' out
    good cleanup
  done
}
