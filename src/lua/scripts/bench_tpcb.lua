-- The tables of the script tpcb: prepare, check and cleanup.

local load = require("bench_load")
local own = require("bench_own")
local schema = require("bench_schema")
local print = load.say

local format = string.format
local tables = {}

-- In the order of the loader (src/db/load/kinds/tpcb.c).
local NAMES = {"pgbench_accounts", "pgbench_branches", "pgbench_tellers",
               "pgbench_history"}
local ACCOUNTS, BRANCHES, TELLERS = 100000, 1, 10 -- of each branch

-- KEY stands for the type of a primary key.
local COLUMNS = {
   pgbench_accounts = "aid KEY, bid INT, abalance INT, filler CHAR(84)",
   pgbench_branches = "bid KEY, bbalance INT, filler CHAR(88)",
   pgbench_tellers = "tid KEY, bid INT, tbalance INT, filler CHAR(84)",
   pgbench_history = "tid INT, bid INT, aid INT, delta INT, " ..
      "mtime TIMESTAMP, filler CHAR(22)",
}
local PER_BRANCH = {pgbench_accounts = ACCOUNTS, pgbench_branches = BRANCHES,
                    pgbench_tellers = TELLERS}

local SET = {workload = "tpcb", names = NAMES, columns = function(name)
   return own.columns_in(COLUMNS[name])
end}

local function must_load()
   if not load.possible then
      error("this script needs bench: its rows are made by the loader", 0)
   end
end

-- ---- prepare and cleanup

-- PostgreSQL makes the primary key after the rows, which is faster.
local function key_comes_later(drv)
   return drv:name() == "pgsql" and sysbench.opt.create_index ~= "before" and
      schema.dialect(drv, "primary-key") ~= "before"
end

local function table_statement(drv, name)
   local key = key_comes_later(drv) and "INT NOT NULL" or
      "INTEGER NOT NULL PRIMARY KEY"
   local tail = ""

   if drv:name() == "mysql" then
      tail = " ENGINE = " .. sysbench.opt.mysql_storage_engine
   elseif drv:name() == "pgsql" and name ~= "pgbench_history" then
      tail = " WITH (fillfactor = 100)"
   end
   local columns = COLUMNS[name]:gsub("KEY", key)
   if drv:name() == "mysql" then
      columns = columns:gsub("TIMESTAMP", "TIMESTAMP NULL")
   end
   return format("CREATE TABLE %s(%s)%s", name, columns, tail)
end

local function create(drv, con, name, scale)
   if sysbench.opt.table_exists == "resume" and
      schema.has_table(drv, con, name) then
      print(format("Resuming table '%s'...", name))
      return load.RESUME
   end
   local statement = table_statement(drv, name)
   if not own.make_way(drv, con, SET, name, statement) then return load.LEAVE end
   print(format("Creating table '%s'...", name))
   con:query(statement)
   own.made(name)
   if PER_BRANCH[name] then
      print(format("Inserting %d records into '%s'", PER_BRANCH[name] * scale,
                   name))
   end
   return load.FRESH
end

local function finish(drv, con, name)
   if key_comes_later(drv) and PER_BRANCH[name] and
      not schema.has_index(drv, con, name, name .. "_pkey") then
      print(format("Creating the primary key of '%s'...", name))
      con:query(format("ALTER TABLE %s ADD PRIMARY KEY (%s)", name,
                       COLUMNS[name]:match("^%w+")))
   end
   if sysbench.opt.load_analyze then schema.analyze(drv, con, name) end
end

local UNIT = {"scale", "branch", "branches", 1, 19999}

function tables.begin()
   load.fit(sysbench.sql.driver(), "tpcb", {}, UNIT, true)
   own.prepare(SET)
end

function tables.failed() own.undo(SET) end

function tables.prepare(drv, con)
   must_load()
   load.fit(drv, "tpcb", {}, UNIT)
   local scale = math.max(sysbench.opt.scale, 1)

   schema.load_session(drv, con)
   load.run_kind(con, "tpcb", {scale = scale}, {
      create = function(name) return create(drv, con, name, scale) end,
      finish = function(name) finish(drv, con, name) end,
   })
end

function tables.cleanup(drv, con) own.cleanup(drv, con, SET) end

-- ---- check

-- Runs change these columns, so only their sums are checked.
local CHANGED = "abalance,bbalance,tbalance"

