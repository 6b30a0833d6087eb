#!/usr/bin/env bench
-- One event: one prepared SELECT of the rows of sbtest1 whose k is one of
-- --random-points numbers.  Each thread has its own part of the numbers.

local folder = string.match(test, "(.*/)")
local common = folder and dofile(folder .. "common.lua") or require("common")

local select, points, first, last

function thread_init()
   common.thread_init()
   first, last = common.own_part()
   select, points = common.prepare(
      "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (" ..
      string.rep("?, ", random_points - 1) .. "?)", random_points)
end

function thread_done()
   db_close(select)
   db_disconnect()
end

function event()
   for i = 1, random_points do points[i] = sb_rand(first, last) end
   common.execute(select)
end
