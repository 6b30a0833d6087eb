#!/usr/bin/env bench
-- One event: one row of a multi-row INSERT of half a megabyte into the
-- thread's own table.

local folder = string.match(test, "(.*/)")
local common = folder and dofile(folder .. "common.lua") or require("common")

local own = require("bench_own")

local row -- number of the last row

function prepare()
   db_connect()
   local sign = db_driver == "mysql" and " UNSIGNED" or ""
   local engine = db_driver == "mysql" and " ENGINE = InnoDB" or ""

   for n = 0, common.threads() - 1 do
      db_query(string.format([[
CREATE TABLE IF NOT EXISTS sbtest%d (
  id INTEGER%s NOT NULL,
  k INTEGER%s DEFAULT '0' NOT NULL,
  PRIMARY KEY (id))%s]], n, sign, sign, engine))
   end
end

function cleanup()
   local drv = sysbench.sql.driver()
   own.cleanup(drv, drv:connect(),
               own.sbtest(0, common.threads() - 1, {"id", "k"}))
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
