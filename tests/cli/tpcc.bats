#!/usr/bin/env bats
# tpcc.bats - the tpcc workload on SQLite: its model, tables, transactions,
# report and check.
load helper

NEEDS_DRIVER=sqlite

# copy_db FROM TO: with the log that SQLite leaves when the connections of
# several threads close at the same time.
copy_db() {
  rm -f "$2" "$2-wal" "$2-shm"
  cp "$1" "$2"
  [ ! -e "$1-wal" ] || cp "$1-wal" "$2-wal"
}

# The tables are small: 2 warehouses of 10 districts with 40 customers.
setup_file() {
  cd "$BATS_FILE_TMPDIR" || return 1
  export LUA_PATH="./?.lua;$BENCH_SRC/src/lua/scripts/?.lua;;"
  "$BENCH" --db-driver=help | grep -q '^  sqlite - ' || return 0
  local of=(--db-driver=sqlite --sqlite-synchronous=off --sqlite-busy-timeout=60000 --time=600 --warehouses=2 --customers=40 --items=500)
  "$BENCH" tpcc "${of[@]}" --sqlite-db=loaded.db --threads=2 prepare >/dev/null
  copy_db loaded.db used.db
  "$BENCH" tpcc "${of[@]}" --sqlite-db=used.db --threads=2 --events=1500 --rand-seed=5 run >/dev/null
}

size=(--db-driver=sqlite --sqlite-synchronous=off --sqlite-busy-timeout=60000 --time=600 --warehouses=2 --customers=40 --items=500)

# tpcc ARG...: on t.db, with the sizes above
tpcc() {
  bench tpcc "${size[@]}" --sqlite-db=t.db "$@"
}

# fresh, used: t.db is right after prepare, or after a run
fresh() { copy_db "$BATS_FILE_TMPDIR/loaded.db" t.db; }
used() { copy_db "$BATS_FILE_TMPDIR/used.db" t.db; }

# sql STATEMENT...: executes them on t.db, and prints the first row of each
sql() {
  cat >sql.lua <<'LUA'
function prepare()
  local con = sysbench.sql.driver():connect()
  for i = 1, #sysbench.cmdline.argv do
    local text = sysbench.cmdline.argv[i]:match("^%-%-sql%d*=(.*)")
    if text then
      local row = {con:query_row(text)}
      if #row > 0 then print("= " .. table.concat(row, " ")) end
    end
  end
end
LUA
  local args=() i=0
  for text; do
    args+=("--sql$i=$text")
    i=$((i + 1))
  done
  "$BENCH" ./sql.lua --db-driver=sqlite --sqlite-db=t.db "${args[@]}" prepare >sql.out 2>sql.err ||
    { cat sql.err >&2; return 1; }
  sed -n 's/^= //p' sql.out
}

# orders_of DISTRICT MODULE: a script, that module with orders of one district
# that are not rolled back.
orders_of() {
  cat <<LUA
local model = require("tpcc_model")
local inputs = model.inputs
function model.inputs(uniform, client)
  local fill = inputs(uniform, client)
  return function(input, kind)
    fill(input, kind)
    input.d, input.rollback = $1, false
    if input.item[input.lines] > 500 then input.item[input.lines] = 1 end
  end
end
require("$2")
LUA
}

@test "a million inputs keep the rules" {
  bench -0 "$BENCH_SRC/tests/cli/tpcc_model.lua" --rand-seed=1 check
  must has "$output" '^the model keeps the rules$'
}

@test "the audit: right runs are ok, wrong ones never, short ones cannot fail" {
  bench -0 "$BENCH_SRC/tests/cli/tpcc_power.lua" --rand-seed=1 check
  must has "$output" '^the verdicts keep their promises$'
}

@test "prepare: the rows are those of the standard, and check proves them" {
  fresh
  tpcc -0 --check-rows --threads=2 check
  must is "$(grep -c '^Checking the rows of .* ok$' <<<"$output")" 9
  must is "$(grep -c '^Condition [0-9a-z]*: .* ok$' <<<"$output")" 16
  must is "$(sql "SELECT COUNT(*), SUM(d_ytd), MIN(d_next_o_id) FROM district")" "20 800000 41"
  must is "$(sql "SELECT SUM(w_ytd) FROM warehouse")" 800000
  must is "$(sql "SELECT COUNT(*), MIN(c_balance), MAX(c_balance), SUM(c_ytd_payment) FROM customer")" "800 -1000 -1000 800000"
  must is "$(sql "SELECT COUNT(*) FROM (SELECT DISTINCT o_w_id, o_d_id, o_c_id FROM orders)")" 800
  # the permutation of customers differs between districts
  must holds "$(sql "SELECT COUNT(*) FROM orders a, orders b WHERE a.o_w_id = 1 AND b.o_w_id = 1 AND a.o_d_id = 1
    AND b.o_d_id = 2 AND a.o_id = b.o_id AND a.o_c_id = b.o_c_id") < 12"
  must is "$(sql "SELECT COUNT(*), MIN(no_o_id) FROM new_order WHERE no_w_id = 2 AND no_d_id = 3")" "12 29"
  must is "$(sql "SELECT MIN(o_ol_cnt), MAX(o_ol_cnt) FROM orders")" "5 15"
  must is "$(sql "SELECT SUM(ol_amount) FROM order_line WHERE ol_o_id < 29")" 0
  must is "$(sql "SELECT COUNT(*) FROM order_line WHERE ol_o_id > 28 AND ol_amount BETWEEN 1 AND 999999") 0" \
    "$(sql "SELECT COUNT(*), COUNT(ol_delivery_d) FROM order_line WHERE ol_o_id > 28")"
  must is "$(sql "SELECT c_last FROM customer WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 39")" "BARPRIATION"
  local originals
  originals=$(sql "SELECT COUNT(*) FROM stock WHERE s_data LIKE '%ORIGINAL%'")
  must [ "$originals" -gt 60 ]
  must [ "$originals" -lt 140 ]
}

