#!/usr/bin/env bats
# checked.bats - the small workloads with a check of their own, on SQLite;
# tests/db/checked.bats has servers.

load helper
NEEDS_DRIVER=sqlite

# shellcheck disable=SC2034
use() {
  . "$BENCH_SRC/tests/db/$1.bash"
  to=(--db-driver=sqlite --sqlite-db="$PWD/t.db" --sqlite-synchronous=off --sqlite-busy-timeout=60000)
}

@test "counter: prepare, run, check, and what check finds" {
  use counter
  counter_life
  counter_mutations
}

@test "counter: resume, cleanup" {
  use counter
  counter_resume
}

@test "counter: what SQLite has not, and a run without a database" {
  use counter
  good prepare
  bad '--method=for_update: sqlite has no locks of rows' --method=for_update run
  bad '--isolation: sqlite has only one level' --isolation=serializable run
  good --db-driver=null --threads=2 --events=50 --time=0 --method=read_write run
  says '^Increments of the run: the null driver has no tables$'
  bad 'null driver keeps no tables' --db-driver=null check
}

@test "counter: lost answers are unknown outcomes, refused commits are none" {
  use counter
  good --hot-rows=2 prepare
  cat >again.lua <<'LUA'
-- Three commits fail: one was done but its answer is lost, one was not done and
-- its answer is lost, one was refused.
local ledger = require("bench_ledger")
local real, n = ledger.client, 0
function ledger.client(spec)
  local client = real(spec)
  local after = client.after_commit
  function client.after_commit()
    n = n + 1
    if n == 1 then error({errcode = 1, sql_errno = 2013, sql_state = "HY000"}) end
    after()
  end
  local before = client.before_commit
  function client.before_commit()
    before()
    if n == 1 then
      n = 2
      rollback = true
      error({errcode = 1, sql_errno = 2013, sql_state = "HY000"})
    elseif n == 2 then
      n = 3
      rollback = true
      error({errcode = 1, sql_errno = 1213, sql_state = "40001"})
    end
  end
  return client
end
require("counter")
-- The program rolls back what an error of its own connection has left.
local connect = require("bench_checked").connect
local init = thread_init
function thread_init()
  require("bench_checked").connect = function()
    local drv, con = connect()
    own = con
    return drv, con
  end
  init()
end
local restart = sysbench.hooks.before_restart_event
function sysbench.hooks.before_restart_event(err)
  restart(err)
  if rollback then own:query("ROLLBACK") end
  rollback = false
end
LUA
  workload=./again.lua
  good --threads=1 --events=20 --time=0 run
  says '^Increments of the run: 20 committed, 2 with unknown outcome, the tables have 21: ok$'
  workload=counter
  good check
  says '20 committed, 2 with unknown outcome, the tables have 21: ok'
}

@test "a server whose aggregates of empty tables give no row" {
  local workload
  for workload in append ingest; do
    cat >script.lua <<LUA
local checked = require("bench_checked")
local numbers = checked.numbers
function checked.numbers(con, query, ...)
  if not query:find("MAX(", 1, true) then return numbers(con, query, ...) end
end
require("$workload")
LUA
    bench -0 ./script.lua --db-driver=sqlite --sqlite-db=$workload.db prepare
    bench -1 ./script.lua --db-driver=sqlite --sqlite-db=$workload.db --events=1 run
    must has "$stderr" "^FATAL: .*no row for 'SELECT COALESCE\\(MAX\\(.*: its error was ignored, or this server returns no row for an aggregate of no rows$"
  done
}

@test "a COMMIT that was interrupted has an unknown outcome, one that was refused has none" {
  use counter
  cat >doubt.lua <<'LUA'
local client = require("bench_ledger").client({committed = "done", unknown = "unknown"})
local function fails(code, state)
  client.before_commit()
  client.restarts({sql_errno = code, sql_state = state})
end
function event()
  for _, code in ipairs({1053, 1180, 1317, 1927, 2013, 4031}) do fails(code, "HY000") end
  for _, state in ipairs({"08006", "40003", "57014", "57P01", "58030", "XX000"}) do fails(0, state) end
  for _, code in ipairs({1062, 1205, 1213}) do fails(code, "HY000") end
  for _, state in ipairs({"23505", "40001", "40P01"}) do fails(0, state) end
end
function sysbench.hooks.report_append(stat)
  return "unknown: " .. stat.counters.unknown .. "\n"
end
LUA
  workload=./doubt.lua
  good --db-driver=null --threads=1 --events=1 --time=0 run
  says '^unknown: 12$'
}

