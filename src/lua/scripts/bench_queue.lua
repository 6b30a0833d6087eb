-- The tables of the workload queue, its `check`, and what a run needs.
-- queue_jobs has the waiting jobs, queue_done a row for each job done.  Each
-- client has a number, and numbers its jobs from 1 without gaps: a number in
-- neither table is a lost job, unless its outcome is unknown.

local ffi = require("ffi")

local checked = require("bench_checked")
local doubt = require("bench_doubt")
local ledger = require("bench_ledger")
local load = require("bench_load")
local schema = require("bench_schema")

-- The jobs of clients that join from now on, for `bench verify`.
local ADDED = [[
SELECT producer * 4294967296 + sequence FROM queue_jobs WHERE producer > %.0f
UNION ALL
SELECT producer * 4294967296 + sequence FROM queue_done WHERE producer > %.0f]]

local format, numbers = string.format, checked.numbers
local C = ffi.C
local queue = {}

local function count(con, name)
   return (numbers(con, "SELECT COUNT(*) FROM %s", name))
end

-- In this order no job is missed that is done meanwhile.
local function jobs(con)
   return count(con, "queue_jobs") + count(con, "queue_done")
end

local function jobs_done(con) return count(con, "queue_done") end

local spec = {
   name = "queue", version = 1, table = "bench_queue", settings = {},
   names = {"queue_jobs", "queue_done"},
   columns = {
      queue_jobs = "id $serial, producer BIGINT NOT NULL, " ..
         "sequence BIGINT NOT NULL, clock BIGINT NOT NULL, " ..
         "enqueued BIGINT NOT NULL, claimed_by BIGINT NOT NULL, " ..
         "payload VARCHAR(1000) NOT NULL",
      queue_done = "id BIGINT NOT NULL, producer BIGINT NOT NULL, " ..
         "sequence BIGINT NOT NULL, consumer BIGINT NOT NULL",
   },
   indexes = {queue_jobs = {{"queue_jobs_claimed", "claimed_by, id"}}},
   more = {"clients"},
   works = {
      {title = "Jobs enqueued", committed = "jobs enqueued",
       unknown = "jobs enqueued unknown", placed = jobs},
      {title = "Jobs done", committed = "jobs done",
       unknown = "jobs done unknown", sums = {"done", "done_unknown"},
       placed = jobs_done},
   },
}
queue.spec = spec

-- ---- check

local ALL = [[
(SELECT producer, sequence FROM queue_jobs
 UNION ALL SELECT producer, sequence FROM queue_done) a]]

-- Adds the jobs that are repeated in what follows FROM.
local function no_twins(con, faults, from, words)
   local n, producer, sequence = numbers(con, [[
SELECT COUNT(*), MIN(producer), MIN(sequence) FROM
(SELECT producer, sequence FROM %s GROUP BY producer, sequence
 HAVING COUNT(*) > 1) t]], from)

   if n > 0 then
      if n > 1 then
         sequence = numbers(con, [[
SELECT MIN(sequence) FROM (SELECT sequence FROM %s WHERE producer = %.0f
GROUP BY sequence HAVING COUNT(*) > 1) t]], from, producer)
      end
      table.insert(faults, format(
         "%d job%s %s, the first has producer %.0f, sequence %.0f", n,
         n == 1 and "" or "s", words, producer, sequence))
   end
end

local function no_overlap(con, faults)
   local n, producer, sequence = numbers(con, [[
SELECT COUNT(*), MIN(j.producer), MIN(j.sequence) FROM queue_jobs j
JOIN (SELECT DISTINCT producer, sequence FROM queue_done) d
ON d.producer = j.producer AND d.sequence = j.sequence]])

   if n > 0 then
      table.insert(faults, format(
         "%d job%s still in queue_jobs, but in queue_done as well, the first " ..
         "has producer %.0f, sequence %.0f", n, n == 1 and " is" or "s are",
         producer, sequence))
   end
end

-- The first number that a producer's jobs lack.
local function first_gap(con, producer)
   local rs = con:query(format(
      "SELECT DISTINCT sequence FROM %s WHERE producer = %.0f ORDER BY " ..
      "sequence", ALL, producer))
   for i = 1, rs.nrows do
      if tonumber(rs:fetch_row()[1]) ~= i then return i end
   end
end

