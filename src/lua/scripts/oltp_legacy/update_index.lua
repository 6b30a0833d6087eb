#!/usr/bin/env bench
-- One event: one UPDATE of the indexed column k, as plain text.

local folder = string.match(test, "(.*/)")
local common = folder and dofile(folder .. "common.lua") or require("common")

function thread_init()
   common.thread_init()
end

function event()
   db_query("UPDATE " .. common.random_table() .. " SET k=k+1 WHERE id=" ..
            common.random_row())
end
