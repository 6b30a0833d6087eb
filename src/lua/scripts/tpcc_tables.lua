-- The tables of the tpcc workload, and its commands prepare and cleanup.  The
-- table bench_tpcc has one row: how the others were made, and what all runs
-- have committed (tpcc_ledger).

local ledger = require("tpcc_ledger")
local load = require("bench_load")
local model = require("tpcc_model")
local own = require("bench_own")
local schema = require("bench_schema")
local print = load.say

local tables = {}

-- `run` refuses tables of another version.
tables.VERSION = 2

local TYPES = {
   sqlite = {["$money"] = "INTEGER", ["$price"] = "INTEGER",
             ["$rate"] = "INTEGER", ["$moment"] = "TEXT"},
   pgsql = {["$money"] = "DECIMAL(12,2)", ["$price"] = "DECIMAL(6,2)",
            ["$rate"] = "DECIMAL(4,4)", ["$moment"] = "TIMESTAMP"},
   other = {["$money"] = "DECIMAL(12,2)", ["$price"] = "DECIMAL(6,2)",
            ["$rate"] = "DECIMAL(4,4)", ["$moment"] = "DATETIME"},
}

local ADDRESS = [[
  $street_1 VARCHAR(20) NOT NULL,
  $street_2 VARCHAR(20) NOT NULL,
  $city VARCHAR(20) NOT NULL,
  $state CHAR(2) NOT NULL,
  $zip CHAR(9) NOT NULL]]

local function address(prefix) return (ADDRESS:gsub("%$(%w+)", prefix .. "%1")) end

local DISTS = {}
for d = 1, 10 do
   DISTS[d] = string.format("  s_dist_%02d CHAR(24) NOT NULL,", d)
end

-- table -> its columns, in the order of the loader (src/db/load/kinds/tpcc.c)
local COLUMNS = {
   warehouse = [[
  w_id INTEGER NOT NULL,
  w_name VARCHAR(10) NOT NULL,
]] .. address("w_") .. [[,
  w_tax $rate NOT NULL,
  w_ytd $money NOT NULL,
  PRIMARY KEY (w_id)]],
   district = [[
  d_id INTEGER NOT NULL,
  d_w_id INTEGER NOT NULL,
  d_name VARCHAR(10) NOT NULL,
]] .. address("d_") .. [[,
  d_tax $rate NOT NULL,
  d_ytd $money NOT NULL,
  d_next_o_id INTEGER NOT NULL,
  PRIMARY KEY (d_w_id, d_id)]],
   customer = [[
  c_id INTEGER NOT NULL,
  c_d_id INTEGER NOT NULL,
  c_w_id INTEGER NOT NULL,
  c_first VARCHAR(16) NOT NULL,
  c_middle CHAR(2) NOT NULL,
  c_last VARCHAR(16) NOT NULL,
]] .. address("c_") .. [[,
  c_phone CHAR(16) NOT NULL,
  c_since $moment NOT NULL,
  c_credit CHAR(2) NOT NULL,
  c_credit_lim $money NOT NULL,
  c_discount $rate NOT NULL,
  c_balance $money NOT NULL,
  c_ytd_payment $money NOT NULL,
  c_payment_cnt INTEGER NOT NULL,
  c_delivery_cnt INTEGER NOT NULL,
  c_data VARCHAR(500) NOT NULL,
  PRIMARY KEY (c_w_id, c_d_id, c_id)]],
   history = [[
  h_c_id INTEGER NOT NULL,
  h_c_d_id INTEGER NOT NULL,
  h_c_w_id INTEGER NOT NULL,
  h_d_id INTEGER NOT NULL,
  h_w_id INTEGER NOT NULL,
  h_date $moment NOT NULL,
  h_amount $price NOT NULL,
  h_data VARCHAR(24) NOT NULL]],
   new_order = [[
  no_o_id INTEGER NOT NULL,
  no_d_id INTEGER NOT NULL,
  no_w_id INTEGER NOT NULL,
  PRIMARY KEY (no_w_id, no_d_id, no_o_id)]],
   orders = [[
  o_id INTEGER NOT NULL,
  o_d_id INTEGER NOT NULL,
  o_w_id INTEGER NOT NULL,
  o_c_id INTEGER NOT NULL,
  o_entry_d $moment NOT NULL,
  o_carrier_id INTEGER,
  o_ol_cnt INTEGER NOT NULL,
  o_all_local INTEGER NOT NULL,
  PRIMARY KEY (o_w_id, o_d_id, o_id)]],
   order_line = [[
  ol_o_id INTEGER NOT NULL,
  ol_d_id INTEGER NOT NULL,
  ol_w_id INTEGER NOT NULL,
  ol_number INTEGER NOT NULL,
  ol_i_id INTEGER NOT NULL,
  ol_supply_w_id INTEGER NOT NULL,
  ol_delivery_d $moment,
  ol_quantity INTEGER NOT NULL,
  ol_amount $price NOT NULL,
  ol_dist_info CHAR(24) NOT NULL,
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)]],
   item = [[
  i_id INTEGER NOT NULL,
  i_im_id INTEGER NOT NULL,
  i_name VARCHAR(24) NOT NULL,
  i_price $price NOT NULL,
  i_data VARCHAR(50) NOT NULL,
  PRIMARY KEY (i_id)]],
   stock = [[
  s_i_id INTEGER NOT NULL,
  s_w_id INTEGER NOT NULL,
  s_quantity INTEGER NOT NULL,
]] .. table.concat(DISTS, "\n") .. [[

  s_ytd INTEGER NOT NULL,
  s_order_cnt INTEGER NOT NULL,
  s_remote_cnt INTEGER NOT NULL,
  s_data VARCHAR(50) NOT NULL,
  PRIMARY KEY (s_w_id, s_i_id)]],
}

