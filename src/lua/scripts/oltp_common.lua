#!/usr/bin/env bench
-- The part that all oltp_* and select_random_* scripts have in common: their
-- options, their tables and the statements that make up their events.  It has
-- no event of its own, so it knows prepare, warmup, check and cleanup, but not
-- run.
--
-- Scripts say require("oltp_common"), define event() and prepare_statements(),
-- and may replace any global function of this file: calls between them look
-- the name up each time.

local fixed = require("bench_oltp")
local lost = require("bench_lost")
local on_demand = require("bench_on_demand")

if sysbench.cmdline.command == nil then
   error("a command is required, one of: prepare, warmup (or prewarm), " ..
         "check, run, cleanup, help", 0)
end

-- ---------------------------------------------------------------------------
-- Options

sysbench.cmdline.options = fixed.options

local function option(name)
   local value = sysbench.opt[name]
   if value == nil then return fixed.default[name] end
   return value
end

-- Returns the name of a thread's driver: a script with its own thread_init need
-- not have set `drv`.
local function name_of(drv)
   drv = drv or sysbench.sql.driver()
   return (drv:name())
end

local function is_redshift(drv)
   return option("pgsql_variant") == "redshift" and name_of(drv) == "pgsql"
end

-- ---------------------------------------------------------------------------
-- Tables

local C_TEMPLATE = fixed.C_TEMPLATE
local PAD_TEMPLATE = fixed.PAD_TEMPLATE

function get_c_value()
   return sysbench.rand.string(C_TEMPLATE)
end

function get_pad_value()
   return sysbench.rand.string(PAD_TEMPLATE)
end

-- The rest is in a separate module, which thousands of threads that run events
-- need not load.
local own = {option = option, is_redshift = is_redshift,
             get_c_value = get_c_value, get_pad_value = get_pad_value}
local tables

-- Calls con:METHOD(...).  If it fails, the error says that it came from here,
-- where users of these scripts expect it.
function own.call(con, method, ...)
   local result = con[method](con, ...)
   return result
end

local function connect()
   local drv = sysbench.sql.driver()
   return drv, drv:connect()
end

local function load_tables()
   tables = tables or require("bench_tables")(own)
   return tables
end

if sysbench.cmdline.command ~= "run" then load_tables() end

function create_table(drv, con, table_num)
   load_tables().create_table(drv, con, table_num)
end

own.create_table = create_table

function cmd_prepare()
   load_tables().cmd_prepare(connect())
end

function cmd_warmup()
   load_tables().cmd_warmup(connect())
end

cmd_prewarm = cmd_warmup

local function cmd_check()
   return load_tables().cmd_check(connect())
end

function cleanup()
   load_tables().cleanup(connect())
end

local PARALLEL = sysbench.cmdline.PARALLEL_COMMAND
sysbench.cmdline.commands = {
   prepare = {cmd_prepare, PARALLEL},
   warmup = {cmd_warmup, PARALLEL},
   prewarm = {cmd_prewarm, PARALLEL},
   check = {cmd_check, PARALLEL},
}

-- ---------------------------------------------------------------------------
-- Statements
--
-- A connection prepares a class of statements for a table when it first uses
-- it there: thousands of tables times classes times connections at the start
-- would cost minutes and more statements than servers allow.  stmt[n][class]
-- and param[n][class] look as if all of them had been made.

local CLASS, WRITES = fixed.CLASS, fixed.WRITES

local writing = false -- has a class that writes been wanted in this state?
local own_begin       -- what prepare_begin has made

local function prepare_class(n, key)
   local class = CLASS[key]
   local statement = con:prepare(string.format(class[1], n))
   local params = {}

   for i = 2, #class do
      params[i - 1] = statement:bind_create(class[i][1], class[i][2])
   end
   statement:bind_param(unpack(params))
   stmt[n][key] = statement
   param[n][key] = params
end

local classes = on_demand.new_family(fixed.class_names, prepare_class)