local function report(what, faults)
   print(format("Checking %s... %s", what,
                #faults == 0 and "ok" or table.concat(faults, ", ")))
   return #faults == 0
end

-- Is the table good, and does it exist?
local function check_table(drv, con, n, scale)
   local name = NAMES[n]
   local faults = {}
   local exists = schema.has_table(drv, con, name)

   if not exists then
      faults = {"it does not exist"}
   elseif PER_BRANCH[name] then
      faults = {load.check_kind(con, "tpcb", {scale = scale}, n, CHANGED)}
   end
   return report(format("table '%s'", name), faults), exists
end

local function numbers(con, query, ...)
   local row = {con:query_row(format(query, ...))}
   for i = 1, #row do row[i] = tonumber(row[i]) end
   return unpack(row)
end

-- Table, key, balance, also a column of the history.
local BALANCES = {
   {"pgbench_accounts", "aid", "abalance"},
   {"pgbench_tellers", "tid", "tbalance"},
   {"pgbench_branches", "bid", "bbalance"},
}

-- Adds a fault for NULL balances; returns the sum.
local function sum_of(con, name, column, faults)
   local rows, values, sum = numbers(con,
      "SELECT COUNT(*), COUNT(%s), COALESCE(SUM(%s), 0) FROM %s",
      column, column, name)

   if values ~= rows then
      table.insert(faults, format("%s.%s is NULL in %d of %d rows", name,
                                  column, rows - values, rows))
   end
   return sum
end

-- Adds the keys whose balance is not the sum of their history, and rows of the
-- history without a key.
local function compare_keys(con, balance, faults)
   local name, key, column = unpack(balance)
   local count, first = numbers(con, [[
SELECT COUNT(*), MIN(t.%s) FROM %s t
LEFT JOIN (SELECT %s AS part, SUM(delta) AS total FROM pgbench_history
           GROUP BY %s) h ON h.part = t.%s
WHERE t.%s <> COALESCE(h.total, 0)]], key, name, key, key, key, column)

   if count > 0 then
      local value, total = numbers(con, [[
SELECT %s, (SELECT COALESCE(SUM(delta), 0) FROM pgbench_history WHERE %s = %d)
FROM %s WHERE %s = %d]], column, key, first, name, key, first)
      table.insert(faults, format(
         "%s.%s is not the sum of pgbench_history.delta in %d row%s, the " ..
         "first has %s %d (%d instead of %d)", name, column, count,
         count == 1 and "" or "s", key, first, value, total))
   end
   local strangers = numbers(con, [[
SELECT COUNT(*) FROM pgbench_history h LEFT JOIN %s t ON t.%s = h.%s
WHERE t.%s IS NULL]], name, key, key, key)
   if strangers > 0 then
      table.insert(faults, format(
         "%d row%s of pgbench_history whose %s is not in %s", strangers,
         strangers == 1 and "" or "s", key, name))
   end
end

local function check_sums(con, faults)
   local sums = {}

   for _, b in ipairs(BALANCES) do
      sums[b[1]] = sum_of(con, b[1], b[3], faults)
   end
   local first = sums.pgbench_accounts
   for _, b in ipairs(BALANCES) do
      if sums[b[1]] ~= first then
         table.insert(faults, format(
            "sum of %s.%s is %d, sum of pgbench_accounts.abalance is %d",
            b[1], b[3], sums[b[1]], first))
      end
   end
   return first
end

local function check_history(con, sum, faults)
   local delta = sum_of(con, "pgbench_history", "delta", faults)
   local rows = numbers(con, "SELECT COUNT(*) FROM pgbench_history")
   local wanted = sysbench.opt.acknowledged

   if delta ~= sum then
      table.insert(faults, format(
         "sum of pgbench_history.delta is %d, sum of " ..
         "pgbench_accounts.abalance is %d", delta, sum))
   end
   if rows < wanted then
      table.insert(faults, format(
         "pgbench_history has %d rows, --acknowledged is %d: events are lost",
         rows, wanted))
   end
   for _, balance in ipairs(BALANCES) do
      compare_keys(con, balance, faults)
   end
   return rows
end

local function find_scale(drv, con)
   local scale = sysbench.opt.scale

   if scale == 0 and schema.has_table(drv, con, "pgbench_branches") then
      scale = numbers(con, "SELECT COUNT(*) FROM pgbench_branches")
   end
   return math.max(scale, 1)
end

local function check_balances(drv, con)
   local faults, words = {}, "balances"

   schema.begin_snapshot(drv, con)
   local sum = check_sums(con, faults)
   local balanced = #faults == 0
   if sysbench.opt.history then
      words = format("balances and the history of %d rows",
                     check_history(con, sum, faults))
   end
   con:query("ROLLBACK")
   local good = report(words, faults)
   if not good and balanced and drv:name() == "pgsql" then
      print("pgbench empties pgbench_history when it starts without -n: if it " ..
            "has run on these tables, use --history=off")
   end
   return good
end

function tables.check(drv, con)
   must_load()
   if drv:name() == "null" then
      error("there is nothing to check: the null driver keeps no tables", 0)
   end

   local scale = find_scale(drv, con)
   load.pace(false, scale * (ACCOUNTS + BRANCHES + TELLERS))
   local all_good, all_exist = true, true
   for n = 1, #NAMES do
      local good, exists = check_table(drv, con, n, scale)
      all_good = all_good and good
      all_exist = all_exist and exists
   end
   if all_exist then all_good = check_balances(drv, con) and all_good end
   return all_good
end

return tables
