-- report.lua - functions for report hooks: a line of text, a line of CSV, a
-- JSON object of an array.
local host = ...

local report = {}

-- The figures of a line, in their order.
local function figures(stat)
  local s = stat.time_interval
  local function rate(count)
    return s > 0 and count / s or 0
  end
  return stat.time_total,
    stat.threads_running,
    rate(stat.events),
    rate(stat.reads + stat.writes + stat.other),
    rate(stat.reads),
    rate(stat.writes),
    rate(stat.other),
    stat.latency_pct * 1000,
    rate(stat.errors),
    rate(stat.reconnects)
end

local function latency_label()
  local pct = sysbench.opt.percentile
  for digits = 1, 17 do
    local text = string.format("%." .. digits .. "g", pct)
    if tonumber(text) == pct then
      return "lat (ms," .. text .. "%%)" -- for a format
    end
  end
end

function report.default(stat)
  io.write(
    ("[ %.0fs ] thds: %d tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) " .. latency_label()
      .. ": %4.2f err/s %4.2f reconn/s: %4.2f\n"):format(figures(stat))
  )
end

function report.csv(stat)
  io.write(("%.0f,%d,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f\n"):format(figures(stat)))
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
-- Ends the array when the state is closed; made on first use.
local closing

function host.end_output()
  if is_open then
    is_open = false
    io.stdout:write("\n]\n")
  end
end

function report.json(stat)
  local opening = is_open and ",\n" or "[\n"
  if closing == nil then
    closing = newproxy(true)
    getmetatable(closing).__gc = host.end_output
  end
  io.write(opening .. json_object:format(figures(stat)))
  is_open = true
end

return report
