-- Validators for the options that the bundled scripts declare.
--
-- sysbench uses one validator for all options of a script, so there it gets
-- none (nil).

local ffi = require("ffi")

local options = {}

local function validator(accepts)
   if sysbench.bench_version == nil then return nil end
   return function(_, value) return accepts(ffi.string(value)) end
end

local least = {} -- validators by their limit

local function new_at_least(low)
   local expected = "an integer from " .. low .. " to 9223372036854775807"
   return validator(function(text)
      if not text:match("^%s*[-+]?%d+$") then return false, expected end
      return tonumber(text) >= low, expected
   end)
end

-- Whole numbers from `low`.
function options.at_least(low)
   if least[low] == nil then least[low] = new_at_least(low) end
   return least[low]
end

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
