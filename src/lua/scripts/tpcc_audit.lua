-- What a run of the tpcc workload counts, and its report: new orders per
-- minute, a line for each transaction, and the audit, which compares the shares
-- of the run with the rules (tpcc_verdict).

local model = require("tpcc_model")
local verdict = require("tpcc_verdict")

local audit = {}

-- Names of counters; all threads add to them.
local COUNTERS = {
   new_orders = "new orders", rolled_back = "new orders rolled back",
   unknown = "new orders unknown", orders_entered = "orders entered",
   lines = "order lines", lines_squared = "order lines squared",
   remote_lines = "remote order lines",
   payments = "payments", remote_payments = "remote payments",
   payments_by_name = "payments by name",
   order_status = "order status", status_by_name = "order status by name",
   deliveries = "deliveries", skipped = "districts skipped",
   stock_levels = "stock levels",
}

local function latency_name(kind) return model.names[kind] .. " latency" end

function audit.measures()
   local m = {latency = {}}
   for key, name in pairs(COUNTERS) do m[key] = sysbench.counter.new(name) end
   for kind = 1, #model.names do
      m.latency[kind] = sysbench.histogram.new(latency_name(kind), "ms")
   end
   return m
end

-- Count a transaction that has ended.
local count = {}

count[model.NEW_ORDER] = function(m, input, committed)
   if committed then m.new_orders:add(1) else m.rolled_back:add(1) end
   m.lines:add(input.lines)
   m.lines_squared:add(input.lines * input.lines)
   if input.remote > 0 then m.remote_lines:add(input.remote) end
end

count[model.PAYMENT] = function(m, input)
   m.payments:add(1)
   if input.is_remote then m.remote_payments:add(1) end
   if input.by_name then m.payments_by_name:add(1) end
end

count[model.ORDER_STATUS] = function(m, input)
   m.order_status:add(1)
   if input.by_name then m.status_by_name:add(1) end
end

count[model.DELIVERY] = function(m, input)
   m.deliveries:add(1)
   if input.skipped > 0 then m.skipped:add(input.skipped) end
end

count[model.STOCK_LEVEL] = function(m) m.stock_levels:add(1) end

function audit.count(m, input, committed, latency_ms)
   count[input.kind](m, input, committed)
   m.latency[input.kind]:update(latency_ms)
end

-- ---- The lines of the audit

local function slowest(kind, h)
   return verdict.slow(model.names[kind] .. ", 90 % within",
                       kind == model.STOCK_LEVEL and 20 or 5, h)
end

-- Queued deliveries: 90 % are complete after 80 s (2.7.2.3), and at most 1 % of
-- their districts, or one, have no order (2.7.4.2).
local COMPLETION = 80

function audit.completion(h)
   return verdict.slow("delivery done, 90 % within", COMPLETION, h)
end

function audit.skipped(queue, districts)
   local line = verdict.share("districts without an order", queue.skipped,
                              queue.executed * districts)

   if queue.executed > 0 and queue.skipped <= 1 then line.verdict = "ok" end
   return line
end

-- Decks are dealt to the end, so a share is off only by the rest of each
-- client's first deck, by the cards of its last one, and by the transaction
-- that the end of the run cuts off.
local function off_deck(kind, decks)
   if decks == nil then return nil end
   local all, cards = 0, model.deck[kind]
   for _, n in ipairs(model.deck) do all = all + n end
   return decks * (2 * cards * (all - cards) / all + 1)
end

-- The lines of the audit: rule, least, most (nil: no limit), value (nil: not
-- measured), low and high (of shares: the interval), of, unit, verdict.
-- `decks`: number of clients with a deck; nil: they draw by weights.
local function audit_lines(c, latency, warehouses, decks)
   local orders = c.new_orders + c.rolled_back
   local all = orders + c.payments + c.order_status + c.deliveries +
      c.stock_levels
   local share, remote = verdict.share, verdict.remote
   local lines = {
      share("new orders rolled back", c.rolled_back, orders),
      verdict.lines(c.lines, c.lines_squared, orders),
      remote("remote order lines", c.remote_lines, c.lines, warehouses),
      remote("remote payments", c.remote_payments, c.payments, warehouses),
      share("payments by last name", c.payments_by_name, c.payments),
      share("order status by last name", c.status_by_name, c.order_status),
      share("payments of all", c.payments, all,
            off_deck(model.PAYMENT, decks)),
      share("order status of all", c.order_status, all,
            off_deck(model.ORDER_STATUS, decks)),
      share("deliveries of all", c.deliveries, all,
            off_deck(model.DELIVERY, decks)),
      share("stock levels of all", c.stock_levels, all,
            off_deck(model.STOCK_LEVEL, decks)),
   }
   for kind = 1, #model.names do
      table.insert(lines, slowest(kind, latency[kind]))
   end
   return lines
