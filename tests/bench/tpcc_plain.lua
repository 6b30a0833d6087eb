-- The transactions and the tables of the tpcc workload, as a script sends them
-- that knows only plain text: one query per statement, made by string.format,
-- and no prepared statement.  Scripts for sysbench look like this.  It runs under
-- sysbench 1.0.20 and bench, on the tables of `bench tpcc prepare` or its own.
--
-- It is the other side of tests/bench/tpcc.sh, where no such script of others can
-- be had.  It keeps no rules of terminals, and audits nothing.

sysbench.cmdline.options = {
   warehouses = {"number of warehouses", 1},
}

local format = string.format
local random = sysbench.rand.uniform
local DISTRICTS, CUSTOMERS, ITEMS = 10, 3000, 100000
local SYLLABLES = {"BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI",
                   "CALLY", "ATION", "EING"}

local function last_name(n)
   return SYLLABLES[math.floor(n / 100) + 1] ..
      SYLLABLES[math.floor(n / 10) % 10 + 1] .. SYLLABLES[n % 10 + 1]
end

local function nurand(a, c, x, y)
   return (bit.bor(random(0, a), random(x, y)) + c) % (y - x + 1) + x
end

-- ---------------------------------------------------------------------------
-- Rows

local LETTERS = string.rep("@", 50)

-- A text of a to b letters.
local function text(a, b)
   return sysbench.rand.string(LETTERS:rep(10):sub(1, random(a, b)))
end

local function address()
   return format("'%s','%s','%s','%s','%s11111'", text(10, 20), text(10, 20),
                 text(10, 20), text(2, 2), sysbench.rand.string("####"))
end

-- A text of which one in ten has a certain word.
local function data(a, b)
   local t = text(a, b)
   if random(1, 10) > 1 then return t end
   local at = random(1, #t - 7)
   return t:sub(1, at - 1) .. "ORIGINAL" .. t:sub(at + 8)
end

local TABLES = {
   warehouse = [[w_id INT NOT NULL, w_name VARCHAR(10), w_street_1 VARCHAR(20),
      w_street_2 VARCHAR(20), w_city VARCHAR(20), w_state CHAR(2), w_zip CHAR(9),
      w_tax DECIMAL(4,4), w_ytd DECIMAL(12,2), PRIMARY KEY (w_id)]],
   district = [[d_id INT NOT NULL, d_w_id INT NOT NULL, d_name VARCHAR(10),
      d_street_1 VARCHAR(20), d_street_2 VARCHAR(20), d_city VARCHAR(20),
      d_state CHAR(2), d_zip CHAR(9), d_tax DECIMAL(4,4), d_ytd DECIMAL(12,2),
      d_next_o_id INT, PRIMARY KEY (d_w_id, d_id)]],
   customer = [[c_id INT NOT NULL, c_d_id INT NOT NULL, c_w_id INT NOT NULL,
      c_first VARCHAR(16), c_middle CHAR(2), c_last VARCHAR(16),
      c_street_1 VARCHAR(20), c_street_2 VARCHAR(20), c_city VARCHAR(20),
      c_state CHAR(2), c_zip CHAR(9), c_phone CHAR(16), c_since TIMESTAMP NULL,
      c_credit CHAR(2), c_credit_lim DECIMAL(12,2), c_discount DECIMAL(4,4),
      c_balance DECIMAL(12,2), c_ytd_payment DECIMAL(12,2), c_payment_cnt INT,
      c_delivery_cnt INT, c_data VARCHAR(500),
      PRIMARY KEY (c_w_id, c_d_id, c_id)]],
   history = [[h_c_id INT, h_c_d_id INT, h_c_w_id INT, h_d_id INT, h_w_id INT,
      h_date TIMESTAMP NULL, h_amount DECIMAL(6,2), h_data VARCHAR(24)]],
   orders = [[o_id INT NOT NULL, o_d_id INT NOT NULL, o_w_id INT NOT NULL,
      o_c_id INT, o_entry_d TIMESTAMP NULL, o_carrier_id INT, o_ol_cnt INT,
      o_all_local INT, PRIMARY KEY (o_w_id, o_d_id, o_id)]],
   new_order = [[no_o_id INT NOT NULL, no_d_id INT NOT NULL,
      no_w_id INT NOT NULL, PRIMARY KEY (no_w_id, no_d_id, no_o_id)]],
   order_line = [[ol_o_id INT NOT NULL, ol_d_id INT NOT NULL,
      ol_w_id INT NOT NULL, ol_number INT NOT NULL, ol_i_id INT,
      ol_supply_w_id INT, ol_delivery_d TIMESTAMP NULL, ol_quantity INT,
      ol_amount DECIMAL(6,2), ol_dist_info CHAR(24),
      PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)]],
   item = [[i_id INT NOT NULL, i_im_id INT, i_name VARCHAR(24),
      i_price DECIMAL(6,2), i_data VARCHAR(50), PRIMARY KEY (i_id)]],
   stock = [[s_i_id INT NOT NULL, s_w_id INT NOT NULL, s_quantity INT,
      s_dist_01 CHAR(24), s_dist_02 CHAR(24), s_dist_03 CHAR(24),
      s_dist_04 CHAR(24), s_dist_05 CHAR(24), s_dist_06 CHAR(24),
      s_dist_07 CHAR(24), s_dist_08 CHAR(24), s_dist_09 CHAR(24),
      s_dist_10 CHAR(24), s_ytd INT, s_order_cnt INT, s_remote_cnt INT,
      s_data VARCHAR(50), PRIMARY KEY (s_w_id, s_i_id)]],
}

