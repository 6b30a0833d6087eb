-- Two-level tables, t[n][key], whose values are made when they are first looked
-- up.  All values seem to have been made at the start, except to pairs(), which
-- sees only those that were made.
--
-- A family of such tables shares the set of keys that are wanted, and one
-- function that makes value `key` of number n in all members of the family.

local table_new = require("table.new")

-- More elements than this are not kept as an array.
local MAX_ARRAY = 100000

local family = {}
family.__index = family

local weak = {__mode = "k"}

-- Makes t[n] a sub-table that makes its wanted values itself.
local function adopt(self, sub, n)
   self.number_of[sub] = n
   return setmetatable(sub, self.sub_meta)
end

-- Returns an empty sub-table in which every key has its place from the start,
-- so that compiled code that finds a key in one of them finds it in all.
local function new_sub(self)
   local keys = self.keys
   local sub = table_new(0, #keys)

   for i = 1, #keys do sub[keys[i]] = 0 end
   for i = 1, #keys do sub[keys[i]] = nil end
   return sub
end

-- Returns a new member: t[1] .. t[count] are sub-tables.
function family:new_table(count)
   -- an array, although its elements will come in any order
   local t = table_new(math.min(count, MAX_ARRAY), 4)

   return setmetatable(t, {
      __index = function(_, n)
         if type(n) ~= "number" or n < 1 or n > count then return nil end
         local sub = adopt(self, new_sub(self), n)
         rawset(t, n, sub)
         return sub
      end
   })
end

-- After this, nothing is wanted any more.
function family:forget()
   self.wanted = {}
end

-- From now on value `key` is wanted.  It is made again where it already exists.
-- Sub-tables that the script has put into `t` join the family.
function family:want(key, t)
   self.wanted[key] = true
   for n, sub in pairs(t) do
      if type(n) == "number" and type(sub) == "table" then
         if rawget(sub, key) ~= nil then sub[key] = nil end
         if getmetatable(sub) == nil then adopt(self, sub, n) end
      end
   end
end

-- `keys` are all that can be wanted; make(n, key) sets the values.
local function new_family(keys, make)
   local self = {keys = keys, wanted = {}}

   -- the number of a sub-table lives as long as the sub-table
   self.number_of = setmetatable({}, weak)
   self.sub_meta = {
      __index = function(sub, key)
         if not self.wanted[key] then return nil end
         make(self.number_of[sub], key)
         return rawget(sub, key)
      end
   }
   return setmetatable(self, family)
end

-- A function called once per value is not worth machine code.
if jit then jit.off(true, true) end

return {new_family = new_family}
