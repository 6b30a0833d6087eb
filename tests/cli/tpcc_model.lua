-- tpcc_model.lua - draws a million inputs of the tpcc workload, and compares
-- shares and distributions with the rules.  `bench tpcc_model.lua check` prints a
-- line for each rule that does not hold, and fails if there is one.
local model = require("tpcc_model")

local N = 1000000
local faults = 0

local function expect(what, holds, detail)
   if holds then return end
   faults = faults + 1
   print("not ok: " .. what .. " " .. tostring(detail or ""))
end

-- The share of `hits` in `n` trials differs from p by less than 5 standard
-- deviations.
local function expect_share(what, hits, n, p)
   local sd = math.sqrt(p * (1 - p) / n)
   expect(what, math.abs(hits / n - p) < 5 * sd, hits / n)
end

-- Chi-square of counts against probabilities; the statistic of k cells has mean
-- k - 1 and variance 2 (k - 1), and is nearly normal for many cells.
local function expect_distribution(what, count, p, n)
   local chi2, cells = 0, 0
   for key, share in pairs(p) do
      local wanted = share * n
      cells = cells + 1
      chi2 = chi2 + ((count[key] or 0) - wanted) ^ 2 / wanted
   end
   for key in pairs(count) do expect(what .. ": value", p[key], key) end
   local df = cells - 1
   expect(what, chi2 < df + 5 * math.sqrt(2 * df) + 10, chi2 .. "/" .. df)
end

local function uniform_share(a, b)
   local p = {}
   for i = a, b do p[i] = 1 / (b - a + 1) end
   return p
end

-- The exact distribution of NURand(a, x, y) with constant c, by counting all
-- pairs; cells of `width` neighbours are put together.
local function nurand_share(a, c, x, y, width)
   local p, range = {}, y - x + 1
   -- subsets[z]: pairs (i in 0..a, j in x..y) with i|j = z
   local pair = {}
   for j = x, y do
      for i = 0, a do
         local z = bit.bor(i, j)
         pair[z] = (pair[z] or 0) + 1
      end
   end
   for z, n in pairs(pair) do
      local value = (z + c) % range + x
      local cell = math.floor(value / width)
      p[cell] = (p[cell] or 0) + n / ((a + 1) * range)
   end
   return p
end

local function bump(count, key) count[key] = (count[key] or 0) + 1 end

local function new_client(c, warehouses, constants)
   return {warehouses = warehouses, districts = 10, customers = 3000,
           items = 100000, home = model.home(c, warehouses),
           stock_district = model.stock_district(c, warehouses, 10),
           c = constants}
end

local function number_of_name()
   local number = {}
   for i = 0, 999 do number[model.last_name(i)] = i end
   return number
end

local function check_constants()
   local seen = {}
   for seed = 0, 3000 do
      local load = model.load_constant(seed)
      local c = model.run_constants(seed * 7 + 1, load)
      local delta = math.abs(c.last - load)
      expect("range of C-load", load >= 0 and load <= 255, load)
      expect("range of C-run", c.last >= 0 and c.last <= 255, c.last)
      expect("C-run after C-load", delta >= 65 and delta <= 119 and
             delta ~= 96 and delta ~= 112, delta)
      expect("C of customers", c.customer >= 0 and c.customer <= 1023)
      expect("C of items", c.item >= 0 and c.item <= 8191)
      seen[load] = true
   end
   local n = 0
   for _ in pairs(seen) do n = n + 1 end
   expect("all values of C-load occur", n == 256, n)
   local a, b = model.run_constants(5, 100), model.run_constants(5, 100)
   expect("constants follow from the seed", a.last == b.last and
          a.customer == b.customer and a.item == b.item)
end

local function check_deck(uniform)
   local choose = model.chooser(uniform)
   for _ = 1, 1000 do
      local count = {}
      for _ = 1, 23 do bump(count, choose()) end
      expect("each deck is 10/10/1/1/1", count[1] == 10 and count[2] == 10 and
             count[3] == 1 and count[4] == 1 and count[5] == 1)
   end
   local first = {}
   for _ = 1, 20000 do
      bump(first, choose())
      for _ = 2, 23 do choose() end
   end
   expect_distribution("the first card of a deck", first,
                       {10 / 23, 10 / 23, 1 / 23, 1 / 23, 1 / 23}, 20000)
   local count, drawn = {}, model.chooser(uniform, {44, 44, 4, 4, 4})
   for _ = 1, 100000 do bump(count, drawn()) end
   expect_distribution("weights", count, {0.44, 0.44, 0.04, 0.04, 0.04}, 100000)
