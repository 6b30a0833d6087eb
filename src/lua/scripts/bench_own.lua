-- Which tables are bench's own: prepare, cleanup and sweeps drop and fill no
-- others.  A `set` describes the tables of a workload:
--
-- workload, names: all its tables, also those for its own use
-- columns(table): required columns
-- by_columns [optional]: exactly these columns are evidence enough, without a
-- marker: for sbtestN, which sysbench makes, too
-- by_name [optional]: the name is enough, for tables of a user's script
-- also [optional]: a pattern of columns that options can add
-- inner [optional]: table -> true: for the workload's own use, replaced without
-- --table-exists
-- seed [optional]: a function: the seed of the rows, if not --rand-seed
--
-- prepare writes the names into the table bench_tables, the marker, before it
-- creates the first table. cleanup removes them, and the marker with the last
-- one.  A user may have replaced a table, so columns are compared, too.  A
-- prepare that fails before it has loaded a row removes the tables noted by
-- own.made().

local load = require("bench_load")
local schema = require("bench_schema")
local print = load.say

local format = string.format
local own = {}

local MARKER = "bench_tables"
local MARKER_COLUMNS = {"name", "workload", "version", "seed"}

local COLUMN_QUERY = {
   pgsql = [[SELECT column_name, data_type FROM information_schema.columns
             WHERE table_schema = current_schema() AND table_name = '%s']],
   sqlite = "SELECT name, type FROM pragma_table_xinfo('%s')",
   other = [[SELECT column_name, data_type FROM information_schema.columns
             WHERE table_schema = DATABASE() AND table_name = '%s']],
}

-- MySQL adds these to a table without a primary key.
local INVISIBLE = {my_row_id = true}

-- The types of a table's columns by name, and their number; nil: no table.
local function columns_of(drv, con, name)
   if not schema.has_table(drv, con, name) then return end
   local rs = con:query(format(COLUMN_QUERY[drv:name()] or COLUMN_QUERY.other,
                               name))
   local found, n = {}, 0

   for _ = 1, rs.nrows do
      local row = rs:fetch_row()
      local column = row[1]:lower()
      if not INVISIBLE[column] then
         found[column] = (row[2] or ""):lower()
         n = n + 1
      end
   end
   return found, n
end

local function has_all(found, wanted)
   for _, column in ipairs(wanted) do
      if not found[column:lower()] then return false end
   end
   return true
end

-- The names that the marker has for a workload.
local function marked(drv, con, workload)
   local found, n = columns_of(drv, con, MARKER)
   local names = {}

   if not found then return names, false end
   if n ~= #MARKER_COLUMNS or not has_all(found, MARKER_COLUMNS) then
      error(format("the table %s was not made by bench, and bench needs a table " ..
                   "of this name: use another database or schema", MARKER), 0)
   end
   local rs = con:query(format("SELECT name FROM %s WHERE workload = '%s'", MARKER,
                               workload))
   for _ = 1, rs.nrows do names[rs:fetch_row()[1]] = true end
   return names, true
end

local SBTEST_TYPES = {id = "int", k = "int", c = "^char", pad = "^char"}

-- A dialect can have other types.
local function is_of(drv, column, type)
   return schema.dialect(drv, "type") ~= "" or type:find(SBTEST_TYPES[column] or "^$")
end

local function has_types(drv, found)
   for column, type in pairs(found) do
      if not is_of(drv, column, type) then return false end
   end
   return true
end

-- Does a table have columns that the workload does not make?
local function has_more(set, found, wanted)
   local of = {}

   for _, column in ipairs(wanted) do of[column:lower()] = true end
   for column in pairs(found) do
      if not of[column] and not (set.also and column:find(set.also)) then return true end
   end
   return false
end

-- Why a table is not bench's own, or nil; and whether its name is missing in
-- the marker.
local function stranger(drv, set, names, name, found, n)
   local wanted = set.columns(name)

   if set.by_name then return end
   if set.by_columns then
      if n == #wanted and has_all(found, wanted) and has_types(drv, found) then return end
      return format("it does not have the columns %s only, with sysbench's types",
                    table.concat(wanted, ", "))
   end
   if not names[name] then return MARKER .. " does not name it", true end
   if not has_all(found, wanted) or
      not (set.inner and set.inner[name]) and has_more(set, found, wanted) then
      return "its columns are not " .. table.concat(wanted, ", ")
   end
end

local VIEW_QUERY = {
   pgsql = [[SELECT c.relname FROM pg_class c
             JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = current_schema() AND c.relkind IN ('v', 'm')]],
   sqlite = "SELECT name FROM sqlite_master WHERE type = 'view'",
   other = [[SELECT table_name FROM information_schema.views
             WHERE table_schema = DATABASE()]],
}

