-- Compares what runs of a workload have committed with its tables.
--
-- The workload's own table has one row: settings, the number of runs that have
-- begun (runs) and not ended (open_runs), and the sums of all runs (committed,
-- unknown, and others).  Work is committed if the server has confirmed it.  If
-- a connection was lost before, or the COMMIT was interrupted, the outcome is
-- unknown.  A `spec` describes the work:
--
-- table [optional]: the table of the workload; without it, a run knows of no
-- others, and stores nothing
-- title: the work in a report, such as "New orders"
-- committed, unknown: counters that the clients add to
-- sums [optional]: columns of both; by default committed and unknown
-- placed(con, stat): the work in the tables; with `stat`, that of the report
-- hook, after the run
-- also [optional]: more columns with sums: column -> counter
-- also_update() [optional]: one more statement that stores sums
-- store(con) [optional]: stores more, in the transaction of the sums
-- parts [optional]: the work has parts with sums of their own:
-- name(n), words: part number n, and all parts: "the districts"
-- known(n): committed by this process, and unknown
-- placed(con): a list of the work in the tables
--
-- With several kinds of work, `works` is a list with the members from `title`
-- to `placed`.

local ffi = require("ffi")

local doubt = require("bench_doubt")
local store = require("bench_store")

local C, format = ffi.C, string.format
local ledger = {}

-- Compares `growth`, the work in the tables, with what is known; `others`:
-- other runs may have added.  Returns a verdict, and a line.
function ledger.compare(growth, committed, unknown, others)
   local facts = format(
      "%.0f committed, %.0f with unknown outcome, the tables have %.0f",
      committed, unknown, growth)

   if growth < committed then
      return "bad", facts .. format(": %.0f are LOST", committed - growth)
   elseif growth <= committed + unknown then
      return "ok", facts .. ": ok"
   elseif others then
      return "other runs", facts .. ", with those of other runs"
   end
   return "bad", facts .. format(": nobody has committed %.0f",
                                 growth - committed - unknown)
end

-- The same for each part of the list growth.  Nil, or a line about the first
-- bad part.
function ledger.compare_parts(parts, growth, known, others)
   for n = 1, #growth do
      local committed, unknown = known(n)
      local verdict, line = ledger.compare(growth[n], committed, unknown, others)
      if verdict == "bad" then return parts.name(n) .. ": " .. line end
   end
end

-- Adds the result of compare_parts(), `bad`, to a verdict and a line about all
-- of the work.
function ledger.add_parts(verdict, line, parts, bad)
   if bad then return "bad", line:gsub(": ok$", "") .. "; " .. bad end
   if verdict == "ok" then
      line = line:gsub(": ok$", ", and so for " .. parts.words .. ": ok")
   end
   return verdict, line
end

local SUMS = {"committed", "unknown"}

function ledger.works(spec) return spec.works or {spec} end
function ledger.columns(work) return work.sums or SUMS end

-- ---- A run

-- The numbers of runs begun, and not ended.
local function runs(con, spec)
   local begun, open = con:query_row("SELECT runs, open_runs FROM " ..
                                     spec.table)
   return tonumber(begun), tonumber(open)
end

local function total(name) return sysbench.counter.new(name):total() end

local function totals(work)
   return total(work.committed), total(work.unknown)
end

-- The columns that the end of a run adds to, for UPDATE.
local function sums(spec)
   local list = {}
   local function add(column, n)
      table.insert(list, format("%s = %s + %.0f", column, column, n))
   end

   for _, work in ipairs(ledger.works(spec)) do
      local committed, unknown = totals(work)
      add(ledger.columns(work)[1], committed)
      add(ledger.columns(work)[2], unknown)
   end
   for column, name in pairs(spec.also or {}) do add(column, total(name)) end
   return table.concat(list, ", ")
end

-- Notes in one transaction, begun by `start`, that a run of `ranks` processes
-- has begun.  `alone`: the error if another run is open.
local function begin(con, spec, ranks, start, alone)
   con:query(start)
   con:query(format("UPDATE %s SET runs = runs + %d, open_runs = open_runs + %d",
                    spec.table, ranks, ranks))
   local _, open = runs(con, spec)
   if alone and open > ranks then
      con:query("ROLLBACK")
      error(alone, 0)
   end
   con:query("COMMIT")
end

-- Process 0 notes the run; the others wait for that.
local function note(con, spec, ranks, rank, start, alone)
   local ok, why = true, nil

   if rank == 0 then
      ok, why = pcall(begin, con, spec, ranks, start, alone)
   end
   local agreed = C.bench_agree(ok and 1 or 0)
   if not ok then error(why, 0) end
   if agreed ~= 1 then error(spec.table .. ": another process has given up", 0) end
end

-- The growth of a list.
local function differences(after, before)
   local list = {}
   for n = 1, #after do list[n] = after[n] - before[n] end
   return list
end