-- In the order of the loader, the largest first.
tables.names = {"order_line", "stock", "customer", "history", "orders",
                "new_order", "item", "district", "warehouse"}

-- table -> an index and its columns
local INDEXES = {
   customer = {"customer_by_name", "c_w_id, c_d_id, c_last, c_first"},
   orders = {"orders_by_customer", "o_w_id, o_d_id, o_c_id, o_id"},
}

local OWN_TABLE = [[
CREATE TABLE bench_tpcc(
  version INTEGER NOT NULL PRIMARY KEY,
  seed BIGINT NOT NULL,
  warehouses INTEGER NOT NULL,
  districts INTEGER NOT NULL,
  customers INTEGER NOT NULL,
  items INTEGER NOT NULL,
  c_load INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  open_runs INTEGER NOT NULL,
  committed BIGINT NOT NULL,
  unknown BIGINT NOT NULL,
  made_at $moment NOT NULL,
  made_with VARCHAR(1000) NOT NULL
)]]

local SET = {workload = "tpcc", also = "^h_id$", names = {unpack(tables.names)},
             inner = {bench_tpcc = true, [ledger.TABLE] = true}}

table.insert(SET.names, "bench_tpcc")
table.insert(SET.names, ledger.TABLE)

function SET.columns(name)
   return own.columns_in(COLUMNS[name] or name == "bench_tpcc" and
      OWN_TABLE:match("%((.*)%)") or ledger.COLUMNS)
end

local function is_mysql(drv)
   return drv:name() ~= "pgsql" and drv:name() ~= "sqlite"
end

local function types_of(drv) return TYPES[drv:name()] or TYPES.other end

-- The standard has no primary key for the history, but some servers demand one.
local function columns_of(drv, name)
   local columns = COLUMNS[name]:gsub("%$%w+", types_of(drv))

   if name == "history" and sysbench.opt.history_key then
      return "  h_id " .. schema.serial(drv) .. ",\n" .. columns
   end
   return columns
end

local function table_statement(drv, name)
   return string.format("CREATE TABLE %s(\n%s\n) %s %s", name,
                        columns_of(drv, name), schema.engine(drv),
                        sysbench.opt.create_table_options)
end

-- ---- The table bench_tpcc

local SETTINGS = {"version", "seed", "warehouses", "districts", "customers",
                  "items", "c_load", "runs", "open_runs", "committed",
                  "unknown"}

local function is_null(drv) return drv:name() == "null" end

-- How the tables were made, as numbers; nil and why not.  The null driver has
-- no tables: as the options say.
function tables.settings(drv, con, size)
   if is_null(drv) then
      local s = {runs = 1, open_runs = 0, committed = 0, unknown = 0}
      for key, value in pairs(size) do s[key] = value end
      return s
   end
   return schema.read_row(drv, con, "bench_tpcc", SETTINGS)
end

local OPTION_OF = {seed = "rand-seed", warehouses = "warehouses",
                   districts = "districts", customers = "customers",
                   items = "items"}

