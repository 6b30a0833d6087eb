-- ack.lua - sysbench.ack() and sysbench.ack_query(), for --ack-log.
local host = ...
local ffi = host.ffi
local C = host.C

local c_ack = C.bench_ack
local floor, type = math.floor, type
local MOST = 2 ^ 53

local function raise(name, why)
  error(name .. ": " .. ffi.string(why), 3)
end

local ack = {}

-- The next statement of the client commits what `id` names.
function ack.ack(id)
  if type(id) ~= "number" or id < 0 or id > MOST or floor(id) ~= id then
    error("bad argument #1 to 'ack' (a whole number from 0 to 2^53 expected)", 2)
  end
  local why = c_ack(id)
  if why ~= nil then
    raise("ack", why)
  end
end

-- In init(): the query by which verify finds the numbers in the database.
function ack.ack_query(query, options)
  if type(query) ~= "string" or query == "" then
    error("bad argument #1 to 'ack_query' (the text of a query expected)", 2)
  end
  options = options or {}
  if type(options) ~= "table" then
    error("bad argument #2 to 'ack_query' (table expected)", 2)
  end
  local total = options.total
  if total ~= nil and type(total) ~= "number" then
    error("ack_query: total is the number that the query returns before the run", 2)
  end
  local why = C.bench_ack_query(total and 1 or 0, options.others and 1 or 0, total or 0, query)
  if why ~= nil then
    raise("ack_query", why)
  end
end

return ack
