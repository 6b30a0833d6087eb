-- programs.lua - os.execute() and io.popen().
--
-- The threads of a run block the signals that end it, and what they start would
-- inherit that: a script could not end what it has started with kill.
local host = ...
local C = host.ffi.C
local popen, execute = host.popen, host.execute
local pcall, error, type = pcall, error, type

local M = {}

function M.popen(...)
  C.bench_signals_open()
  local ok, file, message, number = pcall(popen, ...)
  C.bench_signals_close()
  if not ok then
    error(file, 2)
  end
  return file, message, number
end

function M.execute(command)
  if command == nil then
    return execute()
  elseif type(command) == "number" then
    command = tostring(command)
  elseif type(command) ~= "string" then
    error(("bad argument #1 to 'execute' (string expected, got %s)"):format(type(command)), 2)
  end
  local status = C.bench_execute(command)
  if type(execute()) ~= "boolean" then
    return status
  end
  -- A LuaJIT that was built for the functions of Lua 5.2.
  local number, signal = math.floor(status / 256), status % 128
  if status == -1 then
    return nil, "cannot start a process", host.ffi.errno()
  elseif signal > 0 then
    return nil, "signal", signal
  end
  return number == 0 or nil, "exit", number
end

return M
