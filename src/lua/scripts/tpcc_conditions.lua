-- The conditions that the command check of the tpcc workload proves.
--
-- Each function adds violations to c.findings.  `c` has con, size, cents (reads
-- money), findings, `fresh`: no run has changed the tables, and `ours`: made by
-- this program according to bench_tpcc.  Thread number c.thread of c.threads
-- checks every c.threads-th warehouse.  Rows of one warehouse at a time are
-- read into Lua, grouped by the server.

local format = string.format
local conditions = {}

local function shown(value)
   return value == nil and "NULL" or format("%.0f", value)
end

local function money(cents)
   return cents == nil and "NULL" or format("%.2f", cents / 100)
end

-- Texts of keys, for violations only.
local function key_w(w) return format("w %d", w) end
local function key_d(w, d) return format("w %d, d %d", w, d) end
local function key_o(w, d, o) return format("w %d, d %d, o %d", w, d, o) end
local function key_c(w, d, c) return format("w %d, d %d, c %d", w, d, c) end
local function key_i(w, i) return format("w %d, i %d", w, i) end

-- Reports unless a == b; nil (NULL, or no row) equals nothing.  `key` makes a
-- text of the arguments after `show`.
local function expect(findings, rule, name, a, b, what_a, what_b, show, key,
                      ...)
   if a ~= nil and a == b then return end
   findings.add(rule, name, key(...), "%s %s, %s %s", what_a, show(a), what_b,
                show(b))
end

-- Calls visit(row) for each row of texts.
local function each(con, visit, ...)
   local rs = con:query(format(...))
   for _ = 1, rs.nrows do visit(rs:fetch_row()) end
end

local c_fetch_row, c_number = ffi.C.db_fetch_row, ffi.C.bench_value_number

local function number_at(values, i)
   local n = c_number(values[i], 0)
   if n == n then return n end
end

-- The same for rows of five whole numbers, without strings.
local function each_five(con, visit, ...)
   local rs = con:query(format(...))
   for _ = 1, rs.nrows do
      local values = c_fetch_row(rs).values
      visit(number_at(values, 0), number_at(values, 1), number_at(values, 2),
            number_at(values, 3), number_at(values, 4))
   end
end

-- ---- Warehouses and districts

local function check_sizes(c)
   local function count(from)
      return tonumber((c.con:query_row("SELECT COUNT(*) FROM " .. from)))
   end
   local function expect_rows(name, n, right)
      expect(c.findings, "sizes", name, n, right, "rows:", "should be:", shown,
             format, "all rows")
   end
   local w, d = c.size.warehouses, c.size.districts

   expect_rows("warehouse", count("warehouse"), w)
   expect_rows("district", count("district"), w * d)
   expect_rows("item", count("item"), c.size.items)
   expect_rows("stock", count("stock"), w * c.size.items)
   expect_rows("customer", count("customer"), w * d * c.size.customers)
end

-- c.w_ytd[w], c.district[w][d]
local function read_districts(c)
   local con, cents = c.con, c.cents

   c.w_ytd, c.district = {}, {}
   each(con, function(row)
      c.w_ytd[tonumber(row[1])] = cents(row[2])
   end, "SELECT w_id, w_ytd FROM warehouse")
   each(con, function(row)
      local w, d = tonumber(row[1]), tonumber(row[2])
      c.district[w] = c.district[w] or {}
      c.district[w][d] = {ytd = cents(row[3]), next_o = tonumber(row[4])}
   end, "SELECT d_w_id, d_id, d_ytd, d_next_o_id FROM district")
end

-- Conditions 1, 8, 9
local function check_ytd(c)
   local paid_w, paid = {}, {}

   each(c.con, function(row)
      -- 0, for NULL, is no number of a warehouse
      local w, d = tonumber(row[1]) or 0, tonumber(row[2]) or 0
      local sum = c.cents(row[3])
      paid[w] = paid[w] or {}
      paid[w][d] = sum
      paid_w[w] = (paid_w[w] or 0) + (sum or 0)
      if not (c.district[w] and c.district[w][d]) then
         c.findings.add("9", "history",
                        format("w %s, d %s", tostring(row[1]), tostring(row[2])),
                        "there is no such district")
      end
   end, "SELECT h_w_id, h_d_id, SUM(h_amount) FROM history " ..
        "GROUP BY h_w_id, h_d_id")
   for w = 1, c.size.warehouses do
      local sum = 0
      for d = 1, c.size.districts do
         local district = c.district[w] and c.district[w][d] or {}
         sum = sum + (district.ytd or 0)
         expect(c.findings, "9", "district", district.ytd,
                paid[w] and paid[w][d], "d_ytd", "sum of h_amount", money,
                key_d, w, d)
      end
      expect(c.findings, "1", "warehouse", c.w_ytd[w], sum, "w_ytd",
             "sum of d_ytd", money, key_w, w)
      expect(c.findings, "8", "warehouse", c.w_ytd[w], paid_w[w], "w_ytd",
             "sum of h_amount", money, key_w, w)
   end
