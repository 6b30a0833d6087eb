#!/usr/bin/env bench
-- One event: one row of a multi-row INSERT of half a megabyte into the
-- thread's own table.

local folder = string.match(test, "(.*/)")
local common = folder and dofile(folder .. "common.lua") or require("common")

local own = require("bench_own")

local row -- number of the last row

-- The tables of all threads.  Without --table-exists, existing ones are filled
-- up.
local function set()
   local of = own.sbtest(0, common.threads() - 1, {"id", "k"})

   of.inner = {}
   for _, name in ipairs(of.names) do of.inner[name] = true end
   return of
end

function prepare()
   own.prepare(set())
   local drv = sysbench.sql.driver()
   local con = drv:connect()
   local sign = drv:name() == "mysql" and " UNSIGNED" or ""
   local engine = drv:name() == "mysql" and " ENGINE = InnoDB" or ""

   for n = 0, common.threads() - 1 do
      local statement = string.format([[
CREATE TABLE sbtest%d (
  id INTEGER%s NOT NULL,
  k INTEGER%s DEFAULT '0' NOT NULL,
  PRIMARY KEY (id))%s]], n, sign, sign, engine)
      if own.make_way(drv, con, set(), n, statement) then
         own.create_missing(drv, con, n, statement)
      end
   end
   con:disconnect()
end

function cleanup()
   local drv = sysbench.sql.driver()
   own.cleanup(drv, drv:connect(), own.sbtest(0, common.threads() - 1, {"id", "k"}))
end

function thread_init()
   common.thread_init()
   db_bulk_insert_init(string.format("INSERT INTO sbtest%d VALUES",
                                     thread_id))
   row = 0
end

function event()
   row = row + 1
   db_bulk_insert_next(string.format("(%d,%d)", row, row))
end

-- The last rows are sent as a part of the run, because statements of
-- thread_done() are not counted.
local run_events = thread_run

function thread_run(id)
   run_events(id)
   db_bulk_insert_done()
end
