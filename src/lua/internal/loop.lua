-- loop.lua - thread_run(), the event loop of a worker, and the number of the
-- current event.
local host = ...
local ffi = host.ffi
local C = host.C
local pcall, xpcall, use, on_error = pcall, xpcall, host.use, host.on_error

-- Assigned once: LuaJIT's traces take such a local for a constant.
local call = not on_error and pcall or function(f, id)
  return xpcall(f, on_error, id)
end

local step, abandon = C.bench_event_step, C.bench_event_abandon
local unread, settle = C.bench_event_unread, C.bench_event_settle
local c_iteration = C.bench_iteration

local function recover(err)
  return use("restart").recover(err)
end

-- Reads and drops unread results of the event.  An error among them is an error
-- of the event.
local function end_results()
  local con = settle()
  if con ~= nil then
    local _, err = pcall(host.sql_error().raise, host.sql_owner(con), "", 1)
    return recover(err)
  end
end

-- An event has failed or returned a value.  True: the loop ends.
local function after(ok, value)
  if not ok then
    value = recover(value)
  end
  if value then
    abandon()
    if ok then
      use("restart").returned(value)
    end
    return true
  end
end

-- No event may start.  True: the loop ends.
local function is_over()
  if not unread() then
    return true
  end
  if end_results() then
    abandon()
    return true
  end
end

-- One FFI call per event ends the previous event and starts the next one, or
-- continues an event that is tried again.
function thread_run(id)
  repeat
    while step() do
      local ok, value = call(event, id)
      if (value or not ok) and after(ok, value) then
        return
      end
    end
  until is_over()
end

-- For clients that share a Lua state: their loop is a function in C.
if host.run_events then
  function thread_run(id)
    repeat
      if host.run_events(id, after, on_error) then
        return
      end
    until is_over()
  end
end
host.thread_run = thread_run

function host.iteration()
  return c_iteration()
end

function host.rest(seconds)
  if type(seconds) ~= "number" or not (seconds >= 0) then
    error("rest: the time is a number of seconds, 0 or more", 2)
  end
  C.bench_event_rest(seconds)
end
