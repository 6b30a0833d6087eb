#!/usr/bin/env bench
-- One event: a transaction that reads some numbers, and replaces one of them.
-- With --history-file, `bench verify` finds out whether the database keeps its
-- isolation level.
-- Example: --dsn=postgresql://db1/test --json=run.json run

local history = require("bench_history")
local options = require("bench_options")

local INT = sysbench.cmdline.ARG_INT

history.options({
   writes = {"values that a key gets before a new key replaces it", 1000, INT,
             options.within(1, 1000000)},
   operations = {"keys that a transaction reads", 2, INT,
                 options.within(1, 100)},
   readers = options.percent("percentage of transactions that only read", 20),
})

local spec = {
   name = "register", version = 1, table = "bench_register", settings = {},
   works = {}, names = {"register_values"},
   columns = {register_values = "id $key, value BIGINT NOT NULL"},
}

history.commands(spec)

function init() history.open(spec) end
function done() history.close() end
function sysbench.hooks.report_append() return history.report() end

local uniform = sysbench.rand.uniform
local client

function thread_init()
   client = history.client(spec, sysbench.opt.keys * sysbench.opt.writes)
end

function event()
   local key

   client.begin()
   for _ = 1, sysbench.opt.operations do
      key = client.draw()
      client.read(key)
   end
   if uniform(1, 100) > sysbench.opt.readers then
      local n = client.next()
      client.write(key, n, n)
   end
   client.commit()
end

function sysbench.hooks.before_restart_event(err) client.restarts(err) end
