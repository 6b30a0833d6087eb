-- sql_stmt.lua - prepared statements and their parameters.
local host = ...
local ffi = host.ffi
local C = host.C
local ffi_copy, ffi_gc, ffi_new, ffi_string = ffi.copy, ffi.gc, ffi.new, ffi.string
local tonumber, type = tonumber, type

local raise = host.sql_raise
local result_of, no_result = host.sql_result_of, host.sql_no_result
local owner_of = host.sql_owner

local c_execute, c_text = C.db_execute, C.bench_rand_text
local c_draw, c_address, c_describe = C.bench_db_draw, C.bench_db_address, C.bench_param_describe
local NONE = C.DB_ERROR_NONE
local T = sysbench.sql.type
local binds_t = ffi.typeof("sql_bind[?]")

-- A parameter is one object with all that a binding points to: thousands of
-- connections have many parameters.
ffi.cdef([[
struct bench_integer_param {
  int type, max_len; char is_null[1]; unsigned long data_len[1]; int64_t buffer[1];
};
struct bench_double_param {
  int type, max_len; char is_null[1]; unsigned long data_len[1]; double buffer[1];
};
struct bench_text_param {
  int type, max_len; char is_null[1]; unsigned long data_len[1]; char buffer[?];
};
]])
local integer_t = ffi.typeof("struct bench_integer_param")
local double_t = ffi.typeof("struct bench_double_param")
local text_t = ffi.typeof("struct bench_text_param")
local istype = ffi.istype

local param = {}

-- Types of values that become numbers.  C would refuse others without the
-- script's line.
local numbers = { number = true, boolean = true, cdata = true }

local function set_integer(p, v)
  if not numbers[type(v)] then
    error(("cannot convert '%s' to 'int64_t'"):format(type(v)), 3)
  end
  p.buffer[0] = v
end

local function set_double(p, v)
  if not numbers[type(v)] then
    error(("cannot convert '%s' to 'double'"):format(type(v)), 3)
  end
  p.buffer[0] = v
end

local function set_string(p, v)
  if type(v) ~= "string" then
    error(("cannot convert '%s' to 'string'"):format(type(v)), 3)
  end
  local len = #v
  if len > p.max_len then
    len = p.max_len
  end
  ffi_copy(p.buffer, v, len)
  p.data_len[0] = len
end

-- New parameters are copies: until this module is compiled, each use of an
-- array leaves an object as garbage.
local function first_of(p, kind)
  p.type, p.max_len = kind, 8
  p.is_null[0], p.data_len[0] = 1, 8
  return p
end

local new_integer = first_of(integer_t(), T.BIGINT)
local new_double = first_of(double_t(), T.DOUBLE)
local new_text = first_of(text_t(8), T.VARCHAR)
new_text.data_len[0] = 0
local TEXT_HEAD = ffi.offsetof(text_t, "buffer")

local function integer()
  return (integer_t(new_integer))
end

local function double()
  return (double_t(new_double))
end

local function text(max_len)
  if type(max_len) ~= "number" or not (max_len >= 0 and max_len < 2 ^ 31) then
    error("CHAR and VARCHAR parameters need a maximum length", 3)
  end
  max_len = math.floor(max_len)
  local p = text_t(math.max(max_len, 1))
  ffi_copy(p, new_text, TEXT_HEAD)
  p.max_len = max_len
  return p
end

local kinds = {
  [T.TINYINT] = integer,
  [T.SMALLINT] = integer,
  [T.INT] = integer,
  [T.BIGINT] = integer,
  [T.FLOAT] = double,
  [T.DOUBLE] = double,
  [T.CHAR] = text,
  [T.VARCHAR] = text,
}

function param:set(v)
  if v == nil then
    self.is_null[0] = 1
    return
  end
  local kind = self.type
  if kind == 4 then -- BIGINT
    set_integer(self, v)
  elseif kind == 12 then -- VARCHAR
    set_string(self, v)
  else
    set_double(self, v)
  end
  self.is_null[0] = 0
end

function param:set_rand_str(format)
  if self.type ~= T.VARCHAR then
    error("Unsupported argument type: " .. self.type, 2)
  end
  if type(format) ~= "string" then
    error(("bad argument #1 to 'set_rand_str' (string expected, got %s)"):format(type(format)), 2)
  end
  local len = #format
  if len > self.max_len then
    len = self.max_len
  end
  c_text(format, len, self.buffer)
  self.data_len[0] = len
  self.is_null[0] = 0
end

local param_mt = {
  __index = param,
  __tostring = function()
    return "<sql_param>"
  end,
}
ffi.metatype(integer_t, param_mt)
ffi.metatype(double_t, param_mt)
ffi.metatype(text_t, param_mt)

local function new_param(kind, max_len)
  local known = kinds[tonumber(kind)]
  if not known then
    error("Unsupported argument type: " .. tostring(kind), 3)
  end
  return known(max_len) -- takes the place of this function on the stack
end

local function is_param(p)
  return istype(integer_t, p) or istype(text_t, p) or istype(double_t, p)
end

local statement = host.methods.statement

-- The parameters of each statement live as long as the binding.  All are in one
-- array: a table for each of many statements would take more memory.
local kept = {} -- an unused group begins with the place of the next one
local last = 0 -- place in use
local unused_of = {} -- number of parameters -> first unused group
local MOST = 31 -- parameters in the array; more are in a table

-- By the address of the statement: place of the first parameter and their
-- number, as one number, or a table.
local bound = {}

