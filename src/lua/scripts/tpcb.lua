#!/usr/bin/env bench
-- One event: the transaction of pgbench's default script, on the tables of
-- pgbench.  Data of `pgbench -i` can be run and checked, and the reverse.
-- Example: --dsn=postgresql://db1/test --scale=100 --time=300 run

local ledger = require("bench_ledger")
local lost = require("bench_lost")
local options = require("bench_options")
local schema = require("bench_schema")

if sysbench.cmdline.command == nil then
   error("a command is required, one of: prepare, check, run, cleanup, help", 0)
end

local C = require("ffi").C
local INT = sysbench.cmdline.ARG_INT

sysbench.cmdline.options = {
   scale = {"branches, each with 10 tellers and 100,000 accounts; 0 = 1 " ..
            "for prepare, otherwise the number in the tables", 0, INT,
            options.within(0, 19999)},
   remote = options.percent("percentage of events whose account belongs to " ..
                            "another branch than the teller; -1 = branch, " ..
                            "teller and account are drawn independently, as " ..
                            "pgbench does", -1, -1),
   data_size = options.data_size("--scale"),
   acknowledged = {"check: the events of all runs since prepare; " ..
                   "pgbench_history has no fewer rows", 0, INT,
                   options.at_least(0)},
   history = {"check: off = leave out pgbench_history, which pgbench " ..
              "empties when it starts without -n", true,
              sysbench.cmdline.ARG_BOOL},
   compare_rows = {"run: compare the events with the new rows of " ..
                   "pgbench_history, if it has no more than this number " ..
                   "before the run, because counting takes time; 0 = never",
                   10000000, INT, options.within(0, 2 ^ 31 - 1)},
   mysql_storage_engine = {"engine, MySQL only", "innodb",
                           sysbench.cmdline.ARG_STRING},
}

local connect = schema.connect

-- ---- Commands on the tables

if sysbench.cmdline.command ~= "run" then
   local tables = require("bench_tpcb")
   local parallel = sysbench.cmdline.PARALLEL_COMMAND

   function cleanup() tables.cleanup(connect()) end

   sysbench.cmdline.commands = {
      prepare = {function() tables.prepare(connect()) end, parallel,
                 function() tables.begin() end,
                 function() tables.failed() end},
      check = {function() return tables.check(connect()) end},
   }
end

-- ---- Threads and events

local TELLERS, ACCOUNTS = 10, 100000 -- of each branch

local drv, con
local begin, commit, account, read, teller, branch, history
local aid, bid, tid, delta -- parameters
local filler, name -- with --ack-log: a parameter, and its beginning
local number = 0 -- of the last history row of this client
local client -- of bench_ledger
local scale

local function prepare(text, ...)
   local statement = con:prepare(text)
   if select("#", ...) > 0 then statement:bind_param(...) end
   return statement
end

local function is_logged() return (sysbench.opt.ack_log or "") ~= "" end

-- With --ack-log, the column filler has "R", the time in hexadecimal digits, a
-- number.
local function prepare_named()
   history = con:prepare("INSERT INTO pgbench_history " ..
                         "(tid, bid, aid, delta, mtime, filler) " ..
                         "VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP, ?)")
   filler = history:bind_create(sysbench.sql.type.VARCHAR, 22)
   history:bind_param(tid, bid, aid, delta, filler)
end

local function prepare_all()
   begin = prepare(drv:name() == "sqlite" and "BEGIN IMMEDIATE" or "BEGIN")
   commit = prepare("COMMIT")
   account = con:prepare("UPDATE pgbench_accounts " ..
                         "SET abalance = abalance + ? WHERE aid = ?")
   local int = sysbench.sql.type.INT
   delta, aid = account:bind_create(int), account:bind_create(int)
   tid, bid = account:bind_create(int), account:bind_create(int)
   account:bind_param(delta, aid)
   read = prepare("SELECT abalance FROM pgbench_accounts WHERE aid = ?", aid)
   teller = prepare("UPDATE pgbench_tellers SET tbalance = tbalance + ? " ..
                    "WHERE tid = ?", delta, tid)
   branch = prepare("UPDATE pgbench_branches SET bbalance = bbalance + ? " ..
                    "WHERE bid = ?", delta, bid)
   if is_logged() then
      prepare_named()
      return
   end
   history = prepare("INSERT INTO pgbench_history " ..
                     "(tid, bid, aid, delta, mtime) " ..
                     "VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP)",
                     tid, bid, aid, delta)
end

local function close_all()
   for _, statement in ipairs({begin, commit, account, read, teller, branch,
                               history}) do
      statement:close()
   end
end

-- The number of branches, which --scale must agree with.
local function find_scale()
   local wanted = sysbench.opt.scale

   if drv:name() == "null" then return math.max(wanted, 1) end
   local there = tonumber((con:query_row(
      "SELECT COUNT(*) FROM pgbench_branches"))) or 0
   if there == 0 then
      error("pgbench_branches is empty: run prepare first", 0)
   end
   if wanted > 0 and wanted ~= there then
      error(string.format("pgbench_branches has %d rows, but --scale is %d: " ..
                          "leave the option out, or prepare again", there,
                          wanted), 0)
   end
   return there
