#!/usr/bin/env bench
-- One event: a transaction that writes one key, which nobody else writes, or
-- one that reads a group of such keys. With --history-file, `bench verify` finds two
-- readers that have seen two writes in different orders.
-- Example: --dsn=postgresql://db1/test --json=run.json run

local history = require("bench_history")
local options = require("bench_options")

history.options({
   readers = options.percent("percentage of transactions that read", 50),
})

local spec = {
   name = "long_fork", version = 1, table = "bench_long_fork", settings = {},
   works = {}, names = {"long_fork_values"},
   columns = {long_fork_values = "id $key, value BIGINT NOT NULL"},
}

history.commands(spec)

function init() history.open(spec) end
function done() history.close() end
function sysbench.hooks.report_append() return history.report() end

local uniform = sysbench.rand.uniform
local client

function thread_init() client = history.client(spec, sysbench.opt.keys) end

-- Reads a group, each client in its own order.
local function read()
   local first, start = client.group(), uniform(0, sysbench.opt.keys - 1)

   for i = 0, sysbench.opt.keys - 1 do
      client.read(first + (start + i) % sysbench.opt.keys)
   end
end

function event()
   client.begin()
   if uniform(1, 100) <= sysbench.opt.readers then
      read()
   else
      local n, first = client.next()
      client.write(first + n % sysbench.opt.keys, n, n)
   end
   client.commit()
end

function sysbench.hooks.before_restart_event(err) client.restarts(err) end