end

local function check_new_orders(fill, input, c)
   local n, lines, remote, rollback = N / 10, 0, 0, 0
   local count, item, supply, quantity, d = {}, {}, {}, {}, {}
   local customer = {}
   local kept = 0
   for _ = 1, n do
      fill(input, model.NEW_ORDER)
      expect("the home warehouse", input.w == 3)
      bump(count, input.lines)
      bump(d, input.d)
      bump(customer, math.floor(input.c / 50))
      if input.rollback then rollback = rollback + 1 end
      local own = 0
      for i = 1, input.lines do
         lines = lines + 1
         if input.supply[i] ~= 3 then
            own = own + 1
            bump(supply, input.supply[i])
         end
         bump(quantity, input.quantity[i])
         if input.rollback and i == input.lines then
            expect("the last item is unused", input.item[i] == 100001)
         else
            kept = kept + 1
            bump(item, math.floor(input.item[i] / 1000))
         end
      end
      expect("the number of remote lines", own == input.remote)
      remote = remote + own
   end
   expect_share("rollbacks", rollback, n, 0.01)
   expect_share("remote lines", remote, lines, 0.01)
   expect_distribution("lines", count, uniform_share(5, 15), n)
   expect_distribution("districts", d, uniform_share(1, 10), n)
   expect_distribution("quantities", quantity, uniform_share(1, 10), lines)
   expect_distribution("other warehouses", supply,
                       {[1] = 1 / 4, [2] = 1 / 4, [4] = 1 / 4, [5] = 1 / 4},
                       remote)
   expect_distribution("customers", customer,
                       nurand_share(1023, c.customer, 1, 3000, 50), n)
   return item, kept
end

-- The exact distribution of items has 8192 x 100000 pairs, too many to count.
-- The OR concerns the low 13 bits only: z = i|j for each j whose bits are among
-- those of z, and 2^(ones of j) values of i.
local function check_items(item, n, c)
   local p = {}
   -- For one high part of j: sums over the subsets of each z, bit by bit.
   local function share_of_high(high)
      local w = {}
      for r = 0, 8191 do
         local j = high * 8192 + r
         if j >= 1 and j <= 100000 then
            local ones, x = 0, r
            while x > 0 do ones = ones + x % 2; x = math.floor(x / 2) end
            w[r] = 2 ^ ones / 8192 / 100000
         else
            w[r] = 0
         end
      end
      for b = 0, 12 do
         for z = 0, 8191 do
            if math.floor(z / 2 ^ b) % 2 == 1 then w[z] = w[z] + w[z - 2 ^ b] end
         end
      end
      return w
   end
   for high = 0, 12 do
      local w = share_of_high(high)
      for z = 0, 8191 do
         local value = (high * 8192 + z + c.item) % 100000 + 1
         local cell = math.floor(value / 1000)
         p[cell] = (p[cell] or 0) + w[z]
      end
   end
   for cell, share in pairs(p) do if share == 0 then p[cell] = nil end end
   expect_distribution("items", item, p, n)
end

local function check_payments(fill, input, c)
   local n, remote, by_name, sum = N / 2, 0, 0, 0
   local name, number = {}, number_of_name()
   for _ = 1, n do
      fill(input, model.PAYMENT)
      if input.is_remote then
         remote = remote + 1
         expect("remote customers", input.c_w ~= 3 and input.c_w >= 1 and
                input.c_w <= 5 and input.c_d >= 1 and input.c_d <= 10)
      else
         expect("local customers", input.c_w == 3 and input.c_d == input.d)
      end
      if input.by_name then
         by_name = by_name + 1
         bump(name, math.floor(number[input.last] / 10))
      end
      expect("amounts", input.amount >= 100 and input.amount <= 500000)
      sum = sum + input.amount
   end
   expect_share("remote payments", remote, n, 0.15)
   expect_share("payments by name", by_name, n, 0.6)
   expect("mean amount", math.abs(sum / n - 250050) < 5 * 144300 / math.sqrt(n),
          sum / n)
   expect_distribution("last names", name,
                       nurand_share(255, c.last, 0, 999, 10), by_name)
end

