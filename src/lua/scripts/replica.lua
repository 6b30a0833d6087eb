#!/usr/bin/env bench
-- One event: a write on the primary, or a read of that write on a replica. The
-- report tells how long writes take to become visible there, how many reads are
-- stale, and how many break a promise to their client.
-- Example: --dsn=postgresql://db1/test --replica-host=db2 run

local checked = require("bench_checked")
local hosts = require("bench_replica_hosts")
local ledger = require("bench_ledger")
local load = require("bench_load")
local options = require("bench_options")
local schema = require("bench_schema")

local C = require("ffi").C
local STRING = sysbench.cmdline.ARG_STRING
local CHOICES = {"turns", "sticky"}

checked.options({
   replica_host = {"hosts of the replicas, with commas between them: HOST, " ..
                   "HOST:PORT, [ADDRESS]:PORT, or the path of a socket", "",
                   STRING, hosts.good},
   replica_choice = {"which replica a client reads {" ..
                     table.concat(CHOICES, ",") .. "}: turns is the next one " ..
                     "for each write, sticky is one for each client", "turns",
                     STRING, options.one_of(CHOICES)},
   read_after = {"times after a commit at which it is read, in ascending " ..
                 "order; milliseconds without a unit",
                 "0,1,2,5,10,20,50,100,200,500,1s",
                 STRING, hosts.good_times, shows = "=TIME,..."},
   watch = options.percent("percentage of the writes that are read again and " ..
                           "again until they are visible; the others are " ..
                           "read once", 50),
   probe_interval = options.whole_time("time between two reads of a watched " ..
                                       "write", "1ms", 0, 100000, "ms"),
   visible_timeout = options.whole_time("time after which a write is not " ..
                                        "watched any longer", "10s", 1, 86400,
                                        "s"),
})

local spec = {
   name = "replica", version = 1, table = "bench_replica", settings = {},
   names = {"replica_rows"}, more = {"mark"},
   columns = {replica_rows = "id $key, n BIGINT NOT NULL"},
   title = "Writes", committed = "writes committed", unknown = "writes unknown",
}

-- Each write adds one to the row of its client.
function spec.placed(con)
   return (checked.numbers(con, "SELECT COALESCE(SUM(n), 0) FROM replica_rows"))
end

checked.commands(spec, function(_, con, settings)
   local faults = {}

   checked.no_rows(con, faults, "replica_rows", "id", "n < 0", "n is negative")
   local good = checked.report("table 'replica_rows'", faults)
   local fits, line = ledger.reconcile(spec, settings, spec.placed(con))
   if line then load.say("replica_rows: sum of n: " .. line) end
   return good and fits
end)

-- ---- A run, in its main state

local run

-- The replica has no such table: it has just applied an earlier DROP.
local function is_gone(err)
   return err.sql_state == "42P01" or err.sql_state == "42S02"
end

-- The highest mark of a replica; nil: the table is gone.
local function mark_of(replica)
   local hook = sysbench.hooks.sql_error_ignorable

   sysbench.hooks.sql_error_ignorable = is_gone
   local ok, mark = pcall(checked.numbers, replica, "SELECT MAX(mark) FROM %s",
                          spec.table)
   sysbench.hooks.sql_error_ignorable = hook
   -- What is_gone() forgave is a table; another error is a text.
   if not ok and type(mark) ~= "table" then error(mark, 0) end
   return ok and mark or nil
end

-- Waits until a replica has this mark: before, it may lack the tables, or have
-- those of an earlier prepare.
local function await_mark(drv, con, one, mark)
   local replica = drv:connect(one.place)
   local sleep = drv:name() == "pgsql" and "SELECT pg_sleep(0.02)" or
      "SELECT SLEEP(0.02)"
   local limit = os.time() + 3 * sysbench.opt.visible_timeout

   local function arrived()
      return schema.has_table(drv, replica, spec.table) and
         schema.has_table(drv, replica, spec.names[1]) and
         mark_of(replica) == mark
   end

   while not arrived() do
      if os.time() > limit then
         error(string.format("replica: what was written to %s did not arrive " ..
                             "at %s in %d s; is it a replica of this database?",
                             spec.table, one.name,
                             3 * sysbench.opt.visible_timeout), 0)
      end
      con:query(sleep)
   end
   replica:disconnect()
end

function init()
   local drv, con = checked.connect()

   if drv:name() == "sqlite" then
      error("replica: sqlite has no replicas", 0)
   elseif #hosts.list(drv) == 0 then
      error("replica: --replica-host is needed, the hosts of the replicas", 0)
   end
   checked.settings(drv, con, spec)
   if drv:name() ~= "null" then
      local mark = math.floor(C.bench_now_ns())
      con:query(string.format("UPDATE %s SET mark = %.0f", spec.table, mark))
      for _, one in ipairs(hosts.list(drv)) do
         await_mark(drv, con, one, mark)
      end
   end
   run = ledger.open(drv, con, spec)
end

function done() run.close() end

function sysbench.hooks.report_append(stat)
   return require("bench_replica_report")(stat, run, hosts)
end

-- ---- Clients

local client

function thread_init()
   local drv, con = checked.connect()

   checked.settings(drv, con, spec)
   client = require("bench_replica_client")(drv, con, ledger.client(spec))
end

function event() client.event() end

function sysbench.hooks.before_restart_event(err) client.restarts(err) end