@test "prepare: one thread or several, at once or resumed, make the same rows" {
  tpcc -0 --threads=1 prepare
  sql "DELETE FROM order_line WHERE ol_w_id = 2 AND ol_d_id > 4" "DROP TABLE customer" \
    "DELETE FROM stock WHERE s_i_id % 3 = 0"
  tpcc -0 --threads=3 --table-exists=resume prepare
  tpcc -0 --check-rows check
  tpcc -1 --table-exists=resume --items=400 prepare
  must has "$stderr" '--table-exists=resume is not possible: the tables were made with --items=500, not 400'
  tpcc -1 prepare
  tpcc -0 --table-exists=drop --rand-seed=9 prepare
  tpcc -1 --check-rows check
  must has "$stderr" 'the tables were made with --rand-seed=9, not 42'
  tpcc -0 cleanup
  must [ ! -e t.db ]
}

@test "prepare --history-key: the history has a key, and the rest is the same" {
  bench -0 tpcc "${size[@]}" --sqlite-db=t.db --history-key --threads=2 prepare
  must is "$(sql "SELECT COUNT(*), COUNT(DISTINCT h_id), MIN(h_id) FROM history")" "800 800 1"
  sql "DELETE FROM history WHERE h_c_d_id > 4"
  tpcc -0 --history-key --table-exists=resume prepare
  tpcc -0 --check-rows check
  tpcc -0 --threads=2 --events=200 run
  tpcc -0 check
  sql "DELETE FROM history WHERE h_id = (SELECT MIN(h_id) FROM history)"
  tpcc -1 check
  must has "$output" '^Condition 10: .* 1 violation$'
}

@test "check knows the stock of a negative seed, and that of another" {
  bench -0 tpcc "${size[@]}" --sqlite-db=t.db --warehouses=1 --rand-seed=-1 prepare
  tpcc -0 --warehouses=1 --rand-seed=-1 check
  sql "UPDATE bench_tpcc SET seed = -2"
  tpcc -1 --warehouses=1 --rand-seed=-2 check
  must has "$output" 's_quantity [0-9]+, should be: [0-9]+$'
}

@test "prepare that is refused, or leaves the tables, forgets no run" {
  used
  local runs
  runs=$(sql "SELECT runs, committed FROM bench_tpcc")
  tpcc -1 prepare
  must has "$stderr" "order_line' already exists"
  tpcc -1 --table-exists=drop --create-table-options="CHAOS" prepare
  tpcc -0 --table-exists=skip --threads=2 prepare
  must is "$(grep -c "^Skipping table '[a-z_]*': it exists$" <<<"$output")" 9
  must is "$(sql "SELECT runs, committed FROM bench_tpcc")" "$runs"
  tpcc -0 check
  must has "$output" '^Condition 11: .* left out, because it holds only before the first run$'
  must has "$output" '^New orders of all runs: .*: ok$'
}

@test "run: the report, the audit, its JSON, and check afterwards" {
  fresh
  tpcc -0 --threads=2 --events=1500 --rand-seed=5 --json=t.json run
  must has "$output" '^New orders per minute: [0-9.]+ \([0-9.]+ with the rolled back ones\)$'
  must has "$output" '^    NOT THE STANDARD SIZE: 10 districts, 40 customers, 500 items$'
  must has "$output" '^New orders of the run: [0-9]+ committed, 0 with unknown outcome, the tables have [0-9]+, and so for each district: ok$'
  must [ "$(grep -c TPC <<<"$output")" = 0 ]
  must check t.json 'd["test"]["reconciliation"]["verdict"] == "ok"' \
    'd["test"]["reconciliation"]["in_tables"] == d["totals"]["counters"]["new orders"]' \
    'd["test"]["standard_size"] is False' \
    'd["test"]["isolation_level"] == "serializable" and d["test"]["isolation_default"] is True' \
    'd["test"]["audit"]["remote_payments"]["low"] < d["test"]["audit"]["remote_payments"]["value"] < d["test"]["audit"]["remote_payments"]["high"]' \
    'd["test"]["audit"]["remote_payments"]["wrong_below"] == 7.5' \
    'sum(t["count"] for t in d["test"]["transactions"].values()) == 1500' \
    'd["test"]["audit"]["lines_of_an_order"]["verdict"] in ("ok", "too short")' \
    'd["test"]["audit"]["new_orders_rolled_back"]["verdict"] in ("ok", "too short")' \
    'd["test"]["transactions"]["new_order"]["count"] == d["totals"]["counters"]["new orders"] + d["test"]["rolled_back"]' \
    'abs(d["test"]["new_orders_per_minute"] - 60 * d["totals"]["counters"]["new orders"] / d["totals"]["elapsed_s"]) < 1' \
    'd["totals"]["errors"] == 0'
  tpcc -0 check
  must has "$output" '^Condition 11: .* left out, because it holds only before the first run$'
  must has "$output" '^New orders of all runs: .*: ok$'
  tpcc -1 --check-rows check
  must has "$stderr" 'check-rows: runs have changed the rows'
}

