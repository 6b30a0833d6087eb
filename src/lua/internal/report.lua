-- report.lua - functions that report hooks print with: a line of text, a line
-- of CSV, a JSON object of an array.
local host = ...

local report = {}

local function per_second(stat, count)
  local s = stat.time_interval
  return s > 0 and count / s or 0
end

local function queries(stat)
  return stat.reads + stat.writes + stat.other
end

-- Returns the latency that the line shows.
local function latency_label()
  local pct = sysbench.opt.percentile
  for digits = 1, 17 do
    local text = string.format("%." .. digits .. "g", pct)
    if tonumber(text) == pct then
      return "lat (ms," .. text .. "%)"
    end
  end
end

function report.default(stat)
  local function rate(count)
    return per_second(stat, count)
  end
  io.write(
    string.format(
      "[ %.0fs ] thds: %d tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) %s: %4.2f err/s %4.2f reconn/s: %4.2f\n",
      stat.time_total,
      stat.threads_running,
      rate(stat.events),
      rate(queries(stat)),
      rate(stat.reads),
      rate(stat.writes),
      rate(stat.other),
      latency_label(),
      stat.latency_pct * 1000,
      rate(stat.errors),
      rate(stat.reconnects)
    )
  )
end

function report.csv(stat)
  local function rate(count)
    return per_second(stat, count)
  end
  io.write(
    string.format(
      "%.0f,%d,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f\n",
      stat.time_total,
      stat.threads_running,
      rate(stat.events),
      rate(queries(stat)),
      rate(stat.reads),
      rate(stat.writes),
      rate(stat.other),
      stat.latency_pct * 1000,
      rate(stat.errors),
      rate(stat.reconnects)
    )
  )
end

local json_object = [[
  {
    "time": %4.0f,
    "threads": %d,
    "tps": %4.2f,
    "qps": {
      "total": %4.2f,
      "reads": %4.2f,
      "writes": %4.2f,
      "other": %4.2f
    },
    "latency": %4.2f,
    "errors": %4.2f,
    "reconnects": %4.2f
  }]]

-- An array was begun and not ended.
local is_open = false
-- Ends the array when the state is closed.  The first use creates it.
local closing

function host.end_output()
  if is_open then
    is_open = false
    io.stdout:write("\n]\n")
  end
end

function report.json(stat)
  local function rate(count)
    return per_second(stat, count)
  end
  local opening = is_open and ",\n" or "[\n"
  if closing == nil then
    closing = newproxy(true)
    getmetatable(closing).__gc = host.end_output
  end
  io.write(
    opening .. string.format(
      json_object,
      stat.time_total,
      stat.threads_running,
      rate(stat.events),
      rate(queries(stat)),
      rate(stat.reads),
      rate(stat.writes),
      rate(stat.other),
      stat.latency_pct * 1000,
      rate(stat.errors),
      rate(stat.reconnects)
    )
  )
  is_open = true
end

return report
