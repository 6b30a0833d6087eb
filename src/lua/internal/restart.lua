-- restart.lua - handles an event that has raised an error (hooks, rollback,
-- restarts) or returned a value.
local host = ...
-- Runs too rarely to be worth memory for machine code.
require("jit").off(true, true)
local ffi = host.ffi
local C = host.C
local pcall, type = pcall, type

local restart, again, undo = C.bench_event_restart, C.bench_event_again, C.bench_event_undo
local iteration = C.bench_iteration
local c_restart_connection = C.bench_db_restart
local abandoned = host.abandoned
local connection_t = ffi.typeof("sql_connection *")

local RESTART_EVENT = 1
local FATAL = 2

local function is_restart(err)
  return type(err) == "table" and err.errcode == RESTART_EVENT
end

-- Calls the hook before a restart; again if the hook raises a restart error,
-- until the run is over.
local function call_hook(err)
  local attempt = 0
  while true do
    local hook = sysbench.hooks.before_restart_event
    if type(hook) ~= "function" then
      return err
    end
    local ok, raised = pcall(hook, err)
    if ok then
      return err
    end
    if raised == abandoned then
      return nil
    elseif not is_restart(raised) then
      error(raised, 0)
    end
    err = raised
    attempt = attempt + 1
    if not restart(attempt) then
      return nil
    end
  end
end

-- Rolls back the failed attempt.  False: restart the event again because of the
-- second result; nil: the run is over.
local function roll_back(err)
  local con = err.connection
  if not ffi.istype(connection_t, con) or con == nil then
    return true
  end
  local outcome = c_restart_connection(con)
  if outcome == 0 then
    return true
  end
  local ok, raised = pcall(host.sql_error().raise, con, "ROLLBACK", 1)
  assert(not ok)
  if raised == abandoned then
    return false, nil
  elseif outcome == FATAL or not is_restart(raised) then
    error(raised, 0)
  end
  return false, raised
end

local function give_up()
  undo()
  return abandoned
end

-- The event restarted last, and how many times.
local last, attempts = 0, 0

-- Handles `err` of event().  Returns nil to repeat the event, or `abandoned` if
-- the run is over.  Raises an error that does not restart events.
local function recover(err)
  local number = iteration()
  if number ~= last then
    last, attempts = number, 0
  end
  while true do
    if err == abandoned then
      return give_up()
    elseif not is_restart(err) then
      error(err, 0)
    end
    attempts = attempts + 1
    err = call_hook(err)
    if err == nil or not restart(attempts) then
      return give_up()
    end
    local reconnected = err.reconnected
    local done, raised = roll_back(err)
    if reconnected then
      collectgarbage() -- frees the statements of the old connection
    end
    if done then
      again()
      return nil
    elseif raised == nil then
      return give_up()
    end
    err = raised
  end
end

-- Ends the loop of this thread, because event() has returned a value.
local function returned(value)
  local info = debug.getinfo(event, "S")
  local where = ""
  if info.what ~= "C" then
    where = (" (line %d of %s)"):format(info.linedefined, info.short_src)
  end
  host.returned(("event()%s returned a value (%s)"):format(where, type(value)))
end

return { recover = recover, returned = returned }
