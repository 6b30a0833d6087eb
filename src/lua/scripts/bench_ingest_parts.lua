-- The keys of the workload ingest.  Each process has a part of them, in which
-- it inserts one key after the other and deletes the oldest; a single process
-- has part 0. ingest_parts has a row for each part ever used: the number of its
-- first keys given to deletes.

local ffi = require("ffi")

local checked = require("bench_checked")

local format, numbers = string.format, checked.numbers
local parts = {}

local SIZE = 2 ^ 40 -- keys of a part

parts.TABLE = "ingest_parts"
parts.COLUMNS = "part $key, deleted BIGINT NOT NULL"

-- Keys of a part are above `base`, existing ones above `low`, and none is above
-- `high`.
local function part_of(number, deleted)
   local base = number * SIZE
   return {number = number, base = base, low = base + deleted,
           high = base + SIZE}
end

local function rows_between(con, what, low, high)
   return numbers(con, "SELECT %s FROM ingest_rows WHERE transactionid > %.0f " ..
                  "AND transactionid <= %.0f", what, low, high)
end

-- All parts, in order.
function parts.read(con)
   local list = {}
   local rs = con:query("SELECT part, deleted FROM ingest_parts ORDER BY part")

   for i = 1, rs.nrows do
      local row = rs:fetch_row()
      list[i] = part_of(tonumber(row[1]), tonumber(row[2]))
   end
   return list
end

-- Keys of all parts given to deletes.
function parts.deleted(con)
   return (numbers(con, "SELECT COALESCE(SUM(deleted), 0) FROM ingest_parts"))
end

-- ---- A run

local rank = ffi.new("double[1]")

-- The number of processes, and that of this one.
function parts.processes()
   local n = ffi.C.bench_ranks(rank)
   return n, rank[0]
end

-- The part of this process, noted before it has rows.
function parts.own(drv, con)
   local _, number = parts.processes()

   if drv:name() == "null" then return part_of(number, 0) end
   local deleted = numbers(con, "SELECT deleted FROM ingest_parts " ..
                           "WHERE part = %d", number)
   if deleted == nil then
      con:query(format("INSERT INTO ingest_parts (part, deleted) " ..
                       "VALUES (%d, 0)", number))
   end
   return part_of(number, deleted or 0)
end

-- The statement that notes the keys given to deletes.
function parts.update(given)
   local _, number = parts.processes()
   return format("UPDATE ingest_parts SET deleted = deleted + %.0f " ..
                 "WHERE part = %d", given, number)
end

-- The highest key of a part, or that of its last delete.
function parts.highest(con, part)
   local highest = checked.aggregate(
      con, "SELECT COALESCE(MAX(transactionid), 0) FROM ingest_rows WHERE " ..
      "transactionid > %.0f AND transactionid <= %.0f", part.base, part.high)

   return math.max(part.low, highest)
end

-- Rows ever inserted.  Keys given to deletes count as rows; `given`: of this
-- process, not noted yet.
function parts.placed(con, given)
   local _, own = parts.processes()
   local total = 0

   for _, part in ipairs(parts.read(con)) do
      local low = part.low + (part.number == own and given or 0)
      total = total + low - part.base +
         rows_between(con, "COUNT(*)", low, part.high)
   end
   return total
end

-- ---- check

-- The first missing key after `low`.
local function first_gap(con, low, high)
   while high - low > 1 do -- all rows up to `low` are there
      local middle = math.floor((low + high) / 2)
      local rows = rows_between(con, "COUNT(*)", low, middle)
      if rows == middle - low then low = middle else high = middle end
   end
   return high
end

-- The number of missing rows, and the first key.
function parts.missing(con)
   local missing, first = 0, nil

   for _, part in ipairs(parts.read(con)) do
      local rows, highest = rows_between(
         con, "COUNT(*), COALESCE(MAX(transactionid), 0)", part.low, part.high)
      local lack = rows > 0 and highest - part.low - rows or 0
      if lack > 0 then
         missing = missing + lack
         first = first or first_gap(con, part.low, highest)
      end
   end
   return missing, first
end

-- The number of rows whose keys were given to deletes, and the first key.
function parts.left(con)
   local left, first = 0, nil

   for _, part in ipairs(parts.read(con)) do
      local rows, lowest = rows_between(con, "COUNT(*), MIN(transactionid)",
                                        part.base, part.low)
      left, first = left + rows, first or lowest
   end
   return left, first
end

-- The condition that no row of a run fulfils.
function parts.outside(con)
   local last = numbers(con, "SELECT MAX(part) FROM ingest_parts")
   return format("transactionid < 1 OR transactionid > %.0f",
                 last and part_of(last, 0).high or 0)
end

return parts