end

local began = false -- the load may grow the history beyond --compare-rows

-- Counts the history: before the run, no further than --compare-rows and 1.
local function count_history(con)
   local rows = tonumber((con:query_row(
      began and "SELECT COUNT(*) FROM pgbench_history" or
         string.format("SELECT COUNT(*) FROM (SELECT 1 FROM pgbench_history " ..
                       "LIMIT %d) h", sysbench.opt.compare_rows + 1))))
   if not began and rows > sysbench.opt.compare_rows then
      error("pgbench_history has more than --compare-rows=" ..
            sysbench.opt.compare_rows .. " rows", 0)
   end
   began = true
   return rows
end

-- Every event leaves a row of the history.
local EVENTS = {
   title = "Events", committed = "events committed", unknown = "events unknown",
   placed = count_history,
}
local run
local why_not -- why nothing is compared

-- A user who must not read the history can run the test nevertheless.
local function open_run(drv, con)
   if drv:name() ~= "null" and sysbench.opt.compare_rows == 0 then
      why_not = "--compare-rows=0"
      return
   end
   local ok, what = pcall(ledger.open, drv, con, EVENTS)
   if ok then
      run = what
   else
      why_not = type(what) == "table" and what.sql_errmsg or tostring(what)
   end
end

function done()
   if run then run.close() end
end

function sysbench.hooks.report_append(stat)
   if why_not then
      return "\nEvents of the run: not compared: " .. why_not .. "\n",
         {reconciliation = {verdict = "not compared"}}
   end
   if run == nil then return "" end
   local line, result = run.compare(stat)
   return "\n" .. line .. "\n", {reconciliation = result}
end

-- The run, as the column filler begins with it.
local function run_of(number) return string.format("R%08x", number) end

function init()
   local main_drv, main_con = connect()
   -- without tables, the clients say what is missing
   if main_drv:name() == "null" or
      schema.has_table(main_drv, main_con, "pgbench_history") then
      open_run(main_drv, main_con)
   end
   main_con:disconnect()
   if not is_logged() then return end
   -- Two runs may begin in the same second.  The milliseconds of another clock
   -- make their numbers differ; 8 digits are enough for 49 days.
   local now = (os.time() * 1000 + math.floor(C.bench_now_ns() / 1e6) % 1000) % 2 ^ 32

   assert(C.bench_sequence_set("acks", now) == 0)
   sysbench.ack_query("SELECT SUBSTR(filler, 10) FROM pgbench_history " ..
                      "WHERE filler LIKE '" .. run_of(now) .. "%'")
end

-- What this client puts into the column filler, before a number.
local function join_acks(id)
   local now = require("ffi").new("double[1]")

   if id > 9999 then error("tpcb: --ack-log is for at most 10,000 clients", 0) end
   assert(C.bench_sequence_take("acks", 0, 2 ^ 53, now) == 0)
   name, number = run_of(now[0]), id * 1e9
end

function thread_init(id)
   drv, con = connect()
   if is_logged() then join_acks(id) end
   client = ledger.client(EVENTS)
   scale = find_scale()
   if sysbench.tid == 0 and scale < sysbench.opt.threads then
      io.stderr:write(string.format(
         "WARNING: --scale is %d, with %d threads: events wait for each " ..
         "other's row of pgbench_branches, and this is what is measured\n",
         scale, sysbench.opt.threads))
   end
   prepare_all()
end

function thread_done()
   close_all()
   con:disconnect()
end

local uniform = sysbench.rand.uniform

-- Draws what an event works on.
local function draw(remote)
   local b = uniform(1, scale)
   local t, a

   if remote < 0 then
      t, a = uniform(1, TELLERS * scale), uniform(1, ACCOUNTS * scale)
   else
      local home = b
      t = (b - 1) * TELLERS + uniform(1, TELLERS)
      if scale > 1 and uniform(1, 100) <= remote then
         home = uniform(1, scale - 1)
         if home >= b then home = home + 1 end
      end
      a = (home - 1) * ACCOUNTS + uniform(1, ACCOUNTS)
   end
   aid:set(a)
   bid:set(b)
   tid:set(t)
   delta:set(uniform(-5000, 5000))
   return a
end

local function missing(a)
   error(string.format("pgbench_accounts has no row with aid %d: does " ..
                       "another program change the tables?", a), 0)
end

local keeps_rows -- false for the null driver

function event()
   local a = draw(sysbench.opt.remote)

   number = number + 1
   begin:execute()
   account:execute()
   local rs = read:execute()
   if keeps_rows == nil then keeps_rows = drv:name() ~= "null" end
   if keeps_rows and (rs == nil or rs.nrows ~= 1) then missing(a) end
   teller:execute()
   branch:execute()
   if name then filler:set(name .. string.format("%.0f", number)) end
   history:execute()
   if name then sysbench.ack(number) end
   client.before_commit()
   commit:execute()
   client.after_commit()
end

function sysbench.hooks.before_restart_event(errdesc)
   client.restarts(errdesc)
   if lost(errdesc) then
      close_all()
      prepare_all()
   end
end
