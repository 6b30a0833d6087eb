#!/usr/bin/env bench
-- One event: one of the five transactions of an order-entry workload with the
-- tables and the rules of TPC-C.  The report has new orders per minute and an
-- audit of the run; `check` proves that the tables are consistent.
--
-- tpcc_model chooses the inputs, tpcc_transactions executes them, tpcc_deferred
-- keeps deliveries for later, tpcc_watch checks during a run, tpcc_audit counts and reports, tpcc_tables has
-- prepare and cleanup, tpcc_check has check.
-- Example: --dsn=postgresql://db1/test --warehouses=10 run

local doubt = require("bench_doubt")
local deferred = require("tpcc_deferred")
local isolation = require("bench_isolation")
local model = require("tpcc_model")
local options = require("bench_options")
local watch = require("tpcc_watch")

if sysbench.bench_version == nil then
   error("tpcc needs functions that only bench has", 0)
end
if sysbench.cmdline.command == nil then
   error("a command is required, one of: prepare, check, run, cleanup, help", 0)
end

-- ---- Options

local INT, STRING = sysbench.cmdline.ARG_INT, sysbench.cmdline.ARG_STRING
local within, one_of = options.within, options.one_of

local function weights_of(text)
   local weights, total = {}, 0
   for word in (text .. ","):gmatch("([^,]*),") do
      local n = word:match("^%s*%d+%s*$") and tonumber(word)
      if n == nil or n > 1000000 then return nil end
      table.insert(weights, n)
      total = total + n
   end
   return #weights == 5 and total > 0 and weights or nil
end

local function is_weights(_, value)
   local text = ffi.string(value)
   return text == "" or weights_of(text) ~= nil,
      "five whole numbers, for example 45,43,4,4,4"
end

local function is_factor(_, value)
   local n = tonumber(ffi.string(value))
   return n ~= nil and n >= 0 and n <= 1, "a number from 0 to 1"
end

local HOMES = {"client", "random"}
local DELIVERIES = {"direct", "queue"}

sysbench.cmdline.options = {
   warehouses = {"number of warehouses; 0 = 1 for prepare, otherwise the " ..
                 "number in the tables", 0, INT, within(0, 1000000)},
   scale = {"the same as warehouses, as older scripts call it; 0 = not given",
            0, INT, within(0, 1000000), hidden = true},
   tables = {"sets of tables, of which there is only one", 1, INT,
             within(1, 1), hidden = true},
   data_size = options.data_size("--warehouses"),
   weights = {"shares of new order, payment, order status, delivery and " ..
              "stock level, such as 45,43,4,4,4; empty = a deck of 23 cards " ..
              "per client: 10, 10, 1, 1, 1", "", STRING, is_weights},
   keying = {"keying and think times, as a fraction of the rules': 0 = " ..
             "none, 1 = all, for 10 clients per warehouse", 0,
             sysbench.cmdline.ARG_DOUBLE, is_factor},
   home = {"warehouse of a client {client,random}: its own, or another one " ..
           "for each transaction, as some programs do", "client", STRING,
           one_of(HOMES)},
   delivery = {"when deliveries are executed {direct,queue}: at once, or by " ..
               "clients of their own that take them from a queue", "direct",
               STRING, one_of(DELIVERIES)},
   delivery_clients = {"clients that execute queued deliveries, those with " ..
                       "the highest numbers", 1, INT, within(1, 1000000)},
   check_every = {"time between two checks during a run, by the thread with " ..
                  "the highest number and a connection of its own, such as " ..
                  "60s; 0 = none", "0", STRING, options.time, shows = "=TIME"},
   districts = {"districts of a warehouse, for tests; 0 = the 10 of the " ..
                "rules for prepare, otherwise the number in the tables", 0, INT,
                within(0, 10)},
   customers = {"customers of a district, for tests; 0 = 3000, or those of " ..
                "the tables", 0, INT, within(0, 3000)},
   items = {"items, for tests; 0 = 100000, or those of the tables", 0, INT,
            within(0, 100000)},
   check_rows = {"check also compares every row with the one that prepare has " ..
                 "made; only before the first run", false,
                 sysbench.cmdline.ARG_BOOL},
   history_key = {"prepare gives the table history a primary key, for servers " ..
                  "that demand one", false, sysbench.cmdline.ARG_BOOL},
   create_table_options = {"text appended to CREATE TABLE", "", STRING},
   mysql_storage_engine = {"engine, MySQL only", "innodb", STRING},
}

-- The program's seed if the user gives none.
local SEED_FIXED = 42

local SIZES = {"warehouses", "districts", "customers", "items"}

-- The size by options, else by `settings` [optional] of the tables.
local function wanted_size(settings)
   local opt = sysbench.opt
   local known = settings or model.standard
   local seed = opt.rand_seed ~= 0 and opt.rand_seed or SEED_FIXED
   local size = {version = require("tpcc_tables").VERSION, seed = seed,
                 c_load = model.load_constant(seed)}

   for _, name in ipairs(SIZES) do
      size[name] = opt[name] > 0 and opt[name] or known[name] or 1
   end
   if opt.scale > 0 then size.warehouses = opt.scale end
   return size
