-- The tables of the workload ingest, what `check` finds in them, and the
-- numbers that a run begins with.
--
-- Keys are given out one after the other, so a key that is missing is a row that
-- was lost, unless it was deleted or its outcome is unknown. Keys up to
-- deleted_to, which bench_ingest keeps, were given to deletes.

local ffi = require("ffi")

local checked = require("bench_checked")
local indexes = require("bench_index")
local ledger = require("bench_ledger")
local load = require("bench_load")
local schema = require("bench_schema")

local format, numbers = string.format, checked.numbers
local ingest = {}

-- Secondary indexes: name, columns.
ingest.indexes = {
   {"ingest_marketsegment", "price, customerid"},
   {"ingest_registersegment", "cashregisterid, price, customerid"},
   {"ingest_pdc", "price, dateandtime, customerid"},
}

local TABLE = {name = "ingest_rows", sums = {"customerid", "price"},
               outside = "productid"}

-- All rows that were ever inserted.  Those whose keys were given to deletes, by
-- earlier runs and by this one, count as if they were there.
local function placed(con)
   local low = numbers(con, "SELECT deleted_to FROM bench_ingest") +
      sysbench.counter.new("keys given to deletes"):total()
   local rows = numbers(con, "SELECT COUNT(*) FROM ingest_rows " ..
                        "WHERE transactionid > %.0f", low)
   return low + rows
end

ingest.spec = {
   name = "ingest", version = 1, table = "bench_ingest", settings = {},
   names = {"ingest_rows"},
   columns = {ingest_rows = "transactionid BIGINT NOT NULL PRIMARY KEY, " ..
      "dateandtime VARCHAR(19) NOT NULL, cashregisterid INTEGER NOT NULL, " ..
      "customerid INTEGER NOT NULL, productid INTEGER NOT NULL, " ..
      "price DECIMAL(10,2) NOT NULL, data VARCHAR(1000) NOT NULL"},
   title = "Rows inserted", committed = "rows", unknown = "rows unknown",
   also = {deleted_to = "keys given to deletes"},
   placed = placed,
}

local function has_index(drv, con, i)
   return indexes.exists(drv, con, TABLE, ingest.indexes[i])
end

-- Refuses a step whose indexes are not as it needs them.
function ingest.demand(drv, con, step)
   if drv:name() == "null" then return end
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
function ingest.begin_run(drv, con, settings)
   local highest = 0

   if drv:name() ~= "null" then
      highest = numbers(con, "SELECT COALESCE(MAX(transactionid), 0) " ..
                        "FROM ingest_rows")
   end
   set_sequence("keys", math.max(highest, settings.deleted_to) + 1)
   set_sequence("deletes", settings.deleted_to + 1)
end

-- ---------------------------------------------------------------------------
-- check

-- Returns the first key after `low` that is missing.
local function first_gap(con, low, high)
   while high - low > 1 do -- all rows up to `low` are there
      local middle = math.floor((low + high) / 2)
      local rows = numbers(con, "SELECT COUNT(*) FROM ingest_rows WHERE " ..
                           "transactionid > %.0f AND transactionid <= %.0f",
                           low, middle)
      if rows == middle - low then low = middle else high = middle end
   end
   return high
end

local function check_keys(con, faults, settings)
   local low = settings.deleted_to
   local rows, highest = numbers(con, [[
SELECT COUNT(*), COALESCE(MAX(transactionid), 0) FROM ingest_rows
WHERE transactionid > %.0f]], low)
   local missing = rows > 0 and highest - low - rows or 0

   if settings.open_runs > 0 then return end
   if missing > settings.unknown then
      table.insert(faults, format(
         "%.0f row%s missing, but only %.0f had an unknown outcome: rows are " ..
         "LOST, the first has transactionid %.0f", missing,
         missing == 1 and " is" or "s are", settings.unknown,
         first_gap(con, low, highest)))
   end
   local left, first = numbers(con, "SELECT COUNT(*), MIN(transactionid) FROM " ..
                               "ingest_rows WHERE transactionid <= %.0f", low)
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
   check_keys(con, faults, settings)
   local good = checked.report("table 'ingest_rows'", faults)
   for i, index in ipairs(ingest.indexes) do
      if has_index(drv, con, i) then
         good = indexes.check(drv, con, TABLE, index) and good
      end
   end
   if settings.open_runs == 0 or settings.deleted_to == 0 then
      local fits, line = ledger.reconcile(ingest.spec, settings, placed(con))
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
