#!/usr/bin/env bench
-- One event: a read by a secondary index, whose result is compared with the
-- rows that prepare loaded. `check` proves that all rows are there, and that the
-- index agrees with the table.
-- Example: --dsn=mysql://db1/sbtest --threads=8 --time=60 run

local ffi = require("ffi")

local checked = require("bench_checked")
local index = require("bench_index")
local options = require("bench_options")
local schema = require("bench_schema")

local INT, STRING = sysbench.cmdline.ARG_INT, sysbench.cmdline.ARG_STRING
local QUERIES = {"point", "range", "covered", "inlist", "hot_points"}
local WORDS = {unpack(QUERIES)}
table.insert(WORDS, "all")
local KEYS, PER_KEY, SEED, MOST = 10000, 10, 1, 100000000
local LIST_MOST = 1000

checked.options({
   keys = {"values of the indexed column; 0 = 10000 for prepare, otherwise " ..
           "the number in the table", 0, INT, options.within(0, MOST)},
   rows_per_key = {"rows of each value; 0 = 10 for prepare, otherwise the " ..
                   "number in the table", 0, INT, options.within(0, 1000)},
   data_seed = {"rows are a function of this number and the key; 0 = 1 for " ..
                "prepare, otherwise that of the table", 0, INT,
                options.within(0, 1000000000)},
   query = {"what an event reads {" .. table.concat(WORDS, ",") .. "}: the " ..
            "rows of one value, of a range, of a range from the index alone, " ..
            "of a list, of the same list each time, or any of these", "all",
            STRING, options.one_of(WORDS)},
   range_size = {"values of range and covered", 10, INT,
                 options.within(1, LIST_MOST)},
   in_size = {"values of inlist and hot_points", 10, INT,
              options.within(1, LIST_MOST)},
})

local INDEX = {"secondary_k", "k, v"}

local spec = {
   name = "secondary", version = 1, table = "bench_secondary",
   kind = "secondary", unit = "key",
   settings = {{"key_count", "keys", KEYS}, {"per_key", "rows_per_key", PER_KEY},
               {"data_seed", "data_seed", SEED}},
   names = {"secondary_rows"},
   columns = {secondary_rows = "id $key, k INTEGER NOT NULL, " ..
                 "v INTEGER NOT NULL, c VARCHAR(64) NOT NULL"},
   indexes = {secondary_rows = {INDEX}},
   works = {}, -- a run only reads
   rows = function(settings) return settings.key_count * settings.per_key end,
}

-- ---- check

checked.commands(spec, function(drv, con, settings)
   local of = {name = "secondary_rows", sums = {"k", "v"}, outside = "id",
               highest = settings.key_count}
   local faults = {}

   checked.rows(con, faults, spec, settings, 1, "")
   local good = checked.report("table 'secondary_rows'", faults)
   if not index.exists(drv, con, of, INDEX) then
      return checked.report("index 'secondary_k'", {"it does not exist"})
   end
   schema.begin_snapshot(drv, con)
   -- A foreign value is above the highest, too.
   of.highest = math.max(of.highest, (checked.numbers(
      con, "SELECT COALESCE(MAX(k), 0) FROM secondary_rows")))
   good = index.check(drv, con, of, INDEX) and good
   con:query("ROLLBACK")
   return good
end)

-- ---- A run, in its main state

function init()
   local drv, con = checked.connect()

   checked.settings(drv, con, spec)
   if drv:name() ~= "null" and
      not index.exists(drv, con, {name = "secondary_rows"}, INDEX) then
      error("secondary: secondary_rows has no index secondary_k; use prepare " ..
            "with --table-exists=resume", 0)
   end
end

-- A result that differs ends the run without a report.
function sysbench.hooks.report_append(stat)
   local results = stat.counters["results compared"] or 0
   local rows = stat.counters["rows compared"] or 0

   if sysbench.opt.db_driver == "null" then
      return "\nResults compared: the null driver has no tables\n"
   end
   return string.format("\nResults compared with what was loaded: %.0f, with " ..
                        "%.0f rows: ok\n", results, rows),
      {compared = {results = results, rows = rows}}
end

-- ---- Clients

