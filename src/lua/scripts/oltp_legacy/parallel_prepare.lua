#!/usr/bin/env bench
-- One event: a thread creates and fills its share of the tables.  Meant for
-- --max-requests = --num-threads; further events do nothing.

local folder = string.match(test, "(.*/)")
local common = folder and dofile(folder .. "common.lua") or require("common")

local done = false

local function prepare_share()
   if done then return end
   done = true
   print("thread prepare" .. thread_id)
   for n = thread_id + 1, oltp_tables_count, common.threads() do
      create_insert(n)
   end
end

function thread_init()
   common.thread_init()
end

function event()
   prepare_share()
end

-- another thread may have had this one's event
function thread_done()
   prepare_share()
end
