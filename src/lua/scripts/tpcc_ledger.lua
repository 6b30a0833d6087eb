-- Compares the new orders that a run of tpcc has committed with the numbers that
-- its districts have given out since then.  The table bench_tpcc keeps the sums
-- of all runs, for `check`.
--
-- An order is committed if the server has said so.  If a connection was lost
-- before that, the outcome is unknown, and the order may be there or not.

local ledger = {}

-- Returns the number of orders that were ever placed, after those of the load.
function ledger.placed(con, settings)
   local sum = tonumber((con:query_row(
      "SELECT SUM(d_next_o_id) FROM district")))
   local districts = settings.warehouses * settings.districts

   return sum and sum - districts * (settings.customers + 1)
end

-- Compares `growth`, the orders in the tables, with what is known of them;
-- `others`: other runs may have added to them.  Returns a verdict, and a line
-- about it.
function ledger.compare(growth, committed, unknown, others)
   local facts = string.format(
      "%.0f committed, %.0f with unknown outcome, the tables have %.0f",
      committed, unknown, growth)

   if growth < committed then
      return "bad", facts .. string.format(": %.0f are LOST",
                                           committed - growth)
   elseif growth <= committed + unknown then
      return "ok", facts .. ": ok"
   elseif others then
      return "other runs", facts .. ", with those of other runs"
   end
   return "bad", facts .. string.format(": nobody has committed %.0f",
                                        growth - committed - unknown)
end

-- Returns the numbers of runs that have begun, and that have not ended.
local function runs(con)
   local begun, open = con:query_row("SELECT runs, open_runs FROM bench_tpcc")
   return tonumber(begun), tonumber(open)
end

local function totals()
   local function total(name) return sysbench.counter.new(name):total() end
   return total("new orders"), total("new orders unknown")
end

-- Notes that a run has begun.  Of several processes, each notes its own part.
function ledger.open(drv, con, settings)
   local own = {}
   local is_null = drv:name() == "null"
   local before, begun, open

   if not is_null then
      con:query("UPDATE bench_tpcc SET runs = runs + 1, " ..
                "open_runs = open_runs + 1")
      begun, open = runs(con)
      before = ledger.placed(con, settings)
   end

   -- Returns what the tables have got since then, and whether other runs may
   -- have added to it.
   local function growth()
      local con = drv:connect()
      local placed, now = ledger.placed(con, settings), runs(con)
      con:disconnect()
      return placed - before, open > 1 or now ~= begun
   end

   -- Returns a line about the run, and its figures.  `complete`: all clients
   -- have ended.
   function own.compare(complete)
      local title = "New orders of the run: "
      local committed, unknown = totals()
      local result = {committed = committed, unknown = unknown}

      if is_null then
         result.verdict = "no tables"
         return title .. "the null driver has no tables", result
      elseif not complete then
         result.verdict = "incomplete"
         return title .. "clients were left behind, so nothing is compared",
            result
      end
      local ok, grown, others = pcall(growth)
      if not ok then
         result.verdict = "unreadable"
         return title .. "the tables cannot be read", result
      end
      local line
      result.in_tables = grown
      result.verdict, line = ledger.compare(grown, committed, unknown, others)
      return title .. line, result
   end

   -- Notes that the run has ended.
   function own.close()
      if is_null then return end
      local con = drv:connect()
      con:query(string.format(
         "UPDATE bench_tpcc SET open_runs = open_runs - 1, " ..
         "committed = committed + %.0f, unknown = unknown + %.0f", totals()))
      con:disconnect()
   end

   return own
end

return ledger
