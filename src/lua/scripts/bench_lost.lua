-- Was the connection lost, according to an error of a hook?  Then the driver
-- has connected again: prepare statements again.

-- MySQL's error numbers for a lost connection
local LOST = {[2006] = true, [2011] = true, [2013] = true, [2055] = true}

return function(errdesc)
   if errdesc.reconnected or LOST[errdesc.sql_errno] then return true end
   -- PostgreSQL has states only
   local state = errdesc.sql_errno == 0 and errdesc.sql_state or ""
   return state:match("^08") ~= nil or state:match("^57P0[123]$") ~= nil
end