-- Sends rows in statements of the usual size: row(i) for i = first..last.
local function load(con, name, first, last, row)
   con:bulk_insert_init("INSERT INTO " .. name .. " VALUES")
   for i = first, last do con:bulk_insert_next(row(i)) end
   con:bulk_insert_done()
end

local function load_items(con)
   load(con, "item", 1, ITEMS, function(i)
      return format("(%d,%d,'%s',%.2f,'%s')", i, random(1, 10000), text(14, 24),
                    random(100, 10000) / 100, data(26, 50))
   end)
end

local function load_stock(con, w)
   load(con, "stock", 1, ITEMS, function(i)
      local dist = {}
      for d = 1, 10 do dist[d] = "'" .. text(24, 24) .. "'" end
      return format("(%d,%d,%d,%s,0,0,0,'%s')", i, w, random(10, 100),
                    table.concat(dist, ","), data(26, 50))
   end)
end

local function load_customers(con, w, d)
   load(con, "customer", 1, CUSTOMERS, function(c)
      local last = last_name(c <= 1000 and c - 1 or nurand(255, 7, 0, 999))
      return format("(%d,%d,%d,'%s','OE','%s',%s,'%s',now(),'%s',50000,%.4f," ..
                    "-10,10,1,0,'%s')", c, d, w, text(8, 16), last, address(),
                    sysbench.rand.string("################"),
                    random(1, 10) == 1 and "BC" or "GC", random(0, 5000) / 10000,
                    text(300, 500))
   end)
   load(con, "history", 1, CUSTOMERS, function(c)
      return format("(%d,%d,%d,%d,%d,now(),10,'%s')", c, d, w, d, w,
                    text(12, 24))
   end)
end

