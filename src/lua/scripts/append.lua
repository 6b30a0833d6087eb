#!/usr/bin/env bench
-- One event: a transaction that reads lists, and appends numbers to them. With
-- --history-file, `bench verify` finds out whether the database keeps its isolation
-- level.
-- Example: --dsn=postgresql://db1/test --json=run.json run

local history = require("bench_history")
local options = require("bench_options")

local INT, STRING = sysbench.cmdline.ARG_INT, sysbench.cmdline.ARG_STRING
local METHODS = {"append", "read_write"}

history.options({
   writes = {"values that a key gets before a new key replaces it", 32, INT,
             options.within(1, 1000)},
   operations = {"reads and appends of a transaction: 1 to this number", 4, INT,
                 options.within(1, 100)},
   readers = options.percent("percentage of operations that read", 50),
   method = {"how to append {" .. table.concat(METHODS, ",") .. "}: append " ..
             "lets the database do it, read_write reads the list and writes " ..
             "it with the new element", "append", STRING,
             options.one_of(METHODS)},
})

local spec = {
   name = "append", version = 1, table = "bench_append", lists = true,
   settings = {}, works = {}, names = {"append_lists"},
   columns = {append_lists = "id $key, list TEXT NOT NULL"},
}

history.commands(spec)

function init() history.open(spec) end
function done() history.close() end
function sysbench.hooks.report_append() return history.report() end

local uniform = sysbench.rand.uniform
local client, appends

function thread_init()
   appends = sysbench.opt.method == "append"
   client = history.client(spec, sysbench.opt.keys * sysbench.opt.writes, appends)
end

local function append()
   local n = client.next()
   local key = client.draw()

   if appends then
      client.write(key, n, string.format("%.0f", n))
   else
      local list = client.read(key)
      client.write(key, n, string.format("%s%s%.0f", list,
                                         list == "" and "" or ",", n))
   end
end

function event()
   client.begin()
   for _ = 1, uniform(1, sysbench.opt.operations) do
      if uniform(1, 100) <= sysbench.opt.readers then
         client.read(client.draw())
      else
         append()
      end
   end
   client.commit()
end

function sysbench.hooks.before_restart_event(err) client.restarts(err) end
