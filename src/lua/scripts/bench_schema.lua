-- Functions of the bundled scripts, old and new, about their tables: what they
-- contain, whether they exist, how SQLite creates them, and how they are warmed
-- up, read in one snapshot, and checked.
--
-- A table is called sbtestN, and the functions take its number N.  For other
-- tables, has_table, has_index and analyze take the name as well.
-- `drv` and `con` are a driver and an open connection of it.

local load = require("bench_load")

local schema = {}
local print = load.say

local format = string.format

-- Returns the name of a table.
function schema.name_of(n)
   return tonumber(n) and "sbtest" .. n or n
end

local name_of = schema.name_of

-- "is there such a table": the number of tables and views called %s, also of those that
-- this user may not read
local TABLE_QUERY = {
   pgsql = [[SELECT COUNT(*) FROM pg_class c
             JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = current_schema() AND c.relname = '%s'
             AND c.relkind IN ('r', 'p', 'v', 'm', 'f')]],
   sqlite = [[SELECT COUNT(*) FROM sqlite_master
              WHERE type IN ('table', 'view') AND lower(name) = lower('%s')]],
   other = [[SELECT COUNT(*) FROM information_schema.tables
             WHERE table_schema = DATABASE() AND table_name = '%s']],
}

-- "is there such an index": the number of indexes of table %s called %s
local INDEX_QUERY = {
   pgsql = [[SELECT COUNT(*) FROM pg_indexes
             WHERE schemaname = current_schema()
             AND tablename = '%s' AND indexname = '%s']],
   sqlite = [[SELECT COUNT(*) FROM sqlite_master
              WHERE type = 'index' AND tbl_name = '%s' AND name = '%s']],
   other = [[SELECT COUNT(*) FROM information_schema.statistics
             WHERE table_schema = DATABASE()
             AND table_name = '%s' AND index_name = '%s']],
}

local function count(drv, con, queries, ...)
   -- the null driver stores nothing, whatever it answers
   if drv:name() == "null" then return 0 end
   local query = queries[drv:name()] or queries.other
   return tonumber((con:query_row(format(query, ...)))) or 0
end

function schema.has_table(drv, con, n)
   return count(drv, con, TABLE_QUERY, name_of(n)) > 0
end

function schema.has_index(drv, con, n, index)
   return count(drv, con, INDEX_QUERY, name_of(n), index) > 0
end

local SERIAL = {
   sqlite = "INTEGER PRIMARY KEY AUTOINCREMENT",
   pgsql = "BIGSERIAL PRIMARY KEY",
   other = "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
}

-- Returns the type of a primary key that the database numbers.
function schema.serial(drv) return SERIAL[drv:name()] or SERIAL.other end

-- Returns CREATE TABLE for SQLite.  `ids` says where ids come from: "auto" (the
-- database), "client", or "free" (the client, and they need not be unique).
function schema.sqlite_table(n, ids, options)
   local id, key = "INTEGER NOT NULL", ",\n  PRIMARY KEY (id)"

   if ids == "auto" then
      id, key = "INTEGER PRIMARY KEY AUTOINCREMENT", ""
   elseif ids == "free" then
      key = ""
   end
   return format([[
CREATE TABLE sbtest%d(
  id %s,
  k INTEGER DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL%s
) %s]], n, id, key, options)
end

-- Scripts for other databases insert id 0 and expect the next number.
function schema.sqlite_trigger(n)
   return (([[
CREATE TRIGGER sbtestN_auto AFTER INSERT ON sbtestN WHEN NEW.id = 0
BEGIN
  UPDATE sbtestN SET id = (SELECT MAX(id) + 1 FROM sbtestN) WHERE id = 0;
END]]):gsub("sbtestN", "sbtest" .. n))
end

function schema.make_sqlite_trigger(con, n)
   if sysbench.opt.table_exists == "resume" then
      con:query(format("DROP TRIGGER IF EXISTS sbtest%d_auto", n))
   end
   con:query(schema.sqlite_trigger(n))
end

-- Makes the database continue its own numbers after `size`.
function schema.set_sequence(con, n, size)
   if size < 1 then return end
   con:query(format(
      "SELECT setval(pg_get_serial_sequence('sbtest%d', 'id'), %d)", n, size))
end

function schema.analyze(drv, con, n)
   local plain = drv:name() == "pgsql" or drv:name() == "sqlite"

   con:query(format("%s %s", plain and "ANALYZE" or "ANALYZE TABLE",
                    name_of(n)))
