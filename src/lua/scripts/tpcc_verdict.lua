-- The verdicts of the audit of a tpcc run: pure functions.
--
-- A share of a run is a sample; its interval has all shares that explain it.
--
-- bad: the interval of 99.99 % has no allowed share.
-- ok: the share is allowed, and the interval of 99 % excludes the nearest
-- mistakes.
-- too short: otherwise; a longer run can tell.
--
-- So one right run of a thousand has a bad line, since there are a dozen lines,
-- and the nearest mistakes are ok once in 200 runs, larger ones never, however
-- short the runs.

local verdict = {}

-- Per cent of each share: what is allowed, and the nearest mistakes below and
-- above.
local RULES = {
   -- none, one in 200; one in 50
   ["new orders rolled back"] = {0.9, 1.1, 0.5, 2},
   -- a half; two of three
   ["payments by last name"] = {57, 63, 50, 100 * 2 / 3},
   ["order status by last name"] = {57, 63, 50, 100 * 2 / 3},
   -- other cards or weights
   ["payments of all"] = {43, nil, 42},
   ["order status of all"] = {4, nil, 3.5},
   ["deliveries of all"] = {4, nil, 3.5},
   ["stock levels of all"] = {4, nil, 3.5},
   -- the rules allow one of a hundred
   ["districts without an order"] = {0, 1, nil, 2},
}

-- Remote shares: what is allowed, and what is right.
local REMOTE = {
   ["remote order lines"] = {0.95, 1.05, 1},
   ["remote payments"] = {14, 16, 15},
}

-- Lines of an order: 5 to 15.  The nearest mistakes have one fewer or more.
local LINES = {9.5, 10.5, 9, 11}

-- The chance on each side of an interval, and in standard deviations.
local NARROW = {chance = 0.005, deviations = 2.576}
local WIDE = {chance = 0.00005, deviations = 3.891}

-- The logarithm of n!, by Stirling's series.
local function log_factorial(n)
   local x, less = n + 1, 0
   while x < 10 do
      less = less + math.log(x)
      x = x + 1
   end
   return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi) +
      1 / (12 * x) - 1 / (360 * x ^ 3) + 1 / (1260 * x ^ 5) - less
end

-- The probability of k hits or more in n trials of probability p <= k / n, so
-- that every term is smaller than the one before.
local function at_least(k, n, p)
   local term = math.exp(log_factorial(n) - log_factorial(k) -
                         log_factorial(n - k) + k * math.log(p) +
                         (n - k) * math.log(1 - p))
   local sum = 0

   for i = k, n do
      sum = sum + term
      if term < 1e-12 * sum or sum == 0 then break end
      term = term * (n - i) / (i + 1) * p / (1 - p)
   end
   return sum
end

-- The smallest probability that explains k hits in n trials: with smaller ones,
-- k hits are rarer than `chance`.
local function lowest(k, n, chance)
   if k == 0 then return 0 end
   local low, high = 0, k / n

   if k == n then return chance ^ (1 / n) end
   for _ = 1, 50 do
      local middle = (low + high) / 2
      if at_least(k, n, middle) < chance then
         low = middle
      else
         high = middle
      end
   end
   return low
end

-- The exact interval (Clopper and Pearson) of k in n, in per cent.  `off`: as
-- for verdict.share().
local function share_interval(k, n, width, off)
   local low = lowest(k, n, width.chance)
   local high = 1 - lowest(n - k, n, width.chance)

   if off then
      low, high = math.max(low, (k - off) / n), math.min(high, (k + off) / n)
   end
   return 100 * low, 100 * high
end

-- Completes a line with a value; interval(width) returns its interval.
local function judge(line, rule, value, interval)
   local least, most = rule[1], rule[2] or math.huge
   local below, above = rule[3] or -math.huge, rule[4] or math.huge
   local lowest, highest = interval(WIDE)

   line.value = value
   line.low, line.high = interval(NARROW)
   if highest < least or lowest > most then
      line.verdict = "bad"
   elseif value >= least and value <= most and line.low > below and
      line.high < above then
      line.verdict = "ok"
   else
      line.verdict = "too short"
   end
   return line
end

local function share(name, rule, k, n, off)
   local line = {rule = name, least = rule[1], most = rule[2], of = n,
                 wrong_below = rule[3], wrong_above = rule[4], unit = "%"}

   if n < 1 then
      line.verdict = "too short"
      return line
   end
   return judge(line, rule, 100 * k / n, function(width)
      return share_interval(k, n, width, off)
   end)
end

-- The line about a share: k of n.  `off` [optional]: the most by which k can be
-- off, whatever chance does.
function verdict.share(name, k, n, off)
   return share(name, RULES[name], k, n, off)
end

-- The line about a remote share.  The nearest mistake draws the other warehouse
-- among all, including the own one, so the share is too small by that, or as
-- much too large.  With many warehouses that keeps the rule; then the mistake
-- is a tenth.
function verdict.remote(name, k, n, warehouses)
   local least, most, right = unpack(REMOTE[name])
   local below = right * math.min((warehouses - 1) / warehouses, 0.9)
   local line = share(name, {least, most, below, 2 * right - below}, k, n)

   if warehouses == 1 then line.verdict = "one warehouse" end
   return line
end

-- The line about the lines of n orders: their sum, and that of squares.
function verdict.lines(sum, squares, n)
   local line = {rule = "lines of an order", least = LINES[1], most = LINES[2],
                 of = n, unit = ""}

   if n < 2 then
      line.verdict = "too short"
      return line
   end
   local mean = sum / n
   local deviation = math.sqrt(math.max(squares / n - mean * mean, 0) / (n - 1))
   return judge(line, LINES, mean, function(width)
      return mean - width.deviations * deviation,
         mean + width.deviations * deviation
   end)
end

-- Latencies needed for a 90th percentile.
local MANY = 100

-- The line about a 90th percentile, at most `limit` seconds; h has
-- milliseconds.
function verdict.slow(name, limit, h)
   local line = {rule = name, least = 0, most = limit, of = h.count, unit = "s"}

   if h.count > 0 then line.value = h.p90 / 1000 end
   if h.count < MANY then
      line.verdict = "too short"
   else
      line.verdict = line.value <= limit and "ok" or "bad"
   end
   return line
end

-- The line about n new orders, with all keying and think times: more than the
-- most is impossible; only chance can explain fewer than the fewest.
function verdict.rate(name, n, warehouses, minutes, least, most)
   local line = {rule = name, least = least, most = most, of = n, unit = "/min",
                 verdict = "too short"}

   if minutes <= 0 then return line end
   local half = WIDE.deviations * math.sqrt(n) / warehouses / minutes
   line.value = n / warehouses / minutes
   if line.value + half < least or line.value - half > most then
      line.verdict = "bad"
   elseif line.value - half >= least and line.value <= most then
      line.verdict = "ok"
   end
   return line
end

return verdict
