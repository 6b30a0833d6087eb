-- The five transactions of the tpcc workload on one connection.  The table of
-- inputs (tpcc_model) stays unchanged, so a rolled back transaction can be
-- repeated.  Money is in cents.

local model = require("tpcc_model")

local transactions = {}

-- name -> text and its parameters: i a whole number, s a text.  In the text, $m
-- is a parameter in cents, $lock locks the rows.
local STATEMENTS = {
   warehouse_tax = {"SELECT w_tax FROM warehouse WHERE w_id = ?", "i"},
   district_next = {"SELECT d_tax, d_next_o_id FROM district " ..
      "WHERE d_w_id = ? AND d_id = ?$lock", "ii"},
   district_use = {"UPDATE district SET d_next_o_id = ? " ..
      "WHERE d_w_id = ? AND d_id = ?", "iii"},
   customer_discount = {"SELECT c_discount, c_last, c_credit FROM customer " ..
      "WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?", "iii"},
   add_order = {"INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, " ..
      "o_entry_d, o_carrier_id, o_ol_cnt, o_all_local) " ..
      "VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP, NULL, ?, ?)", "iiiiii"},
   add_new_order = {"INSERT INTO new_order (no_w_id, no_d_id, no_o_id) " ..
      "VALUES (?, ?, ?)", "iii"},
   item = {"SELECT i_price, i_name, i_data FROM item WHERE i_id = ?", "i"},
   use_stock = {"UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, " ..
      "s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? " ..
      "WHERE s_w_id = ? AND s_i_id = ?", "iiiii"},
   add_line = {"INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, " ..
      "ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, " ..
      "ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, NULL, ?, $m, ?)",
      "iiiiiiiis"},

   pay_warehouse = {"UPDATE warehouse SET w_ytd = w_ytd + $m WHERE w_id = ?",
      "ii"},
   warehouse = {"SELECT w_name, w_street_1, w_street_2, w_city, w_state, " ..
      "w_zip FROM warehouse WHERE w_id = ?", "i"},
   pay_district = {"UPDATE district SET d_ytd = d_ytd + $m " ..
      "WHERE d_w_id = ? AND d_id = ?", "iii"},
   district = {"SELECT d_name, d_street_1, d_street_2, d_city, d_state, " ..
      "d_zip FROM district WHERE d_w_id = ? AND d_id = ?", "ii"},
   named_customers = {"SELECT c_id FROM customer WHERE c_w_id = ? " ..
      "AND c_d_id = ? AND c_last = ? ORDER BY c_first", "iis"},
   customer = {"SELECT c_first, c_middle, c_last, c_street_1, c_street_2, " ..
      "c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, " ..
      "c_discount, c_balance FROM customer " ..
      "WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?$lock", "iii"},
   pay_customer = {"UPDATE customer SET c_balance = c_balance - $m, " ..
      "c_ytd_payment = c_ytd_payment + $m, c_payment_cnt = c_payment_cnt + 1 " ..
      "WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?", "iiiii"},
   customer_data = {"SELECT c_data FROM customer " ..
      "WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?$lock", "iii"},
   set_customer_data = {"UPDATE customer SET c_balance = c_balance - $m, " ..
      "c_ytd_payment = c_ytd_payment + $m, " ..
      "c_payment_cnt = c_payment_cnt + 1, c_data = ? " ..
      "WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?", "iisiii"},
   add_history = {"INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, " ..
      "h_w_id, h_date, h_amount, h_data) " ..
      "VALUES (?, ?, ?, ?, ?, CURRENT_TIMESTAMP, $m, ?)", "iiiiiis"},

   customer_status = {"SELECT c_balance, c_first, c_middle, c_last " ..
      "FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?", "iii"},
   last_order = {"SELECT o_id, o_entry_d, o_carrier_id FROM orders " ..
      "WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? " ..
      "ORDER BY o_id DESC LIMIT 1", "iii"},
   lines = {"SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, " ..
      "ol_delivery_d FROM order_line " ..
      "WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?", "iii"},

   oldest_order = {"SELECT no_o_id FROM new_order WHERE no_w_id = ? " ..
      "AND no_d_id = ? ORDER BY no_o_id LIMIT 1$lock", "ii"},
   any_order = {"SELECT MIN(no_o_id) FROM new_order WHERE no_w_id = ? " ..
      "AND no_d_id = ?", "ii"},
   drop_new_order = {"DELETE FROM new_order WHERE no_w_id = ? " ..
      "AND no_d_id = ? AND no_o_id = ?", "iii"},
   order_customer = {"SELECT o_c_id FROM orders WHERE o_w_id = ? " ..
      "AND o_d_id = ? AND o_id = ?", "iii"},
   set_carrier = {"UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? " ..
      "AND o_d_id = ? AND o_id = ?", "iiii"},
   deliver_lines = {"UPDATE order_line SET ol_delivery_d = " ..
      "CURRENT_TIMESTAMP WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
      "iii"},
   order_total = {"SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = ? " ..
      "AND ol_d_id = ? AND ol_o_id = ?", "iii"},
   charge_customer = {"UPDATE customer SET c_balance = c_balance + $m, " ..
      "c_delivery_cnt = c_delivery_cnt + 1 " ..
      "WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?", "iiii"},

   next_order = {"SELECT d_next_o_id FROM district WHERE d_w_id = ? " ..
      "AND d_id = ?", "ii"},
   low_stock = {"SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock " ..
      "WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? " ..
      "AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?", "iiiiii"},

   begin = {"BEGIN", ""},
   commit = {"COMMIT", ""},
   rollback = {"ROLLBACK", ""},
}