-- SQLite waits for the write lock when a transaction begins.  Then the
-- transaction cannot fail when it changes from reading to writing.
local function begin_statement()
   return writing and name_of(drv) == "sqlite" and "BEGIN IMMEDIATE" or "BEGIN"
end

function prepare_begin()
   own_begin = con:prepare(begin_statement())
   stmt.begin = own_begin
end

function prepare_commit()
   stmt.commit = con:prepare("COMMIT")
end

local function note_writing()
   if writing then return end
   writing = true
   if own_begin ~= nil and stmt.begin == own_begin and
      begin_statement() ~= "BEGIN" then
      own_begin:close()
      prepare_begin()
   end
end

-- Statements of all threads that are made before the clock starts, class by
-- class.  A class that would exceed the limit is prepared on first use: servers
-- keep all statements in memory, and the MySQL family allows 16,382.
local MOST_AT_ONCE = 16000
local at_once = 0 -- made by this thread so far

local function prepare_at_once(key)
   local tables = option("tables")

   if (at_once + tables) * sysbench.opt.threads > MOST_AT_ONCE then return end
   at_once = at_once + tables
   for n = 1, tables do local _ = stmt[n][key] end
end

function prepare_for_each_table(key)
   if CLASS[key] == nil then
      error("unknown class of statements: " .. tostring(key), 2)
   end
   classes:want(key, stmt)
   classes:want(key, param)
   if WRITES[key] then note_writing() end
   prepare_at_once(key)
end

function prepare_point_selects()
   prepare_for_each_table("point_selects")
end

function prepare_simple_ranges()
   prepare_for_each_table("simple_ranges")
end

function prepare_sum_ranges()
   prepare_for_each_table("sum_ranges")
end

function prepare_order_ranges()
   prepare_for_each_table("order_ranges")
end

function prepare_distinct_ranges()
   prepare_for_each_table("distinct_ranges")
end

function prepare_index_updates()
   prepare_for_each_table("index_updates")
end

function prepare_non_index_updates()
   prepare_for_each_table("non_index_updates")
end

function prepare_delete_inserts()
   prepare_for_each_table("deletes")
   prepare_for_each_table("inserts")
end

-- Returns the classes of each table of which there are statements.
local function classes_in_use()
   local used = {}

   for n, sub in pairs(stmt) do
      if type(n) == "number" and type(sub) == "table" then
         used[n] = {}
         for key in pairs(sub) do table.insert(used[n], key) end
      end
   end
   return used
end

function close_statements()
   for n, keys in pairs(classes_in_use()) do
      for _, key in ipairs(keys) do
         stmt[n][key]:close()
         stmt[n][key] = nil
         if CLASS[key] then param[n][key] = nil end
      end
   end
   classes:forget()
   for _, key in ipairs({"begin", "commit"}) do
      if stmt[key] ~= nil then
         stmt[key]:close()
         stmt[key] = nil
      end
   end
   own_begin, at_once = nil, 0
end

-- Prepares all statements on a new connection.  Those that were in use are made
-- at once, so that the next events find everything that compiled code has found
-- so far.
local function prepare_again()
   local used = classes_in_use()

   close_statements()
   collectgarbage() -- the new ones replace the old ones
   prepare_statements()
   for n, keys in pairs(used) do
      for _, key in ipairs(keys) do
         local _ = stmt[n] and stmt[n][key]
      end
   end
end

-- A function called once per connection is not worth machine code.
if jit then
   for _, rare in ipairs({
      prepare_class, begin_statement, prepare_begin, prepare_commit,
      note_writing, prepare_at_once, prepare_for_each_table,
      prepare_point_selects, prepare_simple_ranges, prepare_sum_ranges,
      prepare_order_ranges, prepare_distinct_ranges, prepare_index_updates,
      prepare_non_index_updates, prepare_delete_inserts, close_statements,
      classes_in_use, prepare_again
   }) do jit.off(rare) end
end

-- ---------------------------------------------------------------------------
-- Threads and events

