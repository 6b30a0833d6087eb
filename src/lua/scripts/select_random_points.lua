#!/usr/bin/env bench
-- One event: one SELECT of the rows of sbtest1 whose k is one of
-- --random_points numbers.  Each thread has its own part of the numbers.
-- Example: --dsn=mysql://db1/sbtest --table-size=1M run

require("oltp_common")

local options = require("bench_options")

sysbench.cmdline.options.random_points =
   {"values in the IN list", 10, sysbench.cmdline.ARG_INT,
    options.at_least(1)}

local first, last -- the part of this thread

function prepare_statements()
   local number = sysbench.opt.random_points or 10
   local threads = sysbench.opt.threads
   local share = (sysbench.opt.table_size or 10000) / threads
   local select = con:prepare(
      "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (" ..
      string.rep("?, ", number - 1) .. "?)")
   local points = {}

   for i = 1, number do
      points[i] = select:bind_create(sysbench.sql.type.BIGINT)
   end
   select:bind_param(unpack(points))
   stmt[1].random_points, param[1].random_points = select, points

   first = math.floor(share * (sysbench.tid % threads))
   last = math.floor(share * (sysbench.tid % threads + 1))
end

function event()
   local points = param[1].random_points

   for i = 1, #points do
      points[i]:set(sysbench.rand.default(first, last))
   end
   stmt[1].random_points:execute()
   check_reconnect()
end
