-- One-line events for the fault tests of all drivers; --what says which, --sql
-- has the statement of the event `sql`.
sysbench.cmdline.options = {
   what = {"what an event does", "count"},
   sql = {"a statement", "SELECT 1"},
   where = {"what runs --sql besides: thread_init, hook", ""},
}

local events = {}

-- The table counts what was committed.
function events.count()
   con:query("BEGIN")
   con:query("UPDATE counter SET n = n + 1 WHERE id = 1")
   con:query("COMMIT")
end

-- The value read decides what is written: lost updates would show.
function events.stale()
   con:query("BEGIN")
   local n = con:query_row("SELECT n FROM counter WHERE id = 1")
   con:query("UPDATE counter SET n = " .. n + 1 .. " WHERE id = 1")
   con:query("COMMIT")
end

-- A transaction that fails after its first change.
function events.half()
   con:query("BEGIN")
   con:query("UPDATE counter SET n = n + 1 WHERE id = 1")
   con:query(sysbench.opt.sql)
   con:query("COMMIT")
end

function events.sql() con:query(sysbench.opt.sql) end

-- A statement of more than a million bytes.
function events.large()
   con:query(sysbench.opt.sql .. " /* " .. string.rep("x", 1200000) .. " */")
end

function thread_init()
   con = sysbench.sql.driver():connect()
   if sysbench.opt.where == "thread_init" then con:query(sysbench.opt.sql) end
   if sysbench.opt.where == "hook" then
      function sysbench.hooks.before_restart_event() con:query(sysbench.opt.sql) end
   end
end

function event() events[sysbench.opt.what]() end
