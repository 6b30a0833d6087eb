-- orders.lua - a shop: each event orders one article and takes it out of stock.
--
-- check proves that no order is lost and no article is sold twice: the stock and the
-- orders of each article add up to what prepare put there.

sysbench.cmdline.options = {
  articles = {"number of articles", 100},
  stock = {"stock of each article", 1000000},
}

local function connect()
  return sysbench.sql.driver():connect()
end

function prepare()
  local con = connect()
  con:query("CREATE TABLE shop_articles (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL)")
  con:query("CREATE TABLE shop_orders (article INTEGER NOT NULL, amount INTEGER NOT NULL)")
  con:bulk_insert_init("INSERT INTO shop_articles (id, stock) VALUES")
  for id = 1, sysbench.opt.articles do
    con:bulk_insert_next(("(%d, %d)"):format(id, sysbench.opt.stock))
  end
  con:bulk_insert_done()
end

function cleanup()
  local con = connect()
  con:query("DROP TABLE shop_orders")
  con:query("DROP TABLE shop_articles")
end

function thread_init()
  con = connect()
  local int = sysbench.sql.type.INT
  take = con:prepare("UPDATE shop_articles SET stock = stock - ? WHERE id = ?")
  take_amount, take_id = take:bind_create(int), take:bind_create(int)
  take:bind_param(take_amount, take_id)
  order = con:prepare("INSERT INTO shop_orders (article, amount) VALUES (?, ?)")
  order_id, order_amount = order:bind_create(int), order:bind_create(int)
  order:bind_param(order_id, order_amount)
end

-- A writer of SQLite waits at BEGIN IMMEDIATE instead of failing at its first change.
local begin = sysbench.sql.driver():name() == "sqlite" and "BEGIN IMMEDIATE" or "BEGIN"

function event()
  local id = sysbench.rand.default(1, sysbench.opt.articles)
  local amount = sysbench.rand.uniform(1, 5)
  con:query(begin)
  take_amount:set(amount)
  take_id:set(id)
  take:execute()
  order_id:set(id)
  order_amount:set(amount)
  order:execute()
  con:query("COMMIT")
end

local function check()
  local con = connect()
  local wrong = con:query([[
    SELECT a.id, a.stock, COALESCE(SUM(o.amount), 0) AS ordered
    FROM shop_articles a LEFT JOIN shop_orders o ON o.article = a.id
    GROUP BY a.id, a.stock
    HAVING a.stock + COALESCE(SUM(o.amount), 0) <> ]] .. sysbench.opt.stock)
  for _ = 1, wrong.nrows do
    local row = wrong:fetch_row()
    print(("article %s: stock %s, ordered %s, together not %d"):format(
      row[1], row[2], row[3], sysbench.opt.stock))
  end
  if wrong.nrows == 0 then
    print("every order is in the stock")
  end
  return wrong.nrows == 0 -- false: exit status 1
end

sysbench.cmdline.commands = {check = {check}}
