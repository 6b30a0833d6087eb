#!/usr/bin/env bench
-- One event: what oltp_read_write does, as plain text, all on one table.

local folder = string.match(test, "(.*/)")
local common = folder and dofile(folder .. "common.lua") or require("common")

local begin_query, commit_query

function thread_init()
   common.thread_init()
   begin_query, commit_query = common.transaction()
end

function get_range_str()
   local id = common.random_row()
   return string.format(" WHERE id BETWEEN %d AND %d", id,
                        id + oltp_range_size - 1)
end

-- SELECT `what` FROM `name` WHERE ...  `order`, `times` times.
local function ranges(times, what, name, order)
   for _ = 1, times do
      db_query("SELECT " .. what .. " FROM " .. name .. get_range_str() ..
               order)
   end
end

local function read(name)
   for _ = 1, oltp_point_selects do
      db_query("SELECT c FROM " .. name .. " WHERE id=" ..
               common.random_row())
   end
   if oltp_range_selects then
      ranges(oltp_simple_ranges, "c", name, "")
      ranges(oltp_sum_ranges, "SUM(K)", name, "")
      ranges(oltp_order_ranges, "c", name, " ORDER BY c")
      ranges(oltp_distinct_ranges, "DISTINCT c", name, " ORDER BY c")
   end
end

local function write(name)
   for _ = 1, oltp_index_updates do
      db_query("UPDATE " .. name .. " SET k=k+1 WHERE id=" ..
               common.random_row())
   end
   for _ = 1, oltp_non_index_updates do
      local c = sb_rand_str(common.C_TEMPLATE)
      db_query("UPDATE " .. name .. " SET c='" .. c .. "' WHERE id=" ..
               common.random_row())
   end
   for _ = 1, oltp_delete_inserts do
      local id = common.random_row()
      db_query("DELETE FROM " .. name .. " WHERE id=" .. id)
      db_query(string.format(
         "INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')",
         name, id, common.random_row(), sb_rand_str(common.C_TEMPLATE),
         sb_rand_str(common.PAD_TEMPLATE)))
   end
end

function event()
   local name = common.random_table()

   if not oltp_skip_trx then db_query(begin_query) end
   if not oltp_write_only then read(name) end
   if not oltp_read_only then write(name) end
   if not oltp_skip_trx then db_query(commit_query) end
end
