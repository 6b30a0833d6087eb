#!/usr/bin/env bench
-- One event: --non_index_updates (one) UPDATEs of column c, which has no index.
-- Example: --dsn=mysql://db1/sbtest --tables=8 run

require("oltp_common")

function prepare_statements()
   prepare_non_index_updates()
end

function event()
   execute_non_index_updates()
   check_reconnect()
end
