-- The report of a run of the workload replica.

local format = string.format

local NONE = {count = 0, mean = 0, p50 = 0, p95 = 0, p99 = 0, max = 0, min = 0}

local function words(h)
   return format("min %.2f, p50 %.2f, p95 %.2f, p99 %.2f, max %.2f", h.min,
                 h.p50, h.p95, h.p99, h.max)
end

local function figures(h)
   return {count = h.count, mean_ms = h.mean, min_ms = h.min, p50_ms = h.p50,
           p95_ms = h.p95, p99_ms = h.p99, max_ms = h.max}
end

-- For the hook report_append.
return function(stat, run, hosts)
   local out, curve = {}, {}
   local function counted(name) return stat.counters[name] or 0 end
   local function add(...) table.insert(out, format(...)) end
   local before = stat.histograms["visible not before"] or NONE
   local after = stat.histograms["visible not after"] or NONE
   local reads = counted("replica reads")

   add("")
   add("Replicas, %s:", sysbench.opt.replica_host)
   add("    writes watched until they were visible: %.0f, given up after %d s: %.0f",
       counted("writes watched"), sysbench.opt.visible_timeout,
       counted("writes not visible in time"))
   add("    visible not before (ms): %s", words(before))
   add("    visible not after (ms):  %s", words(after))
   add("    reads that began so many ms after the commit, and those that were stale:")
   for _, ms in ipairs(hosts.times()) do
      local name, name_stale = hosts.counters(ms)
      local n, stale = counted(name), counted(name_stale)
      curve[format("after_%d_ms", ms)] = {
         reads = n, stale = stale, share = n > 0 and stale / n or 0}
      add("        %8d %10.0f %10.0f %s", ms, n, stale,
          n > 0 and format("%6.2f %%", 100 * stale / n) or "      -")
   end
   local function broken(title, name)
      local n, clients = counted(name), counted("clients with " .. name)
      add("    %s broken by %.0f of %.0f reads, for %.0f of %d clients", title,
          n, reads, clients, sysbench.opt.threads)
      return {reads = reads, violations = n, clients = clients}
   end
   local own = broken("read your writes:", "stale reads")
   local monotonic = broken("monotonic reads:", "reads that went back")
   add("")
   local line, result = run.compare(stat)
   add("%s", line)
   return table.concat(out, "\n") .. "\n", {
      replicas = sysbench.opt.replica_host,
      writes_watched = counted("writes watched"),
      not_visible_in_time = counted("writes not visible in time"),
      visible_not_before = figures(before),
      visible_not_after = figures(after),
      stale = curve,
      read_your_writes = own,
      monotonic_reads = monotonic,
      reconciliation = result,
   }
end
