-- The tables of the ycsb workload: prepare, check, cleanup, and the inserts of
-- all runs.
--
-- bench_ycsb has one row: how the table was made. bench_ycsb_runs has a row for
-- each process of a run that inserts.

local load = require("bench_load")
local own = require("bench_own")
local schema = require("bench_schema")
local store = require("bench_store")
local print = load.say

local format = string.format
local tables = {}

-- `run` refuses tables of another version.
tables.VERSION = 1

-- Inserts of a run whose end is unknown: at most.
local BLOCK = 2 ^ 40

local OWN, RUNS = "bench_ycsb", "bench_ycsb_runs"

local OWN_TABLE = [[
CREATE TABLE bench_ycsb(
  version INTEGER NOT NULL PRIMARY KEY,
  seed BIGINT NOT NULL,
  records BIGINT NOT NULL,
  fields INTEGER NOT NULL,
  length INTEGER NOT NULL,
  int_keys INTEGER NOT NULL,
  ordered INTEGER NOT NULL
)]]

-- begun < 0: the process has not ended in order.
local RUNS_TABLE = [[
CREATE TABLE bench_ycsb_runs(
  run INTEGER NOT NULL,
  part INTEGER NOT NULL,
  first BIGINT NOT NULL,
  stride INTEGER NOT NULL,
  readable BIGINT NOT NULL,
  acknowledged BIGINT NOT NULL,
  begun BIGINT NOT NULL,
  PRIMARY KEY (run, part)
)]]

local SET = {workload = "ycsb", also = "^field%d+$", names = {"usertable", OWN, RUNS},
             inner = {[OWN] = true, [RUNS] = true}}

function SET.columns(name)
   if name == "usertable" then return {"ycsb_key", "field0"} end
   return own.columns_in((name == OWN and OWN_TABLE or RUNS_TABLE):match("%((.*)%)"))
end

local SETTINGS = {"version", "seed", "records", "fields", "length", "int_keys",
                  "ordered"}

function SET.seed() return tables.wanted().seed end

local function is_null(drv) return drv:name() == "null" end

local function engine(drv)
   if drv:name() ~= "mysql" then return "" end
   return " ENGINE = " .. sysbench.opt.mysql_storage_engine
end

-- ---- How the tables were made

-- The settings of the options; records 0: as they are.
function tables.wanted()
   local opt = sysbench.opt
   local seed = opt.rand_seed ~= 0 and opt.rand_seed or 42

   return {version = tables.VERSION, seed = seed % 2 ^ 53,
           records = opt.records, fields = opt.fields,
           length = opt.field_length, int_keys = opt.key == "int" and 1 or 0,
           ordered = opt.order == "ordered" and 1 or 0}
end

local DEFAULTS = {records = 1000, fields = 10, length = 100,
                  int_keys = 0, ordered = 0}
local OPTION_OF = {seed = "--rand-seed", records = "--records",
                   fields = "--fields", length = "--field-length",
                   int_keys = "--key", ordered = "--order"}
local WORDS = {int_keys = {[0] = "string", "int"},
               ordered = {[0] = "hashed", "ordered"}}

local function word(name, value)
   return WORDS[name] and WORDS[name][value] or format("%.0f", value)
end

-- Nil, or why the settings do not fit the wanted ones.
local function misfit(settings, names, wanted)

   local why = schema.misfit(settings, tables.VERSION)
   if why then return why end
   for _, name in ipairs(names) do
      if settings[name] ~= wanted[name] then
         return format("the tables were made with %s=%s, not %s",
                       OPTION_OF[name], word(name, settings[name]),
                       word(name, wanted[name]))
      end
   end
end

-- The settings of prepare.
local function fresh()
   local settings = tables.wanted()

   if settings.records == 0 then settings.records = DEFAULTS.records end
   return settings
end

local function stored(drv, con)
   return schema.read_row(drv, con, OWN, SETTINGS)
end

-- How the tables were made.  Options other than their defaults must agree.
function tables.settings(drv, con)
   if is_null(drv) then return fresh() end
   local settings, why = stored(drv, con)
   local wanted, given = tables.wanted(), {}

   for name, default in pairs(DEFAULTS) do
      if wanted[name] ~= default and wanted[name] ~= 0 then
         table.insert(given, name)
      end
   end
   table.sort(given)
   why = why or misfit(settings, given, wanted)
   if why then error("ycsb: " .. why, 0) end
   return settings
end

-- ---- prepare and cleanup

