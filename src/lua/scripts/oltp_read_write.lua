#!/usr/bin/env bench
-- One event: point selects, the four kinds of range selects, index and
-- non-index updates, deletes with inserts, in one transaction.
-- Example: --dsn=mysql://db1/sbtest --tables=8 run

require("oltp_common")

-- Values common to all events would be moved in front of the loop, and take
-- more places on the stack than LuaJIT has for this long event: LuaJIT would
-- try to compile the loop of events again and again.
if jit and jit.status() then require("jit.opt").start("-loop") end

function prepare_statements()
   if not sysbench.opt.skip_trx then
      prepare_begin()
      prepare_commit()
   end

   prepare_point_selects()

   if sysbench.opt.range_selects ~= false then
      prepare_simple_ranges()
      prepare_sum_ranges()
      prepare_order_ranges()
      prepare_distinct_ranges()
   end

   prepare_index_updates()
   prepare_non_index_updates()
   prepare_delete_inserts()
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

   execute_index_updates()
   execute_non_index_updates()
   execute_delete_inserts()

   if transaction then commit() end

   check_reconnect()
end
