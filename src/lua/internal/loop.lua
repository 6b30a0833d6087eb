-- loop.lua - the event loop of a worker: thread_run(), and the number of the
-- present event.
local host = ...
local ffi = host.ffi
local C = ffi.C
local pcall, use = pcall, host.use

local step, abandon = C.bench_event_step, C.bench_event_abandon
local c_iteration = C.bench_iteration

-- event() raised `err`; errors are rare.
local function recover(err)
  return use("restart")(err)
end

-- One FFI call per event: it ends the event before and starts the next one, or
-- goes on with an event that is tried again.
function thread_run(id)
  while step() do
    local ok, value = pcall(event, id)
    if not ok then
      value = recover(value)
    end
    if value then
      abandon()
      return
    end
  end
end

function host.iteration()
  return c_iteration()
end
