#!/usr/bin/env bench
-- One event: one DELETE by primary key, as plain text.

local folder = string.match(test, "(.*/)")
local common = folder and dofile(folder .. "common.lua") or require("common")

function thread_init()
   common.thread_init()
end

function event()
   db_query("DELETE FROM " .. common.random_table() .. " WHERE id=" ..
            common.random_row())
end
