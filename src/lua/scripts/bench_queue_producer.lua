-- A client of the workload queue that adds jobs.

local series = require("bench_series")

local C = require("ffi").C

return function(client)
   local T = sysbench.sql.type
   local insert = client.con:prepare(
      "INSERT INTO queue_jobs " ..
      "(producer, sequence, clock, enqueued, claimed_by, payload) " ..
      "VALUES (?, ?, ?, ?, 0, ?)", "enqueue")
   local producer = insert:bind_create(T.BIGINT)
   local sequence = insert:bind_create(T.BIGINT)
   local clock = insert:bind_create(T.BIGINT)
   local enqueued = insert:bind_create(T.BIGINT)
   local payload = insert:bind_create(T.VARCHAR, 1000)
   local format = string.rep("@", sysbench.opt.payload)
   local per_second = series.open("enqueued")
   local next_number = 1

   insert:bind_param(producer, sequence, clock, enqueued, payload)
   producer:set(client.number)
   clock:set(client.clock)

   -- After an unknown outcome the number is used up.
   function client.after_unknown_job() next_number = next_number + 1 end

   return function()
      sequence:set(next_number)
      enqueued:set(C.bench_now_ns())
      payload:set_rand_str(format)
      local id = client.number * 2 ^ 32 + next_number
      if id <= 2 ^ 53 then sysbench.ack(id) end
      client.enqueuing = true
      client.added.before_commit()
      insert:execute()
      client.added.after_commit()
      client.enqueuing = false
      next_number = next_number + 1
      per_second:add(1)
   end
end