@test "counter: if the tables cannot be read after a run, it says what it has committed" {
  use counter
  good prepare
  cat >drop.lua <<'LUA'
require("counter")
local real, n = event, 0
function event(id)
  real(id)
  n = n + 1
  if n == 5 then sysbench.sql.driver():connect():query("DROP TABLE counter_rows") end
end
LUA
  "$BENCH" ./drop.lua "${to[@]}" --events=5 --time=0 run >out 2>err
  says '^Increments of the run: 5 committed, 0 with unknown outcome, but the tables cannot be read$'
}

@test "queue: prepare, run, check, and what check finds" {
  use queue
  queue_life update
  queue_mutations
}

@test "queue: what SQLite has not, a table that is missing, a run without a database" {
  use queue
  good prepare
  bad '--claim=skip_locked: sqlite has no locks of rows; use --claim=update' --claim=skip_locked run
  bad '--claim=advisory: sqlite has no advisory locks; use --claim=update' --claim=advisory run
  sql 'DROP TABLE queue_done'
  bad "^Checking table 'queue_done'... it does not exist$" check
  bad '' prepare
  good --table-exists=drop prepare
  good check
  good --db-driver=null --threads=3 --events=50 --time=0 run
  says '^Jobs done of the run: the null driver has no tables$'
}

@test "queue: a member of a mix with clients of its own has producers and consumers" {
  use queue
  good prepare
  "$BENCH" --mix=tpcb:1,queue:2 "${to[@]}" prepare --table-exists=drop >out 2>err
  # One thread, whose clients take turns.  The rate leaves the lock of the file to
  # the queue most of the time.
  "$BENCH" --mix=tpcb:1:rate=50,queue:2 "${to[@]}" --clients=3 --threads=1 --events=600 --time=0 --json=q.json run >out 2>err
  python3 -c 'import json
q = json.load(open("q.json"))["test"]["queue"]["reconciliation"]
assert q["enqueued"]["committed"] > 0 and q["done"]["committed"] > 0, q'
  "$BENCH" --mix=tpcc:2,queue:2 "${to[@]}" --delivery=queue run >out 2>err && return 1
  grep -q 'delivery=queue is not for a member of a mix that has clients of its own' err
}

@test "queue: depth and stalls of each second" {
  use queue
  good prepare
  cat >slow.lua <<'LUA'
ffi.cdef("int usleep(uint32_t);")
require("queue")
local real = event
function event()
  real()
  ffi.C.usleep(400000)
end
LUA
  workload=./slow.lua
  good --threads=1 --producers=1 --events=8 --time=0 --json=q.json run
  says '^      second       enqueued           done          depth$'
  # The first second has two or three of eight, a busy machine has fewer.
  python3 -c 'import json
d = json.load(open("q.json"))["test"]["depth"]
values = [d[k] for k in sorted(d)]
assert len(values) >= 3 and values == sorted(values) and values[-1] == 8 and values[0] <= 3, d'
}

@test "bank: prepare, run, check, and what check finds" {
  use bank
  bank_life
  bank_mutations
}

@test "bank: resume, cleanup, and what is refused" {
  use bank
  bank_resume
  good --accounts=1 prepare
  bad 'a transfer needs two accounts: prepare with --accounts=2 or more' run
  bad '--isolation: sqlite has only one level' --isolation=serializable --table-exists=drop run
  good --db-driver=null --threads=3 --events=50 --time=0 run
  says '^Totals read, .*, wrong: 0: ok$'
}

@test "bank: a wrong total is counted, and fails check" {
  use bank
  good --accounts=5 prepare
  # Another program takes money for a while.
  sql 'UPDATE bank_accounts SET balance = balance - 3 WHERE id = 2'
  bad '^FATAL: done\(\) failed: bank: 7 wrong totals were read$' \
    --readers=100 --read=rows --events=7 --time=0 --json=b.json run
  says '^Totals read, --read=rows, isolation level: the default: 7, wrong: 7: bad$'
  python3 -c 'import json
t = json.load(open("b.json"))["test"]["totals"]
assert t == {"read": 7, "wrong": 7, "verdict": "bad"}, t'
  sql 'UPDATE bank_accounts SET balance = balance + 3 WHERE id = 2'
  bad '^Checking the totals of readers... bench_bank.wrong_totals is 7: ' check
  says "^Checking table 'bank_accounts'... ok$"
}