-- 2.4.2.2: a line gets the text of its district.
for d = 1, 10 do
   STATEMENTS["stock_" .. d] = {string.format(
      "SELECT s_quantity, s_dist_%02d, s_data FROM stock " ..
      "WHERE s_w_id = ? AND s_i_id = ?$lock", d), "ii"}
end

-- Longest text parameter: C_DATA.
local TEXT_BYTES = 500

-- SQLite has one writer, which waits for its lock at the beginning, and no row
-- locks.  It keeps cents, servers have decimals.
local SQLITE = {["$m"] = "?", ["$lock"] = "", BEGIN = "BEGIN IMMEDIATE"}
local SERVER = {["$m"] = "(? * 0.01)", ["$lock"] = " FOR UPDATE"}

local BIGINT, VARCHAR = sysbench.sql.type.BIGINT, sysbench.sql.type.VARCHAR

-- A prepared statement as a function of its parameters, compiled without a
-- loop; it writes whole numbers where the driver reads them.
local function prepare(con, name, dialect)
   local text, kinds = STATEMENTS[name][1], STATEMENTS[name][2]
   local statement = con:prepare((text:gsub("%$?%w+", dialect)))
   local params, upvalues, names, body = {}, {}, {}, {}

   if #kinds == 0 then return function() return (statement:execute()) end end
   for i = 1, #kinds do
      if kinds:sub(i, i) == "i" then
         params[i] = statement:bind_create(BIGINT)
         body[i] = string.format(
            "if v%d == nil then p%d:set() else b%d[0], n%d[0] = v%d, 0 end",
            i, i, i, i, i)
      else
         params[i] = statement:bind_create(VARCHAR, TEXT_BYTES)
         body[i] = string.format("p%d:set(v%d)", i, i)
      end
      names[i] = "v" .. i
      upvalues[i] = string.format(
         "local p%d = params[%d]\nlocal b%d, n%d = p%d.buffer, p%d.is_null",
         i, i, i, i, i, i)
   end
   statement:bind_param(unpack(params))
   local make = assert(loadstring(string.format([[
      local statement, params = ...
      %s
      return function(%s)
         %s
         return (statement:execute())
      end]], table.concat(upvalues, "\n"), table.concat(names, ", "),
      table.concat(body, "\n"))))
   return make(statement, params)
end

-- Values of rows are read one by one: numbers never become strings of Lua.
local c_fetch_row, c_number = ffi.C.db_fetch_row, ffi.C.bench_value_number
local ffi_string = ffi.string

-- The values of the next row, or nil.
local function first_of(rs)
   if rs.nrows > 0 then
      local row = c_fetch_row(rs)
      if row ~= nil then return row.values end
   end
end

-- Value number i of a row; nil: NULL.
local function text_of(values, i)
   local v = values[i - 1]
   if v.ptr ~= nil then return ffi_string(v.ptr, v.len) end
end

local function number_of(values, i)
   local n = c_number(values[i - 1], 0)
   if n == n then return n end
end

-- An amount of money with two decimals, in cents.
local function cents_of(values, i)
   local n = c_number(values[i - 1], 2)
   if n == n then return n end
end

-- The null driver has rows without values.
local function no_value() end
local function one() return 1 end

-- The values of the first row, which must exist.
local function row_of(rs, what)
   local row = first_of(rs)
   if row == nil then
      error("tpcc: there is no " .. what .. "; do --warehouses and the size " ..
            "of the tables fit those of prepare?", 0)
   end
   return row
end

-- As a terminal would that shows all rows.
local function read_all(rs)
   for _ = 1, rs.nrows do c_fetch_row(rs) end
end

