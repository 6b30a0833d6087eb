-- One snapshot of a database for the connections of all threads of a command.
--
-- PostgreSQL exports the snapshot of one session to others.  Elsewhere each
-- session begins one of its own, and reads a fingerprint in it: a text that
-- every transaction of the workload changes.  If all have read the same, nobody
-- has committed between the first snapshot and the last.  Otherwise they try it
-- again, and in the end thread 0 works alone.

local schema = require("bench_schema")
local team = require("bench_team")

local snapshot = {}

local ATTEMPTS = 5

local function import(con)
   if team.number == 0 then
      team.give("snapshot", (con:query_row("SELECT pg_export_snapshot()")))
   else
      con:query("SET TRANSACTION SNAPSHOT '" .. team.await("snapshot") .. "'")
   end
end

-- Have all threads read the same?
local function agree(attempt, text)
   for _, other in ipairs(team.exchange("fingerprint " .. attempt, text)) do
      if other ~= text then return false end
   end
   return true
end

-- Begins a transaction on one connection, which others do not share.
function snapshot.begin(drv, con) schema.begin_snapshot(drv, con) end

-- Begins a transaction on the connection of each thread.  fingerprint() reads
-- that text.  Returns how many threads have the same snapshot: thread 0 up to
-- that number.
function snapshot.open(drv, con, fingerprint)
   schema.begin_snapshot(drv, con)
   if team.size == 1 then return 1 end
   if drv:name() == "pgsql" then
      import(con)
      return team.size
   end
   for attempt = 1, ATTEMPTS do
      if agree(attempt, fingerprint()) then return team.size end
      con:query("COMMIT")
      schema.begin_snapshot(drv, con)
   end
   return 1
end

return snapshot