end

-- Begins a transaction whose statements all read the same snapshot.
local SNAPSHOT = {
   pgsql = {"BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"},
   sqlite = {"BEGIN"},
   other = {"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            "START TRANSACTION WITH CONSISTENT SNAPSHOT"},
}

function schema.begin_snapshot(drv, con)
   for _, text in ipairs(SNAPSHOT[drv:name()] or SNAPSHOT.other) do
      con:query(text)
   end
end

-- Call this once per connection, before it loads rows: known facts need not be
-- checked.
function schema.load_session(drv, con)
   if drv:name() == "mysql" then
      con:query("SET SESSION unique_checks=0, foreign_key_checks=0")
   end
end

-- Call this once per connection, before the first table is warmed up.
function schema.warm_up_session(drv, con)
   if drv:name() == "pgsql" or drv:name() == "sqlite" then return end
   con:query("SET tmp_table_size=2*1024*1024*1024")
   con:query("SET max_heap_table_size=2*1024*1024*1024")
end

-- Reads `rows` rows by primary key and by table scan.
function schema.warm_up(drv, con, n, rows, secondary)
   local plain = drv:name() == "pgsql" or drv:name() == "sqlite"
   local force = format(" FORCE KEY (%s)", secondary and "xid" or "PRIMARY")
   local text_of_k = plain and "CAST(k AS TEXT)" or "k"

   schema.analyze(drv, con, n)
   con:query(format(
      "SELECT AVG(id) FROM (SELECT * FROM sbtest%d%s LIMIT %d) t",
      n, plain and "" or force, rows))
   con:query(format(
      "SELECT COUNT(*) FROM (SELECT * FROM sbtest%d WHERE %s LIKE '%%0%%'" ..
      " LIMIT %d) t", n, text_of_k, rows))
end

-- The columns of CHECK_QUERY in order, each with its lowest and highest correct
-- value; `size` stands for the number of rows.
local CHECK_QUERY =
   "SELECT COUNT(*), MIN(id), MAX(id), MIN(k), MAX(k), MIN(LENGTH(c))," ..
   " MAX(LENGTH(c)), MIN(LENGTH(pad)), MAX(LENGTH(pad)) FROM sbtest%d"
local CHECKS = {
   {"number of rows", "size", "size"},
   {"smallest id", 1, 1}, {"largest id", "size", "size"},
   {"smallest k", 1, "size"}, {"largest k", 1, "size"},
   {"shortest c", 119, 119}, {"longest c", 119, 119},
   {"shortest pad", 59, 59}, {"longest pad", 59, 59},
}

-- Returns what is wrong with the rows of a table: a list of phrases.
local function row_faults(con, n, size)
   local row = {con:query_row(format(CHECK_QUERY, n))}
   local faults = {}

   for i, check in ipairs(CHECKS) do
      local low = check[2] == "size" and size or check[2]
      local high = check[3] == "size" and size or check[3]
      local value = tonumber(row[i])
      local fits = value ~= nil and value >= low and value <= high
      -- an empty table has neither ids nor lengths
      if i > 1 and size == 0 and value == nil then fits = true end
      if not fits then
         local right = low == high and format("%d", low) or
            format("%d..%d", low, high)
         table.insert(faults, format("%s %s instead of %s", check[1],
                                     tostring(row[i]), right))
      end
   end
   return faults
end

-- Compares a table with what prepare makes: `size` rows, and index k_N if
-- `indexed`; `loaded`: each row is the one that the loader makes.  Prints one
-- line.  Returns true if nothing differs, otherwise false and whether rows do.
function schema.check(drv, con, n, size, indexed, loaded)
   if drv:name() == "null" then
      error("there is nothing to check: the null driver keeps no tables", 0)
   end

   local faults
   local rows_differ = false
   if schema.has_table(drv, con, n) then
      faults = row_faults(con, n, size)
      local others = loaded and load.check(con, n, size)
      if others then table.insert(faults, others) end
      rows_differ = #faults > 0
      if indexed and not schema.has_index(drv, con, n, "k_" .. n) then
         table.insert(faults, format("index k_%d is missing", n))
      end
   else
      faults = {"it does not exist"}
   end
   print(format("Checking table 'sbtest%d'... %s", n,
                #faults == 0 and "ok" or table.concat(faults, ", ")))
   return #faults == 0, rows_differ
end

return schema