@test "run: rolled back orders do all their work and leave no trace" {
  fresh
  cat >all.lua <<'LUA'
local model = require("tpcc_model")
local real = model.inputs
function model.inputs(uniform, client)
  local fill = real(uniform, client)
  return function(input, kind)
    fill(input, kind)
    input.rollback, input.item[input.lines] = true, client.items + 1
  end
end
require("tpcc")
LUA
  bench -0 ./all.lua "${size[@]}" --sqlite-db=t.db --weights=1,0,0,0,0 --events=60 run
  must has "$output" '^New orders per minute: 0.0 \([1-9][0-9.]* with the rolled back ones\)$'
  must has "$output" 'of the new orders 60 were rolled back'
  must has "$output" 'new orders rolled back  .* 100.000 % +60  bad$'
  must has "$output" 'ignored errors: +0 '
  must has "$output" ': 0 committed, 0 with unknown outcome, the tables have 0, and so for each district: ok$'
  # each line but the last has a write: 4 statements begin an order
  must [ "$(number write:)" -gt $((60 * (3 + 2 * 4))) ]
  must is "$(sql "SELECT MAX(d_next_o_id) FROM district")" 41
}

@test "run: a restarted event has the same inputs, and lost answers are unknown outcomes" {
  fresh
  cat >again.lua <<'LUA'
local transactions = require("tpcc_transactions")
local real = transactions.new
function transactions.new(con, driver, before_commit)
  local execute, last, n, mode = real(con, driver, before_commit), nil, 0, nil
  local function text(input)
    local t = {input.kind, input.w, input.d or 0, input.c or 0, input.last or "", input.amount or 0}
    for i = 1, input.lines or 0 do t[#t + 1] = input.item[i] .. "x" .. input.quantity[i] end
    return table.concat(t, " ")
  end
  return function(input)
    if last then
      assert(last == text(input), "other inputs")
      last = nil
      return execute(input)
    end
    last, n = text(input), n + 1
    if n == 1 then -- it was committed, but the answer got lost
      execute(input)
      error({errcode = 1, sql_errno = 2013, sql_state = "HY000"})
    end
    before_commit() -- the server has refused it
    error({errcode = 1, sql_errno = 1213, sql_state = "40001"})
  end
end
require("tpcc")
LUA
  bench -0 ./again.lua "${size[@]}" --sqlite-db=t.db --weights=1,0,0,0,0 --events=50 --rand-seed=3 run
  local n
  n=$(sed -nE 's/.*: ([0-9]+) committed, 1 with.*/\1/p' <<<"$output")
  must has "$output" ": $n committed, 1 with unknown outcome, the tables have $((n + 1)), and so for each district: ok"
  tpcc -0 check
  must has "$output" "^New orders of all runs: $n committed, 1 with unknown outcome, the tables have $((n + 1)), and so for each district: ok$"
}

@test "run: two runs at the same time, and one that does not end" {
  fresh
  cat >two.lua <<LUA
require("tpcc")
local real = event
function event(id)
  event = real
  assert(os.execute("$BENCH tpcc ${size[*]} --sqlite-db=t.db --weights=1,0,0,0,0 --events=20 run >inner.out 2>inner.err") == 0)
  return real(id)
end
LUA
  bench -0 ./two.lua "${size[@]}" --sqlite-db=t.db --weights=1,0,0,0,0 --events=20 --json=t.json run
  must has "$output" '^New orders of the run: [0-9]+ committed, 0 with unknown outcome, the tables have [0-9]+, with those of other runs$'
  must check t.json 'd["test"]["reconciliation"]["verdict"] == "other runs"'
  must grep -q '^New orders of the run: .*: ok$' inner.out
  tpcc -0 check
  must has "$output" '^New orders of all runs: .*: ok$'
  # this process ends itself in the middle
  sed -i 's/  event = real/  event = function() os.execute("kill -9 $PPID") end/' two.lua
  bench -137 ./two.lua "${size[@]}" --sqlite-db=t.db --weights=1,0,0,0,0 --events=20 run
  tpcc -0 check
  must has "$output" '^New orders of all runs: cannot tell: 1 did not end properly or still run; '
}

@test "run: orders that districts have lost are found, also if the sum is right" {
  cat >moved.lua <<'LUA'
require("tpcc")
local real = sysbench.hooks.report_append
function sysbench.hooks.report_append(stat)
  local con = sysbench.sql.driver():connect()
  con:query("UPDATE district SET d_next_o_id = d_next_o_id - 1 WHERE d_w_id = 1 AND d_id = 2")
  con:query("UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = " .. to)
  con:disconnect()
  return real(stat)
end
LUA
  for to in 2 3; do
    fresh
    # three orders of district 2 and nothing else
    { echo "to = $to"; orders_of 2 moved; } >only.lua
    bench ./only.lua "${size[@]}" --sqlite-db=t.db --weights=1,0,0,0,0 --events=3 --json=t.json run
    if [ "$to" = 2 ]; then
      must is "$status" 0
      must has "$output" '^New orders of the run: 3 committed, 0 with .*, the tables have 3, and so for each district: ok$'
      must check t.json 'd["test"]["reconciliation"]["verdict"] == "ok"'
      # a district has one row for all runs
      bench -0 ./only.lua "${size[@]}" --sqlite-db=t.db --weights=1,0,0,0,0 --events=2 run
      must is "$(sql 'SELECT COUNT(*), SUM(committed), SUM(unknown) FROM bench_tpcc_districts')" '1 5 0'
      tpcc check
      must has "$output" '^New orders of all runs: 5 committed, .*, and so for each district: ok$'
      continue
    fi
    must is "$status" 1
    line='New orders of the run: 3 committed, 0 with unknown outcome, the tables have 3; district \(w 1, d 2\): 3 committed, 0 with unknown outcome, the tables have 2: 1 are LOST'
    must has "$output" "^$line$"
    must has "$stderr" "^FATAL: done\(\) failed: $line$"
    must check t.json 'd["test"]["reconciliation"]["verdict"] == "bad"' 'd["run"]["exit_status"] == 1'
    # what the run knows is stored
    tpcc -1 check
    must has "$output" '^New orders of all runs: 3 committed, .* district \(w 1, d 2\): 3 committed, .*: 1 are LOST$'
  done
}

# finds CONDITION PATTERN STATEMENT...: after these statements, check fails, the
# condition has violations, and a line of it matches; with three threads it says
# the same, perhaps in another order
finds() {
  local condition=$1 pattern=$2 several
  shift 2
  used
  sql "$@"
  tpcc -1 --threads=3 check
  several=$(grep -E '^(Condition|    |New)' <<<"$output" | sort)
  tpcc -1 check
  must is "$(grep -E '^(Condition|    |New)' <<<"$output" | sort)" "$several"
  must has "$output" "^Condition $condition: .* [0-9]+ violations?$"
  must has "$output" "^    $pattern"
}

@test "check finds corruptions of amounts" {
  used
  tpcc -0 check
  finds 1 'warehouse \(w 2\): w_ytd [0-9.]+, sum of d_ytd' "UPDATE district SET d_ytd = d_ytd + 1 WHERE d_w_id = 2 AND d_id = 7"
  finds 9 'district \(w 2, d 7\): d_ytd' "UPDATE district SET d_ytd = d_ytd + 1 WHERE d_w_id = 2 AND d_id = 7"
  finds 8 'warehouse \(w 1\): w_ytd' "UPDATE warehouse SET w_ytd = w_ytd - 1 WHERE w_id = 1"
  finds 10 'customer \(w 1, d 2, c 3\): c_balance' "UPDATE customer SET c_balance = c_balance + 1, c_ytd_payment = c_ytd_payment - 1
    WHERE c_w_id = 1 AND c_d_id = 2 AND c_id = 3"
  finds 12 'customer \(w 1, d 2, c 3\): c_balance \+ c_ytd' "UPDATE customer SET c_ytd_payment = c_ytd_payment + 1
    WHERE c_w_id = 1 AND c_d_id = 2 AND c_id = 3"
  # errors that cancel each other in the sums of a warehouse
  finds 10 'customer \(w 1, d 1, c 2\)' "UPDATE history SET h_amount = h_amount + 1 WHERE rowid = (SELECT MIN(rowid) FROM history
    WHERE h_c_w_id = 1 AND h_c_d_id = 1 AND h_c_id = 1)" "UPDATE history SET h_amount = h_amount - 1 WHERE rowid =
    (SELECT MIN(rowid) FROM history WHERE h_c_w_id = 1 AND h_c_d_id = 1 AND h_c_id = 2)"
  finds 12 'customer \(w 1, d 1,' "UPDATE order_line SET ol_amount = ol_amount + 1 WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5
    AND ol_number = 1"
}

