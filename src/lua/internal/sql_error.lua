-- sql_error.lua - the error of a failed SQL call, and the script's hook for it.
local host = ...
-- Runs too rarely to be worth memory for machine code.
require("jit").off(true, true)
local ffi = host.ffi
local C = host.C
local ffi_string = ffi.string

local c_failure = C.bench_db_failure
local c_take, c_print, c_drop = C.bench_db_take_message, C.bench_db_print_message, C.bench_db_drop_message
local c_forgive = C.bench_db_forgive
local ABANDONED, IGNORABLE, RECONNECTED, EARLIER = 1, 2, 4, 8

local M = {}

local function describe(errno, state, text)
  return ("SQL error, errno = %d, state = '%s': %s"):format(errno, state, text)
end

local error_mt = {
  __tostring = function(err)
    return describe(err.sql_errno, err.sql_state, err.sql_errmsg)
  end,
  __metatable = false,
}

local function text_or(pointer, default)
  return pointer ~= nil and ffi_string(pointer) or default
end

local function make(con, query, reconnected)
  return setmetatable({
    connection = con,
    query = query,
    sql_errno = con.sql_errno,
    sql_state = text_or(con.sql_state, ""),
    sql_errmsg = text_or(con.sql_errmsg, ""),
    reconnected = reconnected,
  }, error_mt)
end

-- The hook is not called for errors of its own statements.
local in_hook = false

-- Returns true, false, or the error of the hook.
local function ask(hook, err)
  in_hook = true
  local ok, answer = pcall(hook, err)
  in_hook = false
  return ok, answer
end

-- Asks the hook about a fatal error; true: treat as ignorable.  Otherwise,
-- prints the message of the driver; `text` is that of the Lua error.
local function is_forgiven(con, err, text)
  local hook = sysbench.hooks.sql_error_ignorable
  if type(hook) ~= "function" or in_hook then
    c_print(c_take(con), text)
    return false
  end
  local message = c_take(con)
  local ok, answer = ask(hook, err)
  if not ok or not answer then
    c_print(message, text)
    if not ok then
      error(answer, 0)
    end
    return false
  end
  c_drop(message)
  return true
end

-- The position of the script's call.  A method passed to pcall() has no line,
-- but its caller has.
local function place_of(level)
  local info = debug.getinfo(level + 1, "Sl")
  if info and info.what == "C" then
    info = debug.getinfo(level + 2, "Sl")
  end
  return info and info.what ~= "C" and
    ("%s:%d: "):format(info.short_src, info.currentline) or ""
end

-- Raises the error of the last call on the connection.  `level` is that of
-- error() for the script's call, seen from here.
function M.raise(con, query, level)
  local flags = c_failure(con)
  if bit.band(flags, ABANDONED) ~= 0 then
    error(host.abandoned, 0)
  end
  local api_error = C.bench_db_api_error(con)
  if api_error ~= nil then
    error(place_of(level + 1) .. ffi_string(api_error), 0)
  end
  if bit.band(flags, EARLIER) ~= 0 then
    query = "" -- not sent
  end
  local err = make(con, query, bit.band(flags, RECONNECTED) ~= 0)
  if bit.band(flags, IGNORABLE) == 0 then
    local place = place_of(level + 1)
    local text = place .. tostring(err)
    if not is_forgiven(con, err, text) then
      error(text, 0)
    end
    flags = c_forgive(con)
    if bit.band(flags, ABANDONED) ~= 0 then
      error(host.abandoned, 0)
    elseif bit.band(flags, IGNORABLE) == 0 then
      err = make(con, query, false)
      text = place .. tostring(err)
      c_print(c_take(con), text)
      error(text, 0)
    end
    err.reconnected = bit.band(flags, RECONNECTED) ~= 0
  end
  err.errcode = 1
  error(err, 0)
end

-- The error in words, for calls whose errors never restart an event.
function M.describe(con)
  if bit.band(c_failure(con), ABANDONED) ~= 0 then
    error(host.abandoned, 0)
  end
  c_print(c_take(con), nil)
  if con.error == C.DB_ERROR_NONE or con.sql_errmsg == nil then
    return nil
  end
  return describe(con.sql_errno, text_or(con.sql_state, ""), text_or(con.sql_errmsg, ""))
end

return M