local function load_orders(con, w, d)
   local customer, lines = {}, {}

   for o = 1, CUSTOMERS do customer[o], lines[o] = o, random(5, 15) end
   for o = CUSTOMERS, 2, -1 do
      local other = random(1, o)
      customer[o], customer[other] = customer[other], customer[o]
   end
   load(con, "orders", 1, CUSTOMERS, function(o)
      return format("(%d,%d,%d,%d,now(),%s,%d,1)", o, d, w, customer[o],
                    o <= 2100 and random(1, 10) or "NULL", lines[o])
   end)
   load(con, "new_order", 2101, CUSTOMERS, function(o)
      return format("(%d,%d,%d)", o, d, w)
   end)
   con:bulk_insert_init("INSERT INTO order_line VALUES")
   for o = 1, CUSTOMERS do
      for line = 1, lines[o] do
         con:bulk_insert_next(format(
            "(%d,%d,%d,%d,%d,%d,%s,5,%.2f,'%s')", o, d, w, line,
            random(1, ITEMS), w, o <= 2100 and "now()" or "NULL",
            o <= 2100 and 0 or random(1, 999999) / 100, text(24, 24)))
      end
   end
   con:bulk_insert_done()
end

local function load_warehouse(con, w)
   con:query(format("INSERT INTO warehouse VALUES (%d,'%s',%s,%.4f,300000)", w,
                    text(6, 10), address(), random(0, 2000) / 10000))
   load_stock(con, w)
   for d = 1, DISTRICTS do
      con:query(format(
         "INSERT INTO district VALUES (%d,%d,'%s',%s,%.4f,30000,3001)", d, w,
         text(6, 10), address(), random(0, 2000) / 10000))
      load_customers(con, w, d)
      load_orders(con, w, d)
   end
end

local function create(con)
   for name, columns in pairs(TABLES) do
      con:query(format("CREATE TABLE %s (%s)", name, columns))
   end
   con:query("CREATE INDEX customer_by_name ON customer" ..
             "(c_w_id, c_d_id, c_last, c_first)")
   con:query("CREATE INDEX orders_by_customer ON orders" ..
             "(o_w_id, o_d_id, o_c_id, o_id)")
end

-- Each thread loads every threads-th warehouse; `tables` comes before it.
local function load_all()
   local con = sysbench.sql.driver():connect()

   if sysbench.tid % sysbench.opt.threads == 0 then load_items(con) end
   for w = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.warehouses,
       sysbench.opt.threads do
      load_warehouse(con, w)
   end
end

function cleanup()
   local con = sysbench.sql.driver():connect()
   for name in pairs(TABLES) do con:query("DROP TABLE IF EXISTS " .. name) end
end

sysbench.cmdline.commands = {
   tables = {function() create(sysbench.sql.driver():connect()) end},
   prepare = {load_all, sysbench.cmdline.PARALLEL_COMMAND},
}

-- ---------------------------------------------------------------------------
-- Transactions

local con

local function query(...) return con:query(format(...)) end
local function query_row(...) return con:query_row(format(...)) end

local function rows(...)
   local rs, all = query(...), {}
   for i = 1, rs.nrows do all[i] = rs:fetch_row() end
   return all
end

