-- A client of the workload ingest: inserts with deletes, queries, indexes.

local series = require("bench_series")

local ffi = require("ffi")
local C = ffi.C
local format, uniform = string.format, sysbench.rand.uniform

local REGISTERS, PRODUCTS, CUSTOMERS, PRICES = 1000, 10000, 100000, 50000

-- Rows per client between the newest rows and deletes, which must not meet rows
-- that are not there yet.
local DISTANCE = 100

local first = ffi.new("double[1]")

-- Takes n keys; nil: the limit forbids it.
local function take(name, n, limit)
   if C.bench_sequence_take(name, n, limit, first) < 0 then return nil end
   return first[0]
end

-- Columns, first column, its range.
local QUERIES = {
   {"market", "price, customerid", "price", PRICES / 100},
   {"register", "cashregisterid, price, customerid", "cashregisterid",
    REGISTERS},
   {"pdc", "price, dateandtime, customerid", "price", PRICES / 100},
}

return function(drv, con, rows)
   local client = {}
   local begin = con:prepare(drv:name() == "sqlite" and "BEGIN IMMEDIATE" or
                             "BEGIN")
   local commit = con:prepare("COMMIT", "commit")
   local delete = con:prepare("DELETE FROM ingest_rows WHERE transactionid " ..
                              "BETWEEN ? AND ?", "delete")
   local BIGINT = sysbench.sql.type.BIGINT
   local from, to = delete:bind_create(BIGINT), delete:bind_create(BIGINT)
   local committed = sysbench.counter.new("rows")
   local unknown = sysbench.counter.new("rows unknown")
   local given = sysbench.counter.new("keys given to deletes")
   local inserted, deleted = series.open("rows inserted"),
      series.open("rows deleted")
   local data = string.rep("@", sysbench.opt.data_length)
   local distance = DISTANCE * C.bench_clients() * rows
   local clients = C.bench_clients() * C.bench_ranks(first) -- of all processes
   local queries, lowest = {}, {}
   local key, delete_from -- taken by the current event

   delete:bind_param(from, to)
   for i, query in ipairs(QUERIES) do
      local name, columns, lead = unpack(query)
      queries[i] = con:prepare(format(
         "SELECT %s FROM ingest_rows WHERE %s >= ? ORDER BY %s LIMIT 10",
         columns, lead, columns), name)
      lowest[i] = queries[i]:bind_create(BIGINT)
      queries[i]:bind_param(lowest[i])
   end

   local function insert_text()
      local values, now = {}, os.date("!%Y-%m-%d %H:%M:%S")
      for i = 1, rows do
         local price = uniform(0, PRICES)
         values[i] = format("(%.0f,'%s',%d,%d,%d,%d.%02d,'%s')", key + i - 1,
                            now, uniform(0, REGISTERS), uniform(0, CUSTOMERS),
                            uniform(0, PRODUCTS), math.floor(price / 100),
                            price % 100, sysbench.rand.string(data))
      end
      return "INSERT INTO ingest_rows (transactionid, dateandtime, " ..
         "cashregisterid, customerid, productid, price, data) VALUES " ..
         table.concat(values, ",")
   end

   -- The outcome of the rows is unknown from here on.
   local function take_keys(deletes)
      key = take("keys", rows, math.huge)
      unknown:add(rows)
      delete_from = deletes and take("deletes", rows, key - distance) or nil
      if delete_from then given:add(rows) end
   end

   -- Inserts rows, and deletes as many.
   function client.insert(deletes)
      if key == nil then take_keys(deletes) end
      begin:execute()
      con:query(insert_text(), "insert")
      if delete_from then
         from:set(delete_from)
         to:set(delete_from + rows - 1)
         delete:execute()
      end
      commit:execute()
      unknown:add(-rows)
      committed:add(rows)
      inserted:add(rows)
      if delete_from then deleted:add(rows) end
      key = nil
   end

   -- A restarted event inserts the same keys, unless they may be there.
   function client.restarts(is_unknown)
      if is_unknown then key = nil end
   end

   function client.query()
      local i = uniform(1, #queries)
      lowest[i]:set(uniform(0, QUERIES[i][4]))
      queries[i]:execute()
   end

   function client.create_index(index)
      con:query(format("CREATE INDEX %s ON ingest_rows(%s)", index[1],
                       index[2]), "create " .. index[1])
   end

   local due -- time of the next insert
   local rate = sysbench.opt.insert_rate
   local pause = rate > 0 and 1e9 * rows * clients / rate or nil

   -- Clients begin at different times of the first pause.
   function client.insert_is_due()
      if pause == nil then return false end
      if key ~= nil then return true end -- restarted
      local now = C.bench_now_ns()
      due = due or now + pause * (sysbench.tid % clients / clients)
      if now < due then return false end
      due = due + pause
      return true
   end

   return client
end