local function check_rest(fill, input)
   local n, by_name, carrier, threshold = N / 10, 0, {}, {}
   for _ = 1, n do
      fill(input, model.ORDER_STATUS)
      if input.by_name then by_name = by_name + 1 end
      expect("order status stays at home", input.c_w == 3)
      fill(input, model.DELIVERY)
      bump(carrier, input.carrier)
      fill(input, model.STOCK_LEVEL)
      expect("a fixed district", input.d == 2)
      bump(threshold, input.threshold)
   end
   expect_share("order status by name", by_name, n, 0.6)
   expect_distribution("carriers", carrier, uniform_share(1, 10), n)
   expect_distribution("thresholds", threshold, uniform_share(10, 20), n)
end

local function check_functions()
   expect("BARBARBAR", model.last_name(0) == "BARBARBAR")
   expect("PRICALLYOUGHT", model.last_name(371) == "PRICALLYOUGHT")
   expect("EINGEINGEING", model.last_name(999) == "EINGEINGEING")
   expect("median of 1", model.median(1) == 1)
   expect("median of 4", model.median(4) == 2)
   expect("median of 5", model.median(5) == 3)
   expect("stock of exactly 10 more", model.stock_after(15, 5) == 10)
   expect("stock of 9 more", model.stock_after(14, 5) == 100)
   expect("cents", model.cents("1.15") == 115 and model.cents("-10.00") == -1000
          and model.cents("9999.99") == 999999)
   expect("homes", model.home(0, 4) == 1 and model.home(7, 4) == 4)
   expect("districts", model.stock_district(0, 4, 10) == 1 and
          model.stock_district(4, 4, 10) == 2 and
          model.stock_district(41, 4, 10) == 1)
   -- with one warehouse nothing is remote
   local fill = model.inputs(sysbench.rand.uniform, new_client(0, 1,
      {last = 1, customer = 2, item = 3}))
   local input = model.new_input()
   for _ = 1, 1000 do
      fill(input, model.PAYMENT)
      expect("one warehouse: payments", not input.is_remote and input.c_w == 1)
      fill(input, model.NEW_ORDER)
      expect("one warehouse: lines", input.remote == 0)
   end
end

-- Exponential, cut at ten times the mean.
local function check_think_times()
   for kind, mean in ipairs({12, 12, 10, 5, 5}) do
      local n, sum, longest, above = N / 10, 0, 0, 0
      for _ = 1, n do
         local t = model.think_time(kind, sysbench.rand.uniform_double())
         sum, longest = sum + t, math.max(longest, t)
         if t > 2 * mean then above = above + 1 end
      end
      expect("mean think time", math.abs(sum / n / mean - 1) < 5 / math.sqrt(n),
             sum / n)
      expect("longest think time", longest <= 10 * mean and longest > 8 * mean,
             longest)
      expect_share("think times above two means", above, n, math.exp(-2))
   end
   expect("the cut", model.think_time(4, 1 - 1e-15) == 50)
   expect("keying", table.concat(model.keying, " ") == "18 3 2 2 2")
end

-- Without a home, each transaction draws a warehouse.
local function check_roaming(uniform, c)
   local client = new_client(7, 5, c)
   local w, n, remote, payments = {}, N / 10, 0, 0
   local input = model.new_input()
   client.home = nil
   local fill = model.inputs(uniform, client)

   for _ = 1, n do
      fill(input, model.PAYMENT)
      bump(w, input.w)
      if input.is_remote then remote = remote + 1 end
      expect("remote is another one", input.is_remote == (input.c_w ~= input.w))
      payments = payments + 1
   end
   expect_distribution("warehouses", w, uniform_share(1, 5), n)
   expect_share("remote payments", remote, payments, 0.15)
end

local function check()
   local uniform = sysbench.rand.uniform
   local c = model.run_constants(42, model.load_constant(42))
   local input = model.new_input()
   -- client 7 of 5 warehouses: home 3, district 2
   local fill = model.inputs(uniform, new_client(7, 5, c))

   check_functions()
   check_constants()
   check_deck(uniform)
   local item, n = check_new_orders(fill, input, c)
   check_items(item, n, c)
   check_payments(fill, input, c)
   check_rest(fill, input)
   check_think_times()
   check_roaming(uniform, c)
   print(faults == 0 and "the model keeps the rules" or "faults: " .. faults)
   return faults == 0
end

sysbench.cmdline.commands = {check = {check}}