@test "ingest: the steps, check, and what check finds" {
  use ingest
  ingest_life
  ingest_mutations
  # An index that lacks a row, and one of another column.
  sql 'DROP INDEX ingest_pdc' \
    'CREATE INDEX ingest_pdc ON ingest_rows(price, dateandtime, customerid) WHERE transactionid <> 2000' \
    'PRAGMA writable_schema = ON' \
    "UPDATE sqlite_master SET sql = 'CREATE INDEX ingest_pdc ON ingest_rows(price, dateandtime, customerid)' WHERE name = 'ingest_pdc'"
  bad "^Checking index 'ingest_pdc'... it has 2009 rows, ingest_rows has 2010$" check
  says "^Checking index 'ingest_marketsegment'... ok$"
  sql 'DROP INDEX ingest_marketsegment' \
    'CREATE INDEX ingest_marketsegment ON ingest_rows(price, productid)' 'PRAGMA writable_schema = ON' \
    "UPDATE sqlite_master SET sql = 'CREATE INDEX ingest_marketsegment ON ingest_rows(price, customerid)' WHERE name = 'ingest_marketsegment'"
  bad "^Checking index 'ingest_marketsegment'... its columns are not those of ingest_rows$" check
  good cleanup
  [ ! -e t.db ]
}

@test "ingest: restarts, lost answers, and a run without a database" {
  use ingest
  good prepare
  cat >again.lua <<'LUA'
-- Of the first commits, one is refused, and one was done but its answer is lost.
local make = require("bench_ingest_client")
package.loaded.bench_ingest_client = function(drv, con, rows)
  local client, n = make(drv, con, rows), 0
  local insert = client.insert
  function client.insert(deletes)
    n = n + 1
    if n == 1 then
      insert(deletes)
      -- it is as if the answer had not come
      sysbench.counter.new("rows"):add(-rows)
      sysbench.counter.new("rows unknown"):add(rows)
      error({errcode = 1, sql_errno = 2013, sql_state = "HY000"})
    end
    insert(deletes)
  end
  return client
end
require("ingest")
LUA
  workload=./again.lua
  good --events=5 --time=0 --rows-per-commit=10 run
  says '^Rows inserted of the run: 50 committed, 10 with unknown outcome, the tables have 60: ok$'
  workload=ingest
  good check
  # A gap may be the rows of the unknown outcome.
  sql 'DELETE FROM ingest_rows WHERE transactionid <= 10'
  good check
  sql 'DELETE FROM ingest_rows WHERE transactionid = 20'
  bad '11 rows are missing, but only 10 had an unknown outcome: rows are LOST, the first has transactionid 1$' check
  sql 'UPDATE bench_ingest SET open_runs = 1' 'UPDATE ingest_parts SET deleted = 5'
  good check
  says 'a run did not end properly, so nobody knows which rows it has deleted'
  good --db-driver=null --step=q --threads=3 --events=50 --time=0 run
  says '^Rows inserted of the run: the null driver has no tables$'
}

@test "secondary: prepare, run, check, and what check and run find" {
  use secondary
  secondary_life
  secondary_mutations
  secondary_resume
}

@test "secondary: an index that lacks a row, and a run without a database" {
  use secondary
  good --keys=40 --rows-per-key=5 prepare
  k=$(sql 'SELECT k FROM secondary_rows WHERE id = 29')
  sql 'DROP INDEX secondary_k' 'CREATE INDEX secondary_k ON secondary_rows(k, v) WHERE id <> 29' \
    'PRAGMA writable_schema = ON' \
    "UPDATE sqlite_master SET sql = 'CREATE INDEX secondary_k ON secondary_rows(k, v)' WHERE name = 'secondary_k'"
  bad "^Checking index 'secondary_k'... it has 199 rows, secondary_rows has 200, the first difference is at k $k$" check
  says "^Checking table 'secondary_rows'... ok$"
  bad "k $k: hot_points: 4 rows, 5 were loaded$" --query=hot_points --in-size=40 --events=3 --time=0 run
  sql 'DROP INDEX secondary_k' 'CREATE INDEX secondary_k ON secondary_rows(k, id)' 'PRAGMA writable_schema = ON' \
    "UPDATE sqlite_master SET sql = 'CREATE INDEX secondary_k ON secondary_rows(k, v)' WHERE name = 'secondary_k'"
  bad "^Checking index 'secondary_k'... its columns are not those of secondary_rows, the first difference is at k 1$" check
  good cleanup
  good --db-driver=null --threads=3 --events=50 --time=0 run
  says '^Results compared: the null driver has no tables$'
  bad 'null driver keeps no tables' --db-driver=null check
  bad '^FATAL: .*--keys times --rows-per-key from 1 to 1000000000' --keys=100000000 --rows-per-key=11 prepare
}

