-- The option --isolation of the bundled scripts: the level of their sessions.

local options = require("bench_options")

local isolation = {}

local LEVELS = {"read-uncommitted", "read-committed", "repeatable-read",
                "serializable"}

-- The row of the option.
isolation.option = {
   "isolation level {" .. table.concat(LEVELS, ",") ..
   "}; empty = the server's", "", sysbench.cmdline.ARG_STRING,
   options.one_of(LEVELS)}

local STATEMENT = {
   mysql = "SET SESSION TRANSACTION ISOLATION LEVEL %s",
   pgsql = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL %s",
}

-- Gives the session of a connection the level that the option asks for.
function isolation.set(drv, con)
   local level = sysbench.opt.isolation
   local statement = STATEMENT[drv:name()]

   if level == "" then return end
   if statement == nil then
      error("--isolation: " .. drv:name() .. " has only one level", 0)
   end
   con:query(string.format(statement, level:gsub("-", " "):upper()))
end

-- Returns the level that sessions have which are given none; nil: no level.
local function default_level(drv, con)
   if drv:name() == "null" then return nil end
   if drv:name() == "sqlite" then return "serializable" end
   local level
   if drv:name() == "pgsql" then
      level = con:query_row("SHOW default_transaction_isolation")
   else
      -- the name depends on the version
      local _, value = con:query_row("SHOW SESSION VARIABLES WHERE " ..
         "Variable_name IN ('transaction_isolation', 'tx_isolation')")
      level = value
   end
   return level and (level:lower():gsub(" ", "-"))
end

-- Returns the level of the sessions, and whether it is that of the server.
function isolation.level(drv, con)
   local level = sysbench.opt.isolation
   if level ~= "" then return level, false end
   return default_level(drv, con), true
end

-- Returns the words of a report for the level.
function isolation.words()
   local level = sysbench.opt.isolation
   return "isolation level: " .. (level == "" and "the default" or level)
end

return isolation
