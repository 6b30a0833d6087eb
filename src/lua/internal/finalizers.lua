-- finalizers.lua - finalizers of scripts, in the state of one thread.
--
-- LuaJIT crashes or panics if a finalizer fails in a step of the collector that
-- machine code or a function in C has started.  So an error ends the run from
-- outside. vm.lua does this for shared states.
local host = ...
local C = host.C
local pcall, tostring, type, rawset = pcall, tostring, type, rawset
local newproxy, getmetatable, setmetatable = host.newproxy, getmetatable, setmetatable

local M = {}

-- Functions of C cannot fail.
local function quiet(f)
  if f == nil or type(f) == "cdata" then
    return f
  end
  return function(object)
    local ok, err = pcall(f, object)
    if not ok then
      local known, text = pcall(tostring, err)
      C.bench_finalizer_failed(known and text or type(err))
    end
  end
end

local proxy_mt = {
  __newindex = function(mt, key, value)
    rawset(mt, key, key == "__gc" and quiet(value) or value)
  end,
}
function M.newproxy(with)
  local proxy = newproxy(with)
  if with == true then
    setmetatable(getmetatable(proxy), proxy_mt)
  end
  return proxy
end

function M.adapt_ffi(ffi)
  local gc, metatype = ffi.gc, ffi.metatype
  function ffi.gc(object, f)
    return gc(object, quiet(f))
  end
  function ffi.metatype(ct, mt)
    if type(mt) == "table" and mt.__gc ~= nil then
      mt.__gc = quiet(mt.__gc)
    end
    return metatype(ct, mt)
  end
end

return M
