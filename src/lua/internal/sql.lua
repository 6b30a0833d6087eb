-- sql.lua - drivers, connections and result sets.
--
-- Objects are pointers to C structs.  A closed object stays in memory until its
-- pointer is collected.  A pointer with a finalizer owns the object.
-- Statements and result sets keep their connection alive through the upvalue of
-- their finalizer.
local host = ...
local ffi = host.ffi
local C = host.C
local ffi_string, ffi_cast, ffi_gc = ffi.string, ffi.cast, ffi.gc
local tonumber, type = tonumber, type
local new_table = require("table.new")

-- Errors are rare, so their module is loaded with the first one.  LuaJIT loads
-- nothing while a finalizer runs.
local function raise(con, query, level)
  local loaded, errors = pcall(host.sql_error)
  if not loaded then
    local why = C.bench_db_api_error(con)
    error(why ~= nil and ffi.string(why) or "a statement has failed in a finalizer", level + 1)
  end
  return errors.raise(con, query, level)
end
host.sql_raise = raise

local c_query = C.bench_db_query
local c_fetch_row, c_free_results = C.db_fetch_row, C.db_free_results
local c_class = C.bench_db_class
local NONE = C.DB_ERROR_NONE
local uintptr_t = ffi.typeof("uintptr_t")

-- "No result set" is a null pointer, equal to nil, with a type of its own: a
-- field of a null sql_result would crash the program.
ffi.cdef("struct bench_no_result {};")
local no_result = ffi.new("struct bench_no_result *")
ffi.metatype("struct bench_no_result", {
  __index = {
    nrows = 0,
    nfields = 0,
    fetch_row = function() end,
    free = function()
      C.db_free_results(nil) -- reports the mistake
      error("db_free_results() failed", 2)
    end,
  },
  __tostring = function()
    return "<sql_result>"
  end,
})

local function address(object)
  return tonumber(ffi_cast(uintptr_t, object))
end

-- For code that is not compiled, where a cast leaves garbage.
local c_address = C.bench_db_address

local class_of = {}

-- Classes live as long as the program.
local function class(label)
  local cls = class_of[label]
  if not cls then
    if type(label) ~= "string" or #label > 64 then
      error("a label is a string of at most 64 bytes", 3)
    end
    cls = c_class(label)
    class_of[label] = cls
  end
  return cls
end
host.sql_class = class

-- Owners of connections and of their result sets, by the address of the
-- connection; weak.
local connections = setmetatable({}, { __mode = "v" })
local results = setmetatable({}, { __mode = "v" })

-- One finalizer for all statements of a connection, by its address.
local finalizers = setmetatable({}, { __mode = "v" })

-- A finalizer that frees a statement and keeps the owner alive.
function host.sql_finalizer(owner)
  local at = c_address(owner)
  local known = finalizers[at]
  if not known then
    function known(object)
      host.sql_free_statement(object)
      return owner
    end
    finalizers[at] = known
  end
  return known
end

local function own(con)
  local at = c_address(con)
  connections[at], finalizers[at] = con, nil
end

local function make_result(con, rs, at)
  local owner = connections[at] or con
  local kept = ffi_gc(ffi_cast("sql_result *", rs), function()
    return owner
  end)
  results[at] = kept
  return kept
end

-- The object for a result set, the same every time.
local function result_of(con, rs)
  local at = address(con)
  local known = results[at]
  if known and known == rs then
    return known
  end
  return make_result(con, rs, at)
end
host.sql_result_of = result_of
host.sql_no_result = no_result

-- The owner of the connection that another object points to.
function host.sql_owner(con)
  return connections[c_address(con)] or con
end

local result = host.methods.result

local function value(v)
  if v.ptr == nil then
    return nil
  end
  return ffi_string(v.ptr, v.len)
end

function result:fetch_row()
  local row = c_fetch_row(self)
  if row == nil then
    return nil
  end
  local n = self.nfields
  local values = row.values
  local t = new_table(n, 0)
  if n == 1 then -- no loop: compiled code would make it a separate trace
    t[1] = value(values[0])
    return t
  end
  for i = 1, n do
    local v = values[i - 1]
    if v.ptr ~= nil then
      t[i] = ffi_string(v.ptr, v.len)
    end
  end
  return t
end

function result:free()
  if c_free_results(self) ~= 0 then
    error("db_free_results() failed", 2)
  end
  return true
end

local connection = host.methods.connection

-- NULL from a C function: no result set, or an error.
local function no_rows(con, query)
  if con == nil then
    error("there is no connection (a dot where a colon belongs?)", 3)
  end
  if con.error ~= NONE then
    raise(con, query, 3)
  end
  return no_result
end
host.sql_no_rows = no_rows

function connection:query(query, label)
  if type(query) ~= "string" then
    error(("bad argument #1 to 'query' (string expected, got %s)"):format(type(query)), 2)
  end
  local rs = c_query(self, query, #query, label and class(label))
  if rs == nil then
    local none = no_rows(self, query)
    return none
  end
  return (result_of(self, rs))
end

function connection:query_row(query, label)
  if type(query) ~= "string" then
    error(("bad argument #1 to 'query_row' (string expected, got %s)"):format(type(query)), 2)
  end
  local rs = c_query(self, query, #query, label and class(label))
  if rs == nil then
    no_rows(self, query)
    return nil
  end
  if rs.nrows == 0 then
    return nil
  end
  local n = rs.nfields
  local row = c_fetch_row(rs)
  if row == nil then
    error("query_row: the row that was sent cannot be read", 2)
  end
  local values = row.values
  if n == 1 then
    return (value(values[0]))
  elseif n == 2 then
    return value(values[0]), (value(values[1]))
  end
  local t = new_table(n, 0)
  for i = 1, n do
    t[i] = value(values[i - 1])
  end
  return unpack(t, 1, n)
end

local driver = host.methods.driver

local function check_driver(drv)
  if not ffi.istype("sql_driver *", drv) or drv == nil then
    error("a method was called without its driver (with a dot where a colon belongs?)", 3)
  end
end

function driver:name()
  check_driver(self)
  return ffi_string(self.sname)
end

function driver:dialect(key)
  check_driver(self)
  return ffi_string(C.bench_dialect(self, key))
end

function driver:connect(params)
  check_driver(self)
  local t = {}
  if params ~= nil then
    if type(params) ~= "table" then
      error(("bad argument #1 to 'connect' (table expected, got %s)"):format(type(params)), 2)
    end
    t = host.use("sql_more").connect_texts(ffi_string(self.sname), params)
  end
  local con = C.bench_db_connect(self, t[1], t[2], t[3], t[4], t[5], t[6])
  if con == nil then
    if C.bench_db_too_late() then
      error(host.abandoned, 0)
    end
    error("connection creation failed", 2)
  end
  con = ffi_gc(con, C.db_connection_free)
  own(con)
  return con
end

function driver:visitor()
  check_driver(self)
  local con = host.use("sql_visit").visitor(self)
  own(con)
  return con
end

-- sysbench.sql.driver
return function(name)
  if name ~= nil and type(name) ~= "string" then
    error(("bad argument #1 to 'driver' (string expected, got %s)"):format(type(name)), 2)
  end
  local drv = C.db_create(name)
  if drv == nil then
    error("failed to initialize the DB driver", 2)
  end
  return drv
end
