-- locale.lua - os.setlocale().  Decimal commas would break reports, results and
-- statements, so numbers keep their points.
local host = ...
local setlocale = host.setlocale

local M = {}

function M.setlocale(locale, category)
  if locale ~= nil and type(locale) ~= "string" then
    error(("bad argument #1 to 'setlocale' (string expected, got %s)"):format(type(locale)), 2)
  end
  category = category or "all"
  if locale == nil or (category ~= "all" and category ~= "numeric") then
    return setlocale(locale, category)
  elseif category == "numeric" then
    return (locale == "C" or locale == "POSIX") and setlocale("C", "numeric") or nil
  end
  for _, one in ipairs({ "collate", "ctype", "monetary", "time" }) do
    if not setlocale(locale, one) then
      return nil
    end
  end
  return setlocale(nil, "all")
end

return M
