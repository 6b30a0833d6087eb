-- inputs_model.lua - the inputs of a million events of a workload, compared with
-- its rules by chi-square.  MODEL is the workload, SKEW=1 bends the random
-- numbers a little, which has to be noticed.  The events are those of the
-- workload; their statements go to a connection that only looks at them.
local MODEL = os.getenv("MODEL")
local counts, totals = {}, {}

-- One more in this cell of a distribution.
local function bump(name, cell)
   local of = counts[name]
   if of == nil then
      of = {}
      counts[name], totals[name] = of, 0
   end
   of[cell] = (of[cell] or 0) + 1
   totals[name] = totals[name] + 1
end

-- ---------------------------------------------------------------------------
-- What each workload has to draw: see[statement](values...) notes it, and rules
-- has the shares of all cells of each distribution.

local rules, see = {}, {}

local function even(first, last)
   local p = {}
   for i = first, last do p[i] = 1 / (last - first + 1) end
   return p
end

-- Cells of `width` of the whole numbers first..last; the last cell may be
-- smaller.
local function wide(first, last, width)
   local p, n = {}, last - first + 1
   for i = 0, math.floor((n - 1) / width) do
      p[i] = math.min(width, n - i * width) / n
   end
   return p
end

local function cell(value, first, width)
   return math.floor((value - first) / width)
end

local models = {}

function models.counter()
   rules.rows = even(1, 100)
   see["UPDATE counter_rows"] = function(id) bump("rows", id) end
end

function models.bank()
   local from, amount
   rules.kinds = {transfer = 0.9, total = 0.1}
   rules.amounts = even(1, 100)
   rules.pairs = even(0, 9899)
   see.total = function() bump("kinds", "total") end
   see.take = function(n, id) amount, from = n, id end
   local to
   see.give = function(_, id) to = id end
   see.COMMIT = function()
      bump("kinds", "transfer")
      bump("amounts", amount)
      bump("pairs", (from - 1) * 99 + to - (to > from and 2 or 1))
   end
end

function models.tpcb()
   local remote = sysbench.opt.remote

   rules.branches = even(1, 4)
   rules.deltas = wide(-5000, 5000, 73)
   rules.accounts = wide(1, 400000, 1000)
   if remote < 0 then
      rules.tellers_of_branches = even(0, 159)
   else
      rules.tellers = even(1, 40)
      rules.homes = {own = 1 - remote / 100}
      for i = 1, 3 do rules.homes[i] = remote / 300 end
   end
   see["INSERT INTO pgbench_history"] = function(tid, bid, aid, delta)
      bump("branches", bid)
      bump("deltas", cell(delta, -5000, 73))
      bump("accounts", cell(aid, 1, 1000))
      if remote < 0 then
         bump("tellers_of_branches", (bid - 1) * 40 + tid - 1)
      else
         local home = cell(aid, 1, 100000) + 1
         bump("tellers", tid)
         if cell(tid, 1, 10) + 1 ~= bid then bump("tellers", "of another branch") end
         bump("homes", home == bid and "own" or (home - bid) % 4)
      end
   end
end

function models.json()
   rules.kinds = {update = 0.2, find = 0.4, read = 0.4}
   rules.update, rules.read, rules.find = even(1, 200), even(1, 200), even(1, 50)
   for _, kind in ipairs({"update", "read", "find"}) do
      see[kind] = function(value)
         bump("kinds", kind)
         bump(kind, value)
      end
   end
end

function models.secondary()
   rules.kinds, rules.point = {}, even(1, 100)
   rules.range, rules.covered, rules.inlist = even(1, 91), even(1, 91), even(1, 100)
   for _, kind in ipairs({"point", "range", "covered", "inlist", "hot_points"}) do
      rules.kinds[kind] = 0.2
      see[kind] = function(value, second)
         bump("kinds", kind)
         if kind == "hot_points" then return end
         bump(kind, value)
         if kind == "inlist" then bump(kind, second) end
      end
   end
end

function models.queue()
   rules.kinds, rules.letters = {enqueue = 1}, even(97, 122)
   local last = 0
   see.enqueue = function(_, sequence, _, _, payload)
      bump("kinds", sequence == last + 1 and "enqueue" or "a gap")
      last = sequence
      for i = 1, 4 do bump("letters", payload:byte(i)) end
   end
