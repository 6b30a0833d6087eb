#!/usr/bin/env bench
-- One event: index and non-index updates, deletes with inserts, in one
-- transaction.
-- Example: --dsn=mysql://db1/sbtest --tables=8 run

require("oltp_common")

function prepare_statements()
   if not sysbench.opt.skip_trx then
      prepare_begin()
      prepare_commit()
   end

   prepare_index_updates()
   prepare_non_index_updates()
   prepare_delete_inserts()
end

function event()
   local transaction = not sysbench.opt.skip_trx

   if transaction then begin() end

   execute_index_updates()
   execute_non_index_updates()
   execute_delete_inserts()

   if transaction then commit() end

   check_reconnect()
end
