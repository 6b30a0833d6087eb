-- sql_more.lua - rarely used methods of drivers, connections and statements.
local host = ...
local ffi = host.ffi
local C = host.C
local ffi_string = ffi.string

local c_next_result, c_more_results = C.db_next_result, C.db_more_results
local result_of = host.sql_result_of
local no_rows = host.sql_no_rows
local NONE, IGNORABLE = C.DB_ERROR_NONE, C.DB_ERROR_IGNORABLE
local check_object = host.check_object

local M = {}
local connection, statement = host.methods.connection, host.methods.statement

function connection:next_result()
  check_object(self)
  local rs = c_next_result(self)
  if rs == nil then
    local none = no_rows(self, "")
    return none
  end
  return (result_of(self, rs))
end

function connection:more_results()
  check_object(self)
  return c_more_results(self)
end

function connection:check_error(rs, query)
  check_object(self)
  if rs == nil and self.error ~= NONE then
    host.sql_raise(self, query, 2)
  end
  return rs
end

function connection:disconnect()
  check_object(self)
  C.db_connection_close(self)
  return true
end

function connection:reconnect()
  check_object(self)
  if C.db_connection_reconnect(self) ~= 0 then
    C.bench_db_print_message(C.bench_db_take_message(self), nil)
    if C.bench_db_failure(self) % 2 == 1 then
      error(host.abandoned, 0)
    end
    error("reconnect failed: " .. ffi_string(C.bench_db_reason(self)), 2)
  end
  return true
end

function connection:visit(query, way)
  check_object(self)
  local times = host.use("sql_visit").visit(self, query, way)
  return times
end

local prefix_length = ffi.new("size_t[1]")

local function bulk_failed(con, name)
  if con.error == IGNORABLE then
    local text = C.bench_db_bulk_prefix(con, prefix_length)
    host.sql_raise(con, ffi_string(text, tonumber(prefix_length[0])), 3)
  end
  local reason = host.sql_error().describe(con)
  error(name .. "() failed" .. (reason and ": " .. reason or ""), 3)
end

function connection:bulk_insert_init(query)
  check_object(self)
  if type(query) ~= "string" then
    error(("bad argument #1 to 'bulk_insert_init' (string expected, got %s)"):format(type(query)), 2)
  end
  if C.db_bulk_insert_init(self, query, #query) ~= 0 then
    bulk_failed(self, "db_bulk_insert_init")
  end
  return true
end

local c_bulk_next = C.db_bulk_insert_next

function connection:bulk_insert_next(row)
  check_object(self)
  if type(row) ~= "string" then
    error(("bad argument #1 to 'bulk_insert_next' (string expected, got %s)"):format(type(row)), 2)
  end
  if c_bulk_next(self, row, #row) ~= 0 then
    bulk_failed(self, "db_bulk_insert_next")
  end
  return true
end

function connection:bulk_insert_done()
  check_object(self)
  if C.db_bulk_insert_done(self) ~= 0 then
    bulk_failed(self, "db_bulk_insert_done")
  end
  return true
end

function connection:copy_rows(spec)
  check_object(self)
  local n = host.use("sql_copy")(self, spec)
  return n
end

function connection:pipeline(f)
  check_object(self)
  local p = host.use("sql_pipeline").run(self, f)
  return p
end

function statement:next_result()
  local rs = C.db_stmt_next_result(self)
  if rs == nil then
    local none = host.stmt_no_rows(self)
    return none
  end
  return (result_of(self.connection, rs))
end

local connect_keys = { "host", "port", "socket", "user", "password", "db" }

-- The texts of connect{...}, in the order of connect_keys.
function M.connect_texts(name, params)
  local texts, known = {}, {}
  for i, key in ipairs(connect_keys) do
    known[key] = name ~= "sqlite" or key == "db"
    local v = params[key]
    if v ~= nil then
      if type(v) == "number" and key == "port" then
        v = ("%d"):format(v)
      end
      if type(v) ~= "string" then
        error(("connect: '%s' must be a string"):format(key), 3)
      end
      texts[i] = v
    end
  end
  for key in pairs(params) do
    if not known[key] then
      error(("connect: unknown key '%s'"):format(tostring(key)), 3)
    end
  end
  return texts
end

return M
