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

   if oltp_auto_inc and numbered then
      db_query(string.format(
         "INSERT INTO %s (k, c, pad) VALUES (%d, '%s', '%s')", name, k, c,
         pad))
   else
      -- MySQL takes 0 as a wish for the next number
      local id = oltp_auto_inc and 0 or sb_rand_uniq()
      db_query(string.format(
         "INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')", name,
         id, k, c, pad))
   end
end