local function table_statement(drv, name, settings)
   local lines = {}

   for i = 1, settings.fields do
      lines[i] = format("  field%d VARCHAR(%d),\n", i - 1, settings.length)
   end
   return format("CREATE TABLE %s(\n  ycsb_key %s NOT NULL,\n%s" ..
                 "  PRIMARY KEY (ycsb_key)\n)%s %s", name,
                 settings.int_keys == 1 and "BIGINT" or "VARCHAR(23)",
                 table.concat(lines), engine(drv),
                 sysbench.opt.create_table_options)
end

local function create_own(drv, con, settings)
   if is_null(drv) then return end
   local values = {}
   for i, name in ipairs(SETTINGS) do
      values[i] = format("%.0f", settings[name])
   end
   for _, name in ipairs({OWN, RUNS}) do
      if schema.has_table(drv, con, name) then con:query("DROP TABLE " .. name) end
   end
   con:query(OWN_TABLE .. engine(drv))
   own.made(OWN)
   con:query(RUNS_TABLE .. engine(drv))
   own.made(RUNS)
   con:query(format("INSERT INTO %s VALUES (%s)", OWN,
                    table.concat(values, ", ")))
end

local function create(drv, con, name, settings)
   if sysbench.opt.table_exists == "resume" and
      schema.has_table(drv, con, name) then
      local found, why = stored(drv, con)
      why = why or misfit(found, {"seed", "records", "fields", "length",
                                  "int_keys", "ordered"}, settings)
      if why then error("--table-exists=resume is not possible: " .. why, 0) end
      print(format("Resuming table '%s'...", name))
      return load.RESUME
   end
   local statement = table_statement(drv, name, settings)
   if not own.make_way(drv, con, SET, name, statement) then return load.LEAVE end
   print(format("Creating table '%s'...", name))
   con:query(statement)
   own.made(name)
   create_own(drv, con, settings)
   print(format("Inserting %.0f records into '%s'", settings.records, name))
   return load.FRESH
end

local function finish(drv, con, name)
   if sysbench.opt.load_analyze then schema.analyze(drv, con, name) end
end

local UNIT = {"records", "record", "records", 1, 2 ^ 40}

local function kind(settings)
   return {records = settings.records, fields = settings.fields,
           length = settings.length, int_keys = settings.int_keys,
           ordered = settings.ordered}
end

local function fit(drv, loud)
   load.fit(drv, "ycsb", kind(tables.wanted()), UNIT, loud)
end

function tables.begin()
   fit(sysbench.sql.driver(), true)
   own.prepare(SET)
end

function tables.failed() own.undo(SET) end

function tables.prepare(drv, con)
   fit(drv)
   local s = fresh()

   schema.load_session(drv, con)
   load.run_kind(con, "ycsb", kind(s), {
      create = function(name) return create(drv, con, name, s) end,
      finish = function(name) finish(drv, con, name) end,
   })
end

function tables.cleanup(drv, con) own.cleanup(drv, con, SET) end

-- ---- The inserts of all runs

-- Opens the model of this process: the rows of prepare and of earlier runs.
-- Returns the inserts of all runs: rows of bench_ycsb_runs.
function tables.open_model(drv, con, settings, workload, choice, exponent)
   local setup = ffi.new("bench_ycsb_setup", {
      seed = settings.seed, records = settings.records,
      fields = settings.fields, length = settings.length,
      int_keys = settings.int_keys, ordered = settings.ordered,
      choice = choice, exponent = exponent,
      workload = workload:byte()})
   local runs = {}

   if not ffi.C.bench_ycsb_open(setup) then
      error("ycsb: not enough memory, or the table " .. OWN .. " is wrong", 0)
   end
   if is_null(drv) then return runs end
   local rs = con:query("SELECT run, first, stride, readable, acknowledged, " ..
                        "begun FROM " .. RUNS .. " ORDER BY run, part")
   for _ = 1, rs.nrows do
      local row = rs:fetch_row()
      for i = 1, 6 do row[i] = tonumber(row[i]) end
      local run = {run = row[1], first = row[2], stride = row[3],
                   readable = row[4], acknowledged = row[5], begun = row[6]}
      run.open = run.begun < 0
      if not ffi.C.bench_ycsb_extent(
            run.first, run.stride, run.readable, run.acknowledged,
            run.open and BLOCK / run.stride or run.begun) then
         error("ycsb: not enough memory, or the table " .. RUNS .. " is wrong",
               0)
      end
      table.insert(runs, run)
   end
   return runs
end

