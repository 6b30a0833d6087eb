-- Compares the new orders that runs of tpcc have committed with the numbers
-- given out by each district. bench_tpcc has the sums of all runs for `check`,
-- bench_tpcc_districts those of the districts.

local C = require("ffi").C

local common = require("bench_ledger")
local schema = require("bench_schema")

local format = string.format
local ledger = {}

-- ---- Districts, by number: 1, 2, ... of warehouse 1, then those of warehouse 2

-- Orders placed by each since the load.
local function placed_by_district(con, settings)
   local list = {}

   for n = 1, settings.warehouses * settings.districts do list[n] = 0 end
   local rs = con:query("SELECT d_w_id, d_id, d_next_o_id FROM district")
   for _ = 1, rs.nrows do
      local row = rs:fetch_row()
      local w, d = tonumber(row[1]), tonumber(row[2])
      local n = w and d and (w - 1) * settings.districts + d
      if n and list[n] then
         list[n] = (tonumber(row[3]) or 0) - (settings.customers + 1)
      end
   end
   return list
end

local function name_of(settings, n)
   return format("district (w %d, d %d)",
                 math.floor((n - 1) / settings.districts) + 1,
                 (n - 1) % settings.districts + 1)
end

-- The sums of this process: two cells for each district.
local function known(n)
   return C.bench_sums_value(2 * n - 2), C.bench_sums_value(2 * n - 1)
end

local function open_cells(settings)
   if C.bench_sums_open(2 * settings.warehouses * settings.districts) ~= 0 then
      error("tpcc: not enough memory for the sums of the districts", 0)
   end
end

-- Functions for a client: the outcome of a new order.
function ledger.client(settings)
   open_cells(settings)
   local own = {}

   local function add(w, d, committed, unknown)
      local cell = 2 * ((w - 1) * settings.districts + d) - 2
      if committed ~= 0 then C.bench_sums_add(cell, committed) end
      C.bench_sums_add(cell + 1, unknown)
   end

   function own.before_commit(w, d) add(w, d, 0, 1) end
   function own.committed(w, d) add(w, d, 1, -1) end
   function own.refused(w, d) add(w, d, 0, -1) end
   return own
end

-- ---- The table bench_tpcc_districts has a row for each district that had new orders

ledger.TABLE = "bench_tpcc_districts"
ledger.COLUMNS = [[
  w_id INTEGER NOT NULL,
  d_id INTEGER NOT NULL,
  committed BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  PRIMARY KEY (w_id, d_id)]]

local ADDS = {
   mysql = "ON DUPLICATE KEY UPDATE committed = committed + VALUES(committed), " ..
      "unknown = unknown + VALUES(unknown)",
   other = "ON CONFLICT (w_id, d_id) DO UPDATE SET " ..
      "committed = bench_tpcc_districts.committed + excluded.committed, " ..
      "unknown = bench_tpcc_districts.unknown + excluded.unknown",
}

local ROWS = 500 -- of an INSERT

local function store(drv, con, settings)
   local rows = {}
   local adds = ADDS[drv:name()] or ADDS.other

   local function flush()
      if #rows == 0 then return end
      con:query(format(
         "INSERT INTO %s (w_id, d_id, committed, unknown) VALUES %s %s",
         ledger.TABLE, table.concat(rows, ", "), adds))
      rows = {}
   end

   for n = 1, settings.warehouses * settings.districts do
      local committed, unknown = known(n)
      if committed > 0 or unknown > 0 then
         table.insert(rows, format("(%d, %d, %.0f, %.0f)",
            math.floor((n - 1) / settings.districts) + 1,
            (n - 1) % settings.districts + 1, committed, unknown))
      end
      if #rows == ROWS then flush() end
   end
   flush()
end

-- The sums of all runs, like known(); nil: their total is not that of
-- bench_tpcc.
local function stored(con, settings)
   local sums, all, all_unknown = {}, 0, 0
   local rs = con:query("SELECT w_id, d_id, committed, unknown FROM " ..
                        ledger.TABLE)

   for _ = 1, rs.nrows do
      local row = rs:fetch_row()
      local n = (tonumber(row[1]) - 1) * settings.districts + tonumber(row[2])
      sums[n] = {tonumber(row[3]), tonumber(row[4])}
      all, all_unknown = all + sums[n][1], all_unknown + sums[n][2]
   end
   if all ~= settings.committed or all_unknown ~= settings.unknown then
      return nil
   end
   return function(n)
      local of = sums[n] or {0, 0}
      return of[1], of[2]
   end
end

local function placed(con, settings)
   local sum = tonumber((con:query_row(
      "SELECT SUM(d_next_o_id) FROM district")))
   local districts = settings.warehouses * settings.districts

   return sum and sum - districts * (settings.customers + 1)
end

local function parts_of(settings)
   return {
      words = "each district", known = known,
      name = function(n) return name_of(settings, n) end,
      placed = function(con) return placed_by_district(con, settings) end,
   }
end

-- Notes that a run has begun.
function ledger.open(drv, con, settings)
   open_cells(settings)
   return common.open(drv, con, {
      table = "bench_tpcc", title = "New orders",
      committed = "new orders", unknown = "new orders unknown",
      placed = function(on) return placed(on, settings) end,
      store = function(on) store(drv, on, settings) end,
      parts = parts_of(settings),
   })
end

-- Returns whether the tables have what all runs have committed, and a line; nil
-- if there was no run.
function ledger.reconcile(drv, con, settings)
   local good, line = common.reconcile(
      {title = "New orders"}, settings, placed(con, settings) or 0)
   local sums = settings.runs > 0 and
      schema.has_table(drv, con, ledger.TABLE) and stored(con, settings)

   if not sums then return good, line end
   local parts = parts_of(settings)
   local verdict
   verdict, line = common.add_parts(good and "ok" or "bad", line, parts,
      common.compare_parts(parts, parts.placed(con), sums,
                           settings.open_runs > 0))
   return verdict == "ok", line
end

return ledger
