-- Texts that the threads of a parallel command give each other.  A text has a
-- name, is given once, and stays readable.

local ffi = require("ffi")
local C = ffi.C

-- size: threads of this process; number: of this thread, from 0; is_first: has
-- this process thread 0 of all?
local team = {size = C.bench_team_size(), number = C.bench_team_number()}
team.is_first = sysbench.tid == team.number

function team.give(name, text)
   if not C.bench_team_give(name, text, #text) then
      error("not enough memory", 0)
   end
end

-- Fails if a thread has failed before it gave the text.
function team.await(name)
   local len = ffi.new("size_t[1]")
   local text = C.bench_team_await(name, len)

   if text == nil then error("another thread has failed", 0) end
   return ffi.string(text, len[0])
end

-- Gives a text of this thread; returns those of all threads, in order.
function team.exchange(name, text)
   local texts = {}

   team.give(name .. " " .. team.number, text)
   for n = 0, team.size - 1 do
      texts[n + 1] = team.await(name .. " " .. n)
   end
   return texts
end

return team
