-- The command check of the tpcc workload: the twelve consistency conditions of
-- clause 3.3.2 of the TPC-C standard, and more that follow from its rules.  All
-- statements read one snapshot.  A missing row or NULL on either side breaks a
-- condition.  Each thread checks a part of the warehouses; thread 0 joins the
-- findings.

local conditions = require("tpcc_conditions")
local ledger = require("tpcc_ledger")
local load = require("bench_load")
local model = require("tpcc_model")
local snapshot = require("bench_snapshot")
local tables = require("tpcc_tables")
local team = require("bench_team")
local print = load.say

local format = string.format
local check = {}

local RULES = {
   {"1", "w_ytd is the sum of d_ytd"},
   {"2", "d_next_o_id - 1 is the last order, and the last new order if any"},
   {"3", "new orders have successive numbers"},
   {"4", "the sum of o_ol_cnt is the number of order lines"},
   {"5", "o_carrier_id is NULL as long as there is a new order"},
   {"6", "o_ol_cnt is the number of lines of the order"},
   {"7", "ol_delivery_d is NULL as long as o_carrier_id is"},
   {"8", "w_ytd is the sum of h_amount"},
   {"9", "d_ytd is the sum of h_amount"},
   {"10", "c_balance is the sum of delivered lines less that of h_amount"},
   {"11", "as many orders were delivered as the load says"},
   {"12", "c_balance + c_ytd_payment is the sum of delivered lines"},
   {"sizes", "the numbers of warehouses, districts, customers, items, stock"},
   {"stock", "s_quantity, s_ytd, s_order_cnt, s_remote_cnt are those of order lines"},
   {"customer", "c_payment_cnt, c_delivery_cnt are those of history, orders"},
   {"indexes", "those of customers by name and of orders by customer are there"},
}

local MAX_SHOWN = 10 -- offending keys of a rule

-- ---- Violations

local function new_findings()
   local findings = {count = {}, shown = {}}
   for _, rule in ipairs(RULES) do
      findings.count[rule[1]], findings.shown[rule[1]] = 0, {}
   end

   local function show(rule, line)
      if #findings.shown[rule] < MAX_SHOWN then
         table.insert(findings.shown[rule], line)
      end
   end

   function findings.add(rule, name, key, text, ...)
      findings.count[rule] = findings.count[rule] + 1
      show(rule, format("    %s (%s): " .. text, name, key, ...))
   end

   -- All of them as a text, for another thread.
   function findings.text()
      local lines = {}
      for _, rule in ipairs(RULES) do
         local name = rule[1]
         table.insert(lines, name .. " " .. findings.count[name])
         for _, line in ipairs(findings.shown[name]) do
            table.insert(lines, line)
         end
      end
      return table.concat(lines, "\n") .. "\n"
   end

   -- Adds those of another thread.
   function findings.merge(text)
      local rule
      for line in text:gmatch("([^\n]*)\n") do
         local name, n = line:match("^(%w+) (%d+)$")
         if name then
            rule = name
            findings.count[rule] = findings.count[rule] + tonumber(n)
         else
            show(rule, line)
         end
      end
   end
   return findings
end

-- Changed by every writing transaction: a new order and a payment change one of
-- the sums, which only grow; a delivery the number of new orders, which only
-- grows together with the first sum.
local function fingerprint(con)
   local orders, paid, new = con:query_row(
      "SELECT SUM(d_next_o_id), SUM(d_ytd), " ..
      "(SELECT COUNT(*) FROM new_order) FROM district")
   return format("%s %s %s", tostring(orders), tostring(paid), tostring(new))
end

-- ---- The command

local function print_findings(c)
   local good = true
   for _, rule in ipairs(RULES) do
      local name, text = rule[1], rule[2]
      local n = c.findings.count[name]
      local verdict = n == 0 and "ok" or n .. " violation" ..
         (n == 1 and "" or "s")
      if name == "11" and not c.fresh then
         verdict = "left out, because it holds only before the first run"
      end
      print(format("Condition %s: %s... %s", name, text, verdict))
      for _, line in ipairs(c.findings.shown[name]) do print(line) end
      if n > MAX_SHOWN then
         print(format("    and %d more", n - MAX_SHOWN))
      end
      good = good and n == 0
   end
   return good
