-- A client of the workload queue that claims jobs and finishes them, in a
-- transaction that moves a job from queue_jobs to queue_done.  Ways to keep
-- others away until then:
--
-- skip_locked: a lock of the row, in the same transaction; others skip it
-- update: claimed_by, set before in a transaction; after a lost connection the
-- client goes on with its claim
-- advisory: a lock of the number of the job, held by the session

local series = require("bench_series")

local C = require("ffi").C

-- Seconds until a consumer without a job looks again.  Without a pause, many
-- consumers lock the end of an empty queue all the time.
local PAUSE = 0.005

local CANDIDATES = 16 -- of an advisory lock
local MAX_TRIES = 100 -- of an update

local JOB = "SELECT id, producer, sequence, clock, enqueued FROM queue_jobs "

local ADVISORY = {
   pgsql = {lock = "SELECT CASE WHEN pg_try_advisory_lock(?) THEN 1 ELSE 0 END",
            unlock = "SELECT pg_advisory_unlock(?)"},
   other = {lock = "SELECT GET_LOCK(CONCAT('bench_queue.', ?), 0)",
            unlock = "SELECT RELEASE_LOCK(CONCAT('bench_queue.', ?))"},
}

-- The first row of a result, or nil.
local function row_of(rs)
   if rs == nil or rs.nrows == 0 then return nil end
   return rs:fetch_row()
end

-- statement(text, label, parameter...) prepares one.
local function statements(con)
   return function(text, label, ...)
      local statement = con:prepare(text, label)
      if select("#", ...) > 0 then statement:bind_param(...) end
      return statement
   end
end

local function parameters(con, n)
   local made, any = {}, con:prepare("SELECT ?")
   for i = 1, n do made[i] = any:bind_create(sysbench.sql.type.BIGINT) end
   any:close()
   return unpack(made)
end

-- finish(job) moves a job from one table to the other, in an open transaction.
local function finisher(client, prepare, id)
   local producer, sequence, consumer = parameters(client.con, 3)
   local delete = prepare("DELETE FROM queue_jobs WHERE id = ?", "finish", id)
   local insert = prepare("INSERT INTO queue_done " ..
                          "(id, producer, sequence, consumer) " ..
                          "VALUES (?, ?, ?, ?)", "finish", id, producer,
                          sequence, consumer)
   local commit = prepare("COMMIT", "commit")
   local latency = sysbench.histogram.new("enqueue to done", "ms")
   local class = C.bench_db_class("enqueue to done")
   local per_second = series.open("done")

   consumer:set(client.number)
   return function(job)
      id:set(tonumber(job[1]))
      producer:set(tonumber(job[2]))
      sequence:set(tonumber(job[3]))
      delete:execute()
      insert:execute()
      client.done.before_commit()
      commit:execute()
      client.done.after_commit()
      per_second:add(1)
      local enqueued = tonumber(job[5])
      if tonumber(job[4]) == client.clock and client.clock ~= 0 and
         enqueued >= client.began then
         local took = C.bench_now_ns() - enqueued
         latency:update(took / 1e6)
         C.bench_class_record(class, took)
      end
   end
end

local claim = {}

function claim.skip_locked(client, prepare, id, begin, finish)
   local take = prepare(JOB .. "ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED",
                        "claim")
   local rollback = prepare("ROLLBACK", "nothing to do")

   return function()
      begin:execute()
      local job = row_of(take:execute())
      if job == nil then
         rollback:execute()
         return false
      end
      finish(job)
      return true
   end
end

function claim.update(client, prepare, id, begin, finish)
   local own = parameters(client.con, 1)
   local look = prepare("SELECT id FROM queue_jobs WHERE claimed_by = 0 " ..
                        "ORDER BY id LIMIT 1", "look")
   local mark = prepare("UPDATE queue_jobs SET claimed_by = ? " ..
                        "WHERE id = ? AND claimed_by = 0", "claim", own, id)
   local read = prepare(JOB .. "WHERE claimed_by = ?", "claim", own)
   local collisions = sysbench.counter.new("claims in vain")

   own:set(client.number)
   return function()
      local job = client.failed and row_of(read:execute())
      for _ = 1, MAX_TRIES do
         if job then break end
         local free = row_of(look:execute())
         if free == nil then return false end
         id:set(tonumber(free[1]))
         mark:execute()
         job = row_of(read:execute())
         if job == nil then collisions:add(1) end
      end
      if job == nil then return false end
      client.failed = true -- until the job is done
      begin:execute()
      finish(job)
      client.failed = false
      return true
   end
end

function claim.advisory(client, prepare, id, begin, finish)
   local text = ADVISORY[client.drv:name()] or ADVISORY.other
   local look = prepare("SELECT id FROM queue_jobs ORDER BY id LIMIT " ..
                        CANDIDATES, "look")
   local held = parameters(client.con, 1)
   local lock = prepare(text.lock, "lock", held)
   local unlock = prepare(text.unlock, "unlock", held)
   local read = prepare(JOB .. "WHERE id = ?", "claim", held)
   local rollback = prepare("ROLLBACK", "nothing to do")
   local collisions = sysbench.counter.new("claims in vain")
   local is_held = false

   local function release()
      if is_held then
         is_held = false
         unlock:execute()
      end
   end

   -- The job may be done since its number was read.
   local function try(number)
      held:set(number)
      local row = row_of(lock:execute())
      is_held = row ~= nil and tonumber(row[1]) == 1
      if not is_held then return false end
      begin:execute()
      local job = row_of(read:execute())
      if job then finish(job) else rollback:execute() end
      release()
      return job ~= nil
   end

   return function()
      local ids = {}
      -- An error has left the lock, unless the session is new.
      if client.failed and not client.is_new then release() end
      client.failed, client.is_new, is_held = false, false, false
      local rs = look:execute()
      for i = 1, rs ~= nil and rs.nrows or 0 do
         ids[i] = tonumber(rs:fetch_row()[1])
      end
      for _, number in ipairs(ids) do
         if try(number) then return true end
         collisions:add(1)
      end
      return false
   end
end

-- A function that does a waiting job.
return function(client, how)
   local prepare = statements(client.con)
   local id = parameters(client.con, 1)
   local begin = prepare(client.drv:name() == "sqlite" and "BEGIN IMMEDIATE" or
                         "BEGIN", "begin")
   local finish = finisher(client, prepare, id)
   local consume = claim[how](client, prepare, id, begin, finish)
   local empty = sysbench.counter.new("empty polls")

   client.began = C.bench_now_ns()
   client.failed = false

   function client.after_error(was_lost, is_unknown)
      if client.enqueuing then
         client.enqueuing = false
         if is_unknown then client.after_unknown_job() end
      else
         client.failed = true
         client.is_new = client.is_new or was_lost
      end
   end

   return function()
      if consume() then return end
      empty:add(1)
      C.bench_event_skip() -- not a transaction
      C.bench_event_rest(PAUSE)
   end
end