end

-- ---- The report

local function counts_of(stat)
   local c = {}
   for key, name in pairs(COUNTERS) do c[key] = stat.counters[name] or 0 end
   return c
end

local NOTHING = {count = 0, mean = 0, p90 = 0, p95 = 0, max = 0}

local function latencies_of(stat)
   local latency = {}
   for kind = 1, #model.names do
      latency[kind] = stat.histograms[latency_name(kind)] or NOTHING
   end
   return latency
end

-- The figures of a report: stat is that of the hook, keying the part of the
-- keying and think times, decks that of audit_lines().
function audit.figures(stat, warehouses, keying, decks)
   local c, latency = counts_of(stat), latencies_of(stat)
   local minutes = stat.time_total / 60
   local function per_minute(n) return minutes > 0 and n / minutes or 0 end
   local figures = {
      new_orders_per_minute = per_minute(c.new_orders),
      with_rolled_back_per_minute = per_minute(c.new_orders + c.rolled_back),
      rolled_back = c.rolled_back,
      districts_skipped = c.skipped,
      transactions = {},
      audit = audit_lines(c, latency, warehouses, decks),
   }
   if keying > 0 then
      figures.efficiency_percent = 100 * per_minute(c.new_orders) * keying /
         warehouses / model.most_per_warehouse
   end
   if keying == 1 then
      table.insert(figures.audit,
                   verdict.rate("new orders per warehouse", c.new_orders,
                                warehouses, minutes, model.fewest_per_warehouse,
                                model.most_per_warehouse))
   end
   local all = 0
   for kind = 1, #model.names do all = all + latency[kind].count end
   for kind, name in ipairs(model.names) do
      local h = latency[kind]
      figures.transactions[kind] = {
         name = name, count = h.count,
         share_percent = all > 0 and 100 * h.count / all or 0,
         per_minute = per_minute(h.count), mean_ms = h.mean, p90_ms = h.p90,
         p95_ms = h.p95, max_ms = h.max,
      }
   end
   return figures
end

local function word(name) return (name:gsub("[^%w]+", "_")) end

-- The figures for the results: groups by name instead of lists, with those of
-- `more`.
function audit.named(figures, more)
   local named = {}
   for key, value in pairs(figures) do named[key] = value end
   for key, value in pairs(more) do named[key] = value end
   named.transactions, named.audit = {}, {}
   for _, t in ipairs(figures.transactions) do
      local values = {}
      for key, value in pairs(t) do
         if key ~= "name" then values[key] = value end
      end
      named.transactions[word(t.name)] = values
   end
   for _, line in ipairs(figures.audit) do
      local values = {}
      for key, value in pairs(line) do
         if key ~= "rule" then values[key] = value end
      end
      named.audit[word(line.rule)] = values
   end
   return named
end

local function required(line)
   if line.most == nil then
      return string.format(">= %g %s", line.least, line.unit)
   elseif line.unit == "s" then
      return string.format("<= %g s", line.most)
   end
   return string.format("%g - %g %s", line.least, line.most, line.unit)
end

local function measured(line)
   if line.value == nil then return "-" end
   local text = string.format(line.unit == "s" and "%.4f" or "%.3f", line.value)
   return text .. " " .. line.unit
end

-- The figures as text; `notes` are lines below the headline.
function audit.text(figures, notes)
   local out = {}
   local function add(...) table.insert(out, string.format(...)) end

   add("New orders per minute: %.1f (%.1f with the rolled back ones)",
       figures.new_orders_per_minute, figures.with_rolled_back_per_minute)
   for _, note in ipairs(notes) do add("    %s", note) end
   add("")
   add("Transactions:")
   add("    %-14s %10s %8s %12s %10s %10s %10s", "", "count", "share %",
       "per minute", "mean (ms)", "90% (ms)", "max (ms)")
   for _, t in ipairs(figures.transactions) do
      add("    %-14s %10d %8.2f %12.1f %10.2f %10.2f %10.2f", t.name, t.count,
          t.share_percent, t.per_minute, t.mean_ms, t.p90_ms, t.max_ms)
   end
   add("    of the new orders %d were rolled back, as 1 %% should be; " ..
       "deliveries skipped %d districts", figures.rolled_back,
       figures.districts_skipped)
   add("")
   add("Audit of the run:")
   add("    %-28s %14s %12s %10s  %s", "", "required", "measured", "of",
       "verdict")
   for _, line in ipairs(figures.audit) do
      add("    %-28s %14s %12s %10d  %s", line.rule, required(line),
          measured(line), line.of, line.verdict)
   end
   return table.concat(out, "\n") .. "\n"
end

return audit
