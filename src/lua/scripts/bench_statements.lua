-- The prepared statements of oltp_common.lua.  All clients of a thread share
-- this module: `self` has the data of one client, and self.G its globals, where
-- scripts may have put other functions.
--
-- A connection prepares a class of statements for a table on first use: tables
-- times classes times connections at the start would cost minutes, and more
-- statements than servers allow. stmt[n][class] and param[n][class] look
-- complete.

local fixed = require("bench_oltp")
local on_demand = require("bench_on_demand")

local CLASS, WRITES = fixed.CLASS, fixed.WRITES

local function option(self, name)
   local value = self.G.sysbench.opt[name]
   if value == nil then return fixed.default[name] end
   return value
end

local function prepare_class(n, key, self)
   local G = self.G
   local class = CLASS[key]
   local statement = G.con:prepare(string.format(class[1], n))
   local params

   -- arrays of the right size
   if #class == 2 then
      params = {(statement:bind_create(class[2][1], class[2][2]))}
   elseif #class == 3 then
      params = {statement:bind_create(class[2][1], class[2][2]),
                (statement:bind_create(class[3][1], class[3][2]))}
   else
      params = {}
      for i = 2, #class do
         params[i - 1] = statement:bind_create(class[i][1], class[i][2])
      end
   end
   statement:bind_param(unpack(params))
   G.stmt[n][key] = statement
   G.param[n][key] = params
end

local kind = on_demand.new_kind(fixed.class_names, prepare_class)

-- SQLite waits for the write lock at the beginning, so the change from reading
-- to writing cannot fail.
local function begin_statement(self)
   if not self.writing then return "BEGIN" end
   -- a script with its own thread_init may not have set `drv`
   local drv = self.G.drv or self.G.sysbench.sql.driver()
   return drv:name() == "sqlite" and "BEGIN IMMEDIATE" or "BEGIN"
end

function kind:prepare_begin()
   local G = self.G

   self.own_begin = G.con:prepare(begin_statement(self))
   G.stmt.begin = self.own_begin
end

local function note_writing(self)
   local G = self.G

   if self.writing then return end
   self.writing = true
   if self.own_begin ~= nil and G.stmt.begin == self.own_begin and
      begin_statement(self) ~= "BEGIN" then
      self.own_begin:close()
      G.prepare_begin()
   end
end

-- Statements of all threads made before the clock starts.  A class beyond the
-- limit is prepared on first use: servers keep statements in memory, and the
-- MySQL family allows 16,382.
local MOST_AT_ONCE = 16000

local function prepare_at_once(self, key)
   local G = self.G
   local tables = option(self, "tables")

   if (self.at_once + tables) * G.sysbench.opt.threads > MOST_AT_ONCE then
      return
   end
   self.at_once = self.at_once + tables
   for n = 1, tables do local _ = G.stmt[n][key] end
end

function kind:prepare_for_each_table(key)
   self:want(key, self.G.stmt)
   self:want(key, self.G.param)
   if WRITES[key] then note_writing(self) end
   -- A tail call: smaller stacks of clients.
   return prepare_at_once(self, key)
end

-- The classes of each table with statements.
local function classes_in_use(self)
   local used = {}

   for n, sub in pairs(self.G.stmt) do
      if type(n) == "number" and type(sub) == "table" then
         used[n] = {}
         for key in pairs(sub) do table.insert(used[n], key) end
      end
   end
   return used
end

function kind:close()
   local stmt, param = self.G.stmt, self.G.param

   for n, keys in pairs(classes_in_use(self)) do
      for _, key in ipairs(keys) do
         stmt[n][key]:close()
         stmt[n][key] = nil
         if CLASS[key] then param[n][key] = nil end
      end
   end
   self:forget()
   for _, key in ipairs({"begin", "commit"}) do
      if stmt[key] ~= nil then
         stmt[key]:close()
         stmt[key] = nil
      end
   end
   self.own_begin, self.at_once = nil, 0
end

function kind:start()
   local G = self.G

   self:forget()
   G.stmt = self:new_table(option(self, "tables"), 2) -- begin, commit
   G.param = self:new_table(option(self, "tables"), 0)
   self.at_once = 0
end

-- On a new connection.  Statements in use are made at once, so that compiled
-- code finds them in the next events.
function kind:prepare_again()
   local G = self.G
   local used = classes_in_use(self)

   G.close_statements()
   G.collectgarbage() -- the new ones replace the old ones
   G.prepare_statements()
   for n, keys in pairs(used) do
      for _, key in ipairs(keys) do
         local _ = G.stmt[n] and G.stmt[n][key]
      end
   end
end

-- Called once per connection: not worth machine code.
if jit then jit.off(true, true) end

return function(G)
   return on_demand.new_family(kind, {G = G, at_once = 0, writing = false})
end
