-- The tables of workloads with a check of their own: prepare, cleanup,
-- settings, and parts of `check`.  A `spec` describes the tables, in addition
-- to that of bench_ledger:
--
-- version: run refuses tables of another version
-- settings: list of {column, option, default}; an option of 0 is the default
-- for prepare, otherwise the setting of the tables
-- more [optional]: list of more columns of the workload's own table, which
-- begin with 0
-- names: the tables, in the order of the loader
-- columns: table -> its columns; $key is the type of a primary key, $serial of
-- one that the database numbers
-- types [optional]: driver or "other" -> more such names and types
-- indexes [optional]: table -> list of {index, columns}
-- kind [optional]: kind of tables of the loader, with parameters named like the
-- options; without it, the tables are empty
-- rows(settings) [with kind]: the rows that `check` compares
-- unit [optional]: singular word for the first setting, for --data-size
-- least(settings) [optional]: its lowest value

local ledger = require("bench_ledger")
local load = require("bench_load")
local options = require("bench_options")
local own = require("bench_own")
local schema = require("bench_schema")
local print = load.say

local format = string.format
local checked = {}

if not load.possible then
   error("this script needs functions that only bench has", 0)
end
if sysbench.cmdline.command == nil then
   error("a command is required, one of: prepare, check, run, cleanup, help", 0)
end

-- Common options of these workloads.
function checked.options(list)
   list.create_table_options = {"text appended to CREATE TABLE", "",
                                sysbench.cmdline.ARG_STRING}
   list.mysql_storage_engine = {"engine, MySQL only", "innodb",
                                sysbench.cmdline.ARG_STRING}
   sysbench.cmdline.options = list
end

checked.connect = schema.connect

-- ---- The row of the workload's own table

-- The settings of prepare.
local function wanted(spec)
   local opt, size = sysbench.opt, {version = spec.version}

   for _, s in ipairs(spec.settings) do
      local column, option, default = unpack(s)
      size[column] = opt[option] > 0 and opt[option] or default
   end
   return size
end

local function columns_of(spec)
   local columns = {"version", "runs", "open_runs"}

   for _, s in ipairs(spec.settings) do table.insert(columns, s[1]) end
   for _, work in ipairs(ledger.works(spec)) do
      for _, name in ipairs(ledger.columns(work)) do
         table.insert(columns, name)
      end
   end
   for name in pairs(spec.also or {}) do table.insert(columns, name) end
   for _, name in ipairs(spec.more or {}) do table.insert(columns, name) end
   return columns
end

local function create_own(drv, con, spec, size)
   local columns, types, values = columns_of(spec), {}, {}

   if drv:name() == "null" then return end
   for i, name in ipairs(columns) do
      types[i] = name .. " BIGINT NOT NULL" ..
         (i == 1 and " PRIMARY KEY" or "") -- some servers demand one
      values[i] = format("%.0f", size[name] or 0)
   end
   if schema.has_table(drv, con, spec.table) then
      con:query("DROP TABLE " .. spec.table)
   end
   con:query(format("CREATE TABLE %s(%s) %s", spec.table,
                    table.concat(types, ", "), schema.engine(drv)))
   own.made(spec.table)
   con:query(format("INSERT INTO %s(%s) VALUES (%s)", spec.table,
                    table.concat(columns, ", "), table.concat(values, ", ")))
end

-- The row of the table as numbers by column; nil and why not.  The null driver
-- has no tables: as the options say.
local function read_own(drv, con, spec)
   local columns = columns_of(spec)
   if drv:name() == "null" then
      local settings = wanted(spec)
      for _, name in ipairs(columns) do settings[name] = settings[name] or 0 end
      return settings
   end
   return schema.read_row(drv, con, spec.table, columns)
end

-- Nil, or why the tables do not fit the options.  `all`: a missing option means
-- its default.
local function misfit(spec, settings, all)
   local size = wanted(spec)

   local why = schema.misfit(settings, spec.version)
   if why then return why end
   for _, s in ipairs(spec.settings) do
      local column, option = s[1], s[2]
      if (all or sysbench.opt[option] > 0) and
         settings[column] ~= size[column] then
         return format("the tables were made with --%s=%.0f, not %.0f",
                       option:gsub("_", "-"), settings[column], size[column])
      end
   end
end

-- The settings of the tables, if they fit the options.
function checked.settings(drv, con, spec)
   local settings, why = read_own(drv, con, spec)

   why = why or misfit(spec, settings, false)
   if why then error(spec.name .. ": " .. why, 0) end
   return settings
end

-- ---- prepare and cleanup

local function table_statement(drv, spec, name)
   local types = {["$key"] = "INTEGER NOT NULL PRIMARY KEY",
                  ["$serial"] = schema.serial(drv)}
   local more = spec.types and (spec.types[drv:name()] or spec.types.other)

   for word, text in pairs(more or {}) do types["$" .. word] = text end
   local columns = spec.columns[name]:gsub("%$%w+", types)
   return format("CREATE TABLE %s(%s) %s %s", name, columns, schema.engine(drv),
                 sysbench.opt.create_table_options)
end

-- The tables for bench_own.
local function set_of(spec)
   local names = {unpack(spec.names)}

   table.insert(names, spec.table)
   return {workload = spec.name, names = names, inner = {[spec.table] = true},
           seed = function() return wanted(spec).data_seed end,
           columns = function(name)
      if name == spec.table then return {"version", "runs", "open_runs"} end
      return own.columns_in(spec.columns[name])
   end}
