-- counter.lua - sysbench.counter and named histograms: figures of a script,
-- added up over all workers.
local host = ...
local ffi = host.ffi
local C = host.C

local c_add, c_get = C.bench_counter_add, C.bench_counter_get
local c_named_update, c_named_print = C.bench_histogram_update, C.bench_histogram_print

local function check_name(what, name)
  if type(name) ~= "string" or name == "" or #name > 64 then
    error(what .. ": a name is a string of 1 to 64 bytes", 3)
  end
end

local ENOMEM = 12

local function check_cell(cell, what, level, limit)
  if cell == nil then
    local short = ffi.errno() == ENOMEM
    error(what .. ": " .. (short and "not enough memory" or limit), level)
  end
  return cell
end

local counter_mt = {}
counter_mt.__index = counter_mt

function counter_mt:add(n)
  n = n or 1
  if type(n) ~= "number" and not (type(n) == "cdata" and tonumber(n)) then
    error(("bad argument #1 to 'add' (number expected, got %s)"):format(type(n)), 2)
  end
  c_add(self.cell, n)
end

function counter_mt:get()
  return c_get(self.cell)
end

-- Over all threads, a warm-up included.
function counter_mt:total()
  return C.bench_counter_total(self.name)
end

counter_mt.__tostring = function()
  return "<sb_counter>"
end

local counter = {}

function counter.new(name)
  check_name("counter.new", name)
  local cell = check_cell(C.bench_counter_open(name), "counter.new", 3,
    "at most 64 counters")
  return setmetatable({ cell = cell, name = name }, counter_mt)
end

local named_mt = {}
named_mt.__index = named_mt

function named_mt:update(value)
  if type(value) ~= "number" then
    error(("bad argument #1 to 'update' (number expected, got %s)"):format(type(value)), 2)
  end
  c_named_update(self.cell, value)
end

function named_mt:print()
  c_named_print(self.cell)
end

named_mt.__tostring = function()
  return "<sb_histogram>"
end

function counter.named_histogram(name, unit)
  check_name("histogram.new", name)
  if unit ~= nil and type(unit) ~= "string" then
    error("histogram.new: the unit is a string", 3)
  end
  local cell = check_cell(C.bench_histogram_open(name, unit or ""),
    "histogram.new", 4, "at most 64 named histograms")
  return setmetatable({ cell = cell }, named_mt)
end

return counter
