#!/usr/bin/env bench
-- One event: an operation of YCSB's core workloads A to F: a read, an update,
-- an insert, a scan or a read-modify-write.
--
-- Which rows are used, and what they contain, is decided in C
-- (src/db/load/kinds/ycsb*.c).  ycsb_tables has prepare, check and cleanup,
-- ycsb_report what the report says.
-- Example: --dsn=postgresql://db1/test --workload=b --threads=16 run

local lost = require("bench_lost")
local options = require("bench_options")

if sysbench.bench_version == nil then
   error("ycsb needs functions that only bench has", 0)
end
if sysbench.cmdline.command == nil then
   error("a command is required, one of: prepare, check, run, cleanup, help", 0)
end

-- ---- Options

local BOOL, INT = sysbench.cmdline.ARG_BOOL, sysbench.cmdline.ARG_INT
local STRING = sysbench.cmdline.ARG_STRING
local within, one_of = options.within, options.one_of

local function is_skew(_, value)
   local n = tonumber(ffi.string(value))
   return n ~= nil and n >= 0 and n <= 100, "a number from 0 to 100"
end

local function declared(words)
   return one_of(words), " {" .. table.concat(words, ",") .. "}"
end

local is_workload, workloads = declared({"a", "b", "c", "d", "e", "f"})
local is_choice, choices = declared({"zipfian", "latest", "uniform"})
local is_zipf, zipfs = declared({"exact", "java"})
local is_key, keys = declared({"string", "int"})
local is_order, orders = declared({"hashed", "ordered"})
local is_written, written = declared({"one", "all"})
local is_rmw, rmws = declared({"transaction", "plain"})

sysbench.cmdline.options = {
   workload = {"core workload" .. workloads, "a", STRING, is_workload},
   records = {"rows that prepare loads; 0 = 1000 for prepare, otherwise " ..
              "the number in the table", 0, INT, within(0, 2 ^ 40)},
   data_size = options.data_size("--records"),
   fields = {"fields of a row", 10, INT, within(1, 20)},
   field_length = {"characters of a field", 100, INT, within(20, 1000)},
   key = {"type of the primary key" .. keys, "string", STRING, is_key},
   order = {"key of the next row" .. orders .. ": hashed = anywhere among " ..
            "the keys, ordered = after the last one", "hashed", STRING, is_order},
   distribution = {"popularity of rows" .. choices .. "; empty = that of the " ..
                   "workload", "", STRING, is_choice},
   skew = {"exponent of zipfian and latest", "0.99",
           sysbench.cmdline.ARG_DOUBLE, is_skew},
   zipf = {"zipfian over the rows that exist, or that of YCSB" .. zipfs,
           "exact", STRING, is_zipf},
   scan_length = {"most rows of a scan; their number is uniform from 1 on", 100,
                  INT, within(1, 1000000)},
   write_fields = {"fields that an update writes" .. written, "one", STRING,
                   is_written},
   rmw = {"read-modify-write, workload f" .. rmws, "transaction", STRING,
          is_rmw},
   check_reads = {"compare every value read with the value written", false,
                  BOOL, aliases = "verify"},
   create_table_options = {"text appended to CREATE TABLE", "", STRING},
   mysql_storage_engine = {"engine, MySQL only", "innodb", STRING},
}

-- An empty text is the default.
local function chosen(name, default)
   local value = sysbench.opt[name]
   return value ~= "" and value or default
end

local READ, UPDATE, INSERT, SCAN, RMW = 0, 1, 2, 3, 4
local OPERATIONS = {a = {READ, UPDATE}, b = {READ, UPDATE}, c = {READ},
                    d = {READ, INSERT}, e = {SCAN, INSERT}, f = {READ, RMW}}
local CHOICES = {zipfian = 0, latest = 1, uniform = 2, java = 3}

local function choice_name()
   return chosen("distribution", chosen("workload", "a") == "d" and "latest" or
      "zipfian")
end

local function check_options()
   local opt = sysbench.opt

   if opt.zipf ~= "java" then return end
   if choice_name() ~= "zipfian" then
      error("--zipf=java is a zipfian distribution, but that of the rows is " ..
            choice_name(), 0)
   elseif opt.skew ~= 0.99 then
      error("--zipf=java has the exponent 0.99: leave --skew out", 0)
   end
