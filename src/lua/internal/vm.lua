-- vm.lua - the clients of a Lua state that many of them share.
--
-- Each client has globals and a host table of its own; the __index of the host
-- table is that of the state.  Tables that scripts may write to are empty ones
-- with the common table as their __index.  Code is common: a chunk is loaded
-- once, and executed once per client with the client's globals.
local host = ...
-- Mostly executed once per client, and not worth machine code.
local jit = require("jit")
jit.off(true, true)
local base = _G
local pairs, ipairs, rawget, rawset, type, setmetatable = pairs, ipairs, rawget, rawset, type, setmetatable
local error, tostring, setfenv, unpack = error, tostring, setfenv, unpack
local new_table = require("table.new")

-- The host table of the running client, or nil.
local client_of = host.client

-- A chunk can wait before it has returned; until then, other clients need
-- another function.
local idle = {}
local taken = setmetatable({}, { __mode = "k" })

local function take(key, load, ...)
  local functions = idle[key]
  local n = functions and #functions or 0
  local chunk, err
  if n > 0 then
    chunk = functions[n]
    functions[n] = nil
  else
    chunk, err = load(...)
  end
  if chunk then
    taken[chunk] = key
  end
  return chunk, err
end

-- The chunk has returned.  Other functions are ignored.
local function give_back(chunk)
  local key = taken[chunk]
  if key then
    taken[chunk] = nil
    local functions = idle[key]
    if functions then
      functions[#functions + 1] = chunk
    else
      idle[key] = { chunk }
    end
  end
end

function host.take_body()
  return take("", host.load_body)
end

local compile = host.compile
function host.compile(path)
  local chunk, err = take(path, compile, path)
  if chunk then
    setfenv(chunk, client_of().G)
  end
  return chunk, err
end

local function results_of(chunk, ...)
  give_back(chunk)
  return ...
end

local dofile_of_lua = base.dofile
function base.dofile(path)
  if type(path) ~= "string" then
    return dofile_of_lua(path)
  end
  local chunk, err = host.compile(path)
  if not chunk then
    error(err, 0)
  end
  return results_of(chunk, chunk())
end

-- Modules with data of a client, or that use its globals.
local of_client = { cmdline = true, compat = true, report = true, restart = true, sql_error = true }
local chunks = {}

local function run_module(client, name)
  local chunk = chunks[name]
  if not chunk then
    chunk = host.chunk(name, host)
    chunks[name] = chunk
  end
  setfenv(chunk, client.G)
  return chunk(client) or true
end

local use = host.use
function host.use(name)
  if not of_client[name] then
    return use(name)
  end
  local client = client_of()
  local modules = rawget(client, "modules")
  if not modules then
    modules = {}
    client.modules = modules
  end
  local module = modules[name]
  if module == nil then
    module = run_module(client, name)
    modules[name] = module
  end
  return module
end

function host.sql_error()
  return host.use("sql_error")
end

-- The loop of events finds the modules of the running client.
host.load("loop", host)

-- Stand-ins for functions of such a module: the first call replaces those of
-- the client, unless the script has replaced them. places[prefix](globals) is
-- the table of the functions prefix ..  NAME.
local function lazily(module, names, places)
  local stand_ins = {}
  local function real(name)
    local functions = host.use(module)
    local G = client_of().G
    for prefix, place in pairs(places) do
      local there = place(G)
      for key, stand_in in pairs(stand_ins) do
        if type(there) == "table" and there[prefix .. key] == stand_in then
          there[prefix .. key] = functions[key]
        end
      end
    end
    return functions[name]
  end
  for _, name in ipairs(names) do
    stand_ins[name] = function(...)
      return real(name)(...)
    end
    for prefix, place in pairs(places) do
      place(base)[prefix .. name] = stand_ins[name]
    end
  end
end

local function globals(G)
  return G
end

-- The script may have replaced the table.
local function sysbench_of(G)
  return type(G.sysbench) == "table" and G.sysbench or {}
end

lazily("report", host.names.report, { report_ = sysbench_of })
lazily("cmdline", host.names.cmdline, {
  [""] = function(G)
    return sysbench_of(G).cmdline
  end,
})
lazily("compat", host.names.compat, {
  [""] = function(G)
    return sysbench_of(G).db
  end,
  db_ = globals,
})

function host.package()
  return client_of().package
end

local base_package = package
local searchpath = package.searchpath

-- Three of LuaJIT's loaders use fields of the common `package`.
local of_package = {
  function(name)
    return client_of().package.preload[name] or "\n\tno field package.preload['" .. name .. "']"
  end,
  function(name)
    local file, looked = searchpath(name, client_of().package.path)
    return file and host.module_in(file, name) or looked
  end,
  function(name)
    local file, looked = searchpath(name, client_of().package.cpath)
    return file and host.c_module_in(file, name) or looked
  end,
}
local n_replaced = 0
for i, loader in ipairs(base_package.loaders) do
  if debug.getinfo(loader, "S").what == "C" and n_replaced < #of_package then
    n_replaced = n_replaced + 1
    base_package.loaders[i] = of_package[n_replaced]
  end
end

-- The client has its own arrays as soon as the script looks at them.
local package_mt = {
  __index = function(package, key)
    local value = base_package[key]
    if key == "loaders" or key == "preload" then
      local copy = {}
      for k, v in pairs(value) do
        copy[k] = v
      end
      value = copy
      package[key] = value
    end
    return value
  end,
}

-- Name -> the metatable of each client's own library.
local libraries = {}

local loaded_mt = {
  __index = function(loaded, name)
    local common = base_package.loaded[name]
    if common ~= nil and common == rawget(base, name) then
      local own = rawget(loaded, "_G")[name]
      if own == nil and libraries[name] then -- the script has cleared the global
        own = setmetatable({}, libraries[name])
        rawset(loaded, name, own)
      end
      return own
    end
    return common
  end,
}

-- Modules of bundled scripts without data.
local stateless =
  { bench_columns = true, bench_doubt = true, bench_lost = true, bench_oltp = true, bench_on_demand = true, bench_options = true, bench_statements = true }

local LOADING = base.newproxy() -- the value of a module while it is executed

-- Files of modules that a client has found in the usual places.
local file_of = {}

local function find_loader(package, name)
  local usual = rawget(package, "loaders") == nil and rawget(package, "preload") == nil and
    rawget(package, "path") == nil and rawget(package, "cpath") == nil
  if usual and file_of[name] then
    return (host.module_in(file_of[name], name))
  end
  local loaders = rawget(package, "loaders") or base_package.loaders
  if type(loaders) ~= "table" then
    error("'package.loaders' must be a table", 3)
  end
  local looked = ""
  local i = 1
  while true do
    local loader = rawget(loaders, i)
    if loader == nil then
      error(("module '%s' not found:%s"):format(name, looked), 3)
    end
    local found = loader(name)
    if type(found) == "function" then
      file_of[name] = usual and taken[found] or nil
      return found
    elseif type(found) == "string" or type(found) == "number" then
      looked = looked .. found
    end
    i = i + 1
  end
end

function base.require(name)
  if type(name) ~= "string" then
    if type(name) ~= "number" then
      error(("bad argument #1 to 'require' (string expected, got %s)"):format(name == nil and "no value" or type(name)), 2)
    end
    name = tostring(name)
  end
  local client = client_of()
  local loaded = client.loaded
  local value = loaded[name]
  if value then
    if value == LOADING then
      error(("loop or previous error loading module '%s'"):format(name), 2)
    end
    return value
  end
  local loader = find_loader(client.package, name)
  if stateless[name] and taken[loader] then
    setfenv(loader, base)
    base_package.loaded[name] = loader(name)
    return base_package.loaded[name]
  end
  loaded[name] = LOADING
  value = loader(name)
  give_back(loader)
  if value ~= nil then
    loaded[name] = value
  elseif loaded[name] == LOADING then
    loaded[name] = true
  end
  return loaded[name]
end

-- The table at a.b.c in the globals, made if missing.
local function find_table(G, name)
  local at = G
  for part in name:gmatch("[^.]+") do
    local inner = rawget(at, part)
    if inner == nil then
      inner = {}
      at[part] = inner
    elseif type(inner) ~= "table" then
      error(("name conflict for module '%s'"):format(name), 3)
    end
    at = inner
  end
  return at
end

function base.module(name, ...)
  local client = client_of()
  local loaded = client.loaded
  local module = loaded[name]
  if type(module) ~= "table" then
    module = find_table(client.G, name)
    loaded[name] = module
  end
  if module._NAME == nil then
    module._M, module._NAME, module._PACKAGE = module, name, name:match("^.*%.") or ""
  end
  setfenv(2, module)
  for _, option in ipairs({ ... }) do
    option(module)
  end
end

-- A full collection would stop all clients, and each may ask for one.
local collect, collector_stopped = collectgarbage, host.collector_stopped
function base.collectgarbage(what, n)
  if what == nil or what == "collect" then
    collect("step", 0)
    return 0
  end
  if what == "stop" or what == "restart" then
    collector_stopped(what == "stop")
  end
  return collect(what, n)
end

-- Anything callable is a finalizer; functions of C need no care.
local function quiet(value)
  if value == nil or type(value) == "cdata" then
    return value
  end
  return host.quiet(value)
end

local proxy_mt = {
  __newindex = function(mt, key, value)
    rawset(mt, key, key == "__gc" and quiet(value) or value)
  end,
}
local newproxy_of_lua = base.newproxy
function base.newproxy(with)
  local proxy = newproxy_of_lua(with)
  if with == true then
    setmetatable(getmetatable(proxy), proxy_mt)
  end
  return proxy
end

-- Each client declares the types of the script, and LuaJIT refuses a second
-- declaration.  The methods of a type find those of the running client.
local function adapt_metatype(ffi)
  local metatype, typeof = ffi.metatype, ffi.typeof
  local known = {}
  function ffi.metatype(ct, mt)
    ct = typeof(ct)
    local key = tonumber(ct)
    local events = known[key]
    if not events then
      local common = {}
      for event, first in pairs(mt) do
        common[event] = event == "__gc" and quiet(first) or function(...)
          local own = client_of().metatypes[key][event]
          if type(own) == "table" then
            return own[select(2, ...)]
          end
          return own(...)
        end
      end
      metatype(ct, common)
      known[key] = true
    end
    local client = client_of()
    local own = rawget(client, "metatypes") or {}
    client.metatypes, own[key] = own, mt
    return ct
  end
end

function host.adapt_ffi(ffi)
  local cdef, gc = ffi.cdef, ffi.gc
  local declared = {}
  function ffi.cdef(text, ...)
    if select("#", ...) > 0 or type(text) ~= "string" then
      cdef(text, ...)
    elseif not declared[text] then
      cdef(text)
      declared[text] = true
    end
  end
  function ffi.gc(object, finalizer)
    return gc(object, quiet(finalizer))
  end
  adapt_metatype(ffi)
end

-- ---- tables that look like common ones ----

local common_of = {} -- what a table with this metatable looks like
local names_of = {} -- common table -> the tables in it, of which each client has its own
local lists = {} -- options whose values are tables
local base_pairs = pairs

-- From now on the table has everything itself.
local function fill(t, common)
  if names_of[common] then
    for name in base_pairs(names_of[common]) do
      local _ = t[name]
    end
  elseif t == client_of().options then
    for name in base_pairs(lists) do
      local _ = t[name]
    end
  elseif t == client_of().cmdline then
    local _ = t.options
  end
  setmetatable(t, nil)
  for key, value in base_pairs(common) do
    if rawget(t, key) == nil then
      t[key] = value
    end
  end
end

-- The metatable of tables that look like `common` until the script changes
-- them.
local function looks_like(common)
  local mt = {
    __index = common,
    __newindex = function(t, key, value)
      if value == nil and common[key] ~= nil then
        fill(t, common)
      end
      rawset(t, key, value)
    end,
  }
  common_of[mt] = common
  return mt
end

-- The same for a common table with tables in it.  Each client gets its own copy
-- of such a table on first use, with the metatable `metatables[name]`.
local function looks_like_tree(common, metatables)
  local mt = looks_like(common)
  names_of[common] = metatables
  function mt.__index(t, key)
    local part = metatables[key]
    if part then
      local own = setmetatable({}, part)
      rawset(t, key, own)
      return own
    end
    return common[key]
  end
  jit.on(mt.__index)
  return mt
end

-- Functions that would show the difference.
local getmetatable = getmetatable
local function fill_if_needed(t)
  local common = common_of[getmetatable(t)]
  if common then
    fill(t, common)
  end
end

function base.pairs(t)
  fill_if_needed(t)
  return base_pairs(t)
end

function base.getmetatable(t)
  fill_if_needed(t)
  return getmetatable(t)
end

function base.setmetatable(t, mt)
  fill_if_needed(t)
  return setmetatable(t, mt)
end

function base.rawget(t, key)
  local value = rawget(t, key)
  if value == nil and common_of[getmetatable(t)] then
    return t[key]
  end
  return value
end

-- Events may call these.
for _, f in ipairs({ looks_like, fill_if_needed, base.pairs, base.getmetatable, base.setmetatable, base.rawget }) do
  jit.on(f, true)
end

local options_mt

-- Lists are copied on first use.
local function own_list(_, name)
  local list = lists[name]
  if list then
    local copy = { unpack(list) }
    rawset(client_of().options, name, copy)
    return copy
  end
end

local function share_options(options)
  for name, value in base_pairs(options) do
    if type(value) == "table" then
      lists[name] = value
    end
  end
  for name in base_pairs(lists) do
    options[name] = nil
  end
  options_mt = looks_like(setmetatable(options, { __index = own_list }))
  host.options_known = true
end

-- The table sysbench.opt of the running client.  The first call has the values.
function host.new_options(options)
  if not options_mt then
    share_options(options)
  end
  local own = setmetatable({}, options_mt)
  client_of().options = own
  return own
end

-- Methods of strings are those of the common table, so it gets all additions of
-- scripts.  Each client finds the functions that it has not replaced itself.
local strings, own_strings = string, {}
for key, value in pairs(strings) do
  own_strings[key] = value
end

local strings_mt = looks_like(own_strings)
local set_string = strings_mt.__newindex
function strings_mt.__newindex(t, key, value)
  set_string(t, key, value)
  strings[key] = value
end

for name, library in pairs(base) do
  if type(library) == "table" and name ~= "_G" and name ~= "package" and name ~= "sysbench" then
    libraries[name] = library == strings and strings_mt or looks_like(library)
  end
end

local globals_mt, client_mt = looks_like_tree(base, libraries), { __index = host }
host.globals_mt = globals_mt

local of_sql = { type = looks_like(sysbench.sql.type), error = looks_like(sysbench.sql.error) }
local parts = {}
for name, part in pairs(sysbench) do
  if type(part) == "table" then
    parts[name] = name == "sql" and looks_like_tree(part, of_sql) or looks_like(part)
  end
end
local sysbench_mt = looks_like_tree(sysbench, parts)

-- The body has declared the options, the same in all clients; the program reads
-- those of the main state.  One copy is kept, and a client gets its own on
-- first use.
local declared

local function copy_of(t, seen)
  local copy = seen[t]
  if not copy then
    copy = {}
    seen[t] = copy
    for key, value in base_pairs(t) do
      copy[key] = type(value) == "table" and copy_of(value, seen) or value
    end
  end
  return copy
end

local declared_mt = looks_like(sysbench.cmdline)
local common_cmdline = sysbench.cmdline
function declared_mt.__index(t, key)
  if key ~= "options" then
    return common_cmdline[key]
  end
  local own = copy_of(declared, {})
  rawset(t, key, own)
  return own
end

-- A client that clears its options has none.
local set_cmdline = declared_mt.__newindex
function declared_mt.__newindex(t, key, value)
  if key == "options" and value == nil then
    fill(t, common_cmdline)
  end
  set_cmdline(t, key, value)
end

function host.body_done(body)
  give_back(body)
  local cmdline = client_of().cmdline
  local own = rawget(cmdline, "options")
  if type(own) ~= "table" then
    return
  end
  declared = declared or copy_of(own, {})
  if common_of[getmetatable(cmdline)] then
    rawset(cmdline, "options", nil)
    setmetatable(cmdline, declared_mt)
  else -- has all fields itself
    cmdline.options = copy_of(declared, {})
  end
end

-- The globals and the host table of a new client.
function host.new_client(tid)
  local G = setmetatable(new_table(0, 32), globals_mt)
  local loaded = setmetatable({ _G = G }, loaded_mt)
  local package = setmetatable({ loaded = loaded }, package_mt)
  local sysbench = setmetatable({ tid = tid }, sysbench_mt)
  G._G, G.package, G.sysbench, G.thread_id = G, package, sysbench, tid
  loaded.package = package
  local client = setmetatable({
    tid = tid,
    G = G,
    loaded = loaded,
    package = package,
    cmdline = sysbench.cmdline,
  }, client_mt)
  return G, client
end
