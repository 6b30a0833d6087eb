-- One snapshot of a database for the connections of all threads of a command.
--
-- PostgreSQL exports the snapshot of a session to others.  Elsewhere each
-- session begins its own, and reads a fingerprint: a text that every
-- transaction of the workload changes.  Equal fingerprints prove that nobody
-- has committed between the snapshots.  Otherwise they try again; in the end
-- thread 0 works alone.

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

-- A transaction on one connection, shared with nobody.
function snapshot.begin(drv, con) schema.begin_snapshot(drv, con) end

-- A transaction on the connection of each thread. fingerprint() reads the text.
-- Returns the number of threads, from thread 0 on, with the same snapshot.
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