-- Numbers after those of all rows, and of all runs.
local function next_free(settings, runs)
   local base, number = settings.records + 1, 1

   for _, run in ipairs(runs) do
      local size = run.open and BLOCK or run.begun * run.stride
      base = math.max(base, run.first + size)
      number = math.max(number, run.run + 1)
   end
   return base, number
end

-- Notes that a run has begun, for all its processes.
local function note_run(con, number, base, ranks)
   for part = 0, ranks - 1 do
      con:query(format(
         "INSERT INTO %s (run, part, first, stride, readable, acknowledged, " ..
         "begun) VALUES (%d, %d, %.0f, %d, 0, 0, -1)", RUNS, number, part,
         base + part, ranks))
   end
end

-- The rows of this process are every n-th of the run.  Returns a function that
-- notes the inserts when the run has ended.
function tables.begin_inserts(drv, con, settings, runs)
   if is_null(drv) then return function() end end
   local rank = ffi.new("double[1]")
   local ranks = ffi.C.bench_ranks(rank)
   local base, number = next_free(settings, runs)
   local ok, why = true, nil

   rank = rank[0]
   if rank == 0 then
      ok, why = pcall(note_run, con, number, base, ranks)
   end
   -- a failure
   base = ffi.C.bench_agree(ok and base or 0)
   number = ffi.C.bench_agree(number)
   if not ok then error(why, 0) end
   if base < 1 or number < 0 then
      error("ycsb: another process has given up", 0)
   end
   ffi.C.bench_ycsb_own(base + rank, ranks)

   return function()
      local begun, readable = ffi.new("double[1]"), ffi.new("double[1]")
      local acknowledged = ffi.C.bench_ycsb_inserts(begun, readable)
      store.sums(drv, store.connector(drv), RUNS, {format(
         "UPDATE %s SET readable = %.0f, acknowledged = %.0f, begun = %.0f " ..
         "WHERE run = %d AND part = %d", RUNS, readable[0], acknowledged,
         begun[0], number, rank)})
   end
end

-- ---- check

-- All parts of the table are of the same moment.
local SNAPSHOT = {
   pgsql = {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"},
   sqlite = {"BEGIN"},
   mysql = {"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            "START TRANSACTION WITH CONSISTENT SNAPSHOT"},
}

local function report(what, fault, otherwise)
   print(format("Checking %s... %s", what, fault or otherwise or "ok"))
   return fault == nil
end

local function sum(runs, key)
   local total = 0
   for _, run in ipairs(runs) do
      if not run.open then total = total + run[key] end
   end
   return total
end

local function read_table(con, rows_expected)
   local rows, inserted = ffi.new("double[1]"), ffi.new("double[1]")
   local text = ffi.new("const char *[1]")
   local pace = ffi.C.bench_pace_open(false, rows_expected)
   local rc = ffi.C.bench_ycsb_check(con, pace, rows, inserted, text)
   local words = ffi.string(text[0])

   if rc < 0 then error(words, 0) end
   return words ~= "" and words or nil, rows[0], inserted[0]
end

-- Words about the number of inserted rows, its fault, and other remarks.
local function count_inserts(runs, inserted)
   local acknowledged, begun = sum(runs, "acknowledged"), sum(runs, "begun")
   local open = 0

   for _, run in ipairs(runs) do if run.open then open = open + 1 end end
   local words = format("inserts of all runs (%.0f acknowledged, %.0f not, " ..
                        "the table has %.0f)", acknowledged,
                        begun - acknowledged, inserted)
   if open > 0 then
      words = words .. format(", without %d process%s that %s not ended in " ..
         "order", open, open == 1 and "" or "es", open == 1 and "has" or "have")
   end
   if inserted < acknowledged then
      return words, format("%.0f are LOST", acknowledged - inserted)
   elseif inserted > begun and open == 0 then
      return words, format("%.0f were never inserted by a run",
                           inserted - begun)
   end
   return words, nil, open > 0 and "cannot tell" or nil
end

function tables.check(drv, con)
   if is_null(drv) then
      error("there is nothing to check: the null driver keeps no tables", 0)
   end
   local settings = tables.settings(drv, con)
   if not schema.has_table(drv, con, "usertable") then
      return report("table 'usertable'", "it does not exist")
   end
   for _, statement in ipairs(SNAPSHOT[drv:name()]) do con:query(statement) end
   local runs = tables.open_model(drv, con, settings, "a", 0, 0)
   local fault, rows, inserted = read_table(
      con, settings.records + sum(runs, "acknowledged"))
   con:query("ROLLBACK")

   local good = report(format("table 'usertable', %.0f rows", rows), fault)
   return report(count_inserts(runs, inserted)) and good
end

return tables
