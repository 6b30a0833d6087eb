#!/usr/bin/env bench
-- One event: one SELECT by primary key.
-- Example: --dsn=mysql://db1/sbtest --tables=8 run

require("oltp_common")

function prepare_statements()
   sysbench.opt.point_selects = 1
   prepare_point_selects()
end

function event()
   execute_point_selects()
   check_reconnect()
end
