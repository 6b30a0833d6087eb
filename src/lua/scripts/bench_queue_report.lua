-- The report of a run of the workload queue: rates, the latency from enqueueing
-- to done, the depth of the queue.

local ffi = require("ffi")

local series = require("bench_series")

local format = string.format

local function per_second(n, stat)
   return stat.time_total > 0 and n / stat.time_total or 0
end

-- The depth at the end of each second, and the largest.
local function depths(before)
   local added = series.open("enqueued"):sums()
   local done = series.open("done"):sums()
   local depth, most, now = {}, before, before

   for i = 1, math.max(#added, #done) do
      now = now + (added[i] or 0) - (done[i] or 0)
      depth[i] = now
      most = math.max(most, now)
   end
   return depth, most, added, done
end

-- Adds lines about the depth with add(); returns its figures.  A process does
-- not know what others do in each second.
local function add_depth(add, before)
   if ffi.C.bench_ranks(ffi.new("double[1]")) > 1 then
      add("    depth: %.0f at the beginning", before)
      return {}
   end
   local depth, most, added, done = depths(before)

   add("    depth: %.0f at the beginning, %.0f at the end, %.0f at most", before,
       depth[#depth] or before, most)
   if #depth > 0 then
      add("%s", series.lines(#depth, {"enqueued", "done", "depth"},
          function(i) return added[i] or 0, done[i] or 0, depth[i] end))
   end
   return {at_end = depth[#depth] or before, most = most,
           seconds = series.figures(#depth, function(i) return depth[i] end)}
end

-- For the hook report_append.  `level`: the isolation level of the sessions, if
-- looks lock there.
return function(stat, run, before, claim, level)
   local counters = stat.counters
   local function counted(name) return counters[name] or 0 end
   local h = stat.histograms["enqueue to done"] or
      {count = 0, mean = 0, p50 = 0, p95 = 0, p99 = 0, max = 0}
   local out = {}
   local function add(...) table.insert(out, format(...)) end

   add("")
   add("Queue, --claim=%s:", claim)
   add("    enqueued: %.0f (%.2f per sec.)", counted("jobs enqueued"),
       per_second(counted("jobs enqueued"), stat))
   add("    done: %.0f (%.2f per sec.)", counted("jobs done"),
       per_second(counted("jobs done"), stat))
   add("    looks at the empty queue, which are not events: %.0f", counted("empty polls"))
   if level and counted("empty polls") > 0 then
      add("    at %s, a look at an empty queue locks its end, and producers " ..
          "wait: use --isolation=read-committed", level)
   end
   add("    claims that another client was faster with: %.0f",
       counted("claims in vain"))
   if h.count == 0 then
      add("    enqueue to done: no job that this run has added was done")
   else
      add("    enqueue to done (ms): mean %.2f, p50 %.2f, p95 %.2f, p99 %.2f, " ..
          "max %.2f, of %.0f jobs", h.mean, h.p50, h.p95, h.p99, h.max,
          h.count)
   end
   local depth = add_depth(add, before)
   add("")
   local line, enqueued_result = run.compare(stat, 1)
   add("%s", line)
   local done_result
   line, done_result = run.compare(stat, 2)
   add("%s", line)
   return table.concat(out, "\n") .. "\n", {
      claim = claim,
      enqueued_per_second = per_second(counted("jobs enqueued"), stat),
      done_per_second = per_second(counted("jobs done"), stat),
      empty_polls = counted("empty polls"),
      claims_in_vain = counted("claims in vain"),
      depth_begin = before, depth_end = depth.at_end, depth_max = depth.most,
      depth = depth.seconds,
      enqueue_to_done = {count = h.count, mean_ms = h.mean, p50_ms = h.p50,
                         p95_ms = h.p95, p99_ms = h.p99, max_ms = h.max},
      reconciliation = {enqueued = enqueued_result, done = done_result},
   }
end