-- Nil, or why the tables do not fit the options.
function tables.misfit(settings, size, names)
   local why = schema.misfit(settings, tables.VERSION)
   if why then return why end
   for _, name in ipairs(names) do
      if settings[name] ~= size[name] then
         return string.format("the tables were made with --%s=%.0f, not %.0f",
                              OPTION_OF[name], settings[name], size[name])
      end
   end
end

-- The storage options of prepare, as a text without quotes.
local function made_with(drv)
   local opt, words = sysbench.opt, {"driver=" .. drv:name()}

   for _, name in ipairs({"load_method", "create_table_options"}) do
      if (opt[name] or "") ~= "" then
         table.insert(words, (name:gsub("_", "-")) .. "=" .. opt[name])
      end
   end
   if is_mysql(drv) then
      table.insert(words, "engine=" .. opt.mysql_storage_engine)
   end
   return (table.concat(words, " "):gsub("['\\\n]", " "):sub(1, 1000))
end

local function create_own(drv, con, size)
   if is_null(drv) then return end
   local types = types_of(drv)
   for name in pairs(SET.inner) do
      if schema.has_table(drv, con, name) then con:query("DROP TABLE " .. name) end
   end
   con:query((OWN_TABLE:gsub("%$%w+", types)) .. schema.engine(drv))
   own.made("bench_tpcc")
   con:query(string.format(
      "INSERT INTO bench_tpcc VALUES (%d, %.0f, %d, %d, %d, %d, %d, 0, 0, 0, " ..
      "0, CURRENT_TIMESTAMP, '%s')",
      tables.VERSION, size.seed, size.warehouses, size.districts,
      size.customers, size.items, size.c_load, made_with(drv)))
   con:query(string.format("CREATE TABLE %s(\n%s\n)%s", ledger.TABLE,
                           ledger.COLUMNS, schema.engine(drv)))
   own.made(ledger.TABLE)
end

function tables.made(con)
   return string.format("The tables were made at %s, with %s",
                        con:query_row("SELECT made_at, made_with FROM bench_tpcc"))
end

-- ---- prepare and cleanup

-- bench_tpcc is made after the first of the others, so that what runs have
-- committed is forgotten only together with the tables.
local function create(drv, con, size, name)
   if sysbench.opt.table_exists == "resume" and
      schema.has_table(drv, con, name) then
      local settings, why = tables.settings(drv, con, size)
      why = why or tables.misfit(settings, size, {"seed", "warehouses",
         "districts", "customers", "items"})
      if why then error("--table-exists=resume is not possible: " .. why, 0) end
      print(string.format("Resuming table '%s'...", name))
      return load.RESUME
   end
   local statement = table_statement(drv, name)
   if not own.make_way(drv, con, SET, name, statement) then return load.LEAVE end
   print(string.format("Creating table '%s'...", name))
   con:query(statement)
   own.made(name)
   if name == tables.names[1] then create_own(drv, con, size) end
   return load.FRESH
end

-- Calls found(index, name) for each missing index and its table.
function tables.each_missing_index(drv, con, found)
   for _, name in ipairs(tables.names) do
      local index = INDEXES[name]
      if index and not schema.has_index(drv, con, name, index[1]) then
         found(index[1], name)
      end
   end
end

local function finish(drv, con, name)
   local index = INDEXES[name]

   if index and not (sysbench.opt.table_exists == "resume" and
                     schema.has_index(drv, con, name, index[1])) then
      print(string.format("Creating an index on '%s'...", name))
      con:query(string.format("CREATE INDEX %s ON %s(%s)", index[1], name,
                              index[2]))
   end
   -- PostgreSQL would read all of the stock for a stock level
   if sysbench.opt.load_analyze or drv:name() == "pgsql" then
      schema.analyze(drv, con, name)
   end
end

-- The parameters of the loader's kind.
function tables.kind(drv, size)
   return {warehouses = size.warehouses, districts = size.districts,
           customers = size.customers, items = size.items,
           c_load = size.c_load, cents = drv:name() == "sqlite" and 1 or 0}
end

function tables.begin() own.prepare(SET) end

function tables.failed() own.undo(SET) end

function tables.prepare(drv, con, size)
   schema.load_session(drv, con)
   load.run_kind(con, "tpcc", tables.kind(drv, size), {
      create = function(name) return create(drv, con, size, name) end,
      finish = function(name) finish(drv, con, name) end,
   })
end

function tables.cleanup(drv, con) own.cleanup(drv, con, SET) end

return tables