end

-- The same for tables that exist.
local function size_of(drv, con)
   return wanted_size(require("tpcc_tables").settings(drv, con, wanted_size()))
end

local function is_standard(size)
   return size.districts == model.standard.districts and
      size.customers == model.standard.customers and
      size.items == model.standard.items
end

local connect = require("bench_schema").connect

-- ---- Commands

local UNIT = {"warehouses", "warehouse", "warehouses", 1, 1000000}

local function fit(drv, loud)
   if sysbench.opt.scale > 0 then UNIT[1] = "scale" end
   require("bench_load").fit(
      drv, "tpcc", require("tpcc_tables").kind(drv, wanted_size()), UNIT, loud)
end

local function cmd_prepare()
   local drv, con = connect()
   fit(drv)
   require("tpcc_tables").prepare(drv, con, wanted_size())
end

local function cmd_check()
   local drv, con = connect()
   local check = require("tpcc_check")
   local size, good = size_of(drv, con), true

   if sysbench.opt.check_rows then
      good = check.rows(drv, con, size, sysbench.tid, sysbench.opt.threads)
   end
   return check.run(drv, con, size) and good
end

function cleanup()
   require("tpcc_tables").cleanup(connect())
end

sysbench.cmdline.commands = {
   prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND,
              function()
                 fit(sysbench.sql.driver(), true)
                 require("tpcc_tables").begin()
              end,
              function() require("tpcc_tables").failed() end},
   check = {cmd_check, sysbench.cmdline.PARALLEL_COMMAND},
}

-- ---- Connections of a run

-- The settings of the tables, if this run may use them.
local function known_tables(drv, con)
   local tables = require("tpcc_tables")
   local size = size_of(drv, con)
   local settings, why = tables.settings(drv, con, size)

   why = why or tables.misfit(settings, size, SIZES)
   if why then error("tpcc: " .. why, 0) end
   return settings
end

-- ---- A run, in its main state

local ledger -- tpcc_ledger
local run_size -- of the tables
local level, is_default -- of isolation

local function ranks() return ffi.C.bench_ranks(ffi.new("double[1]")) end

-- Warns of warehouses without a client.
local function warn_of_homes(warehouses)
   local working = ffi.C.bench_clients() - ffi.C.bench_idle_clients() -
      deferred.clients()
   local terminals = ranks() * working - watch.clients(0)

   if sysbench.opt.home == "client" and terminals < warehouses then
      io.stderr:write(string.format(
         "WARNING: %d client%s for %d warehouses: the others are no client's " ..
         "home, and hardly used; use as many clients as warehouses, or a " ..
         "multiple\n", terminals, terminals == 1 and "" or "s", warehouses))
   end
end

function init()
   for other, none in pairs({rate = "0", think_time = "0", load_profile = ""}) do
      if sysbench.opt.keying > 0 and tostring(sysbench.opt[other]) ~= none then
         error(string.format("--keying and --%s exclude each other: both say " ..
                             "when a transaction begins",
                             (other:gsub("_", "-"))), 0)
      end
   end
   deferred.refuse()
   local drv, con = connect()
   watch.refuse(drv, deferred.clients())
   local settings = known_tables(drv, con)

   run_size = wanted_size(settings)
   warn_of_homes(settings.warehouses)
   level, is_default = isolation.level(drv, con)
   ledger = require("tpcc_ledger").open(drv, con, settings)
   sysbench.ack_query(string.format(
      "SELECT o_w_id * 4294967296 + o_d_id * 134217728 + o_id FROM orders " ..
      "WHERE o_id > %.0f", settings.customers), {others = true})
end

local broken = false -- has a check found a violation?

function done()
   ledger.close()
   if broken then
      error("tpcc: a check during the run has found violations", 0)
   end
end

local function pace_words()
   local keying = sysbench.opt.keying

   if keying == 0 then return "no keying and think times" end
   return keying == 1 and "keying and think times of the rules" or
      string.format("keying and think times: %g of the rules'", keying)
end

-- 3.4.1
local function isolation_words()
   return string.format("isolation level: %s%s; the rules ask for " ..
      "serializable, and for read-committed by stock levels", level or "none",
      is_default and level and ", that of the server" or "")
end

-- Lines below the headline.
local function notes(size, figures)
   local lines = {string.format(
      "%d warehouse%s, %s", size.warehouses,
      size.warehouses == 1 and "" or "s", pace_words()), isolation_words()}
   local wanted = size.warehouses * model.clients_per_warehouse
   local terminals = sysbench.opt.threads - ffi.C.bench_idle_clients() -
      deferred.clients() - watch.clients(0)

   if figures.efficiency_percent then
      table.insert(lines, string.format(
         "efficiency: %.1f %% of %.2f new orders per warehouse and minute",
         figures.efficiency_percent,
         model.most_per_warehouse / sysbench.opt.keying))
      if terminals ~= wanted then
         table.insert(lines, string.format(
            "%d clients, where the rules have %d", terminals, wanted))
      end
   end
   if sysbench.opt.home == "random" then
      table.insert(lines, "A WAREHOUSE FOR EACH TRANSACTION: the rules give " ..
                   "each client its own")
   end

   if not is_standard(size) then
      table.insert(lines, string.format(
         "NOT THE STANDARD SIZE: %d districts, %d customers, %d items",
         size.districts, size.customers, size.items))
   end
   if sysbench.opt.weights ~= "" then
      table.insert(lines, "weights of transactions: " .. sysbench.opt.weights)
   end
   return lines
