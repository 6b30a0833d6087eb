#!/usr/bin/env bench
-- One event: one INSERT as plain text.

local folder = string.match(test, "(.*/)")
local common = folder and dofile(folder .. "common.lua") or require("common")

function thread_init()
   common.thread_init()
end

function event()
   local name = common.random_table()
   local k = common.random_row()
   local c = sb_rand_str(common.C_TEMPLATE)
   local pad = sb_rand_str(common.PAD_TEMPLATE)
   local numbered = db_driver == "pgsql" or db_driver == "sqlite"
   local own_ids = common.client_ids()

   if numbered and not own_ids then
      db_query(string.format(
         "INSERT INTO %s (k, c, pad) VALUES (%d, '%s', '%s')", name, k, c,
         pad))
   else
      -- MySQL replaces 0 by the next number
      local id = own_ids and sb_rand_uniq() or 0
      -- its column is unsigned; that of PostgreSQL begins at -2^31
      if db_driver == "pgsql" then id = id - 2147483648 end
      db_query(string.format(
         "INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')", name,
         id, k, c, pad))
   end
end
