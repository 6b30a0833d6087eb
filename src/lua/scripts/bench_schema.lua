-- Functions of the bundled scripts about their tables: contents, existence,
-- SQLite, warm-up, snapshots, checks.
--
-- Functions take the number N of a table sbtestN; has_table, has_index and
-- analyze also take a name.  `drv` and `con`: a driver and its open connection.

local load = require("bench_load")

local schema = {}
local print = load.say

local format = string.format

function schema.name_of(n)
   return tonumber(n) and "sbtest" .. n or n
end

local name_of = schema.name_of

-- The number of tables and views called %s, also of those that this user may
-- not read.
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

-- The number of indexes of table %s called %s.
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

-- A key of the server's dialect (--dialect); "" in sysbench.
function schema.dialect(drv, key)
   return load.possible and drv:dialect(key) or ""
end

function schema.skips_indexes(drv) return schema.dialect(drv, "index") == "skip" end

-- True, too, if the server has no indexes.
function schema.has_index(drv, con, n, index)
   return schema.skips_indexes(drv) or count(drv, con, INDEX_QUERY, name_of(n), index) > 0
end

-- The driver and a new connection.
function schema.connect()
   local drv = sysbench.sql.driver()
   return drv, drv:connect()
end

-- The numbers in the row of a workload's own table, by column; nil and why not.
function schema.read_row(drv, con, name, columns)
   if not schema.has_table(drv, con, name) then
      return nil, "there is no table " .. name ..
         "; use the prepare command first"
   end
   local row = {con:query_row(format("SELECT %s FROM %s",
                                     table.concat(columns, ", "), name))}
   if #row == 0 then return nil, "the table " .. name .. " is empty" end
   local settings = {}
   for i, column in ipairs(columns) do settings[column] = tonumber(row[i]) end
   return settings
end

-- Nil, or why tables of this version cannot be used.
function schema.misfit(settings, version)
   if settings.version ~= version then
      return format("the tables have version %d, this program makes and runs " ..
                    "version %d; use prepare with --table-exists=drop",
                    settings.version, version)
   end
end

-- ENGINE for CREATE TABLE; hidden from other servers than MySQL.
function schema.engine(drv)
   if drv:name() == "pgsql" or drv:name() == "sqlite" then return "" end
   return "/*! ENGINE = " .. sysbench.opt.mysql_storage_engine .. " */"
end

local SERIAL = {
   sqlite = "INTEGER PRIMARY KEY AUTOINCREMENT",
   pgsql = "BIGSERIAL PRIMARY KEY",
   other = "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
}

-- The type of a primary key that the database numbers.
function schema.serial(drv) return SERIAL[drv:name()] or SERIAL.other end

-- CREATE TABLE for SQLite.  `ids`: "auto" (by the database), "client", or
-- "free" (by the client, perhaps not unique).
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

-- The database continues its own numbers after `size`.
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

-- A transaction whose statements read one snapshot.
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

-- Once per connection, before rows are loaded: known facts need no checks.
function schema.load_session(drv, con)
   if drv:name() == "mysql" then
      con:query("SET SESSION unique_checks=0, foreign_key_checks=0")
   end
end

-- Once per connection, before the first warm-up.
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

-- The columns of CHECK_QUERY in order, with their lowest and highest correct
-- values; `size`: the number of rows.
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

-- A list of phrases about wrong rows of a table.
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

-- Compares a table with that of prepare: `size` rows, and index k_N if
-- `indexed`; `loaded`: with the loader's rows.  Prints one line.  True, or
-- false and whether rows differ.
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
