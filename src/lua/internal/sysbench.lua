-- sysbench.lua - the table `sysbench` and the globals of a new state; runs
-- first.
--
-- Thousands of states may exist, so code that a script may never use is loaded
-- on first use, in place of a small function.
local host = ...

-- On 64-bit ARM, machine code of LuaJIT 2.1.0-beta3 calls functions in C with
-- wrong numbers: the check of another number overwrites a constant.  Events
-- were counted wrong, and two clients got the same key.  The release of this
-- number (Debian 13) is known to be right.
if jit.arch == "arm64" and tonumber(jit.version:match("^LuaJIT 2%.1%.(%d+)$") or 0) < 1737090214 then
  jit.off()
end

-- An error that is not a text has no place.  A message handler could find it,
-- but needs room that a full stack lacks, so handlers are for tracebacks only.
local error_of_lua, type_of, getinfo = error, type, debug.getinfo
function error(value, level)
  if level ~= 0 and type_of(value) ~= "string" then
    local at = getinfo((tonumber(level) or 1) + 1, "Sl")
    host.raised = value
    host.raised_at = at and at.currentline > 0 and ("%s:%d: "):format(at.short_src, at.currentline) or ""
  end
  return error_of_lua(value, level)
end

-- Scripts that use LuaJIT's `ffi` get all declarations and types on first use.
-- The program's own modules have the ones that they need.
host.ffi = require("ffi")
_G.ffi = setmetatable({}, {
  __index = function(t, key)
    setmetatable(t, nil)
    for name, value in pairs(host.ffi) do
      if rawget(t, name) == nil then
        t[name] = value
      end
    end
    t.C = host.C
    host.declare_all(t)
    host.use("types")
    local adapt = host.adapt_ffi or host.use("finalizers").adapt_ffi
    adapt(t)
    return rawget(t, key)
  end,
})
package.loaded.ffi = _G.ffi

-- A printed line stays whole, whatever other threads print.
local tostring, select, concat = tostring, select, table.concat
local stdout = io.stdout
function print(...)
  local n = select("#", ...)
  if n == 1 then
    stdout:write(tostring((...)) .. "\n")
    return
  end
  local texts = { ... }
  for i = 1, n do
    texts[i] = tostring(texts[i])
  end
  stdout:write(concat(texts, "\t", 1, n) .. "\n")
end

-- While a finalizer runs, the collector looks stopped.
local collect, collector_stopped = collectgarbage, host.collector_stopped
function collectgarbage(what, ...)
  if what == "stop" or what == "restart" then
    collector_stopped(what == "stop")
  end
  return collect(what, ...)
end

local modules = {}

-- An internal module, loaded once.
local function use(name)
  local module = modules[name]
  if module == nil then
    module = host.load(name, host) or true
    modules[name] = module
  end
  return module
end

host.use = use

-- The functions of the script ABI; in a shared state, those that may wait are
-- replaced.
host.C = host.wait and use("waiting") or host.ffi.C

-- Refuses a method called with a dot, or for nil: functions in C would follow a
-- null pointer.  The error has the position of the script's call.
function host.check_object(object)
  if type(object) ~= "cdata" or object == nil then
    error("a method was called without its object (with a dot where a colon belongs?)", 3)
  end
end

-- Stand-ins for functions of a module: places[prefix][prefix ..  NAME] calls
-- NAME of the module.  The first call replaces all stand-ins by the module's
-- functions, unless the script has replaced them.  Few variables keep a
-- stand-in small.
local getupvalue = debug.getupvalue
local function lazily(module, names, places)
  local function real(name)
    local functions = use(module)
    for prefix, place in pairs(places) do
      for key, value in pairs(functions) do
        local there = place[prefix .. key]
        if type(there) == "function" then
          local _, first = getupvalue(there, 1)
          local _, second = getupvalue(there, 2)
          if first == real and second == key then
            place[prefix .. key] = value
          end
        end
      end
    end
    return functions[name]
  end
  for _, name in ipairs(names) do
    local function stand_in(...)
      return real(name)(...)
    end
    for prefix, place in pairs(places) do
      place[prefix .. name] = stand_in
    end
  end
end

-- Raised when the run is over in the middle of an event, which is given up; not
-- an error.
host.abandoned = setmetatable({}, {
  __tostring = function()
    return "the run is over"
  end,
})

