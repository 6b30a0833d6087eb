#!/usr/bin/env bench
-- One event: --index_updates (one) UPDATEs of the indexed column k.
-- Example: --dsn=mysql://db1/sbtest --tables=8 run

require("oltp_common")

function prepare_statements()
   prepare_index_updates()
end

function event()
   execute_index_updates()
   check_reconnect()
end
