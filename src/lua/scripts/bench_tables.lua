-- The tables of the oltp_* and select_random_* scripts, and their commands;
-- loaded by oltp_common on demand.
--
-- Scripts may replace the global functions get_c_value, get_pad_value and
-- create_table; `own` has those of oltp_common itself.

local load = require("bench_load")
local mine = require("bench_own")
local schema = require("bench_schema")
local print = load.say

local own -- see above
local option, call -- functions of `own`
local tables = {}

local MAX_INTEGER = 2147483647

-- Does the client choose the ids?  SQLite numbers only primary keys.
local function client_ids(drv)
   return not option("auto_inc") or schema.dialect(drv, "ids") == "client" or
      option("secondary") and drv:name() == "sqlite"
end

local function sqlite_table(drv, n)
   local ids = "auto"
   if client_ids(drv) then
      ids = option("secondary") and "free" or "client"
   end
   return schema.sqlite_table(n, ids, option("create_table_options"))
end

local function table_statement(drv, n)
   local name = drv:name()
   if name == "sqlite" then return sqlite_table(drv, n) end

   local integer = option("table_size") > MAX_INTEGER and "BIGINT" or "INTEGER"
   local id = integer .. " NOT NULL"
   if not client_ids(drv) then
      if name == "pgsql" then
         id = integer == "BIGINT" and "BIGSERIAL" or "SERIAL"
      else
         id = id .. " AUTO_INCREMENT"
      end
   end

   local key = ",\n  PRIMARY KEY (id)"
   if option("secondary") then
      key = name == "pgsql" and "" or ",\n  KEY xid (id)"
   end

   local engine = ""
   if name == "mysql" or name == "null" then
      engine = "/*! ENGINE = " .. option("mysql_storage_engine") .. " */"
   end

   return string.format([[
CREATE TABLE sbtest%d(
  id %s,
  k %s DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL%s
) %s %s]], n, id, integer, key, engine, option("create_table_options"))
end

-- The loader cannot generate values of the script.
local function can_load(drv)
   return load.possible and get_c_value == own.get_c_value and
      get_pad_value == own.get_pad_value and
      not (schema.dialect(drv, "ids") == "server" and option("auto_inc"))
end

-- Fills an empty table with values of the script.
local function insert_rows(drv, con, n)
   local size = option("table_size")
   local with_id = client_ids(drv)

   call(con, "bulk_insert_init", string.format(
      "INSERT INTO sbtest%d(%sk, c, pad) VALUES", n, with_id and "id, " or ""))
   for id = 1, size do
      local c, pad = get_c_value(), get_pad_value()
      local k = sysbench.rand.default(1, size)
      local row = string.format("%d, '%s', '%s'", k, c, pad)
      if with_id then row = string.format("%d, %s", id, row) end
      call(con, "bulk_insert_next", "(" .. row .. ")")
   end
   call(con, "bulk_insert_done")
end

local function indexed(drv)
   return option("create_secondary") and not schema.skips_indexes(drv) and
      sysbench.opt.create_index ~= "off"
end

local function create_indexes(drv, con, n)
   local name = drv:name()

   -- an interrupted prepare may have created it
   local function missing(index)
      return sysbench.opt.table_exists ~= "resume" or
         not schema.has_index(drv, con, n, string.format(index, n))
   end

   -- MySQL has created the index on id with the table
   if option("secondary") and (name == "pgsql" or name == "sqlite") and
      missing("xid_%d") then
      call(con, "query",
           string.format("CREATE INDEX xid_%d ON sbtest%d(id)", n, n))
   end
   if indexed(drv) and missing("k_%d") then
      print(string.format("Creating a secondary index on 'sbtest%d'...", n))
      call(con, "query",
           string.format("CREATE INDEX k_%d ON sbtest%d(k)", n, n))
   end
end

