-- Events for the fault tests of the pgsql driver; --what says which.
sysbench.cmdline.options = {what = {"what an event does", "count"}}

local events = {}

-- The table counts what was committed.
function events.count()
   con:query("BEGIN")
   con:query("UPDATE fault SET n = n + 1 WHERE id = 1")
   con:query("COMMIT")
end

-- The same with prepared statements.
function events.prepared()
   if not st then
      st = con:prepare("UPDATE fault SET n = n + ? WHERE id = ?")
      one = st:bind_create(sysbench.sql.type.INT)
      id = st:bind_create(sysbench.sql.type.INT)
      st:bind_param(one, id)
      one:set(1)
   end
   id:set(1)
   st:execute()
end

-- Two rows in either order.
function events.deadlock()
   local first = sysbench.tid % 2
   con:query("BEGIN")
   con:query("UPDATE fault SET n = n + 1 WHERE id = " .. 1 + first)
   con:query("UPDATE fault SET n = n + 1 WHERE id = " .. 2 - first)
   con:query("COMMIT")
end

function events.serial()
   con:query("BEGIN ISOLATION LEVEL SERIALIZABLE")
   local n = con:query_row("SELECT n FROM fault WHERE id = 1")
   con:query("UPDATE fault SET n = " .. n + 1 .. " WHERE id = 1")
   con:query("COMMIT")
end

function events.duplicate()
   con:query("BEGIN")
   con:query("UPDATE fault SET n = n + 1 WHERE id = 1")
   con:query("INSERT INTO fault VALUES (" .. sysbench.rand.uniform(1, 3) .. ", 0)")
   con:query("ROLLBACK")
end

function events.select() con:query("SELECT 1") end
function events.sleep() con:query("SELECT pg_sleep(30)") end
function events.locked() con:query("UPDATE fault SET n = 0 WHERE id = 2") end
function events.missing() con:query("SELECT * FROM nowhere") end
function events.syntax() con:query("SELEKT") end
function events.write() con:query("UPDATE fault SET n = 0") end

-- Goes on in a transaction that has failed.
function events.aborted()
   con:query("BEGIN")
   pcall(con.query, con, "SELECT 1/0")
   con:query("SELECT 1")
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
end

function event() events[sysbench.opt.what]() end
