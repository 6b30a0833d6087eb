#!/usr/bin/env bench
-- The common part of the scripts in the 0.5 style: options, prepare and
-- cleanup; without an event.
--
-- Options are not declared, but checked: --oltp-table-size=5 arrives as the
-- global oltp_table_size, a string, and set_vars() converts it.

local load = require("bench_load")
local columns = require("bench_columns")
local options = require("bench_options")
local own = require("bench_own")
local schema = require("bench_schema")

local format = string.format
local print = load.say

-- option -> default, minimum
local NUMBERS = {
   oltp_tables_count = {1, 1}, oltp_table_size = {10000, 0},
   oltp_range_size = {100, 1}, oltp_point_selects = {10, 0},
   oltp_simple_ranges = {1, 0}, oltp_sum_ranges = {1, 0},
   oltp_order_ranges = {1, 0}, oltp_distinct_ranges = {1, 0},
   oltp_index_updates = {1, 0}, oltp_non_index_updates = {1, 0},
   oltp_delete_inserts = {1, 0}, myisam_max_rows = {1000000, 0},
   random_points = {10, 1}, number_of_ranges = {10, 1},
   random_ranges_delta = {5, 0},
}
-- option -> default
local SWITCHES = {
   oltp_range_selects = true, oltp_auto_inc = true,
   oltp_create_secondary = true, oltp_read_only = false,
   oltp_write_only = false, oltp_skip_trx = false, oltp_secondary = false,
}

local validators = sysbench.cmdline.validators or {}
validators.pgsql_variant = options.one_of({"redshift"})
for name, number in pairs(NUMBERS) do
   validators[name] = options.number(number[2])
end
for name in pairs(SWITCHES) do validators[name] = options.switch end
sysbench.cmdline.validators = validators

-- An option without value is on; a boolean is a result of an earlier
-- set_vars().
local function is_on(value, default)
   if value == "" then return true end
   if type(value) == "string" then value = options.word(value) end
   if type(value) ~= "boolean" then return default end
   return value
end

-- Missing options are not globals.
function set_vars()
   for name, number in pairs(NUMBERS) do
      _G[name] = tonumber(_G[name]) or number[1]
   end
   for name, default in pairs(SWITCHES) do
      _G[name] = is_on(_G[name], default)
   end

   if oltp_read_only and oltp_write_only then
      error("--oltp-read-only and --oltp-write-only are mutually exclusive", 0)
   end
   local drv = load.possible and sysbench.sql.driver()
   if drv and drv:dialect("ids") == "server" then oltp_delete_inserts = 0 end
   if (mysql_table_engine or "") == "" then mysql_table_engine = "innodb" end
   mysql_table_options = mysql_table_options or ""
end

-- SQLite numbers only primary keys.
local function client_ids()
   return not oltp_auto_inc or
      load.possible and sysbench.sql.driver():dialect("ids") == "client" or oltp_secondary and db_driver == "sqlite"
end

local function mysql_table(n)
   local integer = oltp_table_size > 4294967295 and "BIGINT" or "INTEGER"
   return format([[
CREATE TABLE sbtest%d (
  id %s UNSIGNED NOT NULL %s,
  k %s UNSIGNED DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL,
  %s (id)
) /*! ENGINE = %s MAX_ROWS = %d */ %s]],
      n, integer, oltp_auto_inc and "AUTO_INCREMENT" or "", integer,
      oltp_secondary and "KEY xid" or "PRIMARY KEY",
      mysql_table_engine, myisam_max_rows, mysql_table_options)
end

local function pgsql_table(n)
   local integer, serial = "INTEGER", "SERIAL"
   if oltp_table_size > 2147483647 then
      integer, serial = "BIGINT", "BIGSERIAL"
   end
   return format([[
CREATE TABLE sbtest%d (
  id %s NOT NULL,
  k %s DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL%s
)]], n, oltp_auto_inc and serial or integer, integer,
      oltp_secondary and "" or ",\n  PRIMARY KEY (id)")
end

local function sqlite_table(n)
   local ids = "auto"
   if client_ids() then ids = oltp_secondary and "free" or "client" end
   return schema.sqlite_table(n, ids, "")
end

local TABLE = {pgsql = pgsql_table, sqlite = sqlite_table}

local function can_load()
   return load.possible and
      not (sysbench.sql.driver():dialect("ids") == "server" and
           oltp_auto_inc)
end

-- Without a loader.
local function insert_rows(con, n)
   local with_id = client_ids()

   con:bulk_insert_init(format("INSERT INTO sbtest%d(%sk, c, pad) VALUES", n,
                               with_id and "id, " or ""))
   for id = 1, oltp_table_size do
      local c = sb_rand_str(columns.C)
      local pad = sb_rand_str(columns.PAD)
      local k = sb_rand(1, oltp_table_size)
      con:bulk_insert_next(
         with_id and format("(%d, %d, '%s', '%s')", id, k, c, pad) or
         format("(%d, '%s', '%s')", k, c, pad))
   end
   con:bulk_insert_done()
end

local function create_indexes(drv, con, n)
   -- an interrupted prepare may have created it
   local function missing(index)
      return sysbench.opt.table_exists ~= "resume" or
         not schema.has_index(drv, con, n, format(index, n))
   end

   -- MySQL has created the index on id with the table
   if oltp_secondary and TABLE[db_driver] and missing("xid_%d") then
      con:query(format("CREATE INDEX xid_%d ON sbtest%d(id)", n, n))
   end
   if oltp_create_secondary and not schema.skips_indexes(drv) and sysbench.opt.create_index ~= "off" and
      missing("k_%d") then
      print(format("Creating secondary indexes on 'sbtest%d'...", n))
      con:query(format("CREATE INDEX k_%d on sbtest%d(k)", n, n))
   end
