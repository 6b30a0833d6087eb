-- A client of the workload replica, with a row of its own.  It numbers its
-- writes; after a write it rests, and its next event reads the row on a
-- replica.
--
-- Some writes are watched: read again until they are visible.  Others are read
-- once, at one of the times of --read-after, so that a read does not depend on
-- earlier ones: only such reads, and the first read of each watched write,
-- count for the share of stale reads.

local doubt = require("bench_doubt")
local hosts = require("bench_replica_hosts")

local C = require("ffi").C
local uniform = sysbench.rand.uniform

-- The first number of a result, or nil.
local function number_of(rs)
   if rs == nil or rs.nrows == 0 then return nil end
   return tonumber(rs:fetch_row()[1])
end

-- Connections for the reads; the null driver has no hosts.
local function connect(drv)
   local replicas = {}

   for i, one in ipairs(hosts.list(drv)) do
      local con = drv:name() == "null" and drv:connect() or drv:connect(one.place)
      local statement = con:prepare("SELECT n FROM replica_rows WHERE id = ?",
                                    "read")
      local id = statement:bind_create(sysbench.sql.type.BIGINT)
      statement:bind_param(id)
      id:set(sysbench.tid + 1)
      replicas[i] = {statement = statement, name = one.name}
   end
   return replicas
end

-- The counters of the reads, and a function that counts a read: its begin after
-- the commit, and whether it was stale.
local function curve()
   local times, reads, stale = hosts.times(), {}, {}

   for i, ms in ipairs(times) do
      local name, name_stale = hosts.counters(ms)
      reads[i] = sysbench.counter.new(name)
      stale[i] = sysbench.counter.new(name_stale)
   end
   return times, function(after_ms, is_stale)
      local i = #times
      while i > 0 and times[i] > after_ms do i = i - 1 end
      if i == 0 then return end
      reads[i]:add(1)
      if is_stale then stale[i]:add(1) end
   end
end

-- Counts an anomaly, and the clients that have seen it.
local function violations(name)
   local n = sysbench.counter.new(name)
   local clients = sysbench.counter.new("clients with " .. name)
   local seen = false

   return function()
      n:add(1)
      if not seen then clients:add(1) end
      seen = true
   end
end

return function(drv, con, outcome)
   local opt = sysbench.opt
   local keeps_rows = drv:name() ~= "null"
   local own = {}
   local write = con:prepare("UPDATE replica_rows SET n = n + 1 WHERE id = ?",
                             "write")
   -- Waits for a write of this client that the server still executes.
   local look = con:prepare("SELECT n FROM replica_rows WHERE id = ? FOR UPDATE", "look")
   local id, look_id = write:bind_create(sysbench.sql.type.BIGINT),
      look:bind_create(sysbench.sql.type.BIGINT)
   local replicas, times, count = connect(drv), curve()
   local all = sysbench.counter.new("replica reads")
   local watched = sysbench.counter.new("writes watched")
   local invisible = sysbench.counter.new("writes not visible in time")
   local stale, went_back = violations("stale reads"), violations("reads that went back")
   local not_before = sysbench.histogram.new("visible not before", "ms")
   local not_after = sysbench.histogram.new("visible not after", "ms")

   local number -- of the last write; nil: look it up
   local committed_ns -- its acknowledgement
   local replica -- for the reads
   local turn = sysbench.tid -- of the replicas
   local highest = 0 -- shown by the replicas
   local stale_ms -- [watched] begin of the last stale read
   local state -- nil: the next event writes

   write:bind_param(id)
   look:bind_param(look_id)
   id:set(sysbench.tid + 1)
   look_id:set(sysbench.tid + 1)

   -- The number of the last write; the first run makes the row.
   local function look_up()
      number = number_of(look:execute())
      if not number then
         con:query(string.format("INSERT INTO replica_rows(id, n) " ..
                                 "VALUES (%d, 0)", sysbench.tid + 1))
         number = 0
      end
   end

   look_up()

   local function since_commit_ms()
      return (C.bench_now_ns() - committed_ns) / 1e6
   end

   local function put()
      if not number then look_up() end
      outcome.before_commit()
      write:execute()
      outcome.after_commit()
      committed_ns = C.bench_now_ns()
      number = number + 1
      if opt.replica_choice == "turns" then turn = turn + 1 end
      replica = replicas[turn % #replicas + 1]
      if uniform(1, 100) <= opt.watch then
         state, stale_ms = "watch", nil
         watched:add(1)
      else
         state = "once"
         sysbench.rest(times[uniform(1, #times)] / 1000)
      end
   end

   -- Has the replica shown the write?  And begin and end of the read, in
   -- milliseconds after the commit.
   local function get()
      local began = since_commit_ms()
      local value = number_of(replica.statement:execute()) or 0
      local ended = since_commit_ms()

      if not keeps_rows then value = number end
      all:add(1)
      if value < number then stale() end
      if value < highest then went_back() end
      if value > number then
         error(string.format("replica: %s has write %.0f of row %d, but this " ..
                             "client has made only %.0f: does another run use " ..
                             "the table?", replica.name, value,
                             sysbench.tid + 1, number), 0)
      end
      if value > highest then highest = value end
      return value == number, began, ended
   end

   local function get_once()
      local fresh, began = get()
      count(began, not fresh)
      state = nil
   end

   local function watch()
      local fresh, began, ended = get()
      if not stale_ms then count(began, not fresh) end
      if fresh then
         not_before:update(stale_ms or 0)
         not_after:update(ended)
         state = nil
      elseif ended > opt.visible_timeout * 1000 then
         invisible:add(1)
         state = nil
      else
         stale_ms = began
         sysbench.rest(opt.probe_interval / 1000)
      end
   end

   function own.event()
      if not state then
         put()
      elseif state == "once" then
         get_once()
      else
         watch()
      end
   end

   -- After an unknown outcome, the number of the write is unknown.
   function own.restarts(err)
      outcome.restarts(err)
      if not state and doubt(err) then number = nil end
   end

   return own
end