end

-- bench_NAME is made with the first one of the others.
local function create(drv, con, spec, name)
   local first = name == spec.names[1]

   if sysbench.opt.table_exists == "resume" and
      schema.has_table(drv, con, name) then
      local settings, why = read_own(drv, con, spec)
      why = why or misfit(spec, settings, true)
      if why then error("--table-exists=resume is not possible: " .. why, 0) end
      print(format("Resuming table '%s'...", name))
      return load.RESUME
   end
   local statement = table_statement(drv, spec, name)
   if not own.make_way(drv, con, set_of(spec), name, statement) then return load.LEAVE end
   print(format("Creating table '%s'...", name))
   con:query(statement)
   own.made(name)
   if first then create_own(drv, con, spec, wanted(spec)) end
   return load.FRESH
end

local function finish(drv, con, spec, name)
   for _, index in ipairs(spec.indexes and spec.indexes[name] or {}) do
      if sysbench.opt.table_exists ~= "resume" or
         not schema.has_index(drv, con, name, index[1]) then
         con:query(format("CREATE INDEX %s ON %s(%s)", index[1], name,
                          index[2]))
      end
   end
   if sysbench.opt.load_analyze then schema.analyze(drv, con, name) end
end

-- The parameters of the loader's kind.
local function params(spec, size)
   local list = {}
   for _, s in ipairs(spec.settings) do list[s[2]] = size[s[1]] end
   return list
end

-- Units of --data-size at most.
local MOST = 100000000

-- With --data-size: the first of spec.settings gets a number of units.
local function fit(spec, drv, loud)
   if not spec.unit then return end
   local size = wanted(spec)
   load.fit(drv, spec.kind, params(spec, size),
            {spec.settings[1][2], spec.unit, spec.unit .. "s",
             spec.least and spec.least(size) or 1, MOST}, loud)
end

local function prepare(spec)
   local drv, con = checked.connect()

   fit(spec, drv)
   schema.load_session(drv, con)
   if spec.kind then
      load.run_kind(con, spec.kind, params(spec, wanted(spec)), {
         create = function(name) return create(drv, con, spec, name) end,
         finish = function(name) finish(drv, con, spec, name) end,
      })
   elseif sysbench.tid == 0 then
      for _, name in ipairs(spec.names) do
         if create(drv, con, spec, name) ~= load.LEAVE then
            finish(drv, con, spec, name)
         end
      end
   end
end

local function cleanup(spec)
   local drv, con = checked.connect()

   own.cleanup(drv, con, set_of(spec))
end

-- ---- check

-- Prints one line.  True: no faults.
function checked.report(what, faults)
   print(format("Checking %s... %s", what,
                #faults == 0 and "ok" or table.concat(faults, ", ")))
   return #faults == 0
end

-- The values of a row as numbers.
function checked.numbers(con, query, ...)
   local row = {con:query_row(format(query, ...))}
   for i = 1, 8 do row[i] = tonumber(row[i]) end
   return unpack(row, 1, 8)
end

-- The value of an aggregate, never NULL.
function checked.aggregate(con, query, ...)
   local value = checked.numbers(con, query, ...)

   if value == nil then
      error(format("no row for '%s': its error was ignored, or this " ..
                   "server returns no row for an aggregate of no rows",
                   format(query, ...)), 0)
   end
   return value
end

-- Adds the number of rows for which a condition holds, and the first key.
function checked.no_rows(con, faults, name, key, condition, words)
   local n, first = checked.numbers(
      con, "SELECT COUNT(*), MIN(%s) FROM %s WHERE %s", key, name, condition)

   if n > 0 then
      table.insert(faults, format("%s in %d row%s of %s, the first has %s %.0f",
                                  words, n, n == 1 and "" or "s", name, key,
                                  first or 0))
   end
end

-- Compares table number n with the loader's rows, without the columns in the
-- text `skip`.
function checked.rows(con, faults, spec, settings, n, skip)
   local text = load.check_kind(con, spec.kind, params(spec, settings), n, skip)
   if text then table.insert(faults, text) end
end

-- Prints a line for each missing table.
local function all_exist(drv, con, spec)
   local good = true

   for _, name in ipairs(spec.names) do
      if not schema.has_table(drv, con, name) then
         good = checked.report(format("table '%s'", name),
                               {"it does not exist"})
      end
   end
   return good
end

local function check(spec, rules)
   local drv, con = checked.connect()

   if drv:name() == "null" then
      error("there is nothing to check: the null driver keeps no tables", 0)
   end
   local settings = checked.settings(drv, con, spec)
   if not all_exist(drv, con, spec) then return false end
   if spec.kind then load.pace(false, spec.rows(settings)) end
   return rules(drv, con, settings)
end

-- Declares the commands. rules(drv, con, settings) prints the lines of `check`
-- and returns whether all is well.
function checked.commands(spec, rules)
   if spec.unit then
      sysbench.cmdline.options.data_size = options.data_size(
         "--" .. spec.settings[1][2]:gsub("_", "-"))
   end
   sysbench.cmdline.commands = {
      prepare = {function() prepare(spec) end,
                 sysbench.cmdline.PARALLEL_COMMAND,
                 function()
                    fit(spec, sysbench.sql.driver(), true)
                    own.prepare(set_of(spec))
                 end,
                 function() own.undo(set_of(spec)) end},
      check = {function() return check(spec, rules) end},
      cleanup = {function() cleanup(spec) end},
   }
end

return checked