@test "check finds rows that are missing, or there twice" {
  finds 6 'orders \(w 1, d 1, o 3\): o_ol_cnt' "DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 3 AND ol_number = 2"
  must has "$output" '^    district \(w 1, d 1\): sum of o_ol_cnt'
  finds 10 'customer \(w 2, d 4, c 5\)' "INSERT INTO history SELECT * FROM history WHERE h_c_w_id = 2 AND h_c_d_id = 4 AND h_c_id = 5 LIMIT 1"
  finds 10 'customer \(w 2, d 4, c 5\)' "DELETE FROM history WHERE h_c_w_id = 2 AND h_c_d_id = 4 AND h_c_id = 5"
  # the district then has no new order at all
  finds 5 'orders \(w 1, d 3, o [0-9]+\): o_carrier_id is NULL, but it is not a new order' "DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 3"
  finds 3 'new_order \(w 2, d 3\): rows:' "DELETE FROM new_order WHERE no_w_id = 2 AND no_d_id = 3
    AND no_o_id = (SELECT MIN(no_o_id) + 1 FROM new_order WHERE no_w_id = 2 AND no_d_id = 3)"
  finds 5 'new_order \(w 2, d 3, o 1\): o_carrier_id|orders \(w 2, d 3, o 1\): o_carrier_id is [0-9]+, but it is a new' "INSERT INTO new_order VALUES (1, 3, 2)"
  finds 6 'order_line \(w 1, d 1, o 9999\): 1 lines, but there is no such order' "INSERT INTO order_line SELECT 9999, ol_d_id, ol_w_id, ol_number,
    ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1
    AND ol_o_id = 1 AND ol_number = 1"
  finds 12 'orders \(w 2, d 1, c 6\): there is no such customer' "DELETE FROM customer WHERE c_w_id = 2 AND c_d_id = 1 AND c_id = 6"
  must has "$output" '^    customer \(all rows\): rows: 799, should be: 800$'
  must has "$output" '^    history \(w 2, d 1, c 6\): there is no such customer$'
  finds 2 'district \(w 2, d 9\): d_next_o_id - 1 is NULL' "DELETE FROM district WHERE d_w_id = 2 AND d_id = 9"
  finds 1 'warehouse \(w 1\): w_ytd NULL' "DELETE FROM warehouse WHERE w_id = 1"
}

