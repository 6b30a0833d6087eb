-- Options of the workload replica: the hosts of replicas, and the times of
-- reads.

local ffi = require("ffi")

local options = require("bench_options")

local hosts = {}

local MAX_TIMES = 16 -- each has two of the few counters

-- The host and the port of HOST, HOST:PORT or [ADDRESS]:PORT, or nil.
local function split(text)
   local host, port = text:match("^%[([^%]]+)%]:?(%d*)$")

   if not host then host, port = text:match("^([^:%[%]]+):?(%d*)$") end
   if not host or text:match(":$") or
      (port ~= "" and (tonumber(port) < 1 or tonumber(port) > 65535)) then
      return nil
   end
   return host, tonumber(port)
end

-- The name of each replica, and the argument of connect().
function hosts.list(drv)
   local list = {}

   for text in sysbench.opt.replica_host:gmatch("[^,]+") do
      local host, port = split(text)
      local place = {host = host, port = port}
      if host:sub(1, 1) == "/" and drv:name() == "mysql" then
         place = {socket = host}
      end
      table.insert(list, {name = text, place = place})
   end
   return list
end

-- Validator of --replica-host.
function hosts.good(_, value)
   local text = ffi.string(value)

   for one in (text == "" and "" or text .. ","):gmatch("([^,]*),") do
      if not split(one) then
         return false, "hosts with commas between them, each HOST, HOST:PORT, " ..
            "[ADDRESS]:PORT or the path of a socket"
      end
   end
   return true
end

-- Milliseconds, or nil.
local function times_of(text)
   local times = {}

   for word in (text .. ","):gmatch("([^,]*),") do
      local given = (options.seconds(word, "ms") or -1) * 1000
      local ms = math.floor(given + 0.5)
      if ms < 0 or math.abs(ms - given) > 1e-6 or ms > 100000 or
         (#times > 0 and ms <= times[#times]) then
         return nil
      end
      table.insert(times, ms)
   end
   return #times <= MAX_TIMES and times or nil
end

function hosts.times() return times_of(sysbench.opt.read_after) end

-- Validator of --read-after.
function hosts.good_times(_, value)
   return times_of(ffi.string(value)) ~= nil,
      "1 to " .. MAX_TIMES .. " whole milliseconds from 0 to 100000, or " ..
      "times such as 5s, in ascending order with commas between them"
end

function hosts.counters(ms)
   return string.format("reads after %d ms", ms),
      string.format("stale after %d ms", ms)
end

return hosts
