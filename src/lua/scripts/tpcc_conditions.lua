-- The conditions that the command check of the tpcc workload proves.  Each
-- function reads what it needs, and adds what breaks a rule to c.findings.
--
-- `c` has con, size, cents (a function that reads money), findings, and `fresh`:
-- no run has changed the tables.  Rows of one warehouse at a time are read into
-- Lua, in groups that the server has made.

local format = string.format
local conditions = {}

local function shown(value)
   return value == nil and "NULL" or format("%.0f", value)
end

local function money(cents)
   return cents == nil and "NULL" or format("%.2f", cents / 100)
end

-- Reports unless a == b; nil (NULL, or no row) equals nothing.
local function expect(findings, rule, name, key, a, b, what_a, what_b, show)
   if a ~= nil and a == b then return end
   findings.add(rule, name, key, "%s %s, %s %s", what_a, show(a), what_b,
                show(b))
end

-- Calls visit(row) for each row, whose fields are texts.
local function each(con, visit, ...)
   local rs = con:query(format(...))
   for _ = 1, rs.nrows do visit(rs:fetch_row()) end
end

-- ---------------------------------------------------------------------------
-- Warehouses and districts

function conditions.check_sizes(c)
   local function count(from)
      return tonumber((c.con:query_row("SELECT COUNT(*) FROM " .. from)))
   end
   local function expect_rows(name, n, right)
      expect(c.findings, "sizes", name, "all rows", n, right, "rows:",
             "should be:", shown)
   end
   local w, d = c.size.warehouses, c.size.districts

   expect_rows("warehouse", count("warehouse"), w)
   expect_rows("district", count("district"), w * d)
   expect_rows("item", count("item"), c.size.items)
   expect_rows("stock", count("stock"), w * c.size.items)
   -- those of other warehouses were not read
   local others = count("customer WHERE c_w_id < 1") +
      count("customer WHERE c_w_id > " .. w)
   expect_rows("customer", c.customers_seen + others, w * d * c.size.customers)
end

-- Reads warehouse and district: c.w_ytd[w], c.district[w][d].
function conditions.read_districts(c)
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
function conditions.check_ytd(c)
   local paid_w, paid = {}, {}

   each(c.con, function(row)
      local w, d, sum = tonumber(row[1]), tonumber(row[2]), c.cents(row[3])
      paid[w] = paid[w] or {}
      paid[w][d] = sum
      paid_w[w] = (paid_w[w] or 0) + (sum or 0)
      if not (c.district[w] and c.district[w][d]) then
         c.findings.add("9", "history", format("w %s, d %s", row[1], row[2]),
                        "there is no such district")
      end
   end, "SELECT h_w_id, h_d_id, SUM(h_amount) FROM history " ..
        "GROUP BY h_w_id, h_d_id")
   for w = 1, c.size.warehouses do
      local key, sum = "w " .. w, 0
      for d = 1, c.size.districts do
         local district = c.district[w] and c.district[w][d] or {}
         sum = sum + (district.ytd or 0)
         expect(c.findings, "9", "district", format("w %d, d %d", w, d),
                district.ytd, paid[w] and paid[w][d], "d_ytd", "sum of h_amount",
                money)
      end
      expect(c.findings, "1", "warehouse", key, c.w_ytd[w], sum, "w_ytd",
             "sum of d_ytd", money)
      expect(c.findings, "8", "warehouse", key, c.w_ytd[w], paid_w[w], "w_ytd",
             "sum of h_amount", money)
   end
end

-- ---------------------------------------------------------------------------
-- Orders of a warehouse

-- Returns the orders of warehouse w by district and number, as far as any of
-- the three tables has them.
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
        "SUM(CASE WHEN ol_delivery_d IS NULL THEN 0 ELSE ol_amount END) " ..
        "FROM order_line WHERE ol_w_id = %d GROUP BY ol_d_id, ol_o_id", w)
   return orders
end