@test "check finds the missing new order of a district that has no other" {
  fresh
  # twelve deliveries take all orders of warehouse 1, and then there is one more
  tpcc -0 --threads=1 --weights=0,0,0,1,0 --events=12 --time=0 run
  must is "$(sql "SELECT COUNT(*) FROM new_order WHERE no_w_id = 1")" 0
  orders_of 7 tpcc >one.lua
  bench -0 ./one.lua "${size[@]}" --sqlite-db=t.db --weights=1,0,0,0,0 --events=1 --time=0 run
  tpcc -0 check
  must is "$(sql "SELECT COUNT(*), MIN(no_d_id), MIN(no_o_id) FROM new_order WHERE no_w_id = 1")" "1 7 41"
  sql "DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 7"
  tpcc -1 check
  must has "$output" '^Condition 5: o_carrier_id is NULL as long as there is a new order... 1 violation$'
  must has "$output" '^    orders \(w 1, d 7, o 41\): o_carrier_id is NULL, but it is not a new order$'
  must is "$(grep -c ' violations*$' <<<"$output")" 1
}

@test "check finds orders, numbers and stock that do not fit" {
  finds 2 'district \(w 1, d 1\): d_next_o_id - 1 is' "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 1"
  must has "$output" 'New orders of all runs: .*: nobody has committed 1$'
  finds 4 'district \(w 1, d 1\): sum of o_ol_cnt' "UPDATE orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 2"
  finds 5 'orders \(w 1, d 1, o 2\): o_carrier_id is NULL' "UPDATE orders SET o_carrier_id = NULL WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 2"
  finds 7 'order_line \(w 1, d 1, o 2\): ol_delivery_d is set in' "UPDATE order_line SET ol_delivery_d = NULL WHERE ol_w_id = 1 AND ol_d_id = 1
    AND ol_o_id = 2 AND ol_number = 1"
  # two rows of stock are swapped
  finds stock 'stock \(w 1, i [0-9]+\): s_ytd' \
    "CREATE TABLE pair AS SELECT (SELECT s_i_id FROM stock WHERE s_w_id = 1 ORDER BY s_ytd LIMIT 1) AS a,
      (SELECT s_i_id FROM stock WHERE s_w_id = 1 ORDER BY s_ytd DESC LIMIT 1) AS b" \
    "UPDATE stock SET s_i_id = -1 WHERE s_w_id = 1 AND s_i_id = (SELECT a FROM pair)" \
    "UPDATE stock SET s_i_id = (SELECT a FROM pair) WHERE s_w_id = 1 AND s_i_id = (SELECT b FROM pair)" \
    "UPDATE stock SET s_i_id = (SELECT b FROM pair) WHERE s_i_id = -1"
  finds stock 'stock \(w 2, i [0-9]+\): s_remote_cnt' "UPDATE stock SET s_remote_cnt = s_remote_cnt + 1 WHERE s_w_id = 2 AND s_i_id = 7"
  finds customer 'customer \(w 1, d 1, c 1\): c_payment_cnt' "UPDATE customer SET c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1"
  # two rows may have each other's quantity
  finds stock 'stock \(w 1, i [0-9]+\): s_quantity [0-9]+, should be: [0-9]+$' "UPDATE stock SET s_quantity = s_quantity + 1
    WHERE s_w_id = 1 AND s_i_id = (SELECT s_i_id FROM stock WHERE s_w_id = 1 ORDER BY s_ytd DESC LIMIT 1)"
  must has "$output" '^Condition stock: .* 1 violation$'
  finds stock 'stock \(w 2, i [0-9]+\): s_quantity [0-9]+, should be: [0-9]+$' \
    "CREATE TABLE pair AS SELECT a.s_i_id AS a, b.s_i_id AS b, a.s_quantity AS na, b.s_quantity AS nb FROM stock a, stock b
      WHERE a.s_w_id = 2 AND b.s_w_id = 2 AND a.s_quantity <> b.s_quantity LIMIT 1" \
    "UPDATE stock SET s_quantity = CASE s_i_id WHEN (SELECT a FROM pair) THEN (SELECT nb FROM pair) ELSE (SELECT na FROM pair) END
      WHERE s_w_id = 2 AND s_i_id IN ((SELECT a FROM pair), (SELECT b FROM pair))"
  must has "$output" '^Condition stock: .* 2 violations$'
  finds customer 'customer \(w 1, d 2, c [0-9]+\): orders of the load: [02], should be: 1' \
    "UPDATE orders SET o_c_id = o_c_id % 40 + 1 WHERE o_w_id = 1 AND o_d_id = 2 AND o_id = 9"
  finds indexes 'customer \(customer_by_name\): there is no such index' "DROP INDEX customer_by_name"
  finds indexes 'orders \(orders_by_customer\): there is no such index' "DROP INDEX orders_by_customer"
  # the newest order is gone without a trace: only the acknowledgement knows
  used
  sql "DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = (SELECT MAX(o_id) FROM orders WHERE o_w_id = 1 AND o_d_id = 1)" \
    "DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = (SELECT MAX(o_id) FROM orders WHERE o_w_id = 1 AND o_d_id = 1)" \
    "DELETE FROM orders WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = (SELECT MAX(o_id) FROM orders WHERE o_w_id = 1 AND o_d_id = 1)" \
    "UPDATE district SET d_next_o_id = d_next_o_id - 1 WHERE d_w_id = 1 AND d_id = 1"
  tpcc -1 check
  must has "$output" '^New orders of all runs: .*: 1 are LOST$'
}