end

local connect = require("bench_schema").connect

-- ---- Commands

local command = sysbench.cmdline.command

if command ~= "run" then
   local function tables() return require("ycsb_tables") end

   function cleanup() tables().cleanup(connect()) end

   sysbench.cmdline.commands = {
      prepare = {function() tables().prepare(connect()) end,
                 sysbench.cmdline.PARALLEL_COMMAND,
                 function() tables().begin() end,
                 function() tables().failed() end},
      check = {function() return tables().check(connect()) end},
   }
end

-- ---- A run, in its main state

local settings -- how the tables were made
local end_inserts = function() end

function init()
   local tables = require("ycsb_tables")
   local drv, con = connect()
   local java = sysbench.opt.zipf == "java"

   check_options()
   settings = tables.settings(drv, con)
   local runs = tables.open_model(drv, con, settings, chosen("workload", "a"),
                                  java and CHOICES.java or
                                     CHOICES[choice_name()],
                                  sysbench.opt.skew)
   if OPERATIONS[chosen("workload", "a")][2] == INSERT then
      end_inserts = tables.begin_inserts(drv, con, settings, runs)
   end
   con:disconnect()
end

function done() end_inserts() end

function sysbench.hooks.report_append(stat)
   return require("ycsb_report").append(stat, settings, choice_name())
end

-- ---- Clients

local C = ffi.C
local drv, con
local client -- of the model
local fields, length -- of a row
local keeps_rows -- false for the null driver
local verify, write_all, in_transaction
local key, limit, value -- parameters
local statements = {} -- by name
local update -- for each field, from 0; or for all
local count -- of ycsb_report

local BIGINT, VARCHAR = sysbench.sql.type.BIGINT, sysbench.sql.type.VARCHAR

-- A parameter of a fixed length, written by C.
local function text_param(statement, size)
   local param = statement:bind_create(VARCHAR, size)
   param.data_len[0], param.is_null[0] = size, 0
   return param
end

local function key_param(statement)
   if settings.int_keys == 0 then return text_param(statement, 23) end
   local param = statement:bind_create(BIGINT)
   param.is_null[0] = 0
   return param
end

local function list(format, separator)
   local names = {}
   for i = 1, fields do names[i] = format:format(i - 1) end
   return table.concat(names, separator)
end

-- Prepares a statement with a list of parameters.
local function prepare(name, label, text, params)
   local statement = con:prepare(text, label)

   if key == nil then
      key, limit = key_param(statement), statement:bind_create(BIGINT)
      value = {}
      for i = 0, fields - 1 do value[i] = text_param(statement, length) end
   end
   local bound = {}
   for i, param in ipairs(params) do bound[i] = param() end
   if #bound > 0 then statement:bind_param(unpack(bound)) end
   statements[name] = statement
   return statement
end

local function the_key() return key end
local function the_limit() return limit end
local function the_value(i) return function() return value[i] end end

local function the_values(...)
   local params = {}
   for i = 0, fields - 1 do params[i + 1] = the_value(i) end
   for _, param in ipairs({...}) do table.insert(params, param) end
   return params
end

local PREPARE = {}

PREPARE[READ] = function()
   prepare("read", "read", "SELECT " .. list("field%d", ", ") ..
           " FROM usertable WHERE ycsb_key = ?", {the_key})
end

-- Prepared on demand.
local function prepare_update(field, label)
   return prepare("update" .. field, label, string.format(
      "UPDATE usertable SET field%d = ? WHERE ycsb_key = ?", field),
      {the_value(field), the_key})
end

local function prepare_writes(label)
   update = setmetatable({}, {__index = function(made, field)
      made[field] = prepare_update(field, label)
      return made[field]
   end})
   if write_all then
      update.all = prepare("update", label, "UPDATE usertable SET " ..
                           list("field%d = ?", ", ") .. " WHERE ycsb_key = ?",
                           the_values(the_key))
   end
end

PREPARE[UPDATE] = function() prepare_writes("update") end

