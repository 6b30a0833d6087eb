#!/usr/bin/env bench
-- One event: a transaction that inserts rows with unique numbers, which
-- --ack-log records; `bench verify` then looks for each of them.
-- Example: --dsn=postgresql://db1/test --ack-log=acks.log run

local checked = require("bench_checked")
local doubt = require("bench_doubt")
local ledger = require("bench_ledger")
local load = require("bench_load")
local options = require("bench_options")

local C = require("ffi").C

local INT, STRING = sysbench.cmdline.ARG_INT, sysbench.cmdline.ARG_STRING
local RETRIES = {"new", "same"}
local MOST_ROWS = 200

checked.options({
   rows = {"rows that a transaction inserts", 1, INT,
           options.within(1, MOST_ROWS)},
   payload = {"bytes of text in each row", 100, INT, options.within(0, 1000)},
   autocommit = {"no BEGIN and COMMIT: the INSERT commits by itself, with " ..
                 "--rows=1", false, sysbench.cmdline.ARG_BOOL},
   retry_unknown = {"numbers of the retry after a COMMIT with unknown " ..
                    "outcome {" .. table.concat(RETRIES, ",") .. "}: same = " ..
                    "like an application that retries blindly, can create " ..
                    "duplicates", "new", STRING, options.one_of(RETRIES)},
})

local spec = {
   name = "ack", version = 1, table = "bench_ack", settings = {},
   names = {"ack_rows"},
   columns = {
      ack_rows = "id $serial, run BIGINT NOT NULL, number BIGINT NOT NULL, " ..
         "payload VARCHAR(1000) NOT NULL",
   },
   title = "Inserts", committed = "inserts", unknown = "inserts unknown",
}

-- In transactions, which may have several rows.
function spec.placed(con)
   return (checked.numbers(con, "SELECT COUNT(*) FROM ack_rows")) /
      sysbench.opt.rows
end

checked.commands(spec, function(drv, con)
   local faults = {}
   local n, run, number = checked.numbers(con, [[
SELECT COUNT(*), MIN(run), MIN(number) FROM (SELECT run, number FROM ack_rows
GROUP BY run, number HAVING COUNT(*) > 1) d]])

   if n > 0 then
      faults[1] = string.format("%.0f numbers are there twice, such as %.0f " ..
                                "of run %.0f", n, number, run)
   end
   return checked.report("table 'ack_rows'", faults)
end)

-- ---- A run, in its main state

local SCALE = 2 ^ 21 -- more than clients of a run

local run

local function refuse()
   if sysbench.opt.autocommit and sysbench.opt.rows > 1 then
      error("--autocommit=on is for --rows=1: each INSERT would commit by " ..
            "itself", 0)
   end
end

-- All clients take the number of the run from the same place.
function init()
   local drv, con = checked.connect()

   refuse()
   checked.settings(drv, con, spec)
   run = ledger.open(drv, con, spec)
   local number = 1
   if drv:name() ~= "null" then
      number = checked.numbers(con, "SELECT runs FROM bench_ack")
   end
   assert(C.bench_sequence_set("run", number * SCALE) == 0)
   sysbench.ack_query(string.format(
      "SELECT number FROM ack_rows WHERE run = %.0f", number))
end

function done() run.close() end

function sysbench.hooks.report_append(stat)
   local line, result = run.compare(stat)
   return "\n" .. line .. "\n", {reconciliation = result}
end

-- ---- Clients

local begin, insert, commit -- statements
local number, payload -- parameters
local client, rows, format
local base, last = 0, 0 -- numbers of this client: base + 1 and so on
local again = false -- the event repeats its numbers

local function run_number()
   local first = require("ffi").new("double[1]")

   assert(C.bench_sequence_take("run", 1, 2 ^ 53, first) == 0)
   return math.floor(first[0] / SCALE)
end

function thread_init(id)
   local drv, con = checked.connect()
   local T = sysbench.sql.type
   local opt = sysbench.opt

   client = ledger.client(spec)
   rows, format = opt.rows, string.rep("@", opt.payload)
   base = id * 2 ^ 32
   if not opt.autocommit then
      begin = con:prepare(drv:name() == "sqlite" and "BEGIN IMMEDIATE" or
                          "BEGIN")
      commit = con:prepare("COMMIT")
   end
   insert = con:prepare("INSERT INTO ack_rows (run, number, payload) " ..
                        "VALUES (?, ?, ?)", "insert")
   local of_run = insert:bind_create(T.BIGINT)
   number = insert:bind_create(T.BIGINT)
   payload = insert:bind_create(T.VARCHAR, 1000)
   insert:bind_param(of_run, number, payload)
   of_run:set(run_number())
end

local function name_all(first)
   for i = first, first + rows - 1 do sysbench.ack(i) end
   client.before_commit()
end

function event()
   if not again then last = last + rows end
   again = false
   local first = base + last - rows + 1

   payload:set_rand_str(format)
   if not begin then
      number:set(first)
      name_all(first)
      insert:execute()
   else
      begin:execute()
      for i = first, first + rows - 1 do
         number:set(i)
         insert:execute()
      end
      name_all(first)
      commit:execute()
   end
   client.after_commit()
end

function sysbench.hooks.before_restart_event(err)
   again = sysbench.opt.retry_unknown == "same" and doubt(err)
   client.restarts(err)
end
