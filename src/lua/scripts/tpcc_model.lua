-- The inputs of the tpcc workload: which transaction comes next, and with which
-- values.  Pure functions; `uniform(a, b)` returns a whole number of a..b.
-- Numbers of clauses are those of the TPC-C standard, 5.11.

local model = {}

-- In the order of --weights.
model.NEW_ORDER, model.PAYMENT, model.ORDER_STATUS = 1, 2, 3
model.DELIVERY, model.STOCK_LEVEL = 4, 5
model.names = {"new order", "payment", "order status", "delivery",
               "stock level"}

-- Cards of a deck: 43.5 % payments, 4.3 % of the three rare transactions
-- (5.2.4.2).
model.deck = {10, 10, 1, 1, 1}

-- 5.2.5.7: seconds of keying before each transaction, and the mean think time
-- after it.
model.keying = {18, 3, 2, 2, 2}
model.think = {12, 12, 10, 5, 5}
-- 4.1.3: new orders per warehouse and minute: the most that these times allow,
-- and the fewest required; each warehouse has ten clients.
model.most_per_warehouse, model.fewest_per_warehouse = 12.86, 9
model.clients_per_warehouse = 10

-- The size of the standard; smaller ones are for tests.
model.standard = {districts = 10, customers = 3000, items = 100000}

local SYLLABLES = {[0] = "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI",
                   "CALLY", "ATION", "EING"}

-- C_LAST for a number of 0..999 (4.3.2.3).
function model.last_name(n)
   return SYLLABLES[math.floor(n / 100)] ..
      SYLLABLES[math.floor(n / 10) % 10] .. SYLLABLES[n % 10]
end

-- ---- Constants of NURand, one of each for all clients of all processes

-- A function whose results 0..n-1 follow from the seed.
local function drawer(seed)
   local x = seed % 2147483646 + 1
   local function draw(n)
      x = x * 48271 % 2147483647
      return math.floor(x / 2147483647 * n)
   end
   for _ = 1, 4 do draw(1) end
   return draw
end

-- The constant of prepare for last names.
function model.load_constant(seed)
   return drawer(seed)(256)
end

-- 2.1.6.1: constants of the load and of a run.
function model.is_allowed(load, run)
   local delta = math.abs(run - load)
   return delta >= 65 and delta <= 119 and delta ~= 96 and delta ~= 112
end

-- The constants of a run: last names, customers, items.
function model.run_constants(seed, load)
   local draw = drawer(seed + 1)
   local last

   repeat last = draw(256) until model.is_allowed(load, last)
   return {last = last, customer = draw(1024), item = draw(8192)}
end

-- ---- Clients

-- The warehouse of client c = 0, 1, ... (2.4.1.1).
function model.home(c, warehouses) return 1 + c % warehouses end

-- The district whose stock the client watches (2.8.1.1).
function model.stock_district(c, warehouses, districts)
   return 1 + math.floor(c / warehouses) % districts
end

-- A think time: exponential, at most ten times the mean; x is uniform in [0,
-- 1).
function model.think_time(kind, x)
   return model.think[kind] * math.min(-math.log(1 - x), 10)
end

-- A function whose results are the transactions of a client: drawn by
-- `weights`, five numbers, or dealt from a deck, shuffled when empty.
function model.chooser(uniform, weights)
   local cards, left = {}, 0

   if weights then
      local limit, total = {}, 0
      for i, weight in ipairs(weights) do
         total = total + weight
         limit[i] = total
      end
      return function()
         local x, kind = uniform(1, total), 1
         while x > limit[kind] do kind = kind + 1 end
         return kind
      end
   end
   for kind, n in ipairs(model.deck) do
      for _ = 1, n do cards[#cards + 1] = kind end
   end
   return function()
      if left == 0 then left = #cards end
      local i = uniform(1, left)
      local kind = cards[i]
      cards[i], cards[left] = cards[left], kind
      left = left - 1
      return kind
   end
end

-- ---- Inputs

-- Returns fill(input, kind), which writes the inputs of a transaction to a
-- table.  `client` has warehouses, districts, customers, items, home (nil: each
-- transaction draws a warehouse), stock_district, and `c`, the constants of the
-- run.
function model.inputs(uniform, client)
   local bor = require("bit").bor
   local warehouses, home = client.warehouses, client.home
   local districts, customers = client.districts, client.customers
   local items, c = client.items, client.c
   local names = math.min(1000, customers)
   local fill = {}

   -- 2.1.6
   local function nurand(a, constant, x, y)
      return (bor(uniform(0, a), uniform(x, y)) + constant) % (y - x + 1) + x
   end

   local function other_warehouse()
      local w = uniform(1, warehouses - 1)
      return w < home and w or w + 1
   end

   local function customer() return nurand(1023, c.customer, 1, customers) end

   -- 60 % by last name (2.5.1.2, 2.6.1.2)
   local function customer_or_name(input)
      input.by_name = uniform(1, 100) <= 60
      if input.by_name then
         input.last = model.last_name(nurand(255, c.last, 0, names - 1))
      else
         input.c = customer()
      end
   end

   -- 2.4.1
   fill[model.NEW_ORDER] = function(input)
      local lines, remote = uniform(5, 15), 0

      input.d, input.c, input.lines = uniform(1, districts), customer(), lines
      input.rollback = uniform(1, 100) == 1
      for i = 1, lines do
         local w = home
         if uniform(1, 100) == 1 and warehouses > 1 then
            w = other_warehouse()
            remote = remote + 1
         end
         input.item[i], input.supply[i] = nurand(8191, c.item, 1, items), w
         input.quantity[i] = uniform(1, 10)
      end
      -- no item has this number
      if input.rollback then input.item[lines] = items + 1 end
      input.remote = remote
   end

   -- 2.5.1; the amount is in cents
   fill[model.PAYMENT] = function(input)
      input.d = uniform(1, districts)
      input.is_remote = uniform(1, 100) > 85 and warehouses > 1
      if input.is_remote then
         input.c_w, input.c_d = other_warehouse(), uniform(1, districts)
      else
         input.c_w, input.c_d = home, input.d
      end
      customer_or_name(input)
      input.amount = uniform(100, 500000)
   end

   -- 2.6.1
   fill[model.ORDER_STATUS] = function(input)
      input.d = uniform(1, districts)
      input.c_w, input.c_d = home, input.d
      customer_or_name(input)
   end

   -- 2.7.1
   fill[model.DELIVERY] = function(input) input.carrier = uniform(1, 10) end

   -- 2.8.1
   fill[model.STOCK_LEVEL] = function(input)
      input.d = client.stock_district
      input.threshold = uniform(10, 20)
   end

   return function(input, kind)
      if client.home == nil then home = uniform(1, warehouses) end
      input.kind, input.w = kind, home
      fill[kind](input)
   end
end

function model.new_input() return {item = {}, supply = {}, quantity = {}} end

-- 2.5.2.2: the one meant of n customers of one name, by first name.
function model.median(n) return math.ceil(n / 2) end

-- ---- Money is counted in cents, which a number of Lua holds exactly.

-- The cents of a decimal number of a server.
function model.cents(text)
   return math.floor(tonumber(text) * 100 + 0.5)
end

-- S_QUANTITY after an order (2.4.2.2).
function model.stock_after(stock, quantity)
   if stock >= quantity + 10 then return stock - quantity end
   return stock - quantity + 91
end

return model
