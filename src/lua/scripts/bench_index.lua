-- Compares a secondary index with its table: number of rows and sums of
-- columns, from the table and from the index alone.
--
-- `of` describes the table: name; sums: two number columns of each index;
-- outside: a column, never negative, of no secondary index; highest [optional]:
-- the first column has whole numbers from 0 to this, so the first different one
-- is named.  An index is {name, columns}; its first column is never negative.

local checked = require("bench_checked")
local schema = require("bench_schema")

local format, numbers = string.format, checked.numbers
local index = {}

local function sums(of)
   return format("SELECT COUNT(*), COALESCE(SUM(%s), 0), " ..
                 "COALESCE(SUM(%s), 0) FROM ", of.sums[1], of.sums[2])
end

local function lead_of(ix) return ix[2]:match("%w+") end

-- The condition and: the first column is at most `most` (nil: any).
local function up_to(condition, ix, most)
   return most and format("%s AND %s <= %.0f", condition, lead_of(ix), most) or
      condition
end

-- PostgreSQL has no hints.  `on`: the allowed ways to read; nil: all.
local WAYS = {"seqscan", "sort", "bitmapscan", "indexscan", "indexonlyscan"}

local function allow(drv, con, on)
   if drv:name() ~= "pgsql" then return end
   for _, way in ipairs(WAYS) do
      con:query(format("SET LOCAL enable_%s = %s", way,
                       (on == nil or on[way]) and "on" or "off"))
   end
end

-- Each database is asked in a way that leaves no choice.
local function from_index(drv, con, of, ix, most)
   local where = up_to(lead_of(ix) .. " > -1", ix, most)
   local source = format("%s FORCE INDEX (`%s`) WHERE %s", of.name, ix[1], where)

   if drv:name() == "sqlite" then
      source = format("%s INDEXED BY %s WHERE %s", of.name, ix[1], where)
   elseif drv:name() == "pgsql" then
      source = format("(SELECT %s FROM %s WHERE %s ORDER BY %s OFFSET 0) s",
                      table.concat(of.sums, ", "), of.name, where, ix[2])
   end
   allow(drv, con, {indexscan = true, indexonlyscan = true})
   return {numbers(con, "%s", sums(of) .. source)}
end

local function from_table(drv, con, of, ix, most)
   local source = of.name .. " FORCE INDEX (`PRIMARY`)"

   if drv:name() == "sqlite" then
      source = of.name .. " NOT INDEXED"
   elseif drv:name() == "pgsql" then
      source = of.name
   end
   allow(drv, con, {seqscan = true})
   return {numbers(con, "%s", sums(of) .. source .. " WHERE " ..
                   up_to(of.outside .. " > -1", ix, most))}
end

local function same(a, b)
   return a[1] == b[1] and math.abs(a[2] - b[2]) <= 0.001 and
      math.abs(a[3] - b[3]) <= 0.001
end

-- The first value of the first column whose rows differ.
local function first_difference(drv, con, of, ix)
   local low, high = -1, of.highest

   while high - low > 1 do -- all rows up to `low` are the same
      local middle = math.floor((low + high) / 2)
      if same(from_index(drv, con, of, ix, middle),
              from_table(drv, con, of, ix, middle)) then
         low = middle
      else
         high = middle
      end
   end
   return high
end

-- Adds the faults of an existing index.  A snapshot has begun.
local function compare(drv, con, faults, of, ix)
   local by_index = from_index(drv, con, of, ix)
   local by_table = from_table(drv, con, of, ix)
   local text

   if by_index[1] ~= by_table[1] then
      text = format("it has %.0f rows, %s has %.0f", by_index[1], of.name,
                    by_table[1])
   elseif not same(by_index, by_table) then
      text = "its columns are not those of " .. of.name
   end
   if text and of.highest then
      text = format("%s, the first difference is at %s %.0f", text,
                    lead_of(ix), first_difference(drv, con, of, ix))
   end
   allow(drv, con, nil)
   if text then table.insert(faults, text) end
end

function index.exists(drv, con, of, ix)
   return schema.has_index(drv, con, of.name, ix[1])
end

-- Prints the line of `check` about an existing index.  True: no faults.
function index.check(drv, con, of, ix)
   if schema.skips_indexes(drv) then return true end
   local faults = {}

   compare(drv, con, faults, of, ix)
   return checked.report(format("index '%s'", ix[1]), faults)
end

return index
