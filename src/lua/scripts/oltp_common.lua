#!/usr/bin/env bench
-- The common part of all oltp_* and select_random_* scripts: options, tables
-- and statements.  It has no event of its own, so it knows prepare, warmup,
-- check and cleanup, but not run.
--
-- Scripts say require("oltp_common"), define event() and prepare_statements(),
-- and may replace any global function of this file: calls between them look the
-- name up each time.

local fixed = require("bench_oltp")
local lost = require("bench_lost")

if sysbench.cmdline.command == nil then
   error("a command is required, one of: prepare, warmup (or prewarm), " ..
         "check, run, cleanup, help", 0)
end

-- ---- Options

sysbench.cmdline.options = fixed.options

local function option(name)
   local value = sysbench.opt[name]
   if value == nil then return fixed.default[name] end
   return value
end

-- A server that refuses ids of the client takes no DELETE and INSERT.
local numbers_rows

local function refuses_ids()
   if numbers_rows == nil then
      -- scripts with a thread_init of their own need not set `drv`
      numbers_rows = fixed.in_bench and
         (drv or sysbench.sql.driver()):dialect("ids") == "server"
   end
   return numbers_rows
end

-- ---- Tables

local function c_value()
   return sysbench.rand.string(fixed.C_TEMPLATE)
end

local function pad_value()
   return sysbench.rand.string(fixed.PAD_TEMPLATE)
end

get_c_value, get_pad_value = c_value, pad_value

-- In a separate module, which thousands of threads that run events need not
-- load.
local tables
local own_create_table

-- `call` calls con:METHOD(...), with errors at this place, where users of these
-- scripts expect them.
local function load_tables()
   tables = tables or require("bench_tables")({
      option = option, get_c_value = c_value,
      get_pad_value = pad_value, create_table = own_create_table,
      call = function(con, method, ...)
         local result = con[method](con, ...)
         return result
      end,
   })
   return tables
end

function own_create_table(drv, con, table_num)
   load_tables().create_table(drv, con, table_num)
end

create_table = own_create_table

if sysbench.cmdline.command ~= "run" then load_tables() end

local function connected(name)
   local drv = sysbench.sql.driver()
   return load_tables()[name](drv, drv:connect())
end

function cmd_prepare()
   connected("cmd_prepare")
end

function cmd_warmup()
   connected("cmd_warmup")
end

cmd_prewarm = cmd_warmup

local function cmd_check()
   return connected("cmd_check")
end

function cleanup()
   connected("cleanup")
end

local PARALLEL = sysbench.cmdline.PARALLEL_COMMAND
sysbench.cmdline.commands = {
   prepare = {cmd_prepare, PARALLEL, function() load_tables().begin() end,
              function() load_tables().failed() end},
   warmup = {cmd_warmup, PARALLEL},
   prewarm = {cmd_prewarm, PARALLEL},
   check = {cmd_check, PARALLEL},
}

-- ---- Statements: see bench_statements.lua

local statements = require("bench_statements")(getfenv(1))

function prepare_begin()
   statements:prepare_begin()
end

function prepare_commit()
   stmt.commit = con:prepare("COMMIT")
end

function prepare_for_each_table(key)
   if fixed.CLASS[key] == nil then
      error("unknown class of statements: " .. tostring(key), 2)
   end
   return statements:prepare_for_each_table(key)
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

function close_statements()
   statements:close()
end

-- Called once per connection: not worth machine code.
if jit then
   jit.off(prepare_begin)
   jit.off(prepare_commit)
   jit.off(prepare_for_each_table)
   jit.off(prepare_point_selects)
   jit.off(prepare_simple_ranges)
   jit.off(prepare_sum_ranges)
   jit.off(prepare_order_ranges)
   jit.off(prepare_distinct_ranges)
   jit.off(prepare_index_updates)
   jit.off(prepare_non_index_updates)
   jit.off(prepare_delete_inserts)
   jit.off(close_statements)
end

-- ---- Threads and events

function init()
   if type(event) ~= "function" then
      error("this script has no event() to run; it is the common part of " ..
            "the oltp_* and select_random_* scripts", 0)
   end
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   statements:start()
   prepare_statements()
end

function thread_done()
   close_statements()
   con:disconnect()
end

local rand_default = sysbench.rand.default
local rand_uniform = sysbench.rand.uniform

-- In parentheses, because compiled code has few tail calls.
local function random_table()
   return (rand_uniform(1, option("tables")))
end

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

-- Loops of a few turns would keep an event from being compiled in one piece: so
-- the first turn is written before them, or the program runs the loop.
--
-- For classes with the id as their only parameter.
local function execute_by_id(key)
   local n = random_table()
   local times = option(key)

   if times < 1 then return end
   local statement, params = prepared(n, key)
   local id = params[1]
   if fixed.in_bench then
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
   if fixed.in_bench then
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
   params[1]:set_rand_str(fixed.C_TEMPLATE)
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
   row[3]:set_rand_str(fixed.C_TEMPLATE)
   row[4]:set_rand_str(fixed.PAD_TEMPLATE)
   delete:execute()
   insert:execute()
end

function execute_delete_inserts()
   local n = random_table()
   local times = refuses_ids() and 0 or option("delete_inserts")

   if times < 1 then return end
   local delete, by = prepared(n, "deletes")
   local insert, row = prepared(n, "inserts")
   delete_and_insert(delete, by, insert, row)
   for _ = 2, times do delete_and_insert(delete, by, insert, row) end
end

-- ---- Connections that come and go

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

-- The driver has connected again: prepare the statements again.
function sysbench.hooks.before_restart_event(errdesc)
   if lost(errdesc) then statements:prepare_again() end
end
