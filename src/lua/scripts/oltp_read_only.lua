#!/usr/bin/env bench
-- One event: point selects and the four kinds of range selects, in one
-- transaction.
-- Example: --dsn=mysql://db1/sbtest --tables=8 run

require("oltp_common")

function prepare_statements()
   prepare_point_selects()

   if not sysbench.opt.skip_trx then
      prepare_begin()
      prepare_commit()
   end

   if sysbench.opt.range_selects ~= false then
      prepare_simple_ranges()
      prepare_sum_ranges()
      prepare_order_ranges()
      prepare_distinct_ranges()
   end
end

function event()
   local transaction = not sysbench.opt.skip_trx

   if transaction then begin() end

   execute_point_selects()

   if sysbench.opt.range_selects ~= false then
      execute_simple_ranges()
      execute_sum_ranges()
      execute_order_ranges()
      execute_distinct_ranges()
   end

   if transaction then commit() end

   check_reconnect()
end
