#!/usr/bin/env bench
-- One event: one UPDATE of column c, which has no index, as plain text.

local folder = string.match(test, "(.*/)")
local common = folder and dofile(folder .. "common.lua") or require("common")

function thread_init()
   common.thread_init()
end

function event()
   local name = common.random_table()
   local c = sb_rand_str(common.C_TEMPLATE)

   db_query("UPDATE " .. name .. " SET c='" .. c .. "' WHERE id=" ..
            common.random_row())
end