@test "json: prepare, run, check, and what check and run find" {
  use json
  json_life
  json_mutations
  json_lost
  json_resume
}

@test "json: an index that lacks a document, and a run without a database" {
  use json
  good --documents=60 --groups=7 prepare
  sql 'DROP INDEX json_k' 'CREATE INDEX json_k ON json_docs(k) WHERE id <> 29' 'PRAGMA writable_schema = ON' \
    "UPDATE sqlite_master SET sql = 'CREATE INDEX json_k ON json_docs(k)' WHERE name = 'json_k'"
  bad "^Checking index 'json_k'... it has 59 rows, json_docs has 60, the first difference is at k 1$" check
  says "^Checking table 'json_docs'... ok$"
  # An index over another member sends readers to the wrong group.
  sql 'DROP INDEX json_k' 'CREATE INDEX json_k ON json_docs(61 - id)' 'PRAGMA writable_schema = ON' \
    "UPDATE sqlite_master SET sql = 'CREATE INDEX json_k ON json_docs(k)' WHERE name = 'json_k'"
  bad 'json: table json_docs, row [0-9]+: it was found in group [1-7]$' --updates=0 --finds=100 --rand-type=uniform --events=50 --time=0 run
  good cleanup
  good --db-driver=null --threads=3 --events=50 --time=0 run
  says '^Documents read and compared: the null driver has no tables$'
  bad 'null driver keeps no tables' --db-driver=null check
  bad '^FATAL: .*--groups is 1000, but must be from 1 to the number of --documents, 20$' --documents=20 prepare
}

# model ARG...: the inputs of events of such a workload, which are those of
# MODEL.
model() {
  bench -0 "$BENCH_SRC/tests/cli/inputs_model.lua" --db-driver=null --rand-seed=1 --rand-type=uniform --threads=1 --time=0 "$@" run
}

# fits RULES EVENTS ARG...: it keeps so many rules, and a skew of the random numbers is
# noticed.
fits() {
  local rules=$1 events=$2
  shift 2
  model "$@" --events="$events"
  must is "$(grep -c '^keeps its rule: ' <<<"$output")" "$rules"
  must is "$(grep -c '^differs: ' <<<"$output")" 0
  SKEW=1 model "$@" --events=$((events < 100000 ? events : 100000))
  must has "$output" '^differs: '
}

@test "a million inputs of each workload keep its rules, and a skew is noticed" {
  export LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;"
  MODEL=counter fits 1 1000000 --hot-rows=100
  MODEL=bank fits 3 1000000
  MODEL=tpcb fits 4 1000000 --scale=4
  MODEL=tpcb fits 5 1000000 --scale=4 --remote=15
  MODEL=json fits 4 1000000 --documents=200 --groups=50
  # of these, each event has several inputs
  MODEL=secondary fits 5 500000 --keys=100
  MODEL=queue fits 2 250000 --payload=4 --producers=1
  MODEL=ingest fits 4 500000 --step=q --insert-rate=0
  MODEL=ingest fits 5 2500 --step=l.i0
}

@test "sums that cannot be stored: the statements for that are one transaction" {
  cat >sums.lua <<'L'
local store = require("bench_store")
function event()
  for _, updates in ipairs({{"UPDATE a"}, {"UPDATE a", "UPDATE b"}}) do
    local _, why = pcall(store.sums, nil, function() error("gone", 0) end, "t", updates)
    io.stdout:write(why:match("execute once: .*"), "\n")
  end
end
L
  bench -0 ./sums.lua --threads=1 --events=1 --time=0 run
  must has "$output" '^execute once: UPDATE a$' '^execute once: BEGIN; UPDATE a; UPDATE b; COMMIT$'
}
