-- Queued deliveries of tpcc (clause 2.7): a terminal leaves a delivery in the
-- queue of its process; clients that do nothing else execute the oldest one.

local ffi = require("ffi")

local model = require("tpcc_model")
local watch = require("tpcc_watch")

local C = ffi.C
local deferred = {}

-- Seconds until a client looks at an empty queue again.
local PAUSE = 0.005

local QUEUED, EXECUTED = "deliveries queued", "deliveries executed"
local SKIPPED, LATENCY = "queued districts skipped", "delivery completion"

local function is_queue() return sysbench.opt.delivery == "queue" end

function deferred.clients()
   return is_queue() and sysbench.opt.delivery_clients or 0
end

function deferred.refuse()
   local clients = C.bench_clients()

   if is_queue() and clients ~= sysbench.opt.threads then
      error("--delivery=queue is not for a member of a mix that has clients " ..
            "of its own; use weights", 0)
   end
   if is_queue() and sysbench.opt.delivery_clients >= clients then
      error(string.format("--delivery-clients is %d, but of %d client%s at " ..
                          "least one must be a terminal",
                          sysbench.opt.delivery_clients, clients,
                          clients == 1 and "" or "s"), 0)
   end
end

-- The highest numbers of a process, below the one that checks.
function deferred.is_deliverer()
   local clients = sysbench.opt.threads
   local last = clients - watch.clients(sysbench.tid)
   local place = sysbench.tid % clients

   return place < last and place >= last - deferred.clients()
end

-- Executes the transactions of a terminal: deliveries only go into the queue.
function deferred.terminal(execute)
   local queued = sysbench.counter.new(QUEUED)

   return function(input)
      if input.kind ~= model.DELIVERY then return execute(input) end
      if C.bench_job_put(input.w, input.carrier, C.bench_now_ns()) ~= 0 then
         error("tpcc: more than a million deliveries are queued; use more " ..
               "--delivery-clients", 0)
      end
      queued:add(1)
      input.skipped = 0
      return true
   end
end

-- The event of a client that executes deliveries; its argument is the number of
-- the event.  A restarted event repeats its delivery.
function deferred.deliverer(execute, districts)
   local executed = sysbench.counter.new(EXECUTED)
   local skipped = sysbench.counter.new(SKIPPED)
   local latency = sysbench.histogram.new(LATENCY, "ms")
   local input = model.new_input()
   local job = ffi.new("double[3]")
   local at, has = 0, false

   input.kind, input.districts = model.DELIVERY, districts
   return function(number)
      if number ~= at then
         at, has = number, C.bench_job_take(job)
      end
      if not has then
         sysbench.rest(PAUSE)
         return
      end
      input.w, input.carrier = job[0], job[1]
      execute(input)
      executed:add(1)
      if input.skipped > 0 then skipped:add(input.skipped) end
      latency:update((C.bench_now_ns() - job[2]) / 1e6)
   end
end

-- ---- The report

local NOTHING = {count = 0, mean = 0, p90 = 0, max = 0}

-- The figures of a run; nil: deliveries are not queued.
function deferred.figures(stat)
   if not is_queue() then return nil end
   local function count(name) return stat.counters[name] or 0 end

   return {queued = count(QUEUED), executed = count(EXECUTED),
           skipped = count(SKIPPED), waiting = C.bench_jobs_waiting(),
           completion = stat.histograms[LATENCY] or NOTHING}
end

function deferred.text(f)
   local h = f.completion

   return string.format(
      "Deliveries queued: %.0f, executed: %.0f by %d client%s, still queued: " ..
      "%.0f; completed after (ms): mean %.2f, 90%% %.2f, max %.2f; districts " ..
      "skipped: %.0f\n", f.queued, f.executed, deferred.clients(),
      deferred.clients() == 1 and "" or "s", f.waiting, h.mean, h.p90, h.max,
      f.skipped)
end

function deferred.named(f)
   local h = f.completion

   return {queued = f.queued, executed = f.executed, still_queued = f.waiting,
           districts_skipped = f.skipped, completion_mean_ms = h.mean,
           completion_p90_ms = h.p90, completion_max_ms = h.max}
end

return deferred