PREPARE[INSERT] = function()
   prepare("insert", "insert", "INSERT INTO usertable (ycsb_key, " ..
           list("field%d", ", ") .. ") VALUES (?" .. (", ?"):rep(fields) .. ")",
           {the_key, unpack(the_values())})
   prepare("exists", "insert", "SELECT field0 FROM usertable WHERE ycsb_key = ?",
           {the_key})
end

PREPARE[SCAN] = function()
   prepare("scan", "scan", "SELECT ycsb_key, " .. list("field%d", ", ") ..
           " FROM usertable WHERE ycsb_key >= ? ORDER BY ycsb_key LIMIT ?",
           {the_key, the_limit})
end

-- SQLite has one writer, which waits for its lock at the beginning, and no row
-- locks.
PREPARE[RMW] = function()
   local sqlite = drv:name() == "sqlite"
   local lock = in_transaction and not sqlite and " FOR UPDATE" or ""

   if in_transaction then
      prepare("begin", "rmw begin", sqlite and "BEGIN IMMEDIATE" or "BEGIN", {})
      prepare("commit", "rmw commit", "COMMIT", {})
   end
   prepare("rmw_read", "rmw read", "SELECT " .. list("field%d", ", ") ..
           " FROM usertable WHERE ycsb_key = ?" .. lock, {the_key})
   prepare_writes("rmw write")
end

local read, insert, exists, scan, begin, commit, rmw_read

local function prepare_all()
   for _, operation in ipairs(OPERATIONS[chosen("workload", "a")]) do
      PREPARE[operation]()
   end
   read, insert, exists = statements.read, statements.insert, statements.exists
   scan, rmw_read = statements.scan, statements.rmw_read
   begin, commit = statements.begin, statements.commit
end

local function close_all()
   for _, statement in pairs(statements) do statement:close() end
   statements, update = {}, nil
end

local only -- if there is only one operation

function thread_init()
   local opt = sysbench.opt

   drv, con = connect()
   settings = settings or require("ycsb_tables").settings(drv, con)
   fields, length = settings.fields, settings.length
   keeps_rows = drv:name() ~= "null"
   verify, write_all = opt.check_reads and keeps_rows, opt.write_fields == "all"
   in_transaction = opt.rmw ~= "plain"
   client = C.bench_ycsb_join()
   if client == nil then error("ycsb: not enough memory", 0) end
   ffi.gc(client, C.bench_ycsb_leave) -- a thread that failed has no thread_done()
   count = require("ycsb_report").counters()
   local operations = OPERATIONS[chosen("workload", "a")]
   only = #operations == 1 and operations[1] or nil
   prepare_all()
end

function thread_done()
   C.bench_ycsb_leave(ffi.gc(client, nil))
   close_all()
   con:disconnect()
end

-- ---- What was read

local version = ffi.new("double[1]")

local function key_text()
   if settings.int_keys == 0 then return ffi.string(key.buffer, 23) end
   return (tostring(key.buffer[0]):gsub("LL$", ""))
end

local function broken(key, rule)
   error(string.format("ycsb: usertable, key %s%s", key, rule), 0)
end

-- Raises an error if a field is not what was written.
local function verify_row(row, key, values, first)
   C.bench_ycsb_read(client, row)
   for i = 0, fields - 1 do
      local text = values[first + i]
      local rule = C.bench_ycsb_see(client, i, text, text and #text or 0,
                                    version)
      if rule ~= nil then
         broken(key, string.format(", field%d: %s", i, ffi.string(rule)))
      end
   end
end

-- A required row does not exist.
local function missing(counter)
   if verify then broken(key_text(), ": the row is missing") end
   counter:add(1)
end

-- ---- Operations.  `again`: repeat the restarted one, on the same row.

local uniform = sysbench.rand.uniform
local row, field = 0, 0 -- of the operation

local function do_read(again)
   if not again then row = C.bench_ycsb_draw(client, key.buffer) end
   local rs = read:execute()
   if keeps_rows and rs.nrows == 0 then
      missing(count.read_missing)
      return
   end
   if verify then verify_row(row, key_text(), rs:fetch_row(), 1) end
   count.read:add(1)
end

