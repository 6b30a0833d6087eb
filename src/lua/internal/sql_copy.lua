-- sql_copy.lua - con:copy_rows{...}: stores many generated rows, all or none.
--
-- Rows are sent in one transaction, or, inside a transaction of the script,
-- after a savepoint.  The driver's own copy is used if it treats values as
-- INSERT does, otherwise multi-row INSERTs.
local host = ...
local ffi = host.ffi
local C = host.C

local c_quote, c_in_transaction = C.bench_db_quote, C.bench_db_in_transaction
local size_t = ffi.typeof("size_t[1]")
local double_out, text_out = ffi.new("double[1]"), ffi.new("const char *[1]")
local MOST_ATTEMPTS = 100 -- outside a run, which would end the attempts

local function check(condition, text)
  if not condition then
    error("copy_rows: " .. text, 0)
  end
end

local function is_integer(n)
  return type(n) == "number" and n == math.floor(n) and math.abs(n) <= 2 ^ 53
end

local function check_spec(spec)
  check(type(spec) == "table", "a table was expected")
  local known = { table = true, columns = true, first = true, last = true, row = true }
  for key in pairs(spec) do
    check(known[key], ("unknown key '%s'"):format(tostring(key)))
  end
  check(type(spec.table) == "string", "'table' must be a string")
  check(type(spec.columns) == "table" and #spec.columns > 0, "'columns' must be an array of names")
  for _, name in ipairs(spec.columns) do
    check(type(name) == "string", "'columns' must be an array of names")
  end
  check(spec.first == nil or is_integer(spec.first), "'first' must be an integer")
  check(is_integer(spec.last), "'last' must be an integer")
  check(type(spec.row) == "function", "'row' must be a function")
end

local length = ffi.new(size_t)

-- A value as text; nil stays nil.
local function plain(value)
  local kind = type(value)
  if kind == "number" then
    if is_integer(value) then
      return ("%d"):format(value)
    end
    check(value == value and math.abs(value) < math.huge, "a number must be finite")
    return ("%.17g"):format(value)
  elseif kind == "boolean" then
    return value and "TRUE" or "FALSE"
  elseif kind == "string" or kind == "nil" then
    return value
  end
  error("copy_rows: a value of type " .. kind .. " cannot be sent", 0)
end

-- A value as a literal of the connection's dialect.
local function literal(con, value)
  if type(value) == "string" then
    local text = c_quote(con, value, #value, length)
    check(text ~= nil, "a string cannot be sent on this connection")
    return ffi.string(text, tonumber(length[0]))
  end
  return plain(value) or "NULL"
end

-- "(v1,v2,...)" of one row.
local function row_text(con, n, ...)
  if select("#", ...) > n then
    error(("copy_rows: %d values for %d columns"):format(select("#", ...), n), 0)
  end
  local texts = {}
  for i = 1, n do
    texts[i] = literal(con, (select(i, ...)))
  end
  return "(" .. table.concat(texts, ",") .. ")"
end

-- The best and the largest size of a statement, and the setting of the server
-- that limits it.
local function statement_sizes(con)
  local good = C.bench_db_statement_sizes(con, double_out, text_out)
  return good, double_out[0], text_out[0] ~= nil and ffi.string(text_out[0]) or nil
end

local function insert_rows(con, spec)
  local n = #spec.columns
  local head = ("INSERT INTO %s (%s) VALUES "):format(spec.table, table.concat(spec.columns, ","))
  local good, most, setting = statement_sizes(con)
  local rows, size = {}, #head
  for i = spec.first or 1, spec.last do
    local text = row_text(con, n, spec.row(i))
    if #head + #text > most then
      error(("copy_rows: row %d makes a statement of %d bytes, the server takes at most %d (%s)"):format(
        i, #head + #text, most, setting), 0)
    end
    if #rows > 0 and size + #text > good then
      con:query(head .. table.concat(rows, ","))
      rows, size = {}, #head
    end
    rows[#rows + 1] = text
    size = size + #text + 1
  end
  if #rows > 0 then
    con:query(head .. table.concat(rows, ","))
  end
end

-- A connection with an open copy can do nothing else, but `row` may use it: so
-- rows are collected first.
local BATCH_BYTES, BATCH_ROWS = 256 * 1024, 5000

-- Stores the values of a row in texts[at + 1 .. at + n], false for nil.
-- Returns their bytes.
local function collect(texts, at, n, ...)
  if select("#", ...) > n then
    error(("copy_rows: %d values for %d columns"):format(select("#", ...), n), 0)
  end
  local bytes = 0
  for i = 1, n do
    local text = plain((select(i, ...))) or false
    texts[at + i] = text
    bytes = bytes + (text and #text or 0)
  end
  return bytes
end

local function copy_failed(con, spec)
  host.sql_error().raise(con, "COPY " .. spec.table, 2)
end

-- Sends `rows` rows of n values.  Their texts stay in the table meanwhile.
local function copy_batch(con, spec, n, texts, rows)
  local names = ffi.new("const char *[?]", n, spec.columns)
  local values = ffi.new("sql_value[?]", n)
  if not C.bench_copy_begin(con, spec.table, names, n) then
    copy_failed(con, spec)
  end
  for row = 0, rows - 1 do
    for i = 1, n do
      local text = texts[row * n + i]
      values[i - 1].ptr = text or nil
      values[i - 1].len = text and #text or 0
    end
    if not C.bench_copy_row(con, values) then
      copy_failed(con, spec)
    end
  end
  if not C.bench_copy_end(con) then
    copy_failed(con, spec)
  end
end

local function copy_rows(con, spec)
  local n = #spec.columns
  local texts, rows, bytes = {}, 0, 0
  for i = spec.first or 1, spec.last do
    bytes = bytes + collect(texts, rows * n, n, spec.row(i))
    rows = rows + 1
    if bytes >= BATCH_BYTES or rows == BATCH_ROWS then
      copy_batch(con, spec, n, texts, rows)
      rows, bytes = 0, 0
    end
  end
  if rows > 0 then
    copy_batch(con, spec, n, texts, rows)
  end
end

local function send_rows(con, spec)
  if C.bench_copy_is_checked(con) then
    copy_rows(con, spec)
  else
    insert_rows(con, spec)
  end
end

local function is_restart(err)
  return type(err) == "table" and err.errcode == 1
end

local DOUBT = "copy_rows: the answer to COMMIT was lost: the rows are all there, or none"

-- One attempt.  Returns true; or false, the error, and whether the answer to
-- the COMMIT was lost, so that the outcome is unknown.
local function attempt(con, spec, inside)
  con:query(inside and "SAVEPOINT bench_copy_rows" or "BEGIN")
  local ok, err = pcall(send_rows, con, spec)
  local doubtful = false
  if ok then
    ok, err = pcall(con.query, con, inside and "RELEASE SAVEPOINT bench_copy_rows" or "COMMIT")
    doubtful = not ok and not inside and is_restart(err) and err.reconnected
  end
  if not ok and c_in_transaction(con) then
    pcall(con.query, con, inside and "ROLLBACK TO SAVEPOINT bench_copy_rows" or "ROLLBACK")
  end
  return ok, err, doubtful
end

local function copy(con, spec)
  check_spec(spec)
  local inside = c_in_transaction(con)
  local tries = 0
  while true do
    local ran, ok, err, doubtful = pcall(attempt, con, spec, inside)
    if not ran then
      ok, err = false, ok
    end
    if ok then
      return math.max(0, spec.last - (spec.first or 1) + 1)
    end
    local in_event = C.bench_in_event()
    if doubtful and not in_event then
      error(DOUBT, 0)
    end
    -- Only the script can repeat its own transaction, and only the event can be
    -- repeated after a COMMIT of unknown outcome.
    if inside or doubtful or not is_restart(err) then
      error(err, 0)
    end
    tries = tries + 1
    if tries >= MOST_ATTEMPTS and not in_event then
      error(err, 0)
    elseif not C.bench_event_restart(tries) then
      error(host.abandoned, 0)
    end
  end
end

-- Errors have the position of the script's call.
return function(con, spec)
  local ok, result = pcall(copy, con, spec)
  if ok then
    return result
  end
  if type(result) == "string" then
    local text, inside = result:gsub("^bench%.[%w_]+:%-?%d+: ", "")
    if inside > 0 or text:find("^copy_rows: ") then
      error(text, 3)
    end
  end
  error(result, 0)
end