-- Creates an empty table; returns the loader's state of it.
local function create_empty(drv, con, n)
   local size = option("table_size")

   if sysbench.opt.table_exists == "resume" and
      schema.has_table(drv, con, n) then
      if not can_load(drv) then
         error("--table-exists=resume is not possible: the rows of this " ..
               "script are not made by the loader", 0)
      end
      print(string.format("Resuming table 'sbtest%d'...", n))
      return load.RESUME
   end
   local statement = table_statement(drv, n)
   if not mine.make_way(drv, con, mine.sbtest(n, n), n, statement) then return load.LEAVE end
   print(string.format("Creating table 'sbtest%d'...", n))
   call(con, "query", statement)
   mine.made("sbtest" .. n)
   if sysbench.opt.create_index == "before" then
      create_indexes(drv, con, n)
   end
   if size > 0 then
      print(string.format("Inserting %d records into 'sbtest%d'", size, n))
   end
   return load.FRESH
end

-- Steps that would slow down the loading of rows.
local function finish_table(drv, con, n)
   if drv:name() == "sqlite" and not client_ids(drv) then
      schema.make_sqlite_trigger(con, n)
   end
   if sysbench.opt.create_index ~= "before" or
      sysbench.opt.table_exists == "resume" then
      create_indexes(drv, con, n)
   end
   if drv:name() == "pgsql" and not client_ids(drv) and can_load(drv) then
      schema.set_sequence(con, n, option("table_size"))
   end
   if sysbench.opt.load_analyze then schema.analyze(drv, con, n) end
end

local function load_tables(drv, con, first, count, shared)
   local steps = {
      create = function(n) return create_empty(drv, con, n) end,
      finish = function(n) finish_table(drv, con, n) end,
   }
   schema.load_session(drv, con)
   load.run(con, first, count, option("table_size"), steps, shared)
end

function tables.create_table(drv, con, table_num)
   if can_load(drv) then
      load_tables(drv, con, table_num, 1, false)
   elseif create_empty(drv, con, table_num) ~= load.LEAVE then
      if option("table_size") > 0 then insert_rows(drv, con, table_num) end
      finish_table(drv, con, table_num)
   end
end

-- ---- Commands

-- The table of this thread after table n (nil: the first), or nil.
local function next_table(_, n)
   local threads = sysbench.opt.threads
   n = n and n + threads or sysbench.tid % threads + 1
   if n <= option("tables") then return n end
end

local UNIT = {"table_size", "row per table", "rows per table", 1, 2 ^ 40}

local function fit(drv, loud)
   load.fit(drv, "sbtest", {}, UNIT, loud, option("tables"))
end

function tables.begin()
   fit(sysbench.sql.driver(), true)
   if create_table == own.create_table then
      mine.prepare(mine.sbtest(1, option("tables")))
   end
end

function tables.failed()
   if create_table == own.create_table then
      mine.undo(mine.sbtest(1, option("tables")))
   end
end

function tables.cmd_prepare(drv, con)
   if option("table_size") > 0 then fit(drv) end
   if create_table == own.create_table and can_load(drv) then
      load_tables(drv, con, 1, option("tables"), true)
   else
      for n in next_table do create_table(drv, con, n) end
   end
end

function tables.cmd_warmup(drv, con)
   -- sysbench 1.0 and 1.1 use different words
   local line = sysbench.version:match("^1%.0") and "Prewarming table sbtest%d"
      or "Preloading table sbtest%d"

   local done = load.pace(true, option("tables"))
   schema.warm_up_session(drv, con)
   for n in next_table do
      print(string.format(line, n))
      schema.warm_up(drv, con, n, option("table_size"), option("secondary"))
      done(1)
   end
end

function tables.cmd_check(drv, con)
   local all_good, rows_differ = true, false
   local size = option("table_size")
   local loaded = create_table == own.create_table and can_load(drv)
   local done = load.pace(false, option("tables") * size)
   for n in next_table do
      local good, rows = schema.check(drv, con, n, size, indexed(drv), loaded)
      -- rows that the loader checks are counted one by one
      if not loaded then done(size) end
      all_good = all_good and good
      rows_differ = rows_differ or rows
   end
   if rows_differ then
      print("Runs modify rows, so check works right after prepare only, " ..
            "with its --rand-seed, --rand-type, --compat and --table-size")
   end
   return all_good
end

function tables.cleanup(drv, con)
   local set = mine.sbtest(1, option("tables"))

   -- a script with tables of its own has them by name
   set.by_name = create_table ~= own.create_table
   mine.cleanup(drv, con, set)
end

return function(of_common)
   own = of_common
   option, call = own.option, own.call
   return tables
end
