-- Validators for the options of the bundled scripts. sysbench uses one
-- validator for all options of a script, so there it gets none (nil).

local ffi = require("ffi")

local options = {}

local function validator(accepts)
   if sysbench.bench_version == nil then return nil end
   return function(_, value) return accepts(ffi.string(value)) end
end

-- True: on; nil: another text.
local WORDS = {on = true, ["true"] = true, yes = true, ["1"] = true,
               off = false, ["false"] = false, no = false, ["0"] = false}

function options.word(text) return WORDS[text:lower()] end

-- One validator for each limit.
local function by_limit(accepts)
   local made = {}
   return function(low)
      local expected = "an integer of " .. low .. " or more"
      if made[low] == nil then
         made[low] = validator(function(text)
            return accepts(text, low), expected
         end)
      end
      return made[low]
   end
end

-- Whole numbers from `low` on.
options.at_least = by_limit(function(text, low)
   return text:match("^%s*[-+]?%d+$") and tonumber(text) >= low
end)

-- Whole numbers from `low` to `high`.
function options.within(low, high)
   local expected = "an integer from " .. low .. " to " .. high
   return validator(function(text)
      local n = text:match("^%s*[-+]?%d+$") and tonumber(text)
      return n and n >= low and n <= high, expected
   end)
end

-- Like at_least, in any form of tonumber(), for scripts that declare no
-- options.
options.number = by_limit(function(text, low)
   local n = tonumber(text)
   return n and n == math.floor(n) and n >= low and n < 2 ^ 63
end)

-- The declaration of a percentage, such as 20 or 20%.
function options.percent(help, default, low)
   low = low or 0
   local expected = "a percentage from " .. low .. "% to 100%"
   return {help, default, sysbench.cmdline.ARG_INT, validator(function(text)
      local n = tonumber(text:match("^%s*([-+]?%d+)%%?$"))
      return n and n >= low and n <= 100, expected
   end), unit = "%"}
end

local UNITS = {us = 1e-6, ms = 0.001, s = 1, m = 60, h = 3600}

-- The seconds of a time such as 60, 60s, 500ms or 2m, or nil; a number without
-- unit has `bare` [optional].
function options.seconds(text, bare)
   local number, unit = text:match("^(%d+%.?%d*)(%l*)$")
   local seconds = UNITS[unit == "" and (bare or "s") or unit]
   return number and seconds and tonumber(number) * seconds
end

-- The declaration of a time in whole `unit`s; scripts get their number.
function options.whole_time(help, default, low, high, unit)
   local expected = "a time from " .. low .. unit .. " to " .. high .. unit
   return {help, default, sysbench.cmdline.ARG_INT, validator(function(text)
      local seconds = options.seconds(text, unit)
      local n = seconds and seconds / UNITS[unit]
      return n and n >= low and n <= high and
         math.abs(n - math.floor(n + 0.5)) < 1e-6, expected
   end), unit = unit}
end

options.time = validator(function(text)
   return options.seconds(text) ~= nil, "a time, such as 500ms, 60s or 2m"
end)

-- The declaration of --data-size, with the option that it replaces; see
-- bench_load.
function options.data_size(option)
   return {"prepare: size of all tables with their indexes, such as 10G, " ..
           "instead of " .. option, nil, sysbench.cmdline.ARG_SIZE}
end

-- An option without value is on.
options.switch = validator(function(text)
   return text == "" or options.word(text) ~= nil, "on or off"
end)

-- The words of a list, or nothing.
function options.one_of(words)
   local expected = "one of: " .. table.concat(words, ", ")
   return validator(function(text)
      if text == "" then return true end
      for _, word in ipairs(words) do
         if text == word then return true end
      end
      return false, expected
   end)
end

return options
