#!/usr/bin/env bench
-- One event: a connection is opened, logs in, executes one statement and is
-- closed.
-- Example: --dsn=postgresql://db1/test --threads=16 run

local options = require("bench_options")

local STRING = sysbench.cmdline.ARG_STRING
local WAYS = {"auto", "own", "library"}
local QUERY = "SELECT 1"

sysbench.cmdline.options = {
   handshake = {"who logs in {" .. table.concat(WAYS, ",") .. "}: own = " ..
                "the driver itself, without the client library; auto = the " ..
                "driver if it can, otherwise the library", "auto", STRING,
                options.one_of(WAYS)},
}

local STEPS = {
   {"resolve", "resolve"}, {"connect", "connect"}, {"tls", "TLS"},
   {"tls_resumed", "TLS, resumed"}, {"login", "login"},
   {"query", "first query"}, {"close", "close"},
}

-- ---- A run, in its main state

local function way()
   return sysbench.opt.handshake == "" and "auto" or sysbench.opt.handshake
end

-- The library asks what the server is, and whether it lets the user in.
function init()
   if way() ~= "own" then
      sysbench.sql.driver():connect():disconnect()
   end
end

local NONE = {count = 0}

function sysbench.hooks.report_append(stat)
   local own = stat.counters["own handshakes"] or 0
   local library = stat.counters["handshakes of the library"] or 0
   local who = own == 0 and "by the client library" or
      library == 0 and "by the driver itself" or
      string.format("%.0f by the driver itself, %.0f by the client library",
                    own, library)
   local out, figures = {}, {own = own, library = library}
   local function add(...) table.insert(out, string.format(...)) end

   add("\nConnections, %s:", who)
   add("    %-18s %10s %10s %10s %10s %10s %10s", "step (ms)", "count", "min",
       "mean", "p50", "p99", "max")
   for _, step in ipairs(STEPS) do
      local h = stat.histograms[step[2]] or NONE
      local title = step[1] == "login" and own == 0 and "connect and login" or
         step[2]
      if h.count > 0 then
         add("    %-18s %10.0f %10.3f %10.3f %10.3f %10.3f %10.3f", title,
             h.count, h.min, h.mean, h.p50, h.p99, h.max)
         figures[step[1]] = {count = h.count, min_ms = h.min, mean_ms = h.mean,
                             p50_ms = h.p50, p99_ms = h.p99, max_ms = h.max}
      end
   end
   return table.concat(out, "\n") .. "\n", figures
end

-- ---- Clients

local visitor, own, library, who
local histograms = {}

function thread_init()
   visitor = sysbench.sql.driver():visitor()
   own = sysbench.counter.new("own handshakes")
   library = sysbench.counter.new("handshakes of the library")
   for i, step in ipairs(STEPS) do
      histograms[i] = sysbench.histogram.new(step[2], "ms")
   end
   who = way()
end

function event()
   local times = visitor:visit(QUERY, who)

   if times.library then library:add(1) else own:add(1) end
   for i, step in ipairs(STEPS) do
      if times[step[1]] then histograms[i]:update(times[step[1]]) end
   end
end