function init()
   if type(event) ~= "function" then
      error("this script has no event() to run; it is the common part of " ..
            "the oltp_* and select_random_* scripts", 0)
   end
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   classes:forget()
   stmt = classes:new_table(option("tables"))
   param = classes:new_table(option("tables"))
   at_once = 0
   prepare_statements()
end

function thread_done()
   close_statements()
   con:disconnect()
end

local rand_default = sysbench.rand.default
local rand_uniform = sysbench.rand.uniform

-- The call is in parentheses, because compiled code has only so many tail
-- calls.
local function random_table()
   return (rand_uniform(1, option("tables")))
end

-- Returns an id or a k.
local function random_row()
   return (rand_default(1, option("table_size")))
end

local function prepared(n, key)
   local statement = stmt[n][key]
   if statement == nil then
      error("the statements of class " .. key .. " are not prepared", 3)
   end
   return statement, param[n][key]
end

function begin()
   stmt.begin:execute()
end

function commit()
   stmt.commit:execute()
end

-- Loops of a few turns would keep an event from being compiled in one piece.
-- Therefore the first turn is written before them, or the program runs the
-- loop.
local in_bench = sysbench.bench_version ~= nil

-- for classes with the id as their only parameter
local function execute_by_id(key)
   local n = random_table()
   local times = option(key)

   if times < 1 then return end
   local statement, params = prepared(n, key)
   local id = params[1]
   if in_bench then
      statement:execute_drawn(times, option("table_size"), id)
      return
   end
   for _ = 1, times do
      id:set(random_row())
      statement:execute()
   end
end

local function execute_ranges(key)
   local n = random_table()
   local times = option(key)

   if times < 1 then return end
   local statement, params = prepared(n, key)
   local first, last = params[1], params[2]
   local span = option("range_size") - 1
   if in_bench then
      statement:execute_drawn(times, option("table_size"), first, last, span)
      return
   end
   for _ = 1, times do
      local id = random_row()
      first:set(id)
      last:set(id + span)
      statement:execute()
   end
end

function execute_point_selects()
   execute_by_id("point_selects")
end

function execute_simple_ranges()
   execute_ranges("simple_ranges")
end

function execute_sum_ranges()
   execute_ranges("sum_ranges")
end

function execute_order_ranges()
   execute_ranges("order_ranges")
end

function execute_distinct_ranges()
   execute_ranges("distinct_ranges")
end

function execute_index_updates()
   execute_by_id("index_updates")
end

local function update_non_index(statement, params)
   params[1]:set_rand_str(C_TEMPLATE)
   params[2]:set(random_row())
   statement:execute()
end

function execute_non_index_updates()
   local n = random_table()
   local times = option("non_index_updates")

   if times < 1 then return end
   local statement, params = prepared(n, "non_index_updates")
   update_non_index(statement, params)
   for _ = 2, times do update_non_index(statement, params) end
end

local function delete_and_insert(delete, by, insert, row)
   local id = random_row()
   local k = random_row()
   by[1]:set(id)
   row[1]:set(id)
   row[2]:set(k)
   row[3]:set_rand_str(C_TEMPLATE)
   row[4]:set_rand_str(PAD_TEMPLATE)
   delete:execute()
   insert:execute()
end

function execute_delete_inserts()
   local n = random_table()
   local times = is_redshift(drv) and 0 or option("delete_inserts")

   if times < 1 then return end
   local delete, by = prepared(n, "deletes")
   local insert, row = prepared(n, "inserts")
   delete_and_insert(delete, by, insert, row)
   for _ = 2, times do delete_and_insert(delete, by, insert, row) end
end

-- ---------------------------------------------------------------------------
-- Connections that come and go

function check_reconnect()
   local every = option("reconnect")

   if every < 1 then return end
   transactions = (transactions or 0) + 1
   if transactions % every == 0 then
      close_statements()
      con:reconnect()
      prepare_statements()
   end
end

-- The driver has connected again, so statements have to be prepared again, too.
function sysbench.hooks.before_restart_event(errdesc)
   if lost(errdesc) then prepare_again() end
end
