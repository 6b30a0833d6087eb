-- tpcc_power.lua - what the verdicts of the audit of a tpcc run can tell.
-- `bench tpcc_power.lua check` computes how often a right share, and a wrong one,
-- gets each verdict, exactly; and judges many runs of the model, right and wrong
-- ones.  It prints a line for each promise that does not hold, and fails if there
-- is one.
local audit = require("tpcc_audit")
local model = require("tpcc_model")
local verdict = require("tpcc_verdict")

local faults = 0

local function expect(what, holds, detail)
   if holds then return end
   faults = faults + 1
   print("not ok: " .. what .. " " .. tostring(detail or ""))
end

-- ---------------------------------------------------------------------------
-- Exact probabilities

local log_factorial = {[0] = 0}

local function binomial(n, k, p)
   if p == 0 or p == 1 then return k == n * p and 1 or 0 end
   for i = #log_factorial + 1, n do
      log_factorial[i] = log_factorial[i - 1] + math.log(i)
   end
   return math.exp(log_factorial[n] - log_factorial[k] - log_factorial[n - k] +
                   k * math.log(p) + (n - k) * math.log(1 - p))
end

-- Returns how likely each verdict is for n trials with the probability p.
local function likelihoods(limits, n, p)
   local of = {ok = 0, bad = 0}
   local sd = math.sqrt(n * p * (1 - p))
   for k = math.max(0, math.floor(n * p - 12 * sd - 60)),
           math.min(n, math.ceil(n * p + 12 * sd + 60)) do
      local v = k >= limits.ok_from and k < limits.ok_to and "ok" or
         (k < limits.bad_to or k >= limits.bad_from) and "bad"
      if v then of[v] = of[v] + binomial(n, k, p) end
   end
   return of
end

-- Returns the line about k of n.
local function judge(rule, k, n, warehouses)
   if rule:find("^remote") then
      return verdict.remote(rule, k, n, warehouses)
   end
   return verdict.share(rule, k, n)
end

-- Returns the first of 0..n+1 for which is(line) holds; it holds for all after it.
local function first(rule, n, warehouses, is)
   local from, to = 0, n + 1
   while from < to do
      local k = math.floor((from + to) / 2)
      if is(judge(rule, k, n, warehouses)) then to = k else from = k + 1 end
   end
   return from
end

-- Returns which hits of n get which verdict: value and interval grow with them.
local function limits_of(rule, n, warehouses)
   local huge = math.huge
   local limits = {
      ok_from = first(rule, n, warehouses, function(l)
         return l.value >= l.least and l.low > (l.wrong_below or -huge)
      end),
      ok_to = first(rule, n, warehouses, function(l)
         return l.value > (l.most or huge) or l.high >= (l.wrong_above or huge)
      end),
      bad_to = first(rule, n, warehouses, function(l)
         return l.verdict ~= "bad" or l.value > l.least
      end),
      bad_from = first(rule, n, warehouses, function(l)
         return l.verdict == "bad" and l.value > l.least
      end),
   }
   for k, wanted in pairs({[limits.ok_from] = "ok", [limits.bad_to - 1] = "bad",
                           [limits.bad_from] = "bad"}) do
      if wanted == "ok" and limits.ok_from >= limits.ok_to then k = -1 end
      if k >= 0 and k <= n then
         local v = judge(rule, k, n, warehouses).verdict
         expect(rule .. ": " .. k .. " of " .. n, v == wanted, v)
      end
   end
   return limits
end

-- A right share, wrong ones, and how many there are for a new order: rule, right,
-- wrong, per order, warehouses.
local CASES = {
   {"new orders rolled back", 0.01, {0, 0.005, 0.02, 0.1}, 1},
   -- sysbench-tpcc and go-tpc have none; the second one draws among all
   {"remote order lines", 0.01, {0, 0.005, 0.02, 0.12}, 10, 2},
   {"remote order lines", 0.01, {0, 0.008, 0.012, 0.12}, 10, 5},
   {"remote order lines", 0.01, {0, 0.009, 0.011, 0.12}, 10, 10},
   {"remote order lines", 0.01, {0, 0.009, 0.011, 0.12}, 10, 100},
   {"remote payments", 0.15, {0, 0.075, 0.225, 0.85}, 1, 2},
   {"remote payments", 0.15, {0, 0.135, 0.165, 0.85}, 1, 10},
   {"payments by last name", 0.6, {0, 0.5, 0.4, 2 / 3, 1}, 1},
   {"order status by last name", 0.6, {0, 0.5, 0.4, 2 / 3, 1}, 0.1},
   {"payments of all", 10 / 23, {0.2, 0.4, 0.42}, 2.3},
   {"deliveries of all", 1 / 23, {0, 0.03, 0.035}, 2.3},
}