function host.sql_error()
  return use("sql_error")
end

-- When a script begins to use SQL.
function host.load_sql()
  use("sql_types") -- replaces this function
  host.load_sql()
end

-- --luajit-cmd=NAME[=ARG,...]: a function of `jit`, or a module jit.NAME of
-- LuaJIT's own path, but not of the current folder.
local function luajit_command(text)
  package.path = package.path:gsub("%./%?%.lua;?", "")
  local name, rest = text:match("^([^=]*)=?(.*)$")
  local args, n = {}, 0
  for arg in (rest .. ","):gmatch("([^,]*),") do
    n = n + 1
    args[n] = arg ~= "" and arg or nil
  end
  if rest == "" then
    n = 0
  end
  local command = jit[name]
  if type(command) ~= "function" then
    local ok, module = pcall(require, "jit." .. name)
    command = ok and type(module) == "table" and module.start
    if type(command) ~= "function" then
      error(("unknown LuaJIT command '%s' (or the jit.* modules are not installed)"):format(name), 0)
    end
  end
  command(unpack(args, 1, n))
end

if host.luajit_cmd and host.luajit_cmd ~= "" then
  luajit_command(host.luajit_cmd)
end

package.path, package.cpath = host.path, host.cpath

-- The module in a file, compiled once for all states.
local function module_in(file, name)
  local chunk, err = host.compile(file)
  if not chunk then
    error("error loading module '" .. name .. "' from file '" .. file .. "':\n\t" .. err, 0)
  end
  return chunk
end

host.module_in = module_in

function host.package()
  return package
end

table.insert(package.loaders, 2, function(name)
  local file = package.searchpath(name, host.package().path)
  return file and module_in(file, name) -- otherwise the next loader lists the places
end)

