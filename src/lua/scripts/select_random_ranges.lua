#!/usr/bin/env bench
-- One event: one SELECT that counts the rows of sbtest1 whose k is in one of
-- --number_of_ranges ranges.  Each thread has its own part of the numbers.
-- Example: --dsn=mysql://db1/sbtest --table-size=1M run

require("oltp_common")

local options = require("bench_options")

sysbench.cmdline.options.number_of_ranges =
   {"BETWEEN ranges per query", 10, sysbench.cmdline.ARG_INT,
    options.at_least(1)}
sysbench.cmdline.options.delta =
   {"size of each range", 5, sysbench.cmdline.ARG_INT, options.at_least(0)}

local first, last -- the part of this thread

function prepare_statements()
   local number = sysbench.opt.number_of_ranges or 10
   local threads = sysbench.opt.threads
   local share = (sysbench.opt.table_size or 10000) / threads
   local select = con:prepare(
      "SELECT count(k) FROM sbtest1 WHERE " ..
      string.rep("k BETWEEN ? AND ? OR ", number - 1) .. "k BETWEEN ? AND ?")
   local limits = {}

   for i = 1, 2 * number do
      limits[i] = select:bind_create(sysbench.sql.type.BIGINT)
   end
   select:bind_param(unpack(limits))
   stmt[1].random_ranges, param[1].random_ranges = select, limits

   first = math.floor(share * (sysbench.tid % threads))
   last = math.floor(share * (sysbench.tid % threads + 1))
end

function event()
   local limits = param[1].random_ranges
   local delta = sysbench.opt.delta or 5

   for i = 1, #limits, 2 do
      local k = sysbench.rand.default(first, last)
      limits[i]:set(k)
      limits[i + 1]:set(k + delta)
   end
   stmt[1].random_ranges:execute()
   check_reconnect()
end
