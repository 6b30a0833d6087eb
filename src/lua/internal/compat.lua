-- compat.lua - the interface of release 1.0 and earlier: global functions on
-- one implicit connection.
local host = ...
local sql = sysbench.sql
local T = sql.type
local C, ffi_string = host.C, host.ffi.string
host.load_sql()

local db = {}

local con

-- Statements and result sets are userdata, as in 1.0, which stand for these
-- objects:
local statements = setmetatable({}, { __mode = "k" })
local result_sets = setmetatable({}, { __mode = "k" })

local function make_proxy(text)
  local proxy = newproxy(true)
  getmetatable(proxy).__tostring = function()
    return text
  end
  return proxy
end

local function bad_argument(n, name, wanted, got)
  error(("bad argument #%d to '%s' (%s expected, got %s)"):format(n, name, wanted, type(got)), 4)
end

local function check_text(n, name, value)
  if type(value) ~= "string" and type(value) ~= "number" then
    bad_argument(n, name, "string", value)
  end
  return tostring(value)
end

local function statement_of(name, value)
  return statements[value] or bad_argument(1, name, "statement", value)
end

-- A colon and the reason of an error if the connection was misused.  Drivers
-- print all other reasons.
local function misuse(connection, err)
  local text = connection ~= nil and C.bench_db_api_error(connection) or nil
  if text == nil then
    return ""
  end
  text = ffi_string(text)
  -- otherwise the text of an earlier call
  return tostring(err):sub(-#text) == text and ": " .. text or ""
end

-- Calls a function on this connection, and returns its value.  An error that
-- restarts the event is raised unchanged, others as "NAME() failed" at the
-- caller.
local function attempt(name, connection, f, ...)
  local ok, value = pcall(f, ...)
  if ok then
    return value
  end
  if value == host.abandoned or (type(value) == "table" and value.errcode == sysbench.error.RESTART_EVENT) then
    error(value, 0)
  end
  error(name .. "() failed" .. misuse(connection, value), 3)
end

-- Connects on first use.  Errors have the position of the caller.
local function connect()
  if con then
    return
  end
  local ok, drv = pcall(sql.driver)
  if not ok then
    error("DB initialization failed", 3)
  end
  local made
  ok, made = pcall(drv.connect, drv)
  if made == host.abandoned then
    error(made, 0)
  elseif not ok then
    error("Failed to connect to the database", 3)
  end
  _G.db_driver = drv:name()
  con = made
end

function db.connect()
  connect()
end

function db.disconnect()
  if con then
    local was = con
    con = nil
    was:disconnect()
  end
end

function db.query(query)
  query = check_text(1, "db_query", query)
  connect()
  local rs = attempt("db_query", con, con.query, con, query)
  if rs ~= nil then
    rs:free()
  end
end

function db.bulk_insert_init(query)
  query = check_text(1, "db_bulk_insert_init", query)
  connect()
  attempt("db_bulk_insert_init", con, con.bulk_insert_init, con, query)
end

function db.bulk_insert_next(row)
  row = check_text(1, "db_bulk_insert_next", row)
  if not con then
    error("Uninitialized database connection", 2)
  end
  attempt("db_bulk_insert_next", con, con.bulk_insert_next, con, row)
end

function db.bulk_insert_done()
  if not con then
    error("Uninitialized database connection", 2)
  end
  attempt("db_bulk_insert_done", con, con.bulk_insert_done, con)
end

function db.prepare(query)
  query = check_text(1, "db_prepare", query)
  connect()
  local stmt = attempt("db_prepare", con, con.prepare, con, query)
  local proxy = make_proxy("<sql_statement>")
  statements[proxy] = { stmt = stmt }
  return proxy
end

-- The types of the values, in the order of `next`.
local function read_types(name, values)
  if type(values) ~= "table" then
    error("table was expected", 3)
  end
  local keys, types = {}, {}
  for key, value in pairs(values) do
    local kind = type(value)
    if kind == "number" then
      types[#types + 1] = T.BIGINT
    elseif kind == "string" then
      types[#types + 1] = T.VARCHAR
    else
      error("Unsupported variable type: " .. kind, 3)
    end
    keys[#keys + 1] = key
  end
  if #keys == 0 then
    error("table is empty", 3)
  end
  return keys, types
end

-- Binds parameters with room for the current strings.
local function bind(record)
  local params = {}
  for i, kind in ipairs(record.types) do
    local room
    if kind == T.VARCHAR then
      local value = record.values[record.keys[i]]
      room = math.max(64, 2 * #tostring(value == nil and "" or value))
    end
    params[i] = host.sql_new_param(kind, room)
  end
  host.sql_bind(record.stmt, params, #params, 4)
  record.params = params
end

function db.bind_param(stmt, values)
  local record = statement_of("db_bind_param", stmt)
  local keys, types = read_types("db_bind_param", values)
  record.values, record.keys, record.types = values, keys, types
  bind(record)
end

function db.bind_result(stmt, values)
  statement_of("db_bind_result", stmt)
  read_types("db_bind_result", values)
end

-- Gives the parameters the current values of the script's table.
local function set_params(record)
  for i, p in ipairs(record.params) do
    local value = record.values[record.keys[i]]
    if type(value) == "number" and p.type == T.VARCHAR then
      value = tostring(value)
    elseif type(value) == "string" and p.type == T.BIGINT then
      value = tonumber(value) or bad_argument(1, "db_execute", "number", value)
    end
    if type(value) == "string" and #value > p.max_len then
      bind(record)
      return set_params(record)
    end
    p:set(value)
  end
end

local function execute(record)
  if record.params then
    set_params(record)
  end
  return record.stmt:execute()
end

function db.execute(stmt)
  local record = statement_of("db_execute", stmt)
  local rs = attempt("db_execute", record.stmt.connection, execute, record)
  local proxy = make_proxy("<sql_result>")
  result_sets[proxy] = { rs = rs }
  return proxy
end

local function result_of(name, value)
  return result_sets[value] or bad_argument(1, name, "result set", value)
end

function db.store_results(rs)
  result_of("db_store_results", rs)
end

function db.free_results(rs)
  local record = result_of("db_free_results", rs)
  if record.rs ~= nil then
    if record.rs.nfields > 0 then
      record.rs:free()
    end
    record.rs = nil
  end
end

function db.close(stmt)
  statement_of("db_close", stmt).stmt:close()
end

return db
