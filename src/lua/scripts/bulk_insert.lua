#!/usr/bin/env bench
-- One event: one row of a multi-row INSERT of half a megabyte into the
-- thread's own table.
-- Example: --dsn=mysql://db1/sbtest --threads=4 --time=60 run

local own = sysbench.cmdline.command ~= "run" and require("bench_own")

local row -- number of the last row

-- The tables of all threads.  Without --table-exists, existing ones are filled
-- up.
local function set()
   local of = own.sbtest(1, sysbench.opt.threads, {"id", "k"})

   of.inner = {}
   for _, name in ipairs(of.names) do of.inner[name] = true end
   return of
end

local function create()
   local drv = sysbench.sql.driver()
   local con = drv:connect()

   for n = 1, sysbench.opt.threads do
      local statement = string.format([[
CREATE TABLE sbtest%d (
  id INTEGER NOT NULL,
  k INTEGER DEFAULT '0' NOT NULL,
  PRIMARY KEY (id))]], n)
      if own.make_way(drv, con, set(), n, statement) then
         print(string.format("Creating table 'sbtest%d'...", n))
         own.create_missing(drv, con, n, statement)
      end
   end
end

local function undo() own.undo(set()) end

sysbench.cmdline.commands = {
   prepare = {create, nil, function() own.prepare(set()) end, undo},
}

function cleanup()
   local drv = sysbench.sql.driver()

   own.cleanup(drv, drv:connect(), own.sbtest(1, sysbench.opt.threads, {"id", "k"}))
end

function help()
   print("bulk_insert has no options of its own.")
end

function thread_init(thread_id)
   con = sysbench.sql.driver():connect()
   con:bulk_insert_init(string.format("INSERT INTO sbtest%d VALUES",
                                      thread_id + 1))
   row = 0
end

function event()
   row = row + 1
   con:bulk_insert_next(string.format("(%d,%d)", row, row))
end

-- The last rows are sent as a part of the run, because statements of
-- thread_done() are not counted.
local run_events = thread_run

function thread_run(thread_id)
   run_events(thread_id)
   con:bulk_insert_done()
end

function thread_done()
   con:disconnect()
end