-- Right shares are certainly ok in long runs, and never bad; wrong ones are never
-- ok.  The numbers are the new orders, and the least likelihood of `ok`.
local ORDERS = {10, 100, 1000, 3000, 10000, 20000, 40000, 70000}
local SURE = 40000 -- new orders, of which a run of a minute can have as many

local function check_likelihoods()
   for _, case in ipairs(CASES) do
      local rule, right, wrong, per_order, warehouses = unpack(case)
      for _, orders in ipairs(ORDERS) do
         local n = math.max(1, math.floor(orders * per_order))
         local limits = limits_of(rule, n, warehouses)
         local of = likelihoods(limits, n, right)
         local name = string.format("%s, %d new orders:", rule, orders)
         -- one run in a thousand has chance against it in any of twelve lines
         expect(name .. " bad by chance", of.bad <= 1e-4, of.bad)
         if orders >= SURE then
            expect(name .. " ok", of.ok > 0.95, of.ok)
         end
         for _, p in ipairs(wrong) do
            local other = likelihoods(limits, n, p).ok
            expect(name .. " ok with " .. p, other <= 0.005, other)
         end
      end
   end
end

-- ---------------------------------------------------------------------------
-- Runs of the model

local CLIENTS, WAREHOUSES = 4, 2

-- Returns the lines of the audit of a run of so many transactions of each client.
-- change(input) [optional] spoils what the model has chosen.
local function run(transactions, change)
   local uniform = sysbench.rand.uniform
   local c = model.run_constants(42, model.load_constant(42))
   local counters, input = {}, model.new_input()
   local function add(name, n) counters[name] = (counters[name] or 0) + n end

   for client = 0, CLIENTS - 1 do
      local choose = model.chooser(uniform)
      local fill = model.inputs(uniform, {
         warehouses = WAREHOUSES, districts = 10, customers = 3000,
         items = 100000, home = model.home(client, WAREHOUSES),
         stock_district = 1, c = c})
      for _ = 1, transactions do
         local kind = choose()
         fill(input, kind)
         if change then change(input, uniform) end
         if kind == model.NEW_ORDER then
            add(input.rollback and "new orders rolled back" or "new orders", 1)
            add("order lines", input.lines)
            add("order lines squared", input.lines * input.lines)
            add("remote order lines", input.remote)
         elseif kind == model.PAYMENT then
            add("payments", 1)
            if input.is_remote then add("remote payments", 1) end
            if input.by_name then add("payments by name", 1) end
         elseif kind == model.ORDER_STATUS then
            add("order status", 1)
            if input.by_name then add("order status by name", 1) end
         else
            add(kind == model.DELIVERY and "deliveries" or "stock levels", 1)
         end
      end
   end
   local figures = audit.figures({counters = counters, histograms = {},
                                  time_total = 60}, WAREHOUSES, 0, CLIENTS)
   local lines = {}
   for _, line in ipairs(figures.audit) do
      if line.unit ~= "s" then lines[line.rule] = line.verdict end
   end
   return lines
end

-- What others do, as far as shares show it: rule -> change.
local MISTAKES = {
   ["remote order lines"] = function(input) input.remote = 0 end,
   ["remote payments"] = function(input) input.is_remote = false end,
   ["new orders rolled back"] = function(input) input.rollback = false end,
   -- the own warehouse is among those that are drawn
   ["remote order lines "] = function(input, uniform)
      for _ = 1, input.remote or 0 do
         if uniform(1, 2) == 1 then input.remote = input.remote - 1 end
      end
   end,
   ["remote payments "] = function(input, uniform)
      if input.is_remote and uniform(1, 2) == 1 then input.is_remote = false end
   end,
   ["order status by last name"] = function(input, uniform)
      input.by_name = uniform(1, 2) == 1
   end,
   ["lines of an order"] = function(input) input.lines = 11 end,
}

local function check_runs()
   local all, ok, runs = 0, 0, 40

   -- 40,000 new orders each
   for _ = 1, runs do
      for rule, v in pairs(run(23000)) do
         expect("a right run: " .. rule, v ~= "bad", v)
         all = all + 1
         if v == "ok" then ok = ok + 1 end
      end
   end
   -- rollbacks are the only ones that are not ok now and then
   expect("right runs are ok", ok / all > 0.98, ok / all)
   for rule, change in pairs(MISTAKES) do
      for _, transactions in ipairs({10, 300, 5000, 23000}) do
         for _ = 1, 5 do
            local v = run(transactions, change)[(rule:gsub(" $", ""))]
            expect("a wrong run: " .. rule, v ~= "ok",
                   transactions .. " transactions of each client: " .. v)
            if transactions == 23000 then
               expect("a long wrong run: " .. rule, v == "bad", v)
            end
         end
      end
   end
end

sysbench.cmdline.commands = {check = {function()
   check_likelihoods()
   check_runs()
   print(faults == 0 and "the verdicts keep their promises" or
         "faults: " .. faults)
   return faults == 0
end}}
