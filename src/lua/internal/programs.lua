-- programs.lua - os.execute(), io.popen() and os.exit().  Threads of a run
-- block the signals that end it; programs would inherit that, and a script
-- could not kill them.
local host = ...
local C = host.C
local popen, exit = host.popen, host.exit
local pcall, error, type = pcall, error, type

-- LuaJIT can be built with the functions of Lua 5.2, where `goto` is a keyword.
local is_52 = loadstring("local goto") == nil

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

-- Not system(), which ignores SIGINT meanwhile and loses a pending one.
function M.execute(command)
  if command == nil then
    return is_52 or 1 -- there is a shell
  elseif type(command) ~= "string" and type(command) ~= "number" then
    error(("bad argument #1 to 'execute' (string expected, got %s)"):format(type(command)), 2)
  end
  local status = C.bench_execute(tostring(command))
  if not is_52 then
    return status
  end
  local signal = status % 128
  if status < 0 then
    return nil, "cannot start a process", host.ffi.errno()
  elseif signal > 0 then
    return nil, "signal", signal
  end
  return status == 0 or nil, "exit", math.floor(status / 256)
end

-- A worker does not take the report of the run with it, nor done() its files.
function M.exit(code, ...)
  local status = type(code) == "boolean" and (code and 0 or 1) or tonumber(code) or 0
  local at = debug.getinfo(2, "Sl")
  local where = at and at.currentline > 0 and (" at %s:%d"):format(at.short_src, at.currentline) or ""
  if C.bench_exit_run(status % 256, ("os.exit(%s) was called%s"):format(tostring(status), where)) then
    error(host.abandoned, 0)
  end
  exit(code, ...)
end

return M