local draw, uniform = sysbench.rand.default, sysbench.rand.uniform
local settings, statement, params, range_size, in_size
local keeps_rows -- false for the null driver
local results_compared, rows_compared
local sum_of_v = ffi.new("double[1]")

local LIST = "SELECT k, id, c FROM secondary_rows WHERE k IN (%s)"
local TEXTS = {
   point = "SELECT k, id, c FROM secondary_rows WHERE k = ?",
   range = "SELECT k, id, c FROM secondary_rows WHERE k BETWEEN ? AND ?",
   covered = "SELECT k, v FROM secondary_rows WHERE k BETWEEN ? AND ?",
   inlist = LIST, hot_points = LIST,
}

local function prepare_query(con, query)
   local places = string.rep("?, ", in_size - 1) .. "?"
   local text = TEXTS[query]:format(places)
   local _, n = text:gsub("%?", "")

   statement[query] = con:prepare(text, query)
   params[query] = {}
   for i = 1, n do
      params[query][i] = statement[query]:bind_create(sysbench.sql.type.INT)
   end
   statement[query]:bind_param(unpack(params[query]))
end

function thread_init()
   local drv, con = checked.connect()
   local wish = sysbench.opt.query

   settings = checked.settings(drv, con, spec)
   keeps_rows = drv:name() ~= "null"
   range_size = math.min(sysbench.opt.range_size, settings.key_count)
   in_size = math.min(sysbench.opt.in_size, settings.key_count)
   results_compared = sysbench.counter.new("results compared")
   rows_compared = sysbench.counter.new("rows compared")
   statement, params = {}, {}
   for _, query in ipairs(QUERIES) do
      if wish == query or wish == "all" then prepare_query(con, query) end
   end
end

local function differs(query, k, words, ...)
   error(string.format("secondary: table secondary_rows, k %.0f: %s: " .. words,
                       k, query, ...), 0)
end

-- Compares the rows of one value: number, and sum of ids, or of v for
-- `covered`.
local function compare(query, k, rows, sum)
   local ids = ffi.C.bench_secondary_sums(
      settings.data_seed, settings.key_count, settings.per_key, k, sum_of_v)
   local column, right = "id", ids

   if query == "covered" then column, right = "v", sum_of_v[0] end
   if rows ~= settings.per_key then
      differs(query, k, "%.0f row%s, %.0f were loaded", rows,
              rows == 1 and "" or "s", settings.per_key)
   elseif sum ~= right then
      differs(query, k, "sum of %s is %.0f, that of the loaded rows is %.0f",
              column, sum, right)
   end
end

-- `asked`: the values, perhaps repeated.
local function judge(query, rs, asked)
   local rows, sums = {}, {}

   results_compared:add(1)
   rows_compared:add(rs.nrows)
   for _, k in ipairs(asked) do rows[k], sums[k] = 0, 0 end
   for _ = 1, rs.nrows do
      local row = rs:fetch_row()
      local k = tonumber(row[1])
      if not rows[k] then differs(query, k, "the query did not ask for it") end
      rows[k], sums[k] = rows[k] + 1, sums[k] + tonumber(row[2])
   end
   for k, n in pairs(rows) do compare(query, k, n, sums[k]) end
end

local function list(n, value)
   local asked = {}
   for i = 1, n do asked[i] = value(i) end
   return asked
end

-- Each returns the values asked for.
local choose = {}

function choose.point() return {draw(1, settings.key_count)} end

function choose.range()
   local first = draw(1, settings.key_count - range_size + 1)
   return list(range_size, function(i) return first + i - 1 end)
end

choose.covered = choose.range

function choose.inlist()
   return list(in_size, function() return draw(1, settings.key_count) end)
end

-- The same values for all clients, spread over the index.
function choose.hot_points()
   return list(in_size, function(i)
      return 1 + math.floor((i - 1) * settings.key_count / in_size)
   end)
end

function event()
   local query = sysbench.opt.query

   if query == "all" then query = QUERIES[uniform(1, #QUERIES)] end
   local asked, p = choose[query](), params[query]
   if query == "range" or query == "covered" then
      p[1]:set(asked[1])
      p[2]:set(asked[#asked])
   else
      for i, k in ipairs(asked) do p[i]:set(k) end
   end
   local rs = statement[query]:execute()
   if keeps_rows then judge(query, rs, asked) end
end