end

-- ---- Orders of a warehouse

-- The orders of warehouse w by district and number, as far as any of the three
-- tables has them.
local function read_orders(c, w)
   local orders = {}
   local function order_of(d, o)
      d, o = tonumber(d), tonumber(o)
      orders[d] = orders[d] or {}
      local order = orders[d][o]
      if order == nil then
         order = {}
         orders[d][o] = order
      end
      return order
   end

   each(c.con, function(row)
      local order = order_of(row[1], row[2])
      order.there, order.c = true, tonumber(row[3])
      order.carrier, order.cnt = row[4], tonumber(row[5])
   end, "SELECT o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt FROM orders " ..
        "WHERE o_w_id = %d", w)
   each(c.con, function(row)
      order_of(row[1], row[2]).new = true
   end, "SELECT no_d_id, no_o_id FROM new_order WHERE no_w_id = %d", w)
   each(c.con, function(row)
      local order = order_of(row[1], row[2])
      order.lines, order.delivered = tonumber(row[3]), tonumber(row[4])
      order.amount = c.cents(row[5])
   end, "SELECT ol_d_id, ol_o_id, COUNT(*), COUNT(ol_delivery_d), " ..
        "SUM(CASE WHEN ol_delivery_d IS NOT NULL THEN ol_amount END) " ..
        "FROM order_line WHERE ol_w_id = %d GROUP BY ol_d_id, ol_o_id", w)
   return orders
end

-- Conditions 5, 6, 7 about one order
local function check_order(c, order, w, d, o)
   local f = c.findings

   if not order.there then
      if order.new then
         f.add("5", "new_order", key_o(w, d, o), "there is no such order")
      end
      if order.lines then
         f.add("6", "order_line", key_o(w, d, o),
               "%d lines, but there is no such order", order.lines)
      end
      return
   end
   if order.new and order.carrier then
      f.add("5", "orders", key_o(w, d, o),
            "o_carrier_id is %s, but it is a new order", order.carrier)
   elseif not order.new and not order.carrier then
      f.add("5", "orders", key_o(w, d, o),
            "o_carrier_id is NULL, but it is not a new order")
   end
   expect(f, "6", "orders", order.cnt, order.lines, "o_ol_cnt", "lines", shown,
          key_o, w, d, o)
   if order.lines and order.delivered ~= (order.carrier and order.lines or 0) then
      f.add("7", "order_line", key_o(w, d, o),
            "ol_delivery_d is set in %d of %d lines, o_carrier_id is %s",
            order.delivered, order.lines, order.carrier or "NULL")
   end
end

-- Sums over the orders of a district.
local function sums_of(c, orders, w, d)
   local s = {orders = 0, new = 0, cnt = 0, lines = 0}
   for o, order in pairs(orders) do
      check_order(c, order, w, d, o)
      if order.there then
         s.orders = s.orders + 1
         s.last = math.max(s.last or o, o)
      end
      if order.new then
         s.new = s.new + 1
         s.first_new = math.min(s.first_new or o, o)
         s.last_new = math.max(s.last_new or o, o)
      end
      s.cnt, s.lines = s.cnt + (order.cnt or 0), s.lines + (order.lines or 0)
   end
   return s
end

-- Conditions 2, 3, 4, 11 about one district
local function check_district(c, orders, w, d)
   local f, s = c.findings, sums_of(c, orders, w, d)
   local district = c.district[w] and c.district[w][d] or {}
   local last = district.next_o and district.next_o - 1

   expect(f, "2", "district", last, s.last, "d_next_o_id - 1 is",
          "the last order is", shown, key_d, w, d)
   if s.new > 0 then
      expect(f, "2", "district", last, s.last_new, "d_next_o_id - 1 is",
             "the last new order is", shown, key_d, w, d)
      expect(f, "3", "new_order", s.new, s.last_new - s.first_new + 1, "rows:",
             "from the first to the last number:", shown, key_d, w, d)
   end
   expect(f, "4", "district", s.cnt, s.lines, "sum of o_ol_cnt", "order lines",
          shown, key_d, w, d)
   if c.fresh then
      expect(f, "11", "district", s.orders - s.new,
             math.floor(c.size.customers * 7 / 10), "orders that are not new:",
             "should be:", shown, key_d, w, d)
   end
