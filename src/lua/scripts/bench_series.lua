-- The sums of each second of a run, and its longest stall, for the reports of
-- bundled workloads.

local ffi = require("ffi")
local C = ffi.C

local series = {}

-- Points of a series in the results, and lines in the text.
local MAX_POINTS, MAX_LINES = 600, 20

local mt = {}
mt.__index = mt

function series.open(name)
   local cell = C.bench_series_open(name)
   if cell == nil then error("not enough memory", 0) end
   return setmetatable({cell = cell}, mt)
end

function mt:add(n) C.bench_series_add(self.cell, n) end

-- The sums of the seconds.
function mt:sums()
   local sums = {}
   for i = 1, C.bench_series_seconds(self.cell) do
      sums[i] = C.bench_series_sum(self.cell, i - 1)
   end
   return sums
end

-- The longest time between two additions in seconds, and its begin.
function mt:stall()
   local at = ffi.new("double[1]")
   local length = C.bench_series_gap(self.cell, at)
   return length, at[0]
end

-- Seconds between two points, for `most` points.
local function every(n, most) return math.max(math.ceil(n / most), 1) end

-- Figures for the results: value_of(second) by second.
function series.figures(seconds, value_of)
   local figures, step = {}, every(seconds, MAX_POINTS)
   for i = step, seconds, step do
      figures[string.format("%05d", i)] = value_of(i)
   end
   return figures
end

-- Lines for the text: "second", and the columns; row_of(second) returns their
-- values.
function series.lines(seconds, columns, row_of)
   local lines, step = {}, every(seconds, MAX_LINES)
   local head = string.format("    %8s", "second")

   for _, name in ipairs(columns) do
      head = head .. string.format(" %14s", name)
   end
   table.insert(lines, head)
   for i = step, seconds, step do
      local line = string.format("    %8d", i)
      for _, value in ipairs({row_of(i)}) do
         line = line .. string.format(" %14.0f", value)
      end
      table.insert(lines, line)
   end
   return table.concat(lines, "\n")
end

return series
