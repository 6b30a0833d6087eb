#!/usr/bin/env bench
-- One event: one DELETE by primary key.  Nothing is put back, so the longer it
-- runs, the more often there is nothing to delete.
-- Example: --dsn=mysql://db1/sbtest --tables=8 run

require("oltp_common")

function prepare_statements()
   prepare_for_each_table("deletes")
end

function event()
   local n = sysbench.rand.uniform(1, sysbench.opt.tables or 1)
   local delete = stmt[n].deletes

   param[n].deletes[1]:set(
      sysbench.rand.default(1, sysbench.opt.table_size or 10000))
   delete:execute()
   check_reconnect()
end
