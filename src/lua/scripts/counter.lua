#!/usr/bin/env bench
-- One event: an increment of one of a few hot rows, in a transaction.
-- `check` proves that every acknowledged increment is in the table, and that
-- no other is.
-- Example: --dsn=mysql://db1/sbtest --threads=16 --time=60 run

local checked = require("bench_checked")
local ledger = require("bench_ledger")
local load = require("bench_load")
local options = require("bench_options")

local INT, STRING = sysbench.cmdline.ARG_INT, sysbench.cmdline.ARG_STRING
local METHODS = {"update", "for_update", "read_write"}

checked.options({
   hot_rows = {"hot rows; 0 = 1 for prepare, otherwise the number in the table",
               0, INT, options.within(0, 100000000), aliases = "rows"},
   method = {"how a row is incremented {" .. table.concat(METHODS, ",") ..
             "}: update adds in the database, for_update locks the row and " ..
             "reads it first, read_write reads it without a lock", "update",
             STRING, options.one_of(METHODS)},
   autocommit = {"each statement is a transaction of its own", false,
                 sysbench.cmdline.ARG_BOOL},
})

local spec = {
   name = "counter", version = 1, table = "bench_counter", kind = "counter", unit = "row",
   settings = {{"hot_rows", "hot_rows", 1}},
   names = {"counter_rows"},
   columns = {counter_rows = "id $key, n BIGINT NOT NULL"},
   title = "Increments", committed = "increments",
   unknown = "increments unknown",
   rows = function(settings) return settings.hot_rows end,
}

spec.total = "SELECT COALESCE(SUM(n), 0) FROM counter_rows"

function spec.placed(con) return (checked.numbers(con, spec.total)) end

-- ---- check

checked.commands(spec, function(drv, con, settings)
   local faults = {}

   checked.rows(con, faults, spec, settings, 1, "n")
   checked.no_rows(con, faults, "counter_rows", "id", "n IS NULL", "n is NULL")
   checked.no_rows(con, faults, "counter_rows", "id", "n < 0", "n is negative")
   local good = checked.report("table 'counter_rows'", faults)
   local fits, line = ledger.reconcile(spec, settings, spec.placed(con))
   if line then load.say("counter_rows: sum of n: " .. line) end
   return good and fits
end)

-- ---- A run, in its main state

local run

local function refuse(drv)
   local opt = sysbench.opt

   if opt.autocommit and opt.method == "for_update" then
      error("--method=for_update locks a row until the transaction ends: it " ..
            "is not possible with --autocommit=on", 0)
   elseif opt.method == "for_update" and drv:name() == "sqlite" then
      error("--method=for_update: sqlite has no locks of rows; a transaction " ..
            "that writes locks the database", 0)
   end
end

function init()
   local drv, con = checked.connect()

   refuse(drv)
   checked.settings(drv, con, spec)
   run = ledger.open(drv, con, spec)
   ledger.ack_total(drv, con, spec)
end

function done() run.close() end

function sysbench.hooks.report_append(stat)
   local line, result = run.compare(stat)
   return "\n" .. line .. "\n", {reconciliation = result}
end

-- ---- Clients

local draw = sysbench.rand.default
local begin, commit, read, write -- statements
local id, value -- parameters
local client, rows
local keeps_rows -- false for the null driver

function thread_init()
   local drv, con = checked.connect()
   local BIGINT = sysbench.sql.type.BIGINT
   local opt = sysbench.opt

   rows = checked.settings(drv, con, spec).hot_rows
   keeps_rows = drv:name() ~= "null"
   client = ledger.client(spec)
   if not opt.autocommit then
      begin = con:prepare(drv:name() == "sqlite" and "BEGIN IMMEDIATE" or
                          "BEGIN")
      commit = con:prepare("COMMIT")
   end
   if opt.method == "update" then
      write = con:prepare("UPDATE counter_rows SET n = n + 1 WHERE id = ?")
      id = write:bind_create(BIGINT)
      write:bind_param(id)
   else
      read = con:prepare("SELECT n FROM counter_rows WHERE id = ?" ..
                         (opt.method == "for_update" and " FOR UPDATE" or ""))
      write = con:prepare("UPDATE counter_rows SET n = ? WHERE id = ?")
      id, value = read:bind_create(BIGINT), read:bind_create(BIGINT)
      read:bind_param(id)
      write:bind_param(value, id)
   end
end

-- For the methods that write n + 1.
local function read_row(row)
   local rs = read:execute()

   if not keeps_rows then
      value:set(1)
      return
   end
   if rs == nil or rs.nrows ~= 1 then
      error(string.format("counter_rows has no row with id %d: does another " ..
                          "program change the table?", row), 0)
   end
   value:set(tonumber(rs:fetch_row()[1]) + 1)
end

function event()
   local row = draw(1, rows)

   id:set(row)
   if begin then begin:execute() end
   if read then read_row(row) end
   if commit then
      write:execute()
      sysbench.ack(sysbench.iteration())
      client.before_commit()
      commit:execute()
   else
      sysbench.ack(sysbench.iteration())
      client.before_commit()
      write:execute()
   end
   client.after_commit()
end

function sysbench.hooks.before_restart_event(err) client.restarts(err) end