-- Embedded scripts are not files for Lua.
local embedded = "embedded:/"
if host.datadir .. "/" == embedded then
  local loadfile_of_lua = loadfile
  function loadfile(path)
    if type(path) == "string" and path:sub(1, #embedded) == embedded then
      return host.compile(path)
    end
    return loadfile_of_lua(path)
  end
  function dofile(path)
    return assert(loadfile(path))()
  end
end

-- Like the loaders of LuaJIT.
local function c_module_in(file, name)
  local open, err = package.loadlib(file, "luaopen_" .. name:gsub("^.-%-", ""):gsub("%.", "_"))
  if not open then
    error("error loading module '" .. name .. "' from file '" .. file .. "':\n\t" .. err, 0)
  end
  return open
end

host.c_module_in = c_module_in

local places = { { ".lua", module_in }, { "/init.lua", module_in }, { ".so", c_module_in } }

-- A loader for the modules of one folder.
local function folder_loader(folder)
  return function(name)
    local base = folder .. "/" .. name:gsub("%.", "/")
    local looked = ""
    for _, place in ipairs(places) do
      local file = base .. place[1]
      if host.readable(file) then
        return place[2](file, name)
      end
      looked = looked .. "\n\tno file '" .. file .. "'"
    end
    return looked
  end
end

if host.folder then
  table.insert(package.loaders, folder_loader(host.folder))
end
local from_datadir = folder_loader(host.datadir)
table.insert(package.loaders, from_datadir)

-- Code of the program must not come from a folder in which other users can
-- write.  So its private modules, and all modules of a bundled script, come
-- from the script's folder, whatever the current folder and LUA_PATH contain.
table.insert(package.loaders, 2, function(name)
  if host.is_bundled or name:find("^bench_") then
    local chunk = from_datadir(name)
    return type(chunk) == "function" and chunk or nil
  end
end)

-- With several processes, the first one sends the others the modules found in
-- files; they look there first.
if host.record then
  for i, loader in ipairs(package.loaders) do
    package.loaders[i] = function(name)
      local chunk, extra = loader(name)
      local source = type(chunk) == "function" and debug.getinfo(chunk, "S").source
      if source and source:sub(1, 1) == "@" then
        host.record(name, source:sub(2))
      end
      return chunk, extra
    end
  end
end
if host.bundled then
  table.insert(package.loaders, 2, function(name)
    local text, path = host.bundled(name)
    if not text then
      return "\n\tno module '" .. name .. "' from process 0"
    end
    local chunk, err = loadstring(text, "@" .. path)
    if not chunk then
      error("error loading module '" .. name .. "' from file '" .. path .. "':\n\t" .. err, 0)
    end
    return chunk
  end)
end

sysbench = {
  tid = host.tid,
  version = host.version,
  version_string = "sysbench " .. host.version,
  bench_version = host.bench_version,
  bench_program = host.program,
  error = { NONE = 0, RESTART_EVENT = 1 },
  hooks = {},
  cmdline = {
    argv = host.argv,
    command = host.command,
    script_path = host.script_path,
    ARG_NULL = 0,
    ARG_BOOL = 1,
    ARG_INT = 2,
    ARG_SIZE = 3,
    ARG_DOUBLE = 4,
    ARG_STRING = 5,
    ARG_LIST = 6,
    ARG_FILE = 7,
    ARG_MAX = 8,
    PARALLEL_COMMAND = true,
  },
  rand = use("rand"),
  sql = {
    type = {
      NONE = 0,
      TINYINT = 1,
      SMALLINT = 2,
      INT = 3,
      BIGINT = 4,
      FLOAT = 5,
      DOUBLE = 6,
      TIME = 7,
      DATE = 8,
      DATETIME = 9,
      TIMESTAMP = 10,
      CHAR = 11,
      VARCHAR = 12,
    },
    error = { NONE = 0, IGNORABLE = 1, FATAL = 2 },
  },
  histogram = {},
  counter = {},
  db = {
    DB_ERROR_NONE = 0,
    DB_ERROR_RESTART_TRANSACTION = 1,
    DB_ERROR_FAILED = 2,
  },
}

function sysbench.sql.driver(name)
  host.load_sql()
  sysbench.sql.driver = use("sql")
  return sysbench.sql.driver(name)
end
function host.named_histogram(name, unit)
  return use("counter").named_histogram(name, unit)
end
host.popen, host.newproxy = io.popen, newproxy
host.setlocale, host.exit = os.setlocale, os.exit
-- Functions of modules that are loaded on first use.
local names = {
  report = { "default", "csv", "json" },
  cmdline = {
    "read_cmdline_options",
    "print_test_options",
    "command_defined",
    "command_parallel",
    "command_begin",
    "command_failed",
    "call_command",
  },
  compat = {
    "connect",
    "disconnect",
    "query",
    "bulk_insert_init",
    "bulk_insert_next",
    "bulk_insert_done",
    "prepare",
    "bind_param",
    "bind_result",
    "execute",
    "store_results",
    "free_results",
    "close",
  },
}

-- Otherwise its loops would be compiled again in each state.
require("jit").off(lazily, true)
lazily("programs", { "execute", "exit" }, { [""] = os })
lazily("programs", { "popen" }, { [""] = io })
if not host.wait then
  lazily("finalizers", { "newproxy" }, { [""] = _G })
end
lazily("locale", { "setlocale" }, { [""] = os })
lazily("histogram", { "new" }, { [""] = sysbench.histogram })
lazily("counter", { "new" }, { [""] = sysbench.counter })
lazily("ack", { "ack", "ack_query" }, { [""] = sysbench })
lazily("report", names.report, { report_ = sysbench })
lazily("cmdline", names.cmdline, { [""] = sysbench.cmdline })
host.cmdline = sysbench.cmdline
function host.validate(name, value)
  use("cmdline") -- replaces this function
  return host.validate(name, value)
end

use("loop")
sysbench.iteration = host.iteration
sysbench.rest = host.rest

lazily("compat", names.compat, { [""] = sysbench.db, db_ = _G })

DB_ERROR_NONE = 0
DB_ERROR_RESTART_TRANSACTION = 1
DB_ERROR_FAILED = 2

sb_rand = sysbench.rand.default
sb_rand_str = sysbench.rand.string
sb_rand_uniform = sysbench.rand.uniform
sb_rand_gaussian = sysbench.rand.gaussian
sb_rand_special = sysbench.rand.special
sb_rand_uniq = host.unique_in
local uniform = sysbench.rand.uniform
function sb_rnd()
  return uniform(0, 4294967295)
end

thread_id = host.tid
test = host.script_path
mysql_table_engine = "innodb"
myisam_max_rows = 1000000

if host.wait then
  host.names = names
  use("vm")
  host.names = nil
end
