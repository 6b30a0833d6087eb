-- The end of a run: stores its sums in the table that `check` reads, even if
-- the server is away for a moment.

local ffi = require("ffi")

local C = ffi.C

local format = string.format
local store = {}

-- An error may be a table.
local function words(err)
   return type(err) == "table" and err.sql_errmsg or tostring(err)
end

-- A function that connects to a server that takes writes at the end of a run.
-- A server that may come back is waited for, once.
function store.connector(drv)
   local awaited, why = false, nil

   return function()
      if not awaited then
         awaited, why = true, C.bench_db_await(drv)
      end
      if why ~= nil then error(ffi.string(why), 0) end
      return drv:connect()
   end
end

-- Begins a transaction that writes.
function store.begin(drv)
   return drv:name() == "sqlite" and "BEGIN IMMEDIATE" or "BEGIN"
end

-- A text of statements: all or nothing.
local function together(updates)
   local text = table.concat(updates, "; ")

   return #updates == 1 and text or "BEGIN; " .. text .. "; COMMIT"
end

-- Executes `updates` (the first one stores the sums in the only row of table
-- `name`) and more(con) [optional] in one transaction.  Processes that end
-- together wait for that row, never for each other's other rows.  An error
-- describes what to do.
function store.sums(drv, connect, name, updates, more)
   local ok, con = pcall(connect)

   if not ok then
      error(format("%s: the sums of this run are not stored (%s), so check " ..
                   "cannot tell whether all of its work is there. To store " ..
                   "them, execute once: %s", name, words(con), together(updates)), 0)
   end
   local stored, why = pcall(function()
      con:query(store.begin(drv))
      for _, update in ipairs(updates) do con:query(update) end
      if more then more(con) end
      con:query("COMMIT")
      con:disconnect()
   end)
   if not stored then
      error(format("%s: the sums of this run may not be stored (%s); if they " ..
                   "are not, check cannot tell whether all of its work is there",
                   name, words(why)), 0)
   end
end

return store
