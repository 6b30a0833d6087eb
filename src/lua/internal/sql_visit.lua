-- sql_visit.lua - whole lives of connections: open, log in, one statement,
-- close.
local host = ...
local ffi = host.ffi
local C = host.C

local WAYS = { auto = 0, own = 1, library = 2 }
local STEPS = { "resolve", "connect", "tls", "tls_resumed", "login", "query", "close" }
local times_t = ffi.typeof(("double[%d]"):format(#STEPS + 1))
local c_visit = C.bench_db_visit

local M = {}

-- A connection object, never open between two visits.
function M.visitor(drv)
  local con = C.bench_db_visitor(drv)
  if con == nil then
    error("connection creation failed", 3)
  end
  return ffi.gc(con, C.db_connection_free)
end

-- The milliseconds of each step by name; `library`: did the client library open
-- the connection?
function M.visit(con, query, way)
  if type(query) ~= "string" then
    error(("bad argument #1 to 'visit' (string expected, got %s)"):format(type(query)), 3)
  end
  local number = WAYS[way or "auto"]
  if not number then
    error("visit: who opens the connection is one of: auto, own, library", 3)
  end
  local ms = ffi.new(times_t)
  if not c_visit(con, number, query, #query, ms) then
    host.sql_raise(con, query, 3)
  end
  local times = { library = ms[#STEPS] ~= 0 }
  for i, name in ipairs(STEPS) do
    if ms[i - 1] > 0 then
      times[name] = ms[i - 1]
    end
  end
  return times
end

return M
