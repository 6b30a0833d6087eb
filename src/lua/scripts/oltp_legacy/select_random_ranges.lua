#!/usr/bin/env bench
-- One event: one prepared SELECT that counts the rows of sbtest1 whose k is in
-- one of --number-of-ranges ranges.  Each thread has its own part of the
-- numbers.

local folder = string.match(test, "(.*/)")
local common = folder and dofile(folder .. "common.lua") or require("common")

local select, limits, first, last

function thread_init()
   common.thread_init()
   first, last = common.own_part()
   select, limits = common.prepare(
      "SELECT count(k) FROM sbtest1 WHERE " ..
      string.rep("k BETWEEN ? AND ? OR ", number_of_ranges - 1) ..
      "k BETWEEN ? AND ?", 2 * number_of_ranges)
end

function thread_done()
   db_close(select)
   db_disconnect()
end

function event()
   for i = 1, 2 * number_of_ranges, 2 do
      local k = sb_rand(first, last)
      limits[i] = k
      limits[i + 1] = k + random_ranges_delta
   end
   common.execute(select)
end
