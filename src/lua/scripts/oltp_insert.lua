#!/usr/bin/env bench
-- One event: one INSERT as plain text.  With --auto_inc=off the ids are unique
-- numbers made by the client, so prepare leaves the tables empty.
-- Example: --dsn=mysql://db1/sbtest --tables=8 run

require("oltp_common")

local function client_ids()
   return sysbench.opt.auto_inc == false or sysbench.bench_version ~= nil and
      sysbench.sql.driver():dialect("ids") == "client"
end

-- Runs a command of oltp_common on tables as this script needs them.
local function with_own_tables(command)
   return function()
      if client_ids() then sysbench.opt.table_size = 0 end
      return command()
   end
end

for _, name in ipairs({"prepare", "check"}) do
   local command = sysbench.cmdline.commands[name]
   command[1] = with_own_tables(command[1])
end

local insert_row -- (table number, k, c, pad)

local function without_id(n, k, c, pad)
   con:query(string.format(
      "INSERT INTO sbtest%d (k, c, pad) VALUES (%d, '%s', '%s')",
      n, k, c, pad))
end

local function with_zero(n, k, c, pad)
   con:query(string.format(
      "INSERT INTO sbtest%d (id, k, c, pad) VALUES (0, %d, '%s', '%s')",
      n, k, c, pad))
end

-- unique() counts from 0 to 2^32 - 1; a column of type INTEGER starts at -2^31
local function with_unique(n, k, c, pad)
   con:query(string.format(
      "INSERT INTO sbtest%d (id, k, c, pad) VALUES (%d, %d, '%s', '%s')",
      n, sysbench.rand.unique() - 2147483648, k, c, pad))
end

function prepare_statements()
   local name = drv:name()

   if client_ids() or
      name == "sqlite" and sysbench.opt.secondary then
      insert_row = with_unique
   elseif name == "pgsql" or name == "sqlite" then
      insert_row = without_id
   else
      insert_row = with_zero
   end
end

function event()
   local n = sysbench.rand.uniform(1, sysbench.opt.tables or 1)
   local k = sysbench.rand.default(1, sysbench.opt.table_size or 10000)

   insert_row(n, k, get_c_value(), get_pad_value())
   check_reconnect()
end