end

-- Creates an empty table; returns the loader's state of it.
local function create_empty(drv, con, n)
   if can_load() and sysbench.opt.table_exists == "resume" and
      schema.has_table(drv, con, n) then
      print(format("Resuming table 'sbtest%d'...", n))
      return load.RESUME
   end
   local statement = (TABLE[db_driver] or mysql_table)(n)
   if not own.make_way(drv, con, own.sbtest(n, n), n, statement) then return load.LEAVE end
   print(format("Creating table 'sbtest%d'...", n))
   con:query(statement)
   own.made("sbtest" .. n)
   if sysbench.opt.create_index == "before" then
      create_indexes(drv, con, n)
   end
   print(format("Inserting %d records into 'sbtest%d'", oltp_table_size, n))
   return load.FRESH
end

-- Steps that would slow down the loading of rows.
local function finish_table(drv, con, n)
   if db_driver == "sqlite" and not client_ids() then
      schema.make_sqlite_trigger(con, n)
   end
   if sysbench.opt.create_index ~= "before" or
      sysbench.opt.table_exists == "resume" then
      create_indexes(drv, con, n)
   end
   if db_driver == "pgsql" and oltp_auto_inc and can_load() then
      schema.set_sequence(con, n, oltp_table_size)
   end
   if sysbench.opt.load_analyze then schema.analyze(drv, con, n) end
end

-- For the loader and questions to the server; the connection of db_connect() is
-- for the scripts.
local function connect()
   local drv = sysbench.sql.driver()
   db_connect()
   return drv, drv:connect()
end

-- Turns of a loop from 1 to `number`; a negative number is not an error.
local function turns(number)
   return number > 0 and number or 0
end

-- Loads `count` tables; `shared`: together with all threads that call this.
local function load_tables(drv, con, first, count, shared)
   schema.load_session(drv, con)
   load.run(con, first, turns(count), turns(oltp_table_size), {
      create = function(n) return create_empty(drv, con, n) end,
      finish = function(n) finish_table(drv, con, n) end,
   }, shared)
end

function create_insert(table_id)
   set_vars()

   local drv, con = connect()
   if can_load() then
      load_tables(drv, con, table_id, 1, false)
   elseif create_empty(drv, con, table_id) ~= load.LEAVE then
      insert_rows(con, table_id)
      finish_table(drv, con, table_id)
   end
   con:disconnect()
end

function prepare()
   set_vars()
   db_connect()
   for n = 1, oltp_tables_count do create_insert(n) end
end

-- All threads share the work, unless a script has its own prepare.
local own_prepare, own_create_insert = prepare, create_insert

local function prepare_together()
   set_vars()

   local drv, con = connect()
   if can_load() then
      load_tables(drv, con, 1, oltp_tables_count, true)
   elseif sysbench.tid == 0 then
      prepare()
   end
   con:disconnect()
end

if load.possible and sysbench.cmdline.commands == nil then
   local together = {prepare_together, sysbench.cmdline.PARALLEL_COMMAND, function()
      set_vars()
      own.prepare(own.sbtest(1, oltp_tables_count))
   end, function()
      own.undo(own.sbtest(1, oltp_tables_count))
   end}

   -- called when the whole script is known
   sysbench.cmdline.commands = setmetatable({}, {__index = function(_, name)
      if name == "prepare" and prepare == own_prepare and
         create_insert == own_create_insert then
         return together
      end
   end})
end

function cleanup()
   set_vars()
   local drv = sysbench.sql.driver()
   own.cleanup(drv, drv:connect(), own.sbtest(1, oltp_tables_count))
end

-- The value of the chunk: functions for the scripts of this folder.  Scripts
-- that run it for its functions get no other globals.
local common = {C_TEMPLATE = columns.C,
                PAD_TEMPLATE = columns.PAD}

common.client_ids = client_ids

-- The number of threads: in sysbench the global is 1 after --threads=8.
function common.threads()
   return tonumber(sysbench.opt.threads or num_threads) or 1
end

function common.thread_init()
   set_vars()
   db_connect()
end

-- The statements before and after the others of an event.
function common.transaction()
   if db_driver == "mysql" and mysql_table_engine == "myisam" then
      local tables = {}
      for n = 1, oltp_tables_count do
         tables[n] = format("sbtest%d WRITE", n)
      end
      return "LOCK TABLES " .. table.concat(tables, " ,"), "UNLOCK TABLES"
   end
   -- a writer waits for the lock now, and cannot fail at its first write
   if db_driver == "sqlite" and not oltp_read_only then
      return "BEGIN IMMEDIATE", "COMMIT"
   end
   return "BEGIN", "COMMIT"
end

function common.random_table()
   return "sbtest" .. sb_rand_uniform(1, oltp_tables_count)
end

function common.random_row()
   return sb_rand(1, oltp_table_size)
end

-- The numbers from which this thread draws its k in scripts that read only
-- sbtest1.
function common.own_part()
   local threads = common.threads()
   local share = oltp_table_size / threads
   local t = thread_id % threads

   return math.floor(share * t), math.floor(share * (t + 1))
end

-- A statement with `number` numeric parameters, and the array of their values.
function common.prepare(sql, number)
   local statement = db_prepare(sql)
   local values = {}

   for i = 1, number do values[i] = 0 end
   db_bind_param(statement, values)
   return statement, values
end

-- The rows are not used.
function common.execute(statement)
   local rs = db_execute(statement)
   db_store_results(rs)
   db_free_results(rs)
end

return common