-- Views, which no workload makes: name -> true.
local function views_of(drv, con)
   local rs = con:query(VIEW_QUERY[drv:name()] or VIEW_QUERY.other)
   local names = {}

   for _ = 1, rs.nrows do names[rs:fetch_row()[1]:lower()] = true end
   return names
end

-- The existing tables of the set, in order: {name, why, unnamed, found}; `why`
-- is nil for bench's own, `found` has the types of the columns.
local function existing(drv, con, set)
   local names = set.by_columns and {} or marked(drv, con, set.workload)
   local views = set.by_name and {} or views_of(drv, con)
   local list = {}

   for _, name in ipairs(set.names) do
      local found, n = columns_of(drv, con, name)
      if found then
         local why, unnamed = stranger(drv, set, names, name, found, n)
         if views[name:lower()] then why = why or "it is a view" end
         table.insert(list, {name = name, why = why, unnamed = unnamed, found = found})
      end
   end
   return list
end

local FORCE = "; it stays. Use --force if it may be lost, or another database"

local function refuse(t, what)
   error(format("the table '%s' was not made by bench: %s%s", t.name, t.why,
                what or FORCE), 0)
end

-- ---- Dropping

local function rows_of(con, name)
   return tonumber((con:query_row("SELECT COUNT(*) FROM " .. name))) or 0
end

-- Removes the names of a workload from the marker, and an empty marker. unused:
-- only names without a table.
local function unmark(drv, con, set, unused)
   local names, exists = marked(drv, con, set.workload)

   if not exists then return end
   for name in pairs(names) do
      if not (unused and schema.has_table(drv, con, name)) then
         con:query(format("DELETE FROM %s WHERE name = '%s'", MARKER, name))
      end
   end
   if rows_of(con, MARKER) == 0 then con:query("DROP TABLE " .. MARKER) end
end

-- The first foreign key of another table that refers to one of the tables %s.
-- MySQL would refuse to drop that table, after it has dropped those before;
-- SQLite drops it.
local REFERENCES = {
   mysql = [[
SELECT referenced_table_name, constraint_schema, table_name
FROM information_schema.referential_constraints
WHERE unique_constraint_schema = DATABASE() AND referenced_table_name IN (%s)
AND NOT (constraint_schema = DATABASE() AND table_name IN (%s))]],
   sqlite = [[
SELECT f."table", 'main', m.name
FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
WHERE m.type = 'table' AND lower(f."table") IN (%s) AND lower(m.name) NOT IN (%s)]],
}

local function refuse_referenced(drv, con, names)
   local question = REFERENCES[drv:name()]
   if not question or #names == 0 then return end
   local list = "'" .. table.concat(names, "', '") .. "'"
   local name, database, by = con:query_row(format(question, list, list))

   if name then
      error(format("a foreign key of '%s.%s' refers to '%s'", database, by, name), 0)
   end
end

-- Servers lock all tables of a transaction: PostgreSQL has room for some
-- thousand locks.
local AT_ONCE = 100

