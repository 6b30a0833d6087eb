-- What a run of the ycsb workload counts, and its report.

local report = {}

local format = string.format

-- In the order of the report: key, name.
local OPERATIONS = {{"read", "read"}, {"update", "update"},
                    {"insert", "insert"}, {"scan", "scan"},
                    {"rmw", "read-modify-write"}}
local NAMES = {begun = "inserts begun", recovered = "inserts recovered",
               rows = "rows of scans",
               short = "short scans"}
for _, operation in ipairs(OPERATIONS) do
   NAMES[operation[1]] = operation[2]
   NAMES[operation[1] .. "_missing"] = operation[2] .. " not found"
end
local LATENCY = "read-modify-write latency"

-- The counters of this thread, the histogram, and a clock.
function report.counters()
   local count = {}

   for key, name in pairs(NAMES) do count[key] = sysbench.counter.new(name) end
   count.rmw_latency = sysbench.histogram.new(LATENCY, "ms")
   function count.now_ms() return ffi.C.bench_now_ns() / 1e6 end
   return count
end

local function sum(stat, key) return stat.counters[NAMES[key]] or 0 end

-- A line of the table of operations, or nil.
local function operation_line(stat, key, name, figures)
   local good, missing = sum(stat, key), sum(stat, key .. "_missing")

   if good + missing == 0 then return nil end
   figures[name:gsub("-", "_")] = {count = good, not_found = missing}
   return format("    %-20s %14.0f %14.2f %12.0f", name, good,
                 good / math.max(stat.time_total, 1e-9), missing)
end

local function scan_lines(stat, figures, add)
   local scans = sum(stat, "scan")

   if scans == 0 then return end
   figures.rows, figures.short = sum(stat, "rows"), sum(stat, "short")
   add(format("    Rows of a scan: %.2f on average; %.0f scans have reached " ..
              "the end of the table", figures.rows / scans, figures.short))
end

-- An insert in progress at the end has an unknown outcome.
local function insert_lines(stat, add)
   local begun, acknowledged = sum(stat, "begun"), sum(stat, "insert")

   if begun == 0 then return nil end
   local open, recovered = math.max(begun - acknowledged, 0),
      sum(stat, "recovered")
   add(format("    Inserts: %.0f acknowledged, %.0f with unknown outcome; " ..
              "after %.0f restarts the row was there", acknowledged, open,
              recovered))
   return {acknowledged = acknowledged, unknown = open, recovered = recovered}
end

local function latency_line(stat, add)
   local h = stat.histograms[LATENCY]

   if not h or h.count == 0 then return nil end
   add(format("    Read-modify-write, ms: p50 %.2f, p95 %.2f, p99 %.2f, " ..
              "max %.2f", h.p50, h.p95, h.p99, h.max))
   return {p50_ms = h.p50, p95_ms = h.p95, p99_ms = h.p99, max_ms = h.max}
end

-- The text and the figures for the report of a run.
function report.append(stat, settings, distribution)
   local opt = sysbench.opt
   local lines, operations, scans = {}, {}, {}
   local function add(line) table.insert(lines, line) end
   local workload = opt.workload ~= "" and opt.workload or "a"
   local key = settings.int_keys == 1 and "int" or "string"
   local order = settings.ordered == 1 and "ordered" or "hashed"
   local zipf = opt.zipf == "java" and "java" or "exact"
   local what = distribution

   if distribution ~= "uniform" then
      what = format("%s %s, %s", distribution, opt.skew, zipf)
   end
   add("")
   add(format("YCSB workload %s: %.0f records of %d x %d characters, %s, " ..
              "keys: %s, %s%s", workload, settings.records, settings.fields,
              settings.length, what, key, order,
              opt.check_reads and ", verified" or ""))
   add(format("    %-20s %14s %14s %12s", "operation", "found", "per second",
              "not found"))
   for _, operation in ipairs(OPERATIONS) do
      local line = operation_line(stat, operation[1], operation[2], operations)
      if line then add(line) end
   end
   scan_lines(stat, scans, add)
   local latency = latency_line(stat, add)
   local inserts = insert_lines(stat, add)

   return table.concat(lines, "\n") .. "\n",
      {workload = workload, records = settings.records,
       fields = settings.fields, field_length = settings.length, key = key,
       order = order, distribution = distribution, zipf = zipf,
       skew = opt.skew, verify = opt.check_reads, operations = operations,
       scans = next(scans) and scans, read_modify_write = latency,
       inserts = inserts}
end

return report