end

function models.ingest()
   if sysbench.opt.step == "q" then
      rules.kinds = {market = 1 / 3, register = 1 / 3, pdc = 1 / 3}
      rules.market, rules.pdc = even(0, 500), even(0, 500)
      rules.register = even(0, 1000)
      for kind in pairs(rules.kinds) do
         see[kind] = function(value)
            bump("kinds", kind)
            bump(kind, value)
         end
      end
      return
   end
   rules.registers, rules.customers = even(0, 1000), wide(0, 100000, 100)
   rules.products, rules.prices = wide(0, 10000, 10), wide(0, 50000, 50)
   rules.keys = {["next"] = 1}
   local last = 0
   see.insert = function(text)
      for key, register, customer, product, units, cents in text:gmatch(
         "%((%d+),'[^']*',(%d+),(%d+),(%d+),(%d+)%.(%d%d),") do
         bump("keys", tonumber(key) == last + 1 and "next" or "another")
         last = tonumber(key)
         bump("registers", tonumber(register))
         bump("customers", cell(tonumber(customer), 0, 100))
         bump("products", cell(tonumber(product), 0, 10))
         bump("prices", cell(units * 100 + cents, 0, 50))
      end
   end
end

-- ---------------------------------------------------------------------------
-- A connection that only looks

local function seen(label, text)
   if label and see[label] then return see[label] end
   for start, f in pairs(see) do
      if text:sub(1, #start) == start then return f end
   end
end

local function new_param()
   local param = {}
   function param:set(value) self.value = value end
   function param:set_rand_str(form) self.value = sysbench.rand.string(form) end
   return param
end

local function new_statement(text, label)
   local statement, list = {}, {}
   local look = false
   function statement.bind_create() return new_param() end
   function statement.bind_param(_, ...) list = {...} end
   function statement.close() end
   function statement.execute()
      if look == false then look = seen(label, text) end
      if look then
         local a, b, c, d, e = unpack(list, 1, 5)
         look(a and a.value, b and b.value, c and c.value, d and d.value,
              e and e.value)
      end
   end
   return statement
end

local function new_connection()
   local con = {}
   function con.prepare(_, text, label) return new_statement(text, label) end
   function con.query(_, text, label)
      local look = seen(label, text)
      if look then look(text) end
   end
   function con.query_row() end
   function con.disconnect() end
   return con
end

function sysbench.sql.driver()
   return {name = function() return "null" end, connect = new_connection}
end

-- Two of a hundred of the lowest numbers become the highest.
if os.getenv("SKEW") then
   for _, name in ipairs({"uniform", "default"}) do
      local real = sysbench.rand[name]
      sysbench.rand[name] = function(a, b)
         local x = real(a, b)
         return x < a + (b - a) / 2 and real(1, 50) == 1 and b or x
      end
   end
   local real = sysbench.rand.string
   function sysbench.rand.string(form) return (real(form):gsub("^a", "b")) end
end

-- ---------------------------------------------------------------------------
-- The verdict

-- The statistic of k cells has mean k - 1 and variance 2 (k - 1), and is nearly
-- normal for many cells.
local function differs(name)
   local count, p, n = counts[name] or {}, rules[name], totals[name] or 0
   local chi2, cells = 0, 0
   for key, share in pairs(p) do
      chi2 = chi2 + ((count[key] or 0) - share * n) ^ 2 / (share * n)
      cells = cells + 1
   end
   for key in pairs(count) do
      if not p[key] then
         return string.format("%s has the value %s", name, tostring(key))
      end
   end
   local df = cells - 1
   if n == 0 or chi2 > df + 5 * math.sqrt(2 * df) + 10 then
      return string.format("%s: chi-square %.0f of %d cells and %d values", name,
                           chi2, cells, n)
   end
end

require(MODEL)

local begin = thread_init
function thread_init()
   models[MODEL]()
   begin()
end

function thread_done()
   for name in pairs(rules) do
      local text = differs(name)
      print(text and "differs: " .. text or "keeps its rule: " .. name)
   end
end
