-- The tables of the workload ingest, its `check`, and the numbers that a run
-- begins with.  Each process gives out keys one after the other: a missing key
-- is a lost row, unless it was deleted or its outcome is unknown.

local ffi = require("ffi")

local checked = require("bench_checked")
local indexes = require("bench_index")
local ledger = require("bench_ledger")
local load = require("bench_load")
local parts = require("bench_ingest_parts")
local schema = require("bench_schema")

local format, numbers = string.format, checked.numbers
local ingest = {}

-- Name, columns.
ingest.indexes = {
   {"ingest_marketsegment", "price, customerid"},
   {"ingest_registersegment", "cashregisterid, price, customerid"},
   {"ingest_pdc", "price, dateandtime, customerid"},
}

local TABLE = {name = "ingest_rows", sums = {"customerid", "price"},
               outside = "productid"}

local function given()
   return sysbench.counter.new("keys given to deletes"):total()
end

-- What all processes have inserted, and what was there before.  A delete of
-- unknown outcome counts as executed, like its insert.
local deleted_before = nil

local function placed_by_all(con, stat)
   local now = stat and stat.counters["keys given to deletes"] or 0

   deleted_before = deleted_before or parts.deleted(con)
   return deleted_before + now + numbers(con, "SELECT COUNT(*) FROM ingest_rows")
end

local function placed(con, stat)
   if parts.processes() > 1 then return placed_by_all(con, stat) end
   return parts.placed(con, given())
end

ingest.spec = {
   name = "ingest", version = 2, table = "bench_ingest", settings = {},
   names = {"ingest_rows", parts.TABLE},
   columns = {
      [parts.TABLE] = parts.COLUMNS,
      ingest_rows = "transactionid BIGINT NOT NULL PRIMARY KEY, " ..
         "dateandtime VARCHAR(19) NOT NULL, cashregisterid INTEGER NOT NULL, " ..
         "customerid INTEGER NOT NULL, productid INTEGER NOT NULL, " ..
         "price DECIMAL(10,2) NOT NULL, data VARCHAR(1000) NOT NULL",
   },
   title = "Rows inserted", committed = "rows", unknown = "rows unknown",
   placed = placed, also_update = function() return parts.update(given()) end,
}

local function has_index(drv, con, i)
   return indexes.exists(drv, con, TABLE, ingest.indexes[i])
end

-- Refuses a step whose indexes are not as needed.
function ingest.demand(drv, con, step)
   if drv:name() == "null" or schema.skips_indexes(drv) then return end
   local there = has_index(drv, con, 1)

   if step == "l.i0" and there then
      error("--step=l.i0 loads a table without secondary indexes, but they " ..
            "exist: prepare again with --table-exists=drop", 0)
   elseif step == "l.x" and there then
      error("--step=l.x: the secondary indexes exist", 0)
   elseif step ~= "l.i0" and step ~= "l.x" and not there then
      error("--step=" .. step .. " needs the secondary indexes: run " ..
            "--step=l.x first", 0)
   end
end

local function set_sequence(name, value)
   assert(ffi.C.bench_sequence_set(name, value) == 0)
end

-- Keys and deletes go on where the last run has ended.
function ingest.begin_run(drv, con)
   local part = parts.own(drv, con)
   local highest = drv:name() == "null" and part.low or parts.highest(con, part)

   set_sequence("keys", highest + 1)
   set_sequence("deletes", part.low + 1)
end

-- ---- check

local function check_keys(con, faults, settings)
   local missing, gap = parts.missing(con)
   local left, first = parts.left(con)

   if missing > settings.unknown then
      table.insert(faults, format(
         "%.0f row%s missing, but only %.0f had an unknown outcome: rows are " ..
         "LOST, the first has transactionid %.0f", missing,
         missing == 1 and " is" or "s are", settings.unknown, gap))
   end
   if left > settings.unknown then
      table.insert(faults, format(
         "%.0f row%s there that a run has deleted, but only %.0f had an " ..
         "unknown outcome, the first has transactionid %.0f", left,
         left == 1 and " is" or "s are", settings.unknown, first))
   end
end

function ingest.check(drv, con, settings)
   local faults = {}

   schema.begin_snapshot(drv, con)
   -- nobody knows the keys of a run that did not end
   if settings.open_runs == 0 then check_keys(con, faults, settings) end
   checked.no_rows(con, faults, "ingest_rows", "transactionid",
                   parts.outside(con), "a key of no run")
   local good = checked.report("table 'ingest_rows'", faults)
   for i, index in ipairs(ingest.indexes) do
      if has_index(drv, con, i) then
         good = indexes.check(drv, con, TABLE, index) and good
      end
   end
   if settings.open_runs == 0 or parts.deleted(con) == 0 then
      local fits, line = ledger.reconcile(ingest.spec, settings,
                                          parts.placed(con, 0))
      if line then load.say("ingest_rows: " .. line) end
      good = good and fits
   else
      load.say("ingest_rows: a run did not end properly, so nobody knows " ..
               "which rows it has deleted")
   end
   con:query("ROLLBACK")
   return good
end

return ingest
