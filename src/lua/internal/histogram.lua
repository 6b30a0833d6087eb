-- histogram.lua - sysbench.histogram: histograms of scripts.
local host = ...
local ffi = host.ffi
local C = host.C

local c_bytes, c_place = C.bench_grid_bytes, C.bench_grid_place
local c_update, c_print = C.sb_histogram_update, C.sb_histogram_print

-- The memory of a histogram is Lua's, so that finalizers can use it at the end
-- of the state.
local memory = setmetatable({}, {__mode = "k"})

local methods = {}

function methods:update(value)
  host.check_object(self)
  if type(value) ~= "number" then
    error(("bad argument #1 to 'update' (number expected, got %s)"):format(type(value)), 2)
  end
  c_update(self, value)
end

function methods:print()
  host.check_object(self)
  c_print(self)
end

ffi.metatype("struct histogram", {
  __index = methods,
  __tostring = function()
    return "<sb_histogram>"
  end,
})

local histogram = {}

function histogram.new(size, min, max)
  if type(size) == "string" then
    return host.named_histogram(size, min)
  end
  if type(size) ~= "number" or type(min) ~= "number" or type(max) ~= "number" then
    error("histogram.new: expected size, min and max, all of them numbers", 2)
  end
  if not (size >= 2 and size < 2 ^ 32 and size == math.floor(size)) then
    error("histogram.new: the size must be an integer of at least 2", 2)
  end
  if not (min > 0 and min < max and max < math.huge) then
    error("histogram.new: the range must be 0 < min < max", 2)
  end
  local made, block = pcall(ffi.new, "uint64_t[?]", math.ceil(tonumber(c_bytes(size)) / 8))
  if not made then
    error("histogram.new: not enough memory", 2)
  end
  local h = c_place(block, size, min, max)
  memory[h] = block
  return h
end

return histogram
