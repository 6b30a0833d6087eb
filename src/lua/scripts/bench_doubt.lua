-- After an error, as hooks get it, may the transaction be committed
-- nevertheless?  The outcome of a COMMIT is unknown if the connection was lost,
-- the server was stopped, a wait was interrupted, or writing the commit failed.
-- --ack-log judges by the same numbers and states.

local lost = require("bench_lost")

-- MySQL's error numbers: stopped, not committed by the engine, interrupted
-- (while waiting for a replica, the commit stands), killed, idle for too long
local CODES = {[1053] = true, [1180] = true, [1317] = true, [1927] = true,
               [4031] = true}
-- PostgreSQL has states only
local STATES = {"^57", "^58", "^XX", "^40003$"}

return function(errdesc)
   if lost(errdesc) or CODES[errdesc.sql_errno] then return true end
   local state = errdesc.sql_errno == 0 and errdesc.sql_state or ""
   for _, pattern in ipairs(STATES) do
      if state:match(pattern) then return true end
   end
   return false
end