-- Drops tables, and calls more(): all or nothing.  MySQL has no transactions
-- for this, so its refusals are looked for before, and one statement drops the
-- tables.  Larger sets are dropped in lots of AT_ONCE.
local function drop(drv, con, names, more)
   local mysql = drv:name() == "mysql"
   local whole = not mysql and schema.dialect(drv, "ddl") ~= "alone"
   local gone, begun = 0, false

   local function go()
      refuse_referenced(drv, con, names)
      repeat
         local last = math.min(gone + AT_ONCE, #names)
         if whole then con:query("BEGIN") end
         if mysql and last > gone then
            begun = true
            con:query("DROP TABLE " .. table.concat(names, ", ", gone + 1, last))
         else
            begun = not whole
            for n = gone + 1, last do con:query("DROP TABLE " .. names[n]) end
         end
         if not whole then gone, begun = last, false end
         if more and last == #names then more() end
         if whole then con:query("COMMIT") end
         gone = last
      until gone == #names
   end
   local ok, why = pcall(go)
   if ok then return end
   if whole then pcall(con.query, con, "ROLLBACK") end
   why = tostring(why):gsub("^.-:%d+: ", "")
   if gone == #names and gone > 0 then
      error(format("all tables were dropped, but not their names in %s: %s", MARKER, why), 0)
   end
   error(format("%s dropped: %s", begun and "some tables may have been" or
                gone == 0 and "no table was" or
                format("only %d of %d tables were", gone, #names), why), 0)
end

-- ---- prepare

local WISHES = "use the cleanup command first, or see --table-exists"

-- Refuses a table that runs could not use, whoever made it.
local function refuse_columns(drv, set, t)
   if set.by_name then return end
   for _, column in ipairs(set.columns(t.name)) do
      local type = t.found[column:lower()]
      if not type or set.by_columns and not is_of(drv, column, type) then
         error(format("--table-exists=skip: the table '%s' has %s '%s'", t.name,
                      type and "another type (" .. type .. ") in its column" or
                      "no column", column), 0)
      end
   end
end

-- Refuses tables that are in the way.
local function look(drv, con, set)
   local wish = sysbench.opt.table_exists
   local drops = {}

   for _, t in ipairs(existing(drv, con, set)) do
      local inner = set.inner and set.inner[t.name]
      if wish == "skip" and not inner then refuse_columns(drv, set, t) end
      if t.why and wish ~= "skip" and (not sysbench.opt.force or wish == "error") then
         refuse(t, wish == "error" and "; use another database or schema" or FORCE)
      elseif t.why and wish == "skip" and inner then
         refuse(t, "; use another database or schema")
      elseif wish == "error" and not inner then
         error(format("the table '%s' already exists: %s", t.name, WISHES), 0)
      end
      table.insert(drops, t.name)
   end
   -- a loading session of MySQL ignores foreign keys, too
   if wish == "drop" then refuse_referenced(drv, con, drops) end
end

-- The seed of the rows of this prepare.
local FIXED_SEED = 42

local function seed_of(set)
   local seed = sysbench.opt.rand_seed
   return set.seed and set.seed() or seed ~= 0 and seed or FIXED_SEED
end

-- Does prepare leave all tables as they are?
local function skips_all(set, list)
   local exists = {}

   if sysbench.opt.table_exists ~= "skip" then return false end
   for _, t in ipairs(list) do exists[t.name] = true end
   for _, name in ipairs(set.names) do
      if not exists[name] and not (set.inner and set.inner[name]) then return false end
   end
   return true
end

-- Names the tables of this prepare in the marker.  A user's table that --force
-- lets it replace is not named: it may still be there in the end.
local function mark(drv, con, set)
   local names, exists = marked(drv, con, set.workload)
   local list, skipped = existing(drv, con, set), {}

   if skips_all(set, list) then return end
   for _, t in ipairs(list) do skipped[t.name] = t.why end
   if not exists then
      local engine = drv:name() == "mysql" and
         (sysbench.opt.mysql_storage_engine or "innodb")
      con:query(format([[
CREATE TABLE %s(
  name VARCHAR(64) NOT NULL PRIMARY KEY,
  workload VARCHAR(64) NOT NULL,
  version VARCHAR(32) NOT NULL,
  seed BIGINT NOT NULL
)%s]], MARKER, engine and " ENGINE = " .. engine or ""))
   end
   for _, name in ipairs(set.names) do
      if not names[name] and not skipped[name] then
         con:query(format("DELETE FROM %s WHERE name = '%s'", MARKER, name))
         con:query(format("INSERT INTO %s(name, workload, version, seed) VALUES " ..
                          "('%s', '%s', '%s', %.0f)", MARKER, name, set.workload,
                          sysbench.bench_version, seed_of(set)))
      end
   end
end

-- Before prepare creates the first table, and before its threads start.
function own.prepare(set)
   local drv = sysbench.sql.driver()
   if not load.possible or drv:name() == "null" then return end
   local con = drv:connect()

   look(drv, con, set)
   if not set.by_columns then
      local ok, why = pcall(mark, drv, con, set)
      if not ok then
         pcall(unmark, drv, con, set, true)
         error(why, 0)
      end
   end
   con:disconnect()
end

-- For all threads: this prepare has made a table.
function own.made(name)
   if load.possible then require("bench_team").give("made " .. name, "") end
end

local function has_made(name)
   local ok = pcall(require("bench_team").await, "made " .. name)
   return ok
end

-- After a failed prepare without loaded rows, when its threads have ended:
-- drops the tables that it has made, and their names in the marker.
-- --table-exists=resume goes on with the tables, so they stay.
function own.undo(set)
   local drv = sysbench.sql.driver()
   if drv:name() == "null" or sysbench.opt.table_exists == "resume" then return end
   local con = drv:connect()
   local names = {}

   for _, t in ipairs(existing(drv, con, set)) do
      if not t.why and has_made(t.name) then table.insert(names, t.name) end
   end
   drop(drv, con, names)
   if not set.by_columns then unmark(drv, con, set, true) end
   load.tidy(con)
end

-- Creates and drops an empty table of an unused name: if the server refuses an
-- engine or an option, the old table still exists.  Once per connection.
local tried = false

local function try_statement(drv, con, name, statement)
   if tried then return end

   local i, unused = 0, nil
   repeat
      i = i + 1
      unused = format("%s_try%d", name, i)
   until not schema.has_table(drv, con, unused)
   con:query((statement:gsub(name, unused, 1)))
   con:query("DROP TABLE " .. unused)
   tried = true
end

-- Makes way for a new table, which `statement` will create, as --table-exists
-- says.  False: the existing table stays.
function own.make_way(drv, con, set, n, statement)
   local wish, name = sysbench.opt.table_exists, schema.name_of(n)

   if wish ~= "drop" and wish ~= "skip" or not schema.has_table(drv, con, name) then
      return true
   end
   if wish == "skip" then
      print(format("Skipping table '%s': it exists", name))
      return false
   end
   -- prepare has looked at all tables, but perhaps in another process
   for _, t in ipairs(existing(drv, con, set)) do
      if t.name == name and t.why and not sysbench.opt.force then refuse(t) end
   end
   try_statement(drv, con, name, statement)
   print(format("Dropping table '%s'...", name))
   con:query("DROP TABLE " .. name)
   return true
end

-- Creates table N, unless an existing one is to be filled up.  (PostgreSQL's IF
-- NOT EXISTS would skip a table whose name an index has, too.)
function own.create_missing(drv, con, n, statement)
   if schema.has_table(drv, con, n) then return end
   con:query(statement)
   own.made(schema.name_of(n))
end

-- ---- cleanup

-- Divides the tables into those to drop and those to keep, and finds the first
-- because of which cleanup refuses.  An unmarked table beside marked ones is
-- the user's, skipped by prepare; so is a foreign sbtestN among bench's own.
local function divide(set, list)
   local drops, stays, refused = {}, {}, nil

   for _, t in ipairs(list) do
      if t.why and not sysbench.opt.force then
         table.insert(stays, t)
      else
         table.insert(drops, t.name)
      end
   end
   for _, t in ipairs(stays) do
      if not refused and (#drops == 0 or not (t.unnamed or set.by_columns)) then refused = t end
   end
   return drops, stays, refused
end

-- What cleanup would do.
local function say(con, list)
   for _, t in ipairs(list) do
      local rows = rows_of(con, t.name)
      print(format("%s table '%s' (%.0f row%s)%s",
                   t.why and not sysbench.opt.force and "Would keep" or "Would drop",
                   t.name, rows, rows == 1 and "" or "s", t.why and ": " .. t.why or ""))
   end
   if #list == 0 then print("Nothing to drop") end
end

-- Under the name sysbench, prints missing tables, too, as sysbench does.
local function say_drops(set, names, stays)
   local goes, keeps = {}, {}

   for _, name in ipairs(names) do goes[name] = true end
   for _, t in ipairs(stays) do keeps[t.name] = true end
   for _, name in ipairs(set.names) do
      if not (set.inner and set.inner[name]) and not keeps[name] and
         (goes[name] or sysbench.bench_program == "sysbench") then
         print(format("Dropping table '%s'...", name))
      end
   end
end

-- Drops the tables of the set that are bench's own; none if a foreign one has
-- the place of one.
function own.cleanup(drv, con, set)
   if drv:name() == "null" then return load.tidy(con) end
   local list = existing(drv, con, set)
   local names, stays, refused = divide(set, list)

   if sysbench.opt.dry_run then
      say(con, list)
      if refused then error("cleanup would refuse: see above", 0) end
      return
   end
   if refused then refuse(refused) end
   say_drops(set, names, stays)
   for _, t in ipairs(stays) do print(format("Keeping table '%s': %s", t.name, t.why)) end
   drop(drv, con, names, not set.by_columns and
        function() unmark(drv, con, set) end)
   load.tidy(con)
end

-- ---- Sets

-- The columns in a list such as "id INTEGER, n BIGINT, PRIMARY KEY (id)".
local NOT_COLUMNS = {PRIMARY = true, KEY = true, UNIQUE = true, INDEX = true,
                     CONSTRAINT = true, FOREIGN = true, CHECK = true}

function own.columns_in(text)
   local columns = {}

   for part in (text:gsub("%b()", "") .. ","):gmatch("([^,]*),") do
      local word = part:match("^%s*([%w_]+)")
      if word and not NOT_COLUMNS[word:upper()] then table.insert(columns, word) end
   end
   return columns
end

-- The tables sbtestN, from `first` to `last`.
function own.sbtest(first, last, columns)
   local names = {}

   for n = first, last do table.insert(names, "sbtest" .. n) end
   columns = columns or {"id", "k", "c", "pad"}
   return {workload = "sbtest", names = names, by_columns = true,
           columns = function() return columns end}
end

return own
