-- rand.lua - sysbench.rand: random numbers and strings.
--
-- Written out one by one, so that each function has its C function as a
-- constant, which compiled code calls directly.  Results are in parentheses
-- because LuaJIT compiles few tail calls.
local host = ...
local ffi = host.ffi
local C = host.C
local ffi_string = ffi.string

local c_default, c_uniform = C.bench_rand_default, C.bench_rand_uniform
local c_gaussian, c_special = C.bench_rand_gaussian, C.bench_rand_special
local c_pareto, c_zipfian = C.bench_rand_pareto, C.bench_rand_zipfian
local c_uniform_uint64 = C.sb_rand_uniform_uint64
local c_uniform_double = C.sb_rand_uniform_double
local c_unique, c_unique_in = C.sb_rand_unique, C.bench_rand_unique_in
local c_text, c_varstr = C.bench_rand_text, C.sb_rand_varstr
local buffer_t = ffi.typeof("char[?]")

local rand = {}

local getinfo = debug.getinfo

-- Errors have the position of the caller, and the name used by the script:
-- sb_rand() is `default`.
local function check(n, name, value)
  local kind = type(value)
  if kind ~= "number" and not (kind == "cdata" and tonumber(value)) then
    name = (getinfo(2, "n") or {}).name or name
    error(("bad argument #%d to '%s' (number expected, got %s)"):format(n, name, value == nil and "nil" or kind), 3)
  end
end

function rand.default(a, b)
  if type(a) ~= "number" or type(b) ~= "number" then
    check(1, "default", a)
    check(2, "default", b)
  end
  return (c_default(a, b))
end

function rand.uniform(a, b)
  if type(a) ~= "number" or type(b) ~= "number" then
    check(1, "uniform", a)
    check(2, "uniform", b)
  end
  return (c_uniform(a, b))
end

function rand.gaussian(a, b)
  if type(a) ~= "number" or type(b) ~= "number" then
    check(1, "gaussian", a)
    check(2, "gaussian", b)
  end
  return (c_gaussian(a, b))
end

function rand.special(a, b)
  if type(a) ~= "number" or type(b) ~= "number" then
    check(1, "special", a)
    check(2, "special", b)
  end
  return (c_special(a, b))
end

function rand.pareto(a, b)
  if type(a) ~= "number" or type(b) ~= "number" then
    check(1, "pareto", a)
    check(2, "pareto", b)
  end
  return (c_pareto(a, b))
end

function rand.zipfian(a, b)
  if type(a) ~= "number" or type(b) ~= "number" then
    check(1, "zipfian", a)
    check(2, "zipfian", b)
  end
  return (c_zipfian(a, b))
end

function rand.uniform_uint64()
  return (c_uniform_uint64())
end

function rand.uniform_double()
  return (c_uniform_double())
end

function rand.unique()
  return (c_unique())
end

-- The size of the buffer for strings; grows as needed.
local room = 256
local buffer = ffi.new(buffer_t, room)

local MOST = 2 ^ 30 - 1 -- a buffer has twice the maximum

-- Without memory the buffer keeps its size, and the script may catch the error.
local function make_room(size)
  if size > room then
    if size > MOST then
      error(("a text of more than %d characters is not possible"):format(MOST), 3)
    end
    local more = size * 2
    buffer = ffi.new(buffer_t, more)
    room = more
  end
end

function rand.string(format)
  if type(format) ~= "string" then
    error(("bad argument #1 to 'string' (string expected, got %s)"):format(type(format)), 2)
  end
  local size = #format
  make_room(size)
  c_text(format, size, buffer)
  return (ffi_string(buffer, size))
end

function rand.varstring(min, max)
  if type(min) ~= "number" or type(max) ~= "number" then
    check(1, "varstring", min)
    check(2, "varstring", max)
    min, max = tonumber(min), tonumber(max)
  end
  if not (min <= max and max > 0) then
    error("assertion failed!", 2)
  end
  make_room(max)
  return (ffi_string(buffer, c_varstr(buffer, min, max)))
end

-- For unique numbers of a range in the 1.0 interface.
function host.unique_in(a, b)
  a, b = a or 0, b or 4294967295
  if type(a) ~= "number" or type(b) ~= "number" then
    check(1, "sb_rand_uniq", a)
    check(2, "sb_rand_uniq", b)
  end
  if a == 0 and b == 4294967295 then
    return (c_unique())
  end
  return (c_unique_in(a, b))
end

return rand
