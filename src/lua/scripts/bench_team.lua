-- The threads of a parallel command give each other texts.  Each text has a
-- name, is given once, and can be read by all from then on.

local ffi = require("ffi")
local C = ffi.C

-- size: the threads of this process; number: that of this one, from 0;
-- is_first: does this process have thread 0 of all?
local team = {size = C.bench_team_size(), number = C.bench_team_number()}
team.is_first = sysbench.tid == team.number

function team.give(name, text)
   if not C.bench_team_give(name, text, #text) then
      error("not enough memory", 0)
   end
end

-- Waits for a text.  If a thread has failed before it gave it, this thread
-- fails as well.
function team.await(name)
   local len = ffi.new("size_t[1]")
   local text = C.bench_team_await(name, len)

   if text == nil then error("another thread has failed", 0) end
   return ffi.string(text, len[0])
end

-- Gives all threads a text of this one; returns the texts of all, those of
-- thread 0 first.
function team.exchange(name, text)
   local texts = {}

   team.give(name .. " " .. team.number, text)
   for n = 0, team.size - 1 do
      texts[n + 1] = team.await(name .. " " .. n)
   end
   return texts
end

return team
