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

local UNITS = {ms = 0.001, s = 1, m = 60, h = 3600, [""] = 1}

-- The seconds of a time such as 60, 60s, 500ms or 2m, or nil.
function options.seconds(text)
   local number, unit = text:match("^(%d+%.?%d*)(%l*)$")
   return number and UNITS[unit] and tonumber(number) * UNITS[unit]
end

options.time = validator(function(text)
   return options.seconds(text) ~= nil, "a time, such as 500ms, 60s or 2m"
end)

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