@test "check: connections with different snapshots try again, or one works alone" {
  cat >busy.lua <<LUA
local snapshot, team = require("bench_snapshot"), require("bench_team")
local real, n = snapshot.open, 0
-- thread 1 reads after another commit than thread 0
function snapshot.open(drv, con, fingerprint)
  return real(drv, con, function()
    n = n + 1
    if team.number == 1 and n <= tonumber(os.getenv("COMMITS")) then
      team.await("read " .. n)
      assert(os.execute("$BENCH tpcc ${size[*]} --sqlite-db=t.db --weights=0,1,0,0,0 --events=1 run >inner.out 2>&1") == 0)
    end
    local text = fingerprint()
    if team.number == 0 then team.give("read " .. n, "") end
    return text
  end)
end
require("tpcc")
LUA
  used
  COMMITS=4 bench -0 ./busy.lua "${size[@]}" --sqlite-db=t.db --threads=2 check
  must [ "$(grep -c 'With one connection' <<<"$output")" = 0 ]
  COMMITS=5 bench -0 ./busy.lua "${size[@]}" --sqlite-db=t.db --threads=2 check
  must has "$output" '^With one connection, because transactions were committed between the snapshots of several$'
  must is "$(grep -c '^Condition [0-9a-z]*: .* ok$' <<<"$output")" 15
}

@test "check: a thread that fails ends all of them" {
  cat >fails.lua <<'LUA'
local conditions, team = require("tpcc_conditions"), require("bench_team")
local real = conditions.check
function conditions.check(c)
  if team.number == tonumber(os.getenv("FAILS")) then error("this one has failed", 0) end
  return real(c)
end
require("tpcc")
LUA
  used
  local n
  for n in 0 1 2; do
    FAILS=$n bench -1 ./fails.lua "${size[@]}" --sqlite-db=t.db --threads=3 check
    must has "$stderr" '^FATAL: .*this one has failed'
    must is "$(grep -c '^Condition' <<<"$output")" 0
  done
}

@test "check finds NULL where a condition needs a value" {
  finds 10 'customer \(w 1, d 1, c 4\): c_balance NULL' "CREATE TABLE copy AS SELECT * FROM customer" "DROP TABLE customer" \
    "ALTER TABLE copy RENAME TO customer" "UPDATE customer SET c_balance = NULL WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 4"
  finds 9 'district \(w 1, d 1\): d_ytd NULL' "CREATE TABLE copy AS SELECT * FROM district" "DROP TABLE district" \
    "ALTER TABLE copy RENAME TO district" "UPDATE district SET d_ytd = NULL WHERE d_w_id = 1 AND d_id = 1"
  finds 6 'orders \(w 1, d 1, o 1\): o_ol_cnt NULL' "CREATE TABLE copy AS SELECT * FROM orders" "DROP TABLE orders" \
    "ALTER TABLE copy RENAME TO orders" "UPDATE orders SET o_ol_cnt = NULL WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 1"
}

@test "check right after prepare: condition 11, stock that was never used, and ten offending keys of a rule" {
  fresh
  sql "UPDATE stock SET s_quantity = s_quantity + 1 WHERE s_w_id = 2 AND s_i_id = 77"
  tpcc -1 check
  must is "$(grep -A1 '^Condition stock' <<<"$output" | grep -cE ' 1 violation$|^    stock \(w 2, i 77\): s_quantity [0-9]+, should be: [0-9]+$')" 2
  fresh
  sql "DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 2 AND no_o_id = 29"
  tpcc -1 check
  must has "$output" '^    district \(w 1, d 2\): orders that are not new: 29, should be: 28$'
  fresh
  sql "UPDATE orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_id = 1"
  tpcc -1 check
  must has "$output" '^Condition 6: .* 20 violations$'
  must is "$(grep -c '^    orders (w ., d [0-9]*, o 1): o_ol_cnt' <<<"$output")" 10
  must has "$output" '^    and 10 more$'
}

