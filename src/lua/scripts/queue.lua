#!/usr/bin/env bench
-- One event: a job that a producer adds to a queue, or that a consumer claims
-- and finishes; a look at an empty queue is not an event. `check` proves that no acknowledged job is lost, and that none
-- is done twice.
-- Example: --dsn=postgresql://db1/test --threads=16 run

local checked = require("bench_checked")
local isolation = require("bench_isolation")
local ledger = require("bench_ledger")
local doubt = require("bench_doubt")
local lost = require("bench_lost")
local options = require("bench_options")
local tables = require("bench_queue")

local C = require("ffi").C
local INT, STRING = sysbench.cmdline.ARG_INT, sysbench.cmdline.ARG_STRING
local CLAIMS = {"skip_locked", "update", "advisory"}
local MAX_PAYLOAD = 1000

checked.options({
   producers = {"clients that add jobs, all others finish them; -1 = half of " ..
                "them. A single client does both in turn", -1, INT,
                options.within(-1, 1000000)},
   claim = {"how a consumer claims a job {" .. table.concat(CLAIMS, ",") ..
            "}; empty = skip_locked, on SQLite update", "", STRING,
            options.one_of(CLAIMS)},
   payload = {"bytes of text in each job", 100, INT,
              options.within(0, MAX_PAYLOAD)},
})

local spec = tables.spec

checked.commands(spec, tables.check)

-- ---- A run, in its main state

local run, depth -- the ledger; jobs waiting at the start
local locking_level -- at which a look at an empty queue locks its end; or nil

local function claim_of(drv)
   local claim = sysbench.opt.claim

   if drv:name() ~= "sqlite" then
      return claim == "" and "skip_locked" or claim
   elseif claim == "" or claim == "update" then
      return "update"
   end
   error("--claim=" .. claim .. ": sqlite has no " ..
         (claim == "advisory" and "advisory locks" or "locks of rows") ..
         "; use --claim=update", 0)
end

-- InnoDB locks gaps, except at the weaker levels.
local function level_that_locks(drv, con)
   local level = drv:name() == "mysql" and claim_of(drv) == "skip_locked" and
      isolation.level(drv, con)

   return (level == "repeatable-read" or level == "serializable") and level or
      nil
end

function init()
   local drv, con = checked.connect()

   tables.demand(drv, con, claim_of(drv))
   if sysbench.opt.producers > C.bench_clients() then
      error(string.format("--producers is %d, but there are only %d clients",
                          sysbench.opt.producers, C.bench_clients()), 0)
   end
   C.bench_sequence_set("clients", 0)
   checked.settings(drv, con, spec)
   run = ledger.open(drv, con, spec)
   depth = tables.begin_run(drv, con)
   locking_level = level_that_locks(drv, con)
end

function done() run.close() end

function sysbench.hooks.report_append(stat)
   local drv = sysbench.sql.driver()
   return require("bench_queue_report")(stat, run, depth, claim_of(drv),
                                        locking_level)
end

-- ---- Clients

local client
local number = require("ffi").new("double[1]") -- of this client, from 0

function thread_init()
   local drv, con = checked.connect()

   C.bench_sequence_take("clients", 1, math.huge, number)
   client = tables.client(drv, con)
   client.added = ledger.client(spec.works[1])
   client.done = ledger.client(spec.works[2])
   client.produce = require("bench_queue_producer")(client)
   client.consume = require("bench_queue_consumer")(client, claim_of(drv))
end

local turn = 0

local function produces()
   local producers, clients = sysbench.opt.producers, C.bench_clients()

   if producers < 0 and clients == 1 then
      turn = sysbench.iteration()
      return turn % 2 == 1
   elseif producers < 0 then
      producers = math.floor(clients / 2)
   end
   return number[0] < producers
end

function event()
   if produces() then client.produce() else client.consume() end
end

function sysbench.hooks.before_restart_event(err)
   client.added.restarts(err)
   client.done.restarts(err)
   client.after_error(lost(err), doubt(err))
end