end

-- ---- Customers of a warehouse

-- What orders say about their customers, by district and number.
local function customers_of_orders(c, orders)
   local first_new = math.floor(c.size.customers * 7 / 10) + 1
   local of = {}

   for d, of_district in pairs(orders) do
      of[d] = {}
      for o, order in pairs(of_district) do
         if order.c then
            local customer = of[d][order.c] or
               {amount = 0, deliveries = 0, loaded = 0}
            of[d][order.c] = customer
            if o <= c.size.customers then
               customer.loaded = customer.loaded + 1
            end
            customer.amount = customer.amount + (order.amount or 0)
            if order.carrier and o >= first_new then
               customer.deliveries = customer.deliveries + 1
            end
         end
      end
   end
   return of
end

local NO_ORDERS = {amount = 0, deliveries = 0, loaded = 0}

-- Conditions 10 and 12, and the counts of a customer
local function check_customer(c, row, of, history, w, d, id)
   local f = c.findings
   local balance, paid = c.cents(row[3]), c.cents(row[4])

   expect(f, "10", "customer", balance,
          of.amount - (history and history.sum or 0), "c_balance",
          "delivered lines - payments", money, key_c, w, d, id)
   expect(f, "12", "customer", balance and paid and balance + paid, of.amount,
          "c_balance + c_ytd_payment", "delivered lines", money, key_c, w, d, id)
   expect(f, "customer", "customer", tonumber(row[5]),
          history and history.n or 0, "c_payment_cnt", "rows of history", shown,
          key_c, w, d, id)
   expect(f, "customer", "customer", tonumber(row[6]), of.deliveries,
          "c_delivery_cnt", "orders delivered", shown, key_c, w, d, id)
   if c.ours then
      expect(f, "customer", "customer", of.loaded, 1, "orders of the load:",
             "should be:", shown, key_c, w, d, id)
   end
end

local function key_of(c, w, d, id)
   return ((w - 1) * c.size.districts + d - 1) * c.size.customers + id
end

local function check_customers(c, w, orders)
   local by_customer = customers_of_orders(c, orders)

   each(c.con, function(row)
      local d, id = tonumber(row[1]), tonumber(row[2])
      local of = by_customer[d] and by_customer[d][id]
      local key = key_of(c, w, d, id)
      check_customer(c, row, of or NO_ORDERS, c.history[key], w, d, id)
      if of then by_customer[d][id] = nil end
      c.history[key] = nil
   end, "SELECT c_d_id, c_id, c_balance, c_ytd_payment, c_payment_cnt, " ..
        "c_delivery_cnt FROM customer WHERE c_w_id = %d", w)
   for d, customers in pairs(by_customer) do
      for id in pairs(customers) do
         c.findings.add("12", "orders", key_c(w, d, id),
                        "there is no such customer")
      end
   end
end

-- Sums of history of this thread's customers: c.history[key].
local function read_history(c)
   c.history = {}
   each(c.con, function(row)
      local w, d, id = tonumber(row[1]), tonumber(row[2]), tonumber(row[3])
      if not (w and d and id) then
         c.findings.add("10", "history", "w, d, or c is NULL",
                        "there is no such customer")
         return
      end
      c.history[key_of(c, w, d, id)] = {
         sum = c.cents(row[4]) or 0, n = tonumber(row[5]), w = w, d = d,
         id = id}
   end, "SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount), COUNT(*) " ..
        "FROM history WHERE COALESCE(h_c_w_id, 0) %% %d = %d " ..
        "GROUP BY h_c_w_id, h_c_d_id, h_c_id", c.threads, c.thread)
end

local function check_strangers(c)
   for _, of in pairs(c.history) do
      c.findings.add("10", "history", key_c(of.w, of.d, of.id),
                     "there is no such customer")
   end
end

-- ---- Stock

-- sold[w][i]: quantity, lines, remote lines of an item.
local function add_sold(sold, w, i, quantity, lines, remote)
   local of_warehouse = sold[w]
   if of_warehouse == nil then
      of_warehouse = {}
      sold[w] = of_warehouse
   end
   local of = of_warehouse[i]
   if of == nil then
      of_warehouse[i] = {quantity, lines, remote}
   else
      of[1], of[2], of[3] = of[1] + quantity, of[2] + lines, of[3] + remote
   end
end

local function is_mine(c, w) return w % c.threads == c.thread end

