#!/usr/bin/env bench
-- One event: a transaction that inserts rows in the order of their key, into a
-- table with three secondary indexes, and deletes as many of the oldest.
-- `check` proves that the rows are there without gaps, and that the indexes
-- agree with the table.
-- Example: --dsn=postgresql://db1/test --threads=8 --time=300 run

local checked = require("bench_checked")
local doubt = require("bench_doubt")
local ledger = require("bench_ledger")
local ffi = require("ffi")
local options = require("bench_options")
local series = require("bench_series")
local parts = require("bench_ingest_parts")
local tables = require("bench_ingest")

local INT, STRING = sysbench.cmdline.ARG_INT, sysbench.cmdline.ARG_STRING
local STEPS = {"l.i0", "l.x", "l.i1", "l.i2", "q"}
local MOST = 1000
-- Rows of a transaction in each step, by default.
local ROWS = {["l.i0"] = 100, ["l.i1"] = 50, ["l.i2"] = 5, q = 5}

checked.options({
   step = {"what a run does {" .. table.concat(STEPS, ",") .. "}: l.i0 " ..
                                                              "inserts " ..
                                                              "without " ..
                                                              "secondary " ..
                                                              "indexes, " ..
                                                              "l.x creates " ..
                                                              "them, l.i1 " ..
                                                              "and l.i2 " ..
                                                              "insert and " ..
                                                              "delete with " ..
                                                              "them, q " ..
                                                              "mixes " ..
                                                              "queries " ..
                                                              "with " ..
                                                              "inserts and " ..
                                                              "deletes", "l.i0", STRING, options.one_of(STEPS)},
   rows_per_commit = {"rows of a transaction; 0 = 100 for l.i0, 50 for l.i1, " ..
                      "5 for l.i2 and q", 0, INT, options.within(0, MOST)},
   delete_per_insert = {"delete as many rows as are inserted, in l.i1, l.i2 " ..
                        "and q", true, sysbench.cmdline.ARG_BOOL},
   insert_rate = {"rows per second that step q inserts, over all clients", 1000,
                  INT, options.within(0, 1000000000)},
   data_length = {"bytes of the column data", 10, INT, options.within(0, MOST)},
})

local spec = tables.spec

checked.commands(spec, tables.check)

local function rows_per_commit()
   local rows = sysbench.opt.rows_per_commit
   return rows > 0 and rows or ROWS[sysbench.opt.step] or 1
end

-- ---- A run, in its main state

local run

function init()
   local drv, con = checked.connect()

   checked.settings(drv, con, spec)
   tables.demand(drv, con, sysbench.opt.step)
   tables.begin_run(drv, con)
   run = ledger.open(drv, con, spec)
end

function done() run.close() end

-- The lowest and the mean sum of whole seconds.
local function summary(sums)
   local lowest, total = sums[1] or 0, 0

   for i = 1, #sums - 1 do
      lowest = math.min(lowest, sums[i])
      total = total + sums[i]
   end
   return lowest, #sums > 1 and total / (#sums - 1) or sums[1] or 0
end

function sysbench.hooks.report_append(stat)
   local inserted = series.open("rows inserted")
   local deleted = series.open("rows deleted"):sums()
   local sums = inserted:sums()
   local stall, at = inserted:stall()
   local lowest, mean = summary(sums)
   local line, result = run.compare(stat)
   local several = parts.processes() > 1
   local of = several and " of process 0" or ""
   local out = {}
   local function add(...) table.insert(out, string.format(...)) end

   add("\nIngest, --step=%s, --rows-per-commit=%d:", sysbench.opt.step,
       rows_per_commit())
   add("    rows inserted per second: %.1f, of whole seconds%s: mean %.1f, " ..
       "lowest %.0f", stat.time_total > 0 and
       (stat.counters["rows"] or 0) / stat.time_total or 0, of, mean, lowest)
   add("    worst stall%s: %.3f s without an insert, after %.3f s", of, stall,
       at)
   if #sums > 0 then
      if several then add("    Seconds%s:", of) end
      add("%s", series.lines(#sums, {"inserted", "deleted"}, function(i)
         return sums[i], deleted[i] or 0
      end))
   end
   add("\n%s\n", line)
   return table.concat(out, "\n"), {
      step = sysbench.opt.step, rows_per_commit = rows_per_commit(),
      seconds_of_rank = several and 0 or nil, stall_s = stall, stall_at_s = at,
      inserted_per_second_lowest = lowest, inserted_per_second_mean = mean,
      inserted = series.figures(#sums, function(i) return sums[i] end),
      reconciliation = result,
   }
end

-- ---- Clients

local client

-- The events of step l.x, one for each index, by one client.
local function create_indexes(id)
   for i = 1, sysbench.tid == 0 and #tables.indexes or 0 do
      if not ffi.C.sb_more_events(id) then return end
      ffi.C.sb_event_start(id)
      client.create_index(tables.indexes[i])
      ffi.C.sb_event_stop(id)
   end
end

function thread_init()
   local drv, con = checked.connect()

   checked.settings(drv, con, spec)
   client = require("bench_ingest_client")(drv, con, rows_per_commit())
   if sysbench.opt.step == "l.x" then thread_run = create_indexes end
end

local steps = {}

steps["l.i0"] = function() client.insert(false) end
steps["l.i1"] = function() client.insert(sysbench.opt.delete_per_insert) end
steps["l.i2"] = steps["l.i1"]

-- Inserts are due at fixed times; queries fill the gaps.
function steps.q()
   if client.insert_is_due() then
      client.insert(sysbench.opt.delete_per_insert)
   else
      client.query()
   end
end

function event() return steps[sysbench.opt.step]() end

function sysbench.hooks.before_restart_event(err) client.restarts(doubt(err)) end