-- Notes that a run has begun.  Each of several processes is a run, and notes
-- its own end.  `alone` [optional]: the error if another run is open.
function ledger.open(drv, con, spec, alone)
   local own = {}
   local is_null = drv:name() == "null"
   local before, begun, open = {}, nil, nil
   local parts_before -- of the parts
   local proved = {} -- lines about impossible results
   local left_behind = false -- clients that may still commit
   local connect = store.connector(drv)
   local number = ffi.new("double[1]")
   local ranks = C.bench_ranks(number)

   if not is_null then
      if spec.table then
         note(con, spec, ranks, number[0], store.begin(drv), alone)
         begun, open = runs(con, spec)
      end
      for i, work in ipairs(ledger.works(spec)) do
         before[i] = work.placed(con)
      end
      parts_before = spec.parts and spec.parts.placed(con)
   end

   -- What the tables have got since then, whether other runs may have added,
   -- and the same of parts.
   local function growth(i, stat)
      local con = connect()
      local placed = ledger.works(spec)[i].placed(con, stat)
      local parts = parts_before and
         differences(spec.parts.placed(con), parts_before)
      local others = not spec.table or open > ranks or runs(con, spec) ~= begun
      con:disconnect()
      return placed - before[i], others, parts
   end

   -- The work of the run with its warm-up; nil: unknown, because each process
   -- has counted its own warm-up.
   local function done_by_all(work, stat)
      if ranks == 1 then return totals(work) end
      if tonumber(sysbench.opt.warmup_time) > 0 then return nil end
      return stat.counters[work.committed] or 0, stat.counters[work.unknown] or 0
   end

   -- A line about a work of the run (the first), and its figures.  `stat` is
   -- that of the report hook.
   function own.compare(stat, i)
      local work = ledger.works(spec)[i or 1]
      local title = work.title .. " of the run: "
      local committed, unknown = done_by_all(work, stat)
      local result = {committed = committed, unknown = unknown}

      left_behind = not stat.complete
      if is_null then
         result.verdict = "no tables"
         return title .. "the null driver has no tables", result
      elseif committed == nil then
         result.verdict = "not compared"
         return title .. "with a warm-up, check compares what several " ..
            "processes have committed", result
      elseif not stat.complete then
         result.verdict = "incomplete"
         return title .. "clients were left behind, so nothing is compared",
            result
      end
      local ok, grown, others, parts = pcall(growth, i or 1, stat)
      if not ok then
         result.verdict = "unreadable"
         return title .. format(
            "%.0f committed, %.0f with unknown outcome, but the tables " ..
            "cannot be read", committed, unknown), result
      end
      local line
      result.in_tables = grown
      result.verdict, line = ledger.compare(grown, committed, unknown, others)
      if parts and ranks == 1 then
         result.verdict, line = ledger.add_parts(result.verdict, line, spec.parts,
            ledger.compare_parts(spec.parts, parts, spec.parts.known, others))
      end
      if result.verdict == "bad" then table.insert(proved, title .. line) end
      return title .. line, result
   end

   -- Notes the end of the run, which stays open if clients were left behind.
   -- Fails after a proof that the tables are wrong.
   function own.close()
      if is_null then return end
      if spec.table then
         local update = format("UPDATE %s SET open_runs = open_runs - %d, %s",
                               spec.table, left_behind and 0 or 1, sums(spec))
         store.sums(drv, connect, spec.table,
                    {update, spec.also_update and spec.also_update()},
                    spec.store)
      end
      if #proved > 0 then error(table.concat(proved, "; "), 0) end
   end

   return own
end

-- For `bench verify`: the work in the tables before the run, as returned by the
-- query spec.total.
function ledger.ack_total(drv, con, spec)
   if sysbench.opt.ack_log == "" or drv:name() == "null" then return end
   sysbench.ack_query(spec.total, {total = spec.placed(con)})
end

-- Functions for the outcome of a client's commits.
function ledger.client(work)
   local committed = sysbench.counter.new(work.committed)
   local unknown = sysbench.counter.new(work.unknown)
   local own = {}
   local in_progress = false

   -- From the commit to the answer the outcome is unknown.
   function own.before_commit()
      in_progress = true
      unknown:add(1)
   end

   function own.after_commit()
      in_progress = false
      unknown:add(-1)
      committed:add(1)
   end

   -- An event restarts because of this error.  A refused commit has an outcome:
   -- nothing was committed.
   function own.restarts(err)
      if in_progress and not doubt(err) then unknown:add(-1) end
      in_progress = false
   end

   return own
end

-- ---- check

-- Compares what all runs have committed with `placed`, the work in the tables.
-- Returns whether it fits, and a line; nil without a run.
function ledger.reconcile(work, settings, placed)
   if settings.runs == 0 then return true end
   local committed = settings[ledger.columns(work)[1]]
   local unknown = settings[ledger.columns(work)[2]]
   local verdict, line = ledger.compare(placed, committed, unknown)
   if settings.open_runs > 0 and placed >= committed then
      verdict = "ok"
      line = format(
         "cannot tell: %d did not end properly or still run; %.0f committed " ..
         "by those that have ended, the tables have %.0f", settings.open_runs,
         committed, placed)
   end
   return verdict == "ok", work.title .. " of all runs: " .. line, verdict
end

return ledger
