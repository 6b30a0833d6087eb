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

-- Numbers from `low`.  What is no number at all is refused because of its type.
function options.at_least(low)
   return validator(function(text) return (tonumber(text) or low) >= low end)
end

-- The words of a list, or nothing.
function options.one_of(words)
   return validator(function(text)
      if text == "" then return true end
      for _, word in ipairs(words) do
         if text == word then return true end
      end
      return false
   end)
end

return options