end

function sysbench.hooks.report_append(stat)
   local audit = require("tpcc_audit")
   local size = run_size
   local decks = sysbench.opt.weights == "" and
      ranks() * ffi.C.bench_clients() or nil
   local figures = audit.figures(stat, size.warehouses, sysbench.opt.keying,
                                 decks)
   local line, result = ledger.compare(stat)
   local queue = deferred.figures(stat)
   if queue then
      table.insert(figures.audit, audit.completion(queue.completion))
      table.insert(figures.audit, audit.skipped(queue, size.districts))
   end
   local text = "\n" .. audit.text(figures, notes(size, figures)) .. "\n" .. line .. "\n"

   if queue then text = text .. deferred.text(queue) end
   local checks = watch.figures(stat)
   if checks then
      broken = checks.violated > 0
      text = text .. watch.text(checks)
   end
   return text, audit.named(figures, {
      standard_size = is_standard(size), reconciliation = result,
      isolation_level = level, isolation_default = is_default,
      deferred = queue and deferred.named(queue), checks = checks})
end

-- ---- Clients

local function now_ms() return ffi.C.bench_now_ns() / 1e6 end

local choose, fill, execute
local input, measures
local count -- of tpcc_audit
local orders -- of tpcc_ledger
local committing = false
local upcoming -- the next transaction
local deliverer -- executes queued deliveries; nil: a terminal
local iteration, began_ms = 0, 0
local NEW_ORDER = model.NEW_ORDER

-- From COMMIT to its answer, the outcome of a new order is unknown.
local function before_commit(order)
   committing = true
   if input.kind == NEW_ORDER then
      measures.unknown:add(1)
      orders.before_commit(input.w, input.d)
   end
   if order then sysbench.ack(input.w * 2 ^ 32 + input.d * 2 ^ 27 + order) end
end

-- `outcome` is a function of `orders`.
local function after_commit(outcome)
   if not committing then return end
   committing = false
   if input.kind == NEW_ORDER then
      measures.unknown:add(-1)
      outcome(input.w, input.d)
   end
end

-- The client thinks about transaction `last`, and then types the next one.
local function rest(last)
   local keying = sysbench.opt.keying

   if keying == 0 then return end
   local think = model.think_time(last, sysbench.rand.uniform_double())
   sysbench.rest(keying * (model.keying[upcoming] + think))
end

-- The thread checks instead of running events.
local function begin_watch(drv, con, settings)
   local check = require("tpcc_check")

   thread_run = watch.loop(
      function()
         local again = con or drv:connect()
         con = nil
         return again
      end,
      function(on) return check.once(drv, on, settings) end)
end

function thread_init(id)
   local drv, con = connect()
   local settings = known_tables(drv, con)

   if watch.is_checker() then
      begin_watch(drv, con, settings)
      return
   end
   local warehouses = settings.warehouses
   local uniform = sysbench.rand.uniform
   local audit = require("tpcc_audit")

   choose = model.chooser(uniform, weights_of(sysbench.opt.weights))
   fill = model.inputs(uniform, {
      warehouses = warehouses, districts = settings.districts,
      customers = settings.customers, items = settings.items,
      home = sysbench.opt.home == "client" and model.home(id, warehouses) or
         nil,
      stock_district = model.stock_district(id, warehouses, settings.districts),
      c = model.run_constants(settings.seed, settings.c_load),
   })
   input = model.new_input()
   input.districts = settings.districts
   measures, count = audit.measures(), audit.count
   orders = require("tpcc_ledger").client(settings)
   execute = require("tpcc_transactions").new(con, drv:name(), before_commit)
   if deferred.is_deliverer() then
      deliverer = deferred.deliverer(execute, settings.districts)
      return
   end
   if sysbench.opt.delivery == "queue" then
      execute = deferred.terminal(execute)
   end
   upcoming = choose()
   rest(upcoming) -- clients begin at different times
end

-- Inputs are chosen once for an event, however often it is restarted.
function event()
   local number = sysbench.iteration()

   if deliverer then
      deliverer(number)
      committing = false
      return
   end

   if number ~= iteration then
      iteration, began_ms = number, now_ms()
      fill(input, upcoming)
   end
   local committed = execute(input)
   after_commit(orders.committed)
   count(measures, input, committed, now_ms() - began_ms)
   upcoming = choose()
   rest(input.kind)
end

-- A refused COMMIT has an outcome: nothing was committed.
function sysbench.hooks.before_restart_event(err)
   if doubt(err) then
      committing = false
   else
      after_commit(orders.refused)
   end
end
