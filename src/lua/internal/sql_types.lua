-- sql_types.lua - the types of SQL objects.  Methods are loaded on first use,
-- because a script may get the objects from C functions.
local host = ...
local ffi, use = host.ffi, host.use

local function lazy_methods()
  local methods = {}
  return setmetatable(methods, {
    __index = function(_, name)
      host.load_sql()
      return rawget(methods, name)
    end,
  })
end

local methods = {
  driver = lazy_methods(),
  connection = lazy_methods(),
  statement = lazy_methods(),
  result = lazy_methods(),
}
host.methods = methods

function host.load_sql()
  local more = {
    __index = function(t, name)
      use(name == "prepare" and "sql_stmt" or "sql_more")
      return rawget(t, name)
    end,
  }
  setmetatable(methods.driver, nil)
  setmetatable(methods.result, nil)
  setmetatable(methods.connection, more)
  setmetatable(methods.statement, more)
  host.load_sql = function() end
  use("sql")
end

local function set_type(name, of_type)
  ffi.metatype(name, {
    __index = of_type,
    __tostring = function()
      return "<" .. name .. ">"
    end,
  })
end
set_type("sql_driver", methods.driver)
set_type("sql_connection", methods.connection)
set_type("sql_statement", methods.statement)
set_type("sql_result", methods.result)
