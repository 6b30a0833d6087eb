-- Two-level tables, t[n][key], whose values are made when they are first looked
-- up.  All values seem to have been made at the start, except to pairs(), which
-- sees only those that were made.
--
-- A family of such tables shares the set of keys that are wanted.  Families of
-- one kind share the set of keys that can be wanted, and one function that
-- makes value `key` of number n in all members of a family.
--
-- Thousands of clients have a family each, so it is little more than one table:
-- it is the metatable of its members and of their sub-tables.

local table_new = require("table.new")

-- More elements than this are not kept as an array.
local MAX_ARRAY = 100000

local weak = {__mode = "k"}

-- Makes t[n] a sub-table that makes its wanted values itself.
local function adopt(self, sub, n)
   self.number_of[sub] = n
   return setmetatable(sub, self)
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

-- Finds what is missing in a member or a sub-table.  The number of a member is
-- that of its sub-tables, less than zero.
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

-- Sets of keys never change, so families that want the same keys, in the same
-- order, share one.
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

-- Returns a new member: t[1] .. t[count] are sub-tables; the caller will add so
-- many other fields.
function family:new_table(count, others)
   -- an array, although its elements will come in any order
   local t = table_new(math.min(count, MAX_ARRAY), others)

   self.number_of[t] = -count
   return setmetatable(t, self)
end

-- After this, nothing is wanted any more.
function family:forget()
   self.wanted = NOTHING
end

-- From now on value `key` is wanted.  It is made again where it already exists.
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

-- `keys` are all that can be wanted; make(n, key, family) sets the values.
-- Methods of the families may be added to the kind.
local function new_kind(keys, make)
   local kind = setmetatable({keys = keys, make = make}, {__index = family})

   kind.__index = kind
   return kind
end

-- Makes a family of what the caller wants to have in it.
local function new_family(kind, self)
   -- the number of a table lives as long as the table
   self.number_of = setmetatable({}, weak)
   self.wanted, self.__index = NOTHING, look
   return setmetatable(self, kind)
end

-- A function called once per value is not worth machine code.
if jit then jit.off(true, true) end

return {new_kind = new_kind, new_family = new_family}