local function no_gaps(con, faults, settings)
   local missing, producer = numbers(con, [[
SELECT COALESCE(SUM(last - there), 0), MIN(producer) FROM
(SELECT producer, COUNT(DISTINCT sequence) AS there, MAX(sequence) AS last
 FROM %s GROUP BY producer) p WHERE there <> last]], ALL)

   if missing > settings.unknown and settings.open_runs == 0 then
      table.insert(faults, format(
         "%.0f job%s in neither table, but only %.0f had an unknown outcome: " ..
         "jobs are LOST, the first has producer %.0f, sequence %.0f", missing,
         missing == 1 and " is" or "s are", settings.unknown, producer,
         first_gap(con, producer)))
   end
end

function queue.check(drv, con, settings)
   local faults, good = {}, nil

   schema.begin_snapshot(drv, con)
   no_twins(con, faults, "queue_jobs", "more than once in queue_jobs")
   checked.no_rows(con, faults, "queue_jobs", "id", "sequence < 1 OR producer " ..
                   "< 1 OR producer > " .. format("%.0f", settings.clients),
                   "producer or sequence of no client")
   good = checked.report("table 'queue_jobs'", faults)
   faults = {}
   no_twins(con, faults, "queue_done", "done more than once in queue_done")
   no_overlap(con, faults)
   no_gaps(con, faults, settings)
   good = checked.report("table 'queue_done'", faults) and good
   for i, work in ipairs(spec.works) do
      local fits, line = ledger.reconcile(work, settings, work.placed(con))
      if line then
         load.say((i == 1 and "queue_jobs and queue_done: " or "queue_done: ") ..
                  line)
      end
      good = good and fits
   end
   local waiting, claimed = numbers(con, [[
SELECT COUNT(*), COALESCE(SUM(CASE WHEN claimed_by <> 0 THEN 1 ELSE 0 END), 0)
FROM queue_jobs]])
   load.say(format("%.0f jobs wait, %.0f of them are claimed", waiting, claimed))
   con:query("ROLLBACK")
   return good
end

-- ---- What a run needs

-- The first versions with SKIP LOCKED.
local function version_number(text)
   local major, minor = text:match("(%d+)%.(%d+)")
   return tonumber(major or 0) * 100 + tonumber(minor or 0)
end

-- Refuses a way to claim that the server does not have.
function queue.demand(drv, con, claim)
   if claim ~= "skip_locked" or drv:name() == "null" then return end
   local text = con:query_row("SELECT VERSION()")
   local first = text:find("PostgreSQL") and 905 or
      text:find("MariaDB") and 1006 or 800

   if version_number(text) < first then
      error("--claim=skip_locked: this server has no SKIP LOCKED (" .. text ..
            "); use --claim=update or --claim=advisory", 0)
   end
end

-- Gives back the claims of earlier runs, unless another run is active.  Returns
-- the number of waiting jobs.
function queue.begin_run(drv, con)
   if drv:name() == "null" then return 0 end
   local clients = numbers(con, "SELECT clients FROM bench_queue")
   sysbench.ack_query(format(ADDED, clients, clients), {others = true})
   local open = numbers(con, "SELECT open_runs FROM bench_queue")
   local rank = ffi.new("double[1]")
   local ranks = ffi.C.bench_ranks(rank)
   if open == ranks and rank[0] == 0 then
      con:query("UPDATE queue_jobs SET claimed_by = 0 WHERE claimed_by <> 0")
   end
   return count(con, "queue_jobs")
end

-- Identifies the clock of this machine since its start: times of the same clock
-- can be compared. 0: unknown.
local function clock_id()
   local file = io.open("/proc/sys/kernel/random/boot_id")
   local text = file and file:read("*l") or ""

   if file then file:close() end
   return tonumber(text:gsub("-", ""):sub(1, 12), 16) or 0
end

-- Takes the number of a client, in a transaction.
local function join(drv, con)
   con:query(drv:name() == "sqlite" and "BEGIN IMMEDIATE" or "BEGIN")
   con:query("UPDATE bench_queue SET clients = clients + 1")
   local number = numbers(con, "SELECT clients FROM bench_queue")
   con:query("COMMIT")
   return number
end

-- The figures of a client: its number and its clock.  All clients take their
-- numbers from one row, so conflicts are expected.
function queue.client(drv, con)
   local client = {drv = drv, con = con, clock = clock_id(), number = 1}
   local joined, number = drv:name() == "null", 1
   local attempts = 0

   while not joined do
      joined, number = pcall(join, drv, con)
      attempts = attempts + 1
      if not joined then
         local is_conflict = type(number) == "table" and
            number.errcode == sysbench.error.RESTART_EVENT and not doubt(number)
         pcall(con.query, con, "ROLLBACK")
         if not is_conflict or not C.bench_event_restart(attempts) then
            error(number, 0)
         end
      end
   end
   client.number = number
   return client
end

return queue