@test "without options, run and check take the size of the tables, and the report has it" {
  local at=(--db-driver=sqlite --sqlite-db=t.db --sqlite-synchronous=off --sqlite-busy-timeout=60000)
  fresh
  bench -0 tpcc "${at[@]}" --threads=2 --events=20 --time=600 run
  must has "$output" '2 warehouses, no keying'
  must has "$output" 'NOT THE STANDARD SIZE: 10 districts, 40 customers, 500 items'
  bench -0 tpcc "${at[@]}" check
}

@test "run refuses tables that it does not fit" {
  sql "CREATE TABLE other (id INTEGER)"
  tpcc -1 run
  must has "$stderr" 'tpcc: there is no table bench_tpcc; use the prepare command first'
  fresh
  bench -1 tpcc "${size[@]}" --sqlite-db=t.db --warehouses=3 run
  must has "$stderr" 'tpcc: the tables were made with --warehouses=2, not 3'
  bench tpcc "${size[@]}" --sqlite-db=t.db --scale=3 run
  must has "$stderr" 'tpcc: the tables were made with --warehouses=2, not 3'
  sql "UPDATE bench_tpcc SET version = 99"
  tpcc -1 run
  must has "$stderr" 'the tables have version 99, this program makes and runs version 2; use prepare with --table-exists=drop'
}

@test "options, and a run without a database" {
  local bad
  for bad in --warehouses=-1 --customers=3001 --districts=11 --items=-1 --tables=2 --weights=1,2,3,4 --weights=0,0,0,0,0 --isolation=chaos --delivery=later --delivery-clients=0; do
    bench -1 tpcc --db-driver=null --time=600 $bad --events=1 run
    must has "$stderr" "^FATAL: Invalid value for ${bad%%=*}: .* \(expected "
  done
  bench -0 tpcc --db-driver=null --time=600 --events=2300 --threads=2 --warehouses=10 --weights=50,20,10,10,10 run
  must has "$output" 'payments of all .* bad$'
  must has "$output" '^    weights of transactions: 50,20,10,10,10$'
  # decks keep the shares, where drawn ones need luck
  bench -0 tpcc --db-driver=null --time=0 --events=23000 --threads=2 --warehouses=2 run
  must is "$(grep -cE '^    (payments|order status|deliveries|stock levels) of all .* 23000  ok$' <<<"$output")" 4
  must is "$(grep -c '^WARNING: ' <<<"$stderr")" 0
  bench tpcc --db-driver=null --time=0 --events=200 --threads=2 --warehouses=2 run
  must has "$output" '^    payments of all .* 200  too short$'
  bench tpcc --db-driver=null --time=0 --events=500 --weights=10,10,1,1,1 --rand-seed=1 --threads=1 --warehouses=2 run
  must has "$output" '^    order status of all .* 500  too short$'
  must has "$stderr" "^WARNING: 1 client for 2 warehouses: the others are no client's home"
  # idle clients are no terminals
  bench -0 tpcc --db-driver=null --time=0 --events=10 --threads=5 --idle-clients=2 --warehouses=4 run
  must has "$stderr" "^WARNING: 3 clients for 4 warehouses: the others are no client's home"
  bench -0 tpcc --db-driver=null --time=0 --events=10 --threads=5 --idle-clients=1 --warehouses=4 run
  must is "$(grep -c "no client's home" <<<"$stderr")" 0
  bench tpcc --db-driver=null --time=0 --events=10 --home=random --threads=1 --warehouses=2 run
  must is "$(grep -c '^WARNING: ' <<<"$stderr")" 0
  fresh
  tpcc -1 --isolation=serializable run
  must has "$stderr" '--isolation: sqlite has only one level'
}

@test "--keying: clients wait between transactions, others go on, and latencies have no wait" {
  # 40 clients of one thread at a fiftieth of the times: 412 ms from one
  # transaction of a client to the next
  bench -0 tpcc --db-driver=null --warehouses=4 --clients=40 --threads=1 --keying=0.02 --events=0 --time=4 --json=t.json run
  must has "$output" "^    4 warehouses, keying and think times: 0.02 of the rules'$"
  must has "$output" '^    efficiency: [0-9.]+ % of 643.00 new orders per warehouse and minute$'
  must check t.json '0 < d["test"]["efficiency_percent"] < 200' 'd["totals"]["events"] > 40' \
    'd["totals"]["latency_ns"]["mean"] < 200e6' \
    'abs(d["test"]["efficiency_percent"] - d["test"]["new_orders_per_minute"] * 0.02 / 4 / 0.1286) < 0.01'
  # all times: each client has at most one of its first keying times
  bench -0 tpcc --db-driver=null --warehouses=1 --clients=12 --threads=2 --keying=1 --events=0 --time=3 --json=t.json run
  must has "$output" '^    12 clients, where the rules have 10$'
  must has "$output" '^    new orders per warehouse +9 - 12.86 /min '
  must check t.json 'd["totals"]["events"] < 40'
  bench -1 tpcc --db-driver=null --keying=1 --rate=10 --events=1 run
  must has "$stderr" '--keying and --rate exclude each other'
  bench -1 tpcc --db-driver=null --keying=1 --think-time=1ms --events=1 run
  must has "$stderr" '--keying and --think-time exclude each other'
  for bad in --keying=1.5 --keying=-1 --keying=x --home=away; do
    bench -1 tpcc --db-driver=null $bad --events=1 run
  done
}