local function new_order(w)
   local d, c = random(1, DISTRICTS), nurand(1023, 259, 1, CUSTOMERS)
   local lines, all_local = random(5, 15), 1
   local item, supply, quantity = {}, {}, {}

   for i = 1, lines do
      item[i], supply[i] = nurand(8191, 7911, 1, ITEMS), w
      quantity[i] = random(1, 10)
      if random(1, 100) == 1 and sysbench.opt.warehouses > 1 then
         supply[i], all_local = w % sysbench.opt.warehouses + 1, 0
      end
   end
   if random(1, 100) == 1 then item[lines] = ITEMS + 1 end

   con:query("BEGIN")
   query_row("SELECT c_discount, c_last, c_credit, w_tax FROM customer, " ..
             "warehouse WHERE w_id = %d AND c_w_id = w_id AND c_d_id = %d " ..
             "AND c_id = %d", w, d, c)
   local order = query_row("SELECT d_next_o_id, d_tax FROM district " ..
                           "WHERE d_w_id = %d AND d_id = %d FOR UPDATE", w, d)
   query("UPDATE district SET d_next_o_id = %d WHERE d_id = %d " ..
         "AND d_w_id = %d", order + 1, d, w)
   query("INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, " ..
         "o_ol_cnt, o_all_local) VALUES (%d,%d,%d,%d,NOW(),%d,%d)", order, d, w,
         c, lines, all_local)
   query("INSERT INTO new_order (no_o_id, no_d_id, no_w_id) " ..
         "VALUES (%d,%d,%d)", order, d, w)
   for i = 1, lines do
      local price = query_row("SELECT i_price, i_name, i_data FROM item " ..
                              "WHERE i_id = %d", item[i])
      if price == nil then
         con:query("ROLLBACK")
         return
      end
      local stock, _, dist = query_row(
         "SELECT s_quantity, s_data, s_dist_%02d FROM stock " ..
         "WHERE s_i_id = %d AND s_w_id = %d FOR UPDATE", d, item[i], supply[i])
      stock = tonumber(stock)
      stock = stock - quantity[i] + (stock >= quantity[i] + 10 and 0 or 91)
      query("UPDATE stock SET s_quantity = %d, s_ytd = s_ytd + %d, " ..
            "s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + %d " ..
            "WHERE s_i_id = %d AND s_w_id = %d", stock, quantity[i],
            supply[i] == w and 0 or 1, item[i], supply[i])
      query("INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, " ..
            "ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) " ..
            "VALUES (%d,%d,%d,%d,%d,%d,%d,%.2f,'%s')", order, d, w, i, item[i],
            supply[i], quantity[i], quantity[i] * price, dist)
   end
   con:query("COMMIT")
end

