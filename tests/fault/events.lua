-- One-line events for the fault tests of all drivers; --what says which, --sql
-- has the statement of the event `sql`.
sysbench.cmdline.options = {
   what = {"what an event does", "count"},
   sql = {"a statement", "SELECT 1"},
   where = {"what runs --sql besides: thread_init, hook", ""},
   pipe = {"where the event `held` waits", ""},
   stop_file = {"the run ends when there is such a file", ""},
}

local events = {}

-- The table counts what was committed.
function events.count()
   con:query("BEGIN")
   con:query("UPDATE counter SET n = n + 1 WHERE id = 1")
   con:query("COMMIT")
end

-- The first one waits, before its COMMIT, until who opened the pipe closes it.
function events.held()
   con:query("BEGIN")
   con:query("UPDATE counter SET n = n + 1 WHERE id = 1")
   if not held then
      held = io.open(sysbench.opt.pipe)
      held:read()
   end
   con:query("COMMIT")
end

-- The first with a prepared statement, which is there when all of it is: any
-- call may be the one that loses its session.
function events.prepared()
   if not st then
      local new = con:prepare("UPDATE counter SET n = n + ? WHERE id = ?")
      local one = new:bind_create(sysbench.sql.type.INT)
      id = new:bind_create(sysbench.sql.type.INT)
      new:bind_param(one, id)
      one:set(1)
      st = new
   end
   id:set(1)
   st:execute()
end

-- Now and then, first of all at the first time, others get the time to come in
-- between; else one session could do all the work before the others begin.
local PAUSES = {mysql = "DO SLEEP(0.01)", pgsql = "SELECT pg_sleep(0.01)"}
local turn = 0
local function pause()
   local sql = PAUSES[sysbench.opt.db_driver]
   if sql and turn % 8 == 0 then con:query(sql) end
   turn = turn + 1
end

-- Two rows in either order.
function events.deadlock()
   local first = sysbench.tid % 2
   con:query("BEGIN")
   con:query("UPDATE counter SET n = n + 1 WHERE id = " .. 1 + first)
   pause()
   con:query("UPDATE counter SET n = n + 1 WHERE id = " .. 2 - first)
   con:query("COMMIT")
end

-- The value read decides what is written: lost updates would show.
function events.stale()
   con:query(sysbench.opt.db_driver == "pgsql" and "BEGIN ISOLATION LEVEL SERIALIZABLE" or "BEGIN")
   local n = con:query_row("SELECT n FROM counter WHERE id = 1")
   pause()
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

-- A key that is new once, then that of another row.
function events.duplicate()
   con:query("BEGIN")
   con:query("UPDATE counter SET n = n + 1 WHERE id = 1")
   con:query("INSERT INTO counter VALUES (" .. sysbench.rand.uniform(1, 3) .. ", 0)")
   con:query("ROLLBACK")
end

-- Goes on in a transaction that has failed.
function events.aborted()
   con:query("BEGIN")
   pcall(con.query, con, "SELECT 1/0")
   con:query("SELECT 1")
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

function event()
   if sysbench.opt.stop_file ~= "" then
      local file = io.open(sysbench.opt.stop_file)
      if file then
         file:close()
         return true
      end
   end
   events[sysbench.opt.what]()
end
