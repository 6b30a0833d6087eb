-- sql_pipeline.lua - con:pipeline(f): several statements in flight, and their
-- results; statement:execute_bulk(rows).
local host = ...
local ffi = host.ffi
local C = host.C
local ffi_string, type, setmetatable, pcall = ffi.string, type, setmetatable, pcall

local c_query, c_execute = C.bench_pipeline_query, C.bench_pipeline_execute
local c_run, c_number = C.bench_pipeline_run, C.bench_pipeline_number
local c_result, c_fetch = C.bench_pipeline_result, C.bench_pipeline_fetch
local class, raise, no_result = host.sql_class, host.sql_raise, host.sql_no_result
local length = ffi.typeof("size_t[1]")
local nrows_out, nfields_out = ffi.new("double[1]"), ffi.new("double[1]")
local text_out = ffi.new("const char *[1]")

local result = {}
local result_mt = {
  __index = result,
  __tostring = function()
    return "<sql_result>"
  end,
}

local function check_current(p, level)
  if c_number(p.con) ~= p.number then
    error("the results of a pipeline end with the next one of its connection", level + 1)
  end
end

function result:fetch_row()
  local p = self.pipeline
  check_current(p, 2)
  local values = c_fetch(p.con, self.index)
  if values == nil then
    return nil
  end
  local row = {}
  for i = 1, self.nfields do
    local v = values[i - 1]
    if v.ptr ~= nil then
      row[i] = ffi_string(v.ptr, v.len)
    end
  end
  return row
end

function result:free() -- the next pipeline does
  return true
end

local pipeline = {}

-- The outcome of statement number `i`: 1 done, 0 skipped, -1 failed or unknown.
local function look(p, i, level)
  if p.open then
    error("the pipeline has no results yet: its statements are sent when the function ends", level + 1)
  end
  check_current(p, level + 1)
  return c_result(p.con, i - 1, nrows_out, nfields_out, text_out)
end

-- Results are made on first use.
local pipeline_mt = {
  __index = function(p, key)
    if type(key) ~= "number" then
      return pipeline[key]
    end
    local ended = look(p, key, 2)
    if ended ~= 1 or key % 1 ~= 0 then
      return nil
    end
    local r = no_result
    if nfields_out[0] >= 0 then
      r = setmetatable({ pipeline = p, index = key - 1, nrows = nrows_out[0], nfields = nfields_out[0] }, result_mt)
    end
    rawset(p, key, r)
    return r
  end,
  __tostring = function()
    return "<pipeline>"
  end,
}

local function check_open(p)
  if getmetatable(p) ~= pipeline_mt then
    error("a method was called without its pipeline (with a dot where a colon belongs?)", 3)
  elseif not p.open then
    error("the pipeline has ended", 3)
  end
end

local function added(p, why)
  if why ~= nil then
    error(ffi_string(why), 3)
  end
  local n = p.n + 1
  p.n = n
  return n
end

function pipeline:query(query, label)
  check_open(self)
  if type(query) ~= "string" then
    error(("bad argument #1 to 'query' (string expected, got %s)"):format(type(query)), 2)
  end
  local n = added(self, c_query(self.con, query, #query, label and class(label)))
  return n
end

local statement_t = ffi.typeof("sql_statement *")

function pipeline:execute(stmt)
  check_open(self)
  if not ffi.istype(statement_t, stmt) or stmt == nil then
    error(("bad argument #1 to 'execute' (statement expected, got %s)"):format(type(stmt)), 2)
  end
  local n = added(self, c_execute(self.con, stmt))
  if not rawequal(self.last, stmt) then -- lives until executed
    self.last = stmt
    self.statements[n] = stmt
  end
  return n
end

-- Nil if statement number `i` was executed, or why it was not.
function pipeline:error(i)
  if type(i) ~= "number" or not (i >= 1 and i <= self.n and i % 1 == 0) then
    error("error: the number of a statement of the pipeline is expected", 2)
  end
  local ended = look(self, i, 2)
  if ended == 1 then
    return nil
  elseif ended == 0 or text_out[0] == nil then
    return "not executed"
  end
  return ffi_string(text_out[0])
end

local function failed(con, level)
  local len = length()
  local text = C.bench_pipeline_failed(con, len)
  raise(con, ffi_string(text, tonumber(len[0])), level + 1)
end

local function open(con, level)
  local number = C.bench_pipeline_open(con)
  if number == 0 then
    error("a pipeline of this connection is open already", level + 1)
  end
  return number
end

local function run(con, f)
  if type(f) ~= "function" then
    error(("bad argument #1 to 'pipeline' (function expected, got %s)"):format(type(f)), 3)
  end
  con = host.sql_owner(con) -- keeps it open
  local p = setmetatable({ con = con, number = open(con, 3), n = 0, open = true, last = false, statements = {} }, pipeline_mt)
  local ok, err = pcall(f, p)
  p.open = false
  if not ok then
    C.bench_pipeline_drop(con)
    error(err, 0)
  end
  if not c_run(con) then
    failed(con, 3)
  end
  p.statements, p.last = nil, nil
  return p
end

local BATCH = 5000 -- rows whose values are kept until they are sent

local function add_rows(con, stmt, params, rows, first, last)
  for i = first, last do
    local row = rows[i]
    if type(row) ~= "table" then
      error(("execute_bulk: row %d is not a table"):format(i), 0)
    end
    if row[#params + 1] ~= nil then
      error(("execute_bulk: row %d has more values than the statement has parameters (%d)"):format(i, #params), 0)
    end
    for k = 1, #params do
      params[k]:set(row[k])
    end
    local why = c_execute(con, stmt)
    if why ~= nil then
      error("execute_bulk: " .. ffi_string(why), 0)
    end
  end
end

local function execute_bulk(stmt, params, rows, level)
  local con = host.sql_owner(stmt.connection)
  local changed = 0
  for first = 1, #rows, BATCH do
    open(con, level)
    local ok, err = pcall(add_rows, con, stmt, params, rows, first, math.min(first + BATCH - 1, #rows))
    if not ok then
      C.bench_pipeline_drop(con)
      if type(err) == "string" then
        err = err:gsub("^bench%.[%w_]+:%-?%d+: ", "")
        error(err, level)
      end
      error(err, 0)
    end
    local n = C.bench_pipeline_run_bulk(con)
    if n < 0 then
      failed(con, level)
    end
    changed = changed + n
  end
  return changed
end

return { run = run, execute_bulk = execute_bulk }