-- A function that executes the transaction of an input, and returns
-- whether it was committed; before_commit() is called before each COMMIT.
function transactions.new(con, driver, before_commit)
   local is_sqlite = driver == "sqlite"
   local dialect = is_sqlite and SQLITE or SERVER
   local is_null = driver == "null"
   local text = is_null and no_value or text_of
   local number = is_null and one or number_of
   local cents = is_null and one or is_sqlite and number_of or cents_of
   local sql = setmetatable({}, {__index = function(t, name)
      t[name] = prepare(con, name, dialect)
      return t[name]
   end})
   local do_transaction = {}

   local function commit(order)
      before_commit(order)
      sql.commit()
   end

   -- The given customer, or the middle one of those with the name.
   local function customer_of(input)
      if not input.by_name then return input.c end
      local rs = sql.named_customers(input.c_w, input.c_d, input.last)
      local n, c = model.median(rs.nrows), nil
      if n == 0 then row_of(rs, "customer called " .. input.last) end
      for _ = 1, n do c = first_of(rs) end
      return number(c, 1)
   end

   -- False: the item does not exist.
   local function order_line(input, line, order, read_stock)
      local id, supply = input.item[line], input.supply[line]
      local quantity = input.quantity[line]
      local item = first_of(sql.item(id))
      if item == nil or input.rollback and line == input.lines then
         return false
      end
      local price = cents(item, 1)
      local stock = row_of(read_stock(supply, id), "stock")
      local left, dist = number(stock, 1), text(stock, 2)
      sql.use_stock(model.stock_after(left, quantity), quantity,
                    supply == input.w and 0 or 1, supply, id)
      sql.add_line(input.w, input.d, order, line, id, supply, quantity,
                   quantity * price, dist)
      return true
   end

   -- 2.4.2; returns whether the order was committed.
   do_transaction[model.NEW_ORDER] = function(input)
      local w, d, c = input.w, input.d, input.c

      row_of(sql.warehouse_tax(w), "warehouse")
      local order = number(row_of(sql.district_next(w, d), "district"), 2)
      sql.district_use(order + 1, w, d)
      row_of(sql.customer_discount(w, d, c), "customer")
      sql.add_order(w, d, order, c, input.lines, input.remote == 0 and 1 or 0)
      sql.add_new_order(w, d, order)
      local read_stock = sql["stock_" .. d]
      for line = 1, input.lines do
         if not order_line(input, line, order, read_stock) then
            if not input.rollback then
               error("tpcc: there is no item " .. input.item[line], 0)
            end
            sql.rollback()
            return false
         end
      end
      commit(order)
      return true
   end

   -- 2.5.2
   do_transaction[model.PAYMENT] = function(input)
      local w, d, amount = input.w, input.d, input.amount
      local c_w, c_d = input.c_w, input.c_d

      sql.pay_warehouse(amount, w)
      local w_name = text(row_of(sql.warehouse(w), "warehouse"), 1)
      sql.pay_district(amount, w, d)
      local d_name = text(row_of(sql.district(w, d), "district"), 1)
      local c = customer_of(input)
      local customer = row_of(sql.customer(c_w, c_d, c), "customer")
      if text(customer, 11) == "BC" then
         local old = text(row_of(sql.customer_data(c_w, c_d, c), "customer"), 1)
         local data = string.format("%d %d %d %d %d %d.%02d|%s", c, c_d, c_w,
                                    d, w, math.floor(amount / 100),
                                    amount % 100, old or "")
         sql.set_customer_data(amount, amount, data:sub(1, 500), c_w, c_d, c)
      else
         sql.pay_customer(amount, amount, c_w, c_d, c)
      end
      sql.add_history(c, c_d, c_w, d, w, amount,
                      (w_name or "") .. "    " .. (d_name or ""))
      commit()
      return true
   end

   -- 2.6.2
   do_transaction[model.ORDER_STATUS] = function(input)
      local w, d = input.c_w, input.c_d
      local c = customer_of(input)

      row_of(sql.customer_status(w, d, c), "customer")
      local order = first_of(sql.last_order(w, d, c))
      if order then read_all(sql.lines(w, d, number(order, 1))) end
      commit()
      return true
   end

   -- The oldest undelivered order, locked, or nil.  PostgreSQL waits for the
   -- lock of an order that another delivery removes, and then finds none,
   -- although there may be others.
   local function oldest_order(w, d)
      while true do
         local row = first_of(sql.oldest_order(w, d))
         if row then return number(row, 1) end
         if driver ~= "pgsql" or
            text(row_of(sql.any_order(w, d), "minimum"), 1) == nil then
            return nil
         end
      end
   end

   -- 2.7.4; sets input.skipped, the number of districts without an order.  At
   -- REPEATABLE READ, InnoDB shows other clients' newer rows only to statements
   -- that lock or change them, and afterwards: so the updates come first.
   do_transaction[model.DELIVERY] = function(input)
      local w, skipped = input.w, 0

      for d = 1, input.districts do
         local order = oldest_order(w, d)
         if order then
            sql.drop_new_order(w, d, order)
            sql.set_carrier(input.carrier, w, d, order)
            local c = number(
               row_of(sql.order_customer(w, d, order), "order"), 1)
            sql.deliver_lines(w, d, order)
            local total = cents(
               row_of(sql.order_total(w, d, order), "order line"), 1)
            sql.charge_customer(total, w, d, c)
         else
            skipped = skipped + 1
         end
      end
      input.skipped = skipped
      commit()
      return true
   end

   -- 2.8.2
   do_transaction[model.STOCK_LEVEL] = function(input)
      local w, d = input.w, input.d
      local after = number(row_of(sql.next_order(w, d), "district"), 1)

      row_of(sql.low_stock(w, d, after, after - 20, w, input.threshold),
             "stock")
      commit()
      return true
   end

   return function(input)
      sql.begin()
      return do_transaction[input.kind](input)
   end
end

return transactions