-- Conditions 5, 6, 7 about one order
local function check_order(c, order, name)
   local f = c.findings

   if not order.there then
      if order.new then
         f.add("5", "new_order", name, "there is no such order")
      end
      if order.lines then
         f.add("6", "order_line", name, "%d lines, but there is no such order",
               order.lines)
      end
      return
   end
   if order.new and order.carrier then
      f.add("5", "orders", name, "o_carrier_id is %s, but it is a new order",
            order.carrier)
   elseif not order.new and not order.carrier then
      f.add("5", "orders", name, "o_carrier_id is NULL, but it is no new order")
   end
   expect(f, "6", "orders", name, order.cnt, order.lines, "o_ol_cnt", "lines",
          shown)
   if order.lines and order.delivered ~= (order.carrier and order.lines or 0) then
      f.add("7", "order_line", name, "ol_delivery_d is set in %d of %d lines, " ..
            "o_carrier_id is %s", order.delivered, order.lines,
            order.carrier or "NULL")
   end
end

-- Sums over the orders of a district.
local function sums_of(c, orders, w, d)
   local s = {orders = 0, new = 0, cnt = 0, lines = 0}
   for o, order in pairs(orders) do
      check_order(c, order, format("w %d, d %d, o %d", w, d, o))
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
   local f, name = c.findings, format("w %d, d %d", w, d)
   local s = sums_of(c, orders, w, d)
   local district = c.district[w] and c.district[w][d] or {}
   local last = district.next_o and district.next_o - 1

   expect(f, "2", "district", name, last, s.last, "d_next_o_id - 1 is",
          "the last order is", shown)
   if s.new > 0 then
      expect(f, "2", "district", name, last, s.last_new, "d_next_o_id - 1 is",
             "the last new order is", shown)
      expect(f, "3", "new_order", name, s.new, s.last_new - s.first_new + 1,
             "rows:", "from the first to the last number:", shown)
   end
   expect(f, "4", "district", name, s.cnt, s.lines, "sum of o_ol_cnt",
          "order lines", shown)
   if c.fresh then
      expect(f, "11", "district", name, s.orders - s.new,
             math.floor(c.size.customers * 7 / 10), "orders that are not new:",
             "should be:", shown)
   end
end

-- ---------------------------------------------------------------------------
-- Customers of a warehouse

-- Returns what orders say about their customers, by district and number.
local function customers_of_orders(c, orders)
   local first_new = math.floor(c.size.customers * 7 / 10) + 1
   local of = {}

   for d, of_district in pairs(orders) do
      of[d] = {}
      for o, order in pairs(of_district) do
         if order.c then
            local customer = of[d][order.c] or {amount = 0, deliveries = 0}
            of[d][order.c] = customer
            customer.amount = customer.amount + (order.amount or 0)
            if order.carrier and o >= first_new then
               customer.deliveries = customer.deliveries + 1
            end
         end
      end
   end
   return of
end

local NO_ORDERS = {amount = 0, deliveries = 0}

-- Conditions 10 and 12, and the counts of a customer
local function check_customer(c, row, of, key)
   local f, name = c.findings, format("w %s, d %s, c %s", row[1], row[2], row[3])
   local balance, paid = c.cents(row[4]), c.cents(row[5])
   local history = c.history[key]
   local h_sum = history and history.sum or 0

   expect(f, "10", "customer", name, balance, of.amount - h_sum, "c_balance",
          "delivered lines - payments", money)
   expect(f, "12", "customer", name, balance and paid and balance + paid,
          of.amount, "c_balance + c_ytd_payment", "delivered lines", money)
   expect(f, "customer", "customer", name, tonumber(row[6]),
          history and history.n or 0, "c_payment_cnt", "rows of history", shown)
   expect(f, "customer", "customer", name, tonumber(row[7]), of.deliveries,
          "c_delivery_cnt", "orders delivered", shown)
end

local function key_of(c, w, d, id)
   return ((w - 1) * c.size.districts + d - 1) * c.size.customers + id
end