end

-- Compares what all runs have committed with the tables.
local function reconcile(c, drv, settings)
   if settings == nil then return true end
   local good, line = ledger.reconcile(drv, c.con, settings)
   if line then print(line) end
   return good
end

-- Compares the rows of every threads-th table with those of prepare.
function check.rows(drv, con, wanted, thread, threads)
   local size, why = tables.settings(drv, con, wanted)
   local good = true

   if not size then error("tpcc: " .. why, 0) end
   if size.runs > 0 then
      error("--check-rows: runs have changed the rows; it works right after " ..
            "prepare only", 0)
   end
   why = tables.misfit(size, wanted, {"seed"})
   if why then error("--check-rows: " .. why, 0) end
   for n = 1 + thread, #tables.names, threads do
      local text = load.check_kind(con, "tpcc", tables.kind(drv, size), n, "")
      print(format("Checking the rows of '%s'... %s", tables.names[n],
                   text or "ok"))
      good = good and text == nil
   end
   return good
end

-- What a thread needs for its part; `threads` share the work.
local function new_context(drv, con, settings, wanted, threads)
   local size = settings or wanted

   return {
      con = con, size = size, findings = new_findings(), threads = threads,
      thread = threads == 1 and 0 or team.number,
      fresh = settings ~= nil and settings.runs == 0,
      ours = settings ~= nil and settings.version == tables.VERSION,
      cents = drv:name() == "sqlite" and tonumber or
         function(text) return text and model.cents(text) end,
      exchange = function(text)
         return threads == 1 and {text} or team.exchange("remote lines", text)
      end,
   }
end

-- Takes part in the check; returns the verdict of thread 0.
local function check_together(c, drv, settings)
   conditions.check(c)
   if c.thread == 0 and c.ours then
      tables.each_missing_index(drv, c.con, function(index, name)
         c.findings.add("indexes", name, index, "there is no such index")
      end)
   end
   if c.thread > 0 then
      team.give("findings " .. c.thread, c.findings.text())
      return team.await("verdict") == "good"
   end
   for n = 1, c.threads - 1 do
      c.findings.merge(team.await("findings " .. n))
   end
   local good = print_findings(c)
   good = reconcile(c, drv, settings) and good
   team.give("verdict", good and "good" or "bad")
   return good
end

-- Checks everything in one snapshot on this connection, beside a run.  Nil, or
-- the number of violations and a text about the first.
function check.once(drv, con, settings)
   local c = new_context(drv, con, settings, settings, 1)
   local found

   c.fresh = false
   snapshot.begin(drv, con)
   conditions.check(c)
   con:query("COMMIT")
   for _, rule in ipairs(RULES) do
      local name = rule[1]
      if c.findings.count[name] > 0 then
         found = found or {violations = 0, text = format(
            "condition %s, %s", name, c.findings.shown[name][1]:match("^ *(.*)"))}
         found.violations = found.violations + c.findings.count[name]
      end
   end
   return found
end

-- All threads call this.  Checks the tables in one snapshot; returns whether
-- all conditions hold.
function check.run(drv, con, wanted)
   if drv:name() == "null" then
      error("there is nothing to check: the null driver keeps no tables", 0)
   end
   if not team.is_first then return true end
   local threads = snapshot.open(drv, con, function() return fingerprint(con) end)
   if team.number >= threads then return team.await("verdict") == "good" end
   local settings, why = tables.settings(drv, con, wanted)
   local c = new_context(drv, con, settings, wanted, threads)

   if c.thread == 0 then
      if not settings then
         print("Sizes are those of the options: " .. why)
      end
      if c.ours then print(tables.made(con)) end
      print(format("Checking the tables of %d warehouse%s in one snapshot...",
                   c.size.warehouses, c.size.warehouses == 1 and "" or "s"))
      if threads < team.size then
         print("With one connection, because transactions were committed " ..
               "between the snapshots of several")
      end
   end
   local good = check_together(c, drv, settings)
   con:query("COMMIT")
   return good
end

return check