-- The customer, by last name in 60 % of the cases.
local function some_customer(w, d)
   if random(1, 100) > 60 then return nurand(1023, 259, 1, CUSTOMERS) end
   local named = rows("SELECT c_id FROM customer WHERE c_w_id = %d " ..
                      "AND c_d_id = %d AND c_last = '%s' ORDER BY c_first", w, d,
                      last_name(nurand(255, 100, 0, 999)))
   return tonumber(named[math.ceil(#named / 2)][1])
end

local function payment(w)
   local d, c_w = random(1, DISTRICTS), w
   local c_d, amount = d, random(100, 500000) / 100

   if random(1, 100) > 85 and sysbench.opt.warehouses > 1 then
      c_w, c_d = w % sysbench.opt.warehouses + 1, random(1, DISTRICTS)
   end
   con:query("BEGIN")
   query("UPDATE warehouse SET w_ytd = w_ytd + %.2f WHERE w_id = %d", amount, w)
   local _, _, _, _, _, w_name = query_row(
      "SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name " ..
      "FROM warehouse WHERE w_id = %d", w)
   query("UPDATE district SET d_ytd = d_ytd + %.2f WHERE d_w_id = %d " ..
         "AND d_id = %d", amount, w, d)
   local _, _, _, _, _, d_name = query_row(
      "SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name " ..
      "FROM district WHERE d_w_id = %d AND d_id = %d", w, d)
   local c = some_customer(c_w, c_d)
   local credit = query_row(
      "SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, " ..
      "c_city, c_state, c_zip, c_phone, c_credit_lim, c_discount, c_balance, " ..
      "c_since FROM customer WHERE c_w_id = %d AND c_d_id = %d " ..
      "AND c_id = %d FOR UPDATE", c_w, c_d, c)
   if credit == "BC" then
      local old = query_row("SELECT c_data FROM customer WHERE c_w_id = %d " ..
                            "AND c_d_id = %d AND c_id = %d", c_w, c_d, c)
      local new = format("%d %d %d %d %d %.2f|%s", c, c_d, c_w, d, w, amount,
                         old):sub(1, 500)
      query("UPDATE customer SET c_balance = c_balance - %.2f, " ..
            "c_ytd_payment = c_ytd_payment + %.2f, " ..
            "c_payment_cnt = c_payment_cnt + 1, c_data = '%s' " ..
            "WHERE c_w_id = %d AND c_d_id = %d AND c_id = %d", amount, amount,
            new, c_w, c_d, c)
   else
      query("UPDATE customer SET c_balance = c_balance - %.2f, " ..
            "c_ytd_payment = c_ytd_payment + %.2f, " ..
            "c_payment_cnt = c_payment_cnt + 1 " ..
            "WHERE c_w_id = %d AND c_d_id = %d AND c_id = %d", amount, amount,
            c_w, c_d, c)
   end
   query("INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, " ..
         "h_date, h_amount, h_data) VALUES (%d,%d,%d,%d,%d,NOW(),%.2f,'%s')",
         c_d, c_w, c, d, w, amount, w_name .. "    " .. d_name)
   con:query("COMMIT")
end

local function order_status(w)
   local d = random(1, DISTRICTS)

   con:query("BEGIN")
   local c = some_customer(w, d)
   query_row("SELECT c_balance, c_first, c_middle, c_last FROM customer " ..
             "WHERE c_w_id = %d AND c_d_id = %d AND c_id = %d", w, d, c)
   local order = query_row(
      "SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id = %d " ..
      "AND o_d_id = %d AND o_c_id = %d ORDER BY o_id DESC LIMIT 1", w, d, c)
   if order then
      rows("SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, " ..
           "ol_delivery_d FROM order_line WHERE ol_w_id = %d " ..
           "AND ol_d_id = %d AND ol_o_id = %d", w, d, order)
   end
   con:query("COMMIT")
end

local function delivery(w)
   local carrier = random(1, 10)

   con:query("BEGIN")
   for d = 1, DISTRICTS do
      local order = query_row(
         "SELECT no_o_id FROM new_order WHERE no_w_id = %d AND no_d_id = %d " ..
         "ORDER BY no_o_id LIMIT 1 FOR UPDATE", w, d)
      if order then
         query("DELETE FROM new_order WHERE no_w_id = %d AND no_d_id = %d " ..
               "AND no_o_id = %d", w, d, order)
         local c = query_row("SELECT o_c_id FROM orders WHERE o_w_id = %d " ..
                             "AND o_d_id = %d AND o_id = %d", w, d, order)
         query("UPDATE orders SET o_carrier_id = %d WHERE o_w_id = %d " ..
               "AND o_d_id = %d AND o_id = %d", carrier, w, d, order)
         query("UPDATE order_line SET ol_delivery_d = NOW() " ..
               "WHERE ol_w_id = %d AND ol_d_id = %d AND ol_o_id = %d", w, d,
               order)
         local total = query_row(
            "SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = %d " ..
            "AND ol_d_id = %d AND ol_o_id = %d", w, d, order)
         query("UPDATE customer SET c_balance = c_balance + %s, " ..
               "c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = %d " ..
               "AND c_d_id = %d AND c_id = %d", total, w, d, c)
      end
   end
   con:query("COMMIT")
end

local function stock_level(w)
   local d = random(1, DISTRICTS)

   con:query("BEGIN")
   local after = query_row("SELECT d_next_o_id FROM district " ..
                           "WHERE d_w_id = %d AND d_id = %d", w, d)
   query_row("SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock " ..
             "WHERE ol_w_id = %d AND ol_d_id = %d AND ol_o_id < %d " ..
             "AND ol_o_id >= %d AND s_w_id = %d AND s_i_id = ol_i_id " ..
             "AND s_quantity < %d", w, d, after, after - 20, w, random(10, 20))
   con:query("COMMIT")
end

function thread_init() con = sysbench.sql.driver():connect() end

-- The shares of a deck of 23 cards.
function event()
   local w, x = random(1, sysbench.opt.warehouses), random(1, 23)

   if x <= 10 then new_order(w)
   elseif x <= 20 then payment(w)
   elseif x == 21 then order_status(w)
   elseif x == 22 then delivery(w)
   else stock_level(w)
   end
end

function thread_done() con:disconnect() end
