-- Compares the new orders that runs of tpcc have committed with the numbers
-- that its districts have given out.  The table bench_tpcc keeps the sums of
-- all runs, for `check`.

local common = require("bench_ledger")

local ledger = {}

-- Returns the number of orders that were ever placed, after those of the load.
function ledger.placed(con, settings)
   local sum = tonumber((con:query_row(
      "SELECT SUM(d_next_o_id) FROM district")))
   local districts = settings.warehouses * settings.districts

   return sum and sum - districts * (settings.customers + 1)
end

local function spec(settings)
   return {table = "bench_tpcc", title = "New orders",
           committed = "new orders", unknown = "new orders unknown",
           placed = function(con) return ledger.placed(con, settings) end}
end

-- Notes that a run has begun.
function ledger.open(drv, con, settings)
   return common.open(drv, con, spec(settings))
end

-- See bench_ledger.
function ledger.reconcile(con, settings)
   return common.reconcile(spec(settings), settings,
                           ledger.placed(con, settings) or 0)
end

return ledger