@test "--home=random: each transaction has a warehouse of its own" {
  fresh
  tpcc -0 --home=random --weights=0,1,0,0,0 --events=100 run
  must has "$output" '^    A WAREHOUSE FOR EACH TRANSACTION'
  # one client, and both warehouses were paid
  must is "$(sql "SELECT COUNT(*) FROM warehouse WHERE w_ytd > 400000")" 2
  tpcc -0 check
}

@test "--delivery=queue: clients of their own execute deliveries, each once" {
  fresh
  # 2 of 4 clients: each delivery is for 10 districts, with an order or without
  before=$(sql "SELECT SUM(c_delivery_cnt) FROM customer")
  tpcc -0 --delivery=queue --delivery-clients=2 --threads=4 --weights=50,20,5,20,5 --events=1500 --time=0 --json=t.json run
  must has "$output" '^Deliveries queued: [0-9]+, executed: [0-9]+ by 2 clients, still queued: [0-9]+; completed after'
  must has "$output" '^    delivery done, 90 % within +<= 80 s '
  must has "$output" '^    districts without an order +0 - 1 % '
  grown=$(($(sql "SELECT SUM(c_delivery_cnt) FROM customer") - before))
  must check t.json "d['test']['deferred']['queued'] == d['test']['transactions']['delivery']['count'] > 0" \
    "d['test']['deferred']['executed'] + d['test']['deferred']['still_queued'] == d['test']['deferred']['queued']" \
    "d['test']['deferred']['executed'] > 0" \
    "10 * d['test']['deferred']['executed'] - d['test']['deferred']['districts_skipped'] == $grown" \
    "d['test']['deferred']['completion_max_ms'] >= d['test']['deferred']['completion_mean_ms'] > 0"
  tpcc -0 check
  # clients that share threads
  tpcc -0 --delivery=queue --threads=1 --clients=6 --weights=50,20,5,20,5 --events=600 --time=0 run
  must has "$output" '^Deliveries queued: [0-9]+, executed: [1-9][0-9]* by 1 client, '
  tpcc -0 check
  tpcc -1 --delivery=queue --threads=1 run
  must has "$stderr" '--delivery-clients is 1, but of 1 client at least one must be a terminal'
}

@test "--delivery=queue: a delivery that is restarted is executed once" {
  fresh
  cat >again.lua <<'LUA'
-- Every second delivery fails once, after all its work.
local real = require("tpcc_transactions").new
require("tpcc_transactions").new = function(con, driver, before_commit)
  local n, failed = 0, false
  return real(con, driver, function()
    before_commit()
    n = n + 1
    failed = not failed and n % 2 == 0
    if failed then
      con:query("ROLLBACK")
      sysbench.counter.new("failed"):add(1)
      error({errcode = 1, sql_errno = 1213, sql_state = "40001"})
    end
  end)
end
require("tpcc")
LUA
  before=$(sql "SELECT SUM(c_delivery_cnt) FROM customer")
  bench -0 ./again.lua "${size[@]}" --sqlite-db=t.db --delivery=queue --threads=2 --weights=60,0,0,40,0 --events=200 --time=0 --json=t.json run
  grown=$(($(sql "SELECT SUM(c_delivery_cnt) FROM customer") - before))
  must check t.json "d['test']['deferred']['executed'] > 0 and d['totals']['counters']['failed'] > 0" \
    "d['test']['deferred']['executed'] + d['test']['deferred']['still_queued'] == d['test']['deferred']['queued']" \
    "10 * d['test']['deferred']['executed'] - d['test']['deferred']['districts_skipped'] == $grown"
  tpcc -0 check
}

@test "numbers of rows are read as they are written" {
  cat >numbers.lua <<'LUA'
local ffi = require("ffi")
function event()
   local v = ffi.new("sql_value")
   for _, case in ipairs({
      {"7", 0, 7}, {"-7", 0, -7}, {"7", 2, 700}, {"12.34", 2, 1234},
      {"-0.05", 2, -5}, {"12.3", 2, 1230}, {"12.345", 2, 1235},
      {"1e3", 0, 1000}, {"0.5", 0, 0.5}, {"123456789012345", 0, 123456789012345},
      {"9999999999999.99", 2, 999999999999999},
      {"100000000000000000000", 0, 1e20}, {"", 0}, {"-", 0}, {".", 2},
      {"1.2.3", 2}, {"12a", 0}, {"abc", 2}, {nil, 2},
   }) do
      local text, decimals, wanted = case[1], case[2], case[3]
      v.ptr, v.len = text, text and #text or 0
      local n = ffi.C.bench_value_number(v, decimals)
      if n ~= wanted and (wanted or n == n) then
         error(("%s with %d is %s"):format(text, decimals, n))
      end
   end
   print("all numbers")
end
LUA
  bench -0 numbers.lua --db-driver=null --time=0 --events=1 run
  must has "$output" '^all numbers$'
}