local function check_customers(c, w, orders)
   local by_customer = customers_of_orders(c, orders)

   each(c.con, function(row)
      local d, id = tonumber(row[2]), tonumber(row[3])
      local of = by_customer[d] and by_customer[d][id]
      c.customers_seen = c.customers_seen + 1
      local key = key_of(c, w, d, id)
      check_customer(c, row, of or NO_ORDERS, key)
      if of then by_customer[d][id] = nil end
      c.history[key] = nil
   end, "SELECT c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, " ..
        "c_payment_cnt, c_delivery_cnt FROM customer WHERE c_w_id = %d", w)
   for d, customers in pairs(by_customer) do
      for id in pairs(customers) do
         c.findings.add("12", "orders", format("w %d, d %d, c %d", w, d, id),
                        "there is no such customer")
      end
   end
end

-- Reads the sums of history: c.history[key].
function conditions.read_history(c)
   c.history = {}
   each(c.con, function(row)
      local w, d, id = tonumber(row[1]), tonumber(row[2]), tonumber(row[3])
      c.history[key_of(c, w, d, id)] = {
         sum = c.cents(row[4]) or 0, n = tonumber(row[5]),
         name = format("w %d, d %d, c %d", w, d, id)}
   end, "SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount), COUNT(*) " ..
        "FROM history GROUP BY h_c_w_id, h_c_d_id, h_c_id")
end

-- ---------------------------------------------------------------------------
-- Stock

-- Adds what the orders of a district have taken from the stock: sold[key] has
-- quantity, lines, remote lines.  The lines of the load did not change it.
local function add_sold(c, sold, w, d)
   each(c.con, function(row)
      local key = row[1] .. "," .. row[2]
      local of = sold[key] or {0, 0, 0}
      local n = tonumber(row[4])
      of[1], of[2] = of[1] + (tonumber(row[3]) or 0), of[2] + n
      if tonumber(row[1]) ~= w then of[3] = of[3] + n end
      sold[key] = of
   end, "SELECT ol_supply_w_id, ol_i_id, SUM(ol_quantity), COUNT(*) " ..
        "FROM order_line WHERE ol_w_id = %d AND ol_d_id = %d " ..
        "AND ol_o_id > %d GROUP BY ol_supply_w_id, ol_i_id", w, d,
        c.size.customers)
end

local NOT_SOLD = {0, 0, 0}

function conditions.check_stock(c)
   local sold, f = {}, c.findings

   for w = 1, c.size.warehouses do
      for d = 1, c.size.districts do add_sold(c, sold, w, d) end
   end
   each(c.con, function(row)
      local key = row[1] .. "," .. row[2]
      local name = format("w %s, i %s", row[1], row[2])
      local of = sold[key] or NOT_SOLD
      for i, column in ipairs({"s_ytd", "s_order_cnt", "s_remote_cnt"}) do
         expect(f, "stock", "stock", name, tonumber(row[2 + i]), of[i], column,
                "order lines say", shown)
      end
      sold[key] = nil
   end, "SELECT s_w_id, s_i_id, s_ytd, s_order_cnt, s_remote_cnt FROM stock " ..
        "WHERE s_ytd <> 0 OR s_order_cnt <> 0 OR s_remote_cnt <> 0 " ..
        "OR s_ytd IS NULL OR s_order_cnt IS NULL OR s_remote_cnt IS NULL")
   for key, of in pairs(sold) do
      f.add("stock", "stock", (key:gsub("^(.*),", "w %1, i ")),
            "%d order lines, but the stock was not used", of[2])
   end
end

-- ---------------------------------------------------------------------------
-- All about one warehouse

function conditions.check_warehouse(c, w)
   local orders = read_orders(c, w)

   for d = 1, c.size.districts do
      check_district(c, orders[d] or {}, w, d)
   end
   for d in pairs(orders) do
      if not (c.district[w] and c.district[w][d]) then
         c.findings.add("2", "orders", format("w %d, d %d", w, d),
                        "there is no such district")
      end
   end
   check_customers(c, w, orders)
end

return conditions