local function drop(at)
  local binding = bound[at]
  bound[at] = nil
  if type(binding) == "number" then
    local n = binding % (MOST + 1)
    local place = (binding - n) / (MOST + 1)
    for i = place + 1, place + n - 1 do
      kept[i] = false
    end
    kept[place] = unused_of[n] or false
    unused_of[n] = place
  end
end

local function keep(at, params, n)
  drop(at)
  if n < 1 or n > MOST then
    bound[at] = params
    return
  end
  local place = unused_of[n]
  if place then
    unused_of[n] = kept[place]
  else
    place = last + 1
    last = last + n
  end
  for i = 1, n do
    kept[place + i - 1] = params[i]
  end
  bound[at] = place * (MOST + 1) + n
end

local function params_of(at)
  local binding = bound[at]
  if type(binding) ~= "number" then
    return binding
  end
  local n = binding % (MOST + 1)
  local place = (binding - n) / (MOST + 1)
  return { unpack(kept, place, place + n - 1) }
end

local function check_there(stmt, level)
  if type(stmt) ~= "cdata" or stmt == nil then
    error("there is no statement (a dot where a colon belongs?)", level)
  end
end

local function check_open(stmt)
  check_there(stmt, 4)
  if C.bench_db_is_closed(stmt) then
    error("attempt to use a closed statement", 3)
  end
end

function statement:bind_create(kind, max_len)
  check_open(self)
  local p = new_param(kind, max_len)
  return p
end

-- Unused descriptors.  Another client may bind while one waits.
local FEW = 8
local unused

-- Binds an array of parameters; `level` is that of the script's call.
local function bind(stmt, params, n, level)
  local binds
  if n <= FEW then
    binds = unused or ffi_new(binds_t, FEW)
    unused = nil
  else
    binds = ffi_new(binds_t, n)
  end
  for i = 1, n do
    local p = params[i]
    if not is_param(p) then
      error(("bad argument #%d to 'bind_param' (parameter expected, got %s)"):format(i, type(p)), level)
    end
    c_describe(p, binds, i - 1)
  end
  if C.db_bind_param(stmt, binds, n) ~= 0 then
    local wanted = C.bench_db_param_count(stmt)
    if wanted >= 0 and wanted ~= n then
      error(("wrong number of parameters: %d expected, %d given"):format(wanted, n), level)
    end
    raise(owner_of(stmt.connection), host.sql_text(stmt), level)
  end
  keep(c_address(stmt), params, n)
  if n <= FEW then
    unused = binds
  end
end
host.sql_bind = bind
host.sql_new_param = new_param

function statement:bind_param(...)
  check_open(self)
  local n = select("#", ...)
  if n == 0 then
    return nil
  end
  bind(self, { ... }, n, 3)
  return 0
end

local function no_rows(stmt)
  check_there(stmt, 4)
  local con = stmt.connection
  if con.error ~= NONE then
    raise(owner_of(con), "<prepared statement>", 3)
  end
  return no_result
end
host.stmt_no_rows = no_rows

function statement:execute()
  local rs = c_execute(self)
  if rs == nil then
    local none = no_rows(self)
    return none
  end
  return (result_of(self.connection, rs))
end

local function is_size(v)
  return type(v) == "number" and v >= 0 and v < 2 ^ 53 -- will be cut
end

-- A loop of set() and execute() in C: a short Lua loop would keep LuaJIT from
-- compiling the whole event in one piece.
function statement:execute_drawn(times, max, first, last, span)
  check_there(self, 3)
  if not (is_size(times) and is_size(max) and is_size(span or 0)) then
    error("execute_drawn: numbers of 0 to 2^53 expected", 2)
  end
  if not istype(integer_t, first) or last and not istype(integer_t, last) then
    error("execute_drawn: integer parameters expected", 2)
  end
  local done = c_draw(self, times, max, first, last, span or 0)
  if done < math.floor(times) then
    no_rows(self)
  end
end

function statement:execute_bulk(rows)
  check_open(self)
  local params = params_of(c_address(self))
  if type(rows) ~= "table" then
    error(("bad argument #1 to 'execute_bulk' (table expected, got %s)"):format(type(rows)), 2)
  elseif not params then
    error("execute_bulk: the statement has no parameters that are bound", 2)
  end
  local changed = host.use("sql_pipeline").execute_bulk(self, params, rows, 3)
  return changed
end

function statement:close()
  C.db_close(self)
  drop(c_address(self))
  return 0
end

function host.sql_text(stmt)
  return ffi_string(C.bench_db_text(stmt))
end

local c_free = C.bench_db_statement_free

function host.sql_free_statement(gone)
  drop(c_address(gone))
  c_free(gone)
end

function host.methods.connection:prepare(query, label)
  if type(query) ~= "string" then
    error(("bad argument #1 to 'prepare' (string expected, got %s)"):format(type(query)), 2)
  end
  host.check_object(self)
  local stmt = C.db_prepare(self, query, #query)
  if stmt == nil then
    raise(self, query, 2)
  end
  C.bench_db_set_class(stmt, label and host.sql_class(label))
  return (ffi_gc(stmt, host.sql_finalizer(owner_of(self))))
end

-- Not compiled: called once per connection, so machine code would grow each
-- time a server comes back.
for _, rare in ipairs({ new_param, drop, keep, bind, statement.bind_create, statement.bind_param,
  statement.close, host.methods.connection.prepare }) do
  require("jit").off(rare, true)
end
