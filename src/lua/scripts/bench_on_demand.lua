-- Two-level tables, t[n][key], whose values are made on first use, invisible to
-- pairs() before.
--
-- A family of such tables shares the set of wanted keys.  Families of one kind
-- share all possible keys, and a function that makes value `key` of number n in
-- all members of a family.  Thousands of clients have a family each, so a
-- family is little more than one table: the metatable of its members and of
-- their sub-tables.

local table_new = require("table.new")

-- Larger tables are not kept as an array.
local MAX_ARRAY = 100000

local weak = {__mode = "k"}

-- t[n] becomes a sub-table that makes its wanted values.
local function adopt(self, sub, n)
   self.number_of[sub] = n
   return setmetatable(sub, self)
end

-- An empty sub-table with a place for each key, so that compiled code finds a
-- key at the same place in all.
local function new_sub(self)
   local keys = self.keys
   local sub = table_new(0, #keys)

   for i = 1, #keys do sub[keys[i]] = 0 end
   for i = 1, #keys do sub[keys[i]] = nil end
   return sub
end

-- The number of a member is that of its sub-tables, negative.
local function look(t, key)
   local self = getmetatable(t)
   local n = self.number_of[t]

   if n > 0 then
      if not self.wanted[key] then return nil end
      self.make(n, key, self)
      return rawget(t, key)
   end
   if type(key) ~= "number" or key < 1 or key > -n then return nil end
   local sub = adopt(self, new_sub(self), key)
   rawset(t, key, sub)
   return sub
end

-- Sets of keys are constant, so families that want the same keys in the same
-- order share one.
local NOTHING = {}
local larger = setmetatable({}, weak) -- set -> key -> the set with that key

local function with(set, key)
   if set[key] then return set end
   local known = larger[set] or {}
   local more = known[key]

   larger[set] = known
   if not more then
      more = {[key] = true}
      for old in pairs(set) do more[old] = true end
      known[key] = more
   end
   return more
end

local family = {}

-- A new member: t[1] .. t[count] are sub-tables; `others`: number of other
-- fields.
function family:new_table(count, others)
   -- an array, although filled in any order
   local t = table_new(math.min(count, MAX_ARRAY), others)

   self.number_of[t] = -count
   return setmetatable(t, self)
end

function family:forget()
   self.wanted = NOTHING
end

-- From now on value `key` is wanted, and made again where it exists.
-- Sub-tables that the script has put into `t` join the family.
function family:want(key, t)
   self.wanted = with(self.wanted, key)
   for n, sub in pairs(t) do
      if type(n) == "number" and type(sub) == "table" then
         if rawget(sub, key) ~= nil then sub[key] = nil end
         if getmetatable(sub) == nil then adopt(self, sub, n) end
      end
   end
end

-- `keys`: all possible keys; make(n, key, family) sets the values.  Methods of
-- families may be added to the kind.
local function new_kind(keys, make)
   local kind = setmetatable({keys = keys, make = make}, {__index = family})

   kind.__index = kind
   return kind
end

local function new_family(kind, self)
   -- the number of a table lives as long as the table
   self.number_of = setmetatable({}, weak)
   self.wanted, self.__index = NOTHING, look
   return setmetatable(self, kind)
end

-- Called once per value: not worth machine code.
if jit then jit.off(true, true) end

return {new_kind = new_kind, new_family = new_family}