-- What the orders of warehouse w, without the load's, have taken from the
-- stock.  `remote` gets texts about stock that other threads check.
local function read_sold(c, sold, remote, w, d)
   each(c.con, function(row)
      local supply, i = tonumber(row[1]) or 0, tonumber(row[2]) or 0
      local quantity, lines = tonumber(row[3]) or 0, tonumber(row[4])
      local other = supply ~= w and lines or 0
      if is_mine(c, supply) then
         add_sold(sold, supply, i, quantity, lines, other)
      else
         table.insert(remote, format("%d %d %d %d", supply, i, quantity, lines))
      end
   end, "SELECT ol_supply_w_id, ol_i_id, SUM(ol_quantity), COUNT(*) " ..
        "FROM order_line WHERE ol_w_id = %d AND ol_d_id = %d " ..
        "AND ol_o_id > %d GROUP BY ol_supply_w_id, ol_i_id", w, d,
        c.size.customers)
end

-- Adds what other threads have read.
local function add_remote(c, sold, text)
   for w, i, quantity, lines in text:gmatch("(%S+) (%S+) (%S+) (%S+)\n") do
      w, lines = tonumber(w), tonumber(lines)
      if is_mine(c, w) then
         add_sold(sold, w, tonumber(i), tonumber(quantity), lines, lines)
      end
   end
end

-- Seeds are stored as Lua numbers.
local EXACT = 2 ^ 53

-- 2.4.2.2: a line takes its quantity from the stock, and adds 91 if fewer than
-- 10 would remain.  The stock begins with 10 to 100 and stays there, so the
-- order of lines does not matter.
local function check_quantity(c, w, i, quantity, sold)
   local first = ffi.C.bench_tpcc_first_quantity(
      c.size.seed, (w - 1) * c.size.items + i)
   local right = (first - sold - 10) % 91 + 10

   if quantity ~= right then
      c.findings.add("stock", "stock", key_i(w, i), "s_quantity %s, should be: %d",
                     shown(quantity), right)
   end
end

local NOTHING, NOT_SOLD = {}, {0, 0, 0}

local function check_stock_of(c, sold, w)
   local of_warehouse = sold[w] or NOTHING
   local f = c.findings
   -- unsold quantities are known of our own tables only
   local all = c.ours and math.abs(c.size.seed) < EXACT

   each_five(c.con, function(i, quantity, ytd, orders, remote)
      local of = of_warehouse[i] or NOT_SOLD
      expect(f, "stock", "stock", ytd, of[1], "s_ytd", "order lines say", shown,
             key_i, w, i)
      expect(f, "stock", "stock", orders, of[2], "s_order_cnt",
             "order lines say", shown, key_i, w, i)
      expect(f, "stock", "stock", remote, of[3], "s_remote_cnt",
             "order lines say", shown, key_i, w, i)
      if all then check_quantity(c, w, i, quantity, of[1]) end
      of_warehouse[i] = nil
   end, "SELECT s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt " ..
        "FROM stock WHERE s_w_id = %d%s", w, all and "" or
        " AND (s_ytd <> 0 OR s_order_cnt <> 0 OR s_remote_cnt <> 0 " ..
        "OR s_ytd IS NULL OR s_order_cnt IS NULL OR s_remote_cnt IS NULL)")
end

local function check_stock(c, warehouses)
   local sold, remote = {}, {}

   for _, w in ipairs(warehouses) do
      for d = 1, c.size.districts do read_sold(c, sold, remote, w, d) end
   end
   remote = #remote > 0 and table.concat(remote, "\n") .. "\n" or ""
   for _, text in ipairs(c.exchange(remote)) do add_remote(c, sold, text) end
   for _, w in ipairs(warehouses) do check_stock_of(c, sold, w) end
   for w, items in pairs(sold) do
      for i, of in pairs(items) do
         c.findings.add("stock", "stock", key_i(w, i),
                        "%d order lines, but the stock was not used", of[2])
      end
   end
end

-- ---- All

local function check_warehouse(c, w)
   local orders = read_orders(c, w)

   for d = 1, c.size.districts do
      check_district(c, orders[d] or {}, w, d)
   end
   for d in pairs(orders) do
      if not (c.district[w] and c.district[w][d]) then
         c.findings.add("2", "orders", key_d(w, d), "there is no such district")
      end
   end
   check_customers(c, w, orders)
end

-- Checks the part of this thread.
function conditions.check(c)
   local warehouses = {}

   for w = 1, c.size.warehouses do
      if is_mine(c, w) then table.insert(warehouses, w) end
   end
   read_districts(c)
   read_history(c)
   for _, w in ipairs(warehouses) do check_warehouse(c, w) end
   check_strangers(c)
   check_stock(c, warehouses)
   if c.thread == 0 then
      check_ytd(c)
      check_sizes(c)
   end
end

return conditions
