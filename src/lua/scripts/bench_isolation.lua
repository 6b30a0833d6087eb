-- The isolation level of the sessions of a run: of --isolation, or the
-- server's.

local isolation = {}

-- The default level of sessions; nil: no level.
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

-- The level of the sessions, and whether it is the server's.
function isolation.level(drv, con)
   local level = sysbench.opt.isolation
   if level ~= "default" then return level, false end
   return default_level(drv, con), true
end

-- The words of a report.
function isolation.words()
   local level = sysbench.opt.isolation
   return "isolation level: " .. (level == "default" and "the default" or level)
end

return isolation