-- Writes one field, or all.  Returns whether a row was changed.
local function write(version)
   local statement
   if write_all then
      for i = 0, fields - 1 do
         C.bench_ycsb_field(client, row, i, version, true, value[i].buffer)
      end
      statement = update.all
   else
      C.bench_ycsb_field(client, row, field, version, false,
                         value[field].buffer)
      statement = update[field]
   end
   local before = C.sb_counter_val(sysbench.tid, C.SB_CNT_WRITE)
   statement:execute()
   return not keeps_rows or
      C.sb_counter_val(sysbench.tid, C.SB_CNT_WRITE) > before
end

local function choose_field()
   if not write_all then field = uniform(0, fields - 1) end
end

local function do_update(again)
   if not again then
      row = C.bench_ycsb_draw(client, key.buffer)
      choose_field()
   end
   if write(C.bench_ycsb_version(client)) then
      count.update:add(1)
   else
      missing(count.update_missing)
   end
end

-- A lost connection may have left the row there.
local function is_there()
   local rs = exists:execute()
   if not keeps_rows or rs.nrows == 0 then return false end
   count.recovered:add(1)
   return true
end

local function do_insert(again)
   if not again then
      row = C.bench_ycsb_insert(client, key.buffer)
      count.begun:add(1)
      local version = C.bench_ycsb_version(client)
      for i = 0, fields - 1 do
         C.bench_ycsb_field(client, row, i, version, true, value[i].buffer)
      end
   end
   if not (again and is_there()) then insert:execute() end
   C.bench_ycsb_inserted(client)
   count.insert:add(1)
end

-- Compares the first row with the wanted one, and with --check-reads all rows with
-- what was written.  Returns whether the first one is right.
local function check_scan(rs)
   for i = 1, verify and rs.nrows or 1 do
      local values = rs:fetch_row()
      local at = C.bench_ycsb_row(client, values[1], #values[1])

      if verify and at == 0 then
         broken(values[1], ": the row does not belong here")
      end
      if i == 1 and at ~= row then return false end
      if verify then verify_row(at, values[1], values, 2) end
   end
   return true
end

local function do_scan(again)
   if not again then
      row = C.bench_ycsb_draw(client, key.buffer)
      limit:set(uniform(1, sysbench.opt.scan_length))
   end
   local rs = scan:execute()
   local rows = rs.nrows
   if keeps_rows and (rows == 0 or not check_scan(rs)) then
      missing(count.scan_missing)
      return
   end
   count.scan:add(1)
   count.rows:add(rows)
   if rows < limit.buffer[0] then count.short:add(1) end
end

-- The version after that of the field, or any if it has none.
local function next_version(text)
   C.bench_ycsb_read(client, row)
   if C.bench_ycsb_see(client, field, text, text and #text or 0, version) ~=
      nil then
      return C.bench_ycsb_version(client)
   end
   return (version[0] + 1) % 2 ^ 44
end

-- Returns whether the row was found.  Two clients without a transaction may
-- write the same, so the number of changed rows is no evidence.
local function modify()
   local rs = rmw_read:execute()
   local version = 0
   if keeps_rows then
      if rs.nrows == 0 then return false end
      local values = rs:fetch_row()
      if verify then verify_row(row, key_text(), values, 1) end
      version = next_version(values[field + 1])
   end
   write(version)
   return true
end

local function do_rmw(again)
   if not again then
      row = C.bench_ycsb_draw(client, key.buffer)
      choose_field()
   end
   local since = count.now_ms()
   if begin then begin:execute() end
   local found = modify()
   if commit then commit:execute() end
   if found then
      count.rmw:add(1)
      count.rmw_latency:update(count.now_ms() - since)
   else
      missing(count.rmw_missing)
   end
end

local DO = {[READ] = do_read, [UPDATE] = do_update, [INSERT] = do_insert,
            [SCAN] = do_scan, [RMW] = do_rmw}

local operation -- of the event
local again = false

function event()
   local repeated = again

   again = false
   if not repeated then
      operation = only or C.bench_ycsb_operation(client)
   end
   DO[operation](repeated)
end

function sysbench.hooks.before_restart_event(errdesc)
   again = true
   if lost(errdesc) then
      close_all()
      prepare_all()
   end
end
