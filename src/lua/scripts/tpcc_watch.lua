-- Checks of tpcc during a run: one client regularly proves the conditions of
-- `check` in one snapshot.  It has its own connection, and is in no figure of
-- the run.

local ffi = require("ffi")

local load = require("bench_load")
local options = require("bench_options")

local C = ffi.C
local format = string.format
local watch = {}

local CHECKS, BROKEN = "consistency checks", "consistency checks violated"
local UNFINISHED = "consistency checks not finished"
local TIME = "consistency check"
local FIRST = "tpcc: the first violation" -- name of a text of the team

-- Seconds between two checks; 0: none.
function watch.every() return options.seconds(sysbench.opt.check_every) or 0 end

-- Clients that check, in the process of client `tid`: one in the first process,
-- with the highest number.
function watch.clients(tid)
   return watch.every() > 0 and tid < sysbench.opt.threads and 1 or 0
end

function watch.is_checker()
   return watch.clients(sysbench.tid) == 1 and
      sysbench.tid == sysbench.opt.threads - 1
end

local function refuse_database(drv)
   if drv:name() == "null" then
      error("--check-every: the null driver keeps no tables", 0)
   end
   if drv:name() ~= "sqlite" then return end
   local mode = sysbench.opt.sqlite_journal_mode
   if mode ~= "wal" and mode ~= "auto" then
      error(format("--check-every: on SQLite a check beside writers needs the " ..
                   "journal mode wal, and --sqlite-journal-mode is %s", mode), 0)
   end
end

-- `others`: clients that are neither terminals nor this one.
function watch.refuse(drv, others)
   if watch.every() == 0 then return end
   if #(sysbench.opt.mix or "") > 0 then
      error("--check-every is not for a member of a mix", 0)
   end
   if (tonumber(sysbench.opt.clients) or 0) > 0 then
      error("--check-every cannot be used with --clients: a check would hold " ..
            "up the clients of its thread", 0)
   end
   if sysbench.opt.threads < 2 + others then
      error(format("--check-every: one thread checks, so --threads is %d or " ..
                   "more", 2 + others), 0)
   end
   refuse_database(drv)
end

-- ---- The client that checks

-- An error may be a table.
local function words(err)
   local text = type(err) == "table" and err.sql_errmsg
   return text or tostring(err)
end

-- Executes `one`, whose statements are not counted.  Returns the results of
-- pcall, and seconds.
local function measure(one)
   local began = C.bench_now_ns()

   C.bench_off_duty(true)
   local ok, found = pcall(one)
   C.bench_off_duty(false)
   return ok, found, (C.bench_now_ns() - began) / 1e9
end

local function plural(n, word) return n .. " " .. word .. (n == 1 and "" or "s") end

-- The loop of the client: connect() makes a connection, and check(connection)
-- returns nil or violations, text.
function watch.loop(connect, check)
   local checks = sysbench.counter.new(CHECKS)
   local broken = sysbench.counter.new(BROKEN)
   local unfinished = sysbench.counter.new(UNFINISHED)
   local times = sysbench.histogram.new(TIME, "ms")
   local every, con, closed = watch.every(), nil, false
   local warmup_ns = tonumber(sysbench.opt.warmup_time) * 1e9

   local function one()
      con = con or connect()
      if closed then con:reconnect() end -- to the next server
      closed = false
      return check(con)
   end

   return function()
      -- No checks in the warm-up.
      local began = C.bench_now_ns() + warmup_ns
      local number, told, due = 0, false, every

      local function now() return (C.bench_now_ns() - began) / 1e9 end
      while C.bench_linger(math.max(0, due - now())) do
         local at = now()
         local ok, found, took = measure(one)
         number = number + 1
         if not ok then
            -- Until collected, the connection would hold its snapshot.
            if con and not closed then pcall(con.disconnect, con) end
            closed = con ~= nil
            unfinished:add(1)
            if not C.bench_linger(0) then return end
            load.say(format("Check %d at %.1f s: not finished: %s", number, at,
                            words(found)))
         elseif found then
            load.say(format("Check %d at %.1f s: %s (%.2f s); the first: %s",
                            number, at, plural(found.violations, "violation"),
                            took, found.text))
            if not told then
               local text = format("%.3f %s", at, found.text)
               C.bench_team_give(FIRST, text, #text)
               told = true
            end
            broken:add(1)
         else
            load.say(format("Check %d at %.1f s: all conditions hold (%.2f s)",
                            number, at, took))
         end
         if ok then
            checks:add(1)
            times:update(took * 1000)
         end
         due = every * (math.floor(now() / every) + 1)
      end
   end
end

-- ---- The report

local NOTHING = {count = 0, mean = 0, max = 0}

local function first_violation()
   local len = ffi.new("size_t[1]")
   local text = C.bench_team_await(FIRST, len)
   local at, what = ffi.string(text, len[0]):match("^(%S+) (.*)$")

   return {at_s = tonumber(at), text = what}
end

-- The figures of a run; nil: no checks.
function watch.figures(stat)
   if watch.every() == 0 then return nil end
   local function count(name) return stat.counters[name] or 0 end
   local h = stat.histograms[TIME] or NOTHING
   local time_s = h.mean * h.count / 1000
   local f = {every_s = watch.every(), checks = count(CHECKS),
              held = count(CHECKS) - count(BROKEN), violated = count(BROKEN),
              not_finished = count(UNFINISHED), time_s = time_s,
              longest_s = h.max / 1000,
              time_ratio = stat.time_total > 0 and time_s / stat.time_total or 0}

   if f.violated > 0 then f.first_violation = first_violation() end
   return f
end

function watch.text(f)
   local verdict = f.checks == 0 and "none ended" or
      f.violated == 0 and "all conditions held" or
      format("%s found violations, the first at %.1f s: %s",
             plural(f.violated, "check"), f.first_violation.at_s,
             f.first_violation.text)

   return format("Checks during the run: %.0f, one every %g s: %s\n    they " ..
                 "took %.2f s (%.1f %% of the run), the longest %.2f s%s\n",
                 f.checks, f.every_s, verdict, f.time_s, 100 * f.time_ratio,
                 f.longest_s, f.not_finished == 0 and "" or
                 format("; %.0f not finished", f.not_finished))
end

return watch
