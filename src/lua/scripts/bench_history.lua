-- Workloads that record what their transactions have read and written, for
-- `bench verify`.  A `spec` is that of bench_checked, with `lists`: the values
-- are lists.
--
-- Keys are used in groups of --keys.  After about --writes values per key the
-- next group begins, so that lists stay short.  No value is used twice, and a
-- run begins with unused keys.

local checked = require("bench_checked")
local doubt = require("bench_doubt")
local isolation = require("bench_isolation")
local options = require("bench_options")

local ffi = require("ffi")
local C = ffi.C
local format, uniform = string.format, sysbench.rand.uniform

local OK, FAIL, UNKNOWN = 0, 1, 2
local LARGEST = 2^31 - 1 -- of a key
local history = {}

history.option = {"log the reads and writes of each transaction in this " ..
                  "file, for bench verify; empty = no log", "",
                  sysbench.cmdline.ARG_STRING, aliases = "history",
                  shows = "=FILE"}

-- Adds the common options to those of a workload.
function history.options(list)
   local INT = sysbench.cmdline.ARG_INT

   list.history_file = history.option
   list.keys = {"keys that are in use at a time", 10, INT,
                options.within(1, 1000)}
   checked.options(list)
end

function history.commands(spec)
   checked.commands(spec)
   sysbench.cmdline.commands.check = nil -- bench verify judges
end

-- ---- A run, in its main state

local REASON = 1600
local ORDINAL = "keys and values" -- the sequence

local function refuse(drv)
   if drv:name() == "null" then
      error("--history-file: the null driver keeps no rows, so nothing can be told " ..
            "from what it answers", 0)
   elseif C.bench_ranks(ffi.new("double[1]")) > 1 then
      error("--history-file needs one clock: it is not possible with several " ..
            "processes", 0)
   end
end

-- The first free group of keys.
local function free_group(con, spec)
   local last = checked.aggregate(con, "SELECT COALESCE(MAX(id), 0) FROM %s",
                                  spec.names[1])
   return math.floor(last / sysbench.opt.keys) + 1
end

local first_group = "first group"

-- Opens the file, if wanted.  `lists`: the values are lists.
function history.start(drv, lists)
   local reason = ffi.new("char[?]", REASON)

   if sysbench.opt.history_file == "" then return end
   refuse(drv)
   if not C.bench_history_open(sysbench.opt.history_file, lists, reason, REASON) then
      error("--history-file: " .. ffi.string(reason), 0)
   end
end

function history.open(spec)
   local drv, con = checked.connect()
   local null = drv:name() == "null"

   checked.settings(drv, con, spec)
   assert(C.bench_sequence_set(ORDINAL, 1) == 0)
   assert(C.bench_sequence_set(first_group,
                               null and 1 or free_group(con, spec)) == 0)
   con:disconnect()
   history.start(drv, spec.lists == true)
end

function history.close()
   local reason = ffi.new("char[?]", REASON)

   if sysbench.opt.history_file ~= "" and
      not C.bench_history_close(reason, REASON) then
      error("--history-file: " .. ffi.string(reason), 0)
   end
end

-- A line about the history, and its figures.
function history.report()
   if sysbench.opt.history_file == "" then return end
   local ok, fail, unknown = C.bench_history_count(OK),
      C.bench_history_count(FAIL), C.bench_history_count(UNKNOWN)

   return format("\nHistory '%s', %s: %.0f transactions committed, %.0f " ..
                 "failed, %.0f with unknown outcome\n", sysbench.opt.history_file,
                 isolation.words(), ok, fail, unknown),
      {history = {committed = ok, failed = fail, unknown = unknown}}
end

-- ---- Clients

local number = ffi.new("double[1]")

-- What a client writes with; nil: no history.
function history.recorder()
   if sysbench.opt.history_file == "" then return nil end
   local recorder = C.bench_history_join(sysbench.tid)
   if recorder == nil then error("not enough memory for a history", 0) end
   return recorder
end

local function take(name, n)
   if C.bench_sequence_take(name, n, LARGEST, number) < 0 then
      error("there are no more keys: prepare the tables again", 0)
   end
   return number[0]
end

-- $t is the table, $v the column.
local UPSERT = {
   mysql = "INSERT INTO $t(id, $v) VALUES (?, ?) ON DUPLICATE KEY UPDATE $v = ",
   other = "INSERT INTO $t(id, $v) VALUES (?, ?) ON CONFLICT (id) DO UPDATE " ..
      "SET $v = ",
}
local APPENDED = {mysql = "CONCAT($v, ',', VALUES($v))",
                  other = "$t.$v || ',' || excluded.$v"}
local REPLACED = {mysql = "VALUES($v)", other = "excluded.$v"}

-- `values`: number of values for a group of keys.  `appends`: the database adds
-- to a list; otherwise it gets the whole value.
function history.client(spec, values, appends)
   local drv, con = checked.connect()
   local own = {}
   local T = sysbench.sql.type
   local opt = sysbench.opt
   local name = (drv:name() == "mysql" or drv:name() == "null") and "mysql" or
      "other"
   local column = spec.lists and "list" or "value"
   local keeps_rows = drv:name() ~= "null"
   local base = take(first_group, 0)
   local recorder, committing = history.recorder(), false
   local ordinal = take(ORDINAL, 0)

   local function prepare(text, label)
      return con:prepare((text:gsub("%$(%a)", {t = spec.names[1], v = column})),
                         label)
   end

   -- A transaction of SQLite that reads first could not wait when it writes.
   local begin = con:prepare(drv:name() == "sqlite" and "BEGIN IMMEDIATE" or
                             "BEGIN")
   local commit = con:prepare("COMMIT", "commit")
   local read = prepare("SELECT $v FROM $t WHERE id = ?", "read")
   local read_id = read:bind_create(T.BIGINT)
   local write = prepare(UPSERT[name] ..
                         (appends and APPENDED or REPLACED)[name], "write")
   local write_id = write:bind_create(T.BIGINT)
   local value
   if spec.lists then
      value = write:bind_create(T.VARCHAR, appends and 32 or 65000)
   else
      value = write:bind_create(T.BIGINT)
   end
   read:bind_param(read_id)
   write:bind_param(write_id, value)

   -- A new value, and its group of keys.
   function own.next()
      ordinal = take(ORDINAL, 1)
      return ordinal, own.group()
   end

   -- The first key of the current group.
   function own.group()
      return (base + math.floor(ordinal / values)) * opt.keys
   end

   function own.draw() return own.group() + uniform(0, opt.keys - 1) end

   function own.begin()
      -- Others have moved on.
      ordinal = take(ORDINAL, 0)
      if recorder then C.bench_history_begin(recorder) end
      begin:execute()
   end

   -- The text of a value, or "".
   function own.read(key)
      read_id:set(key)
      if recorder then C.bench_history_read(recorder, key) end
      local rs = read:execute()
      local text = ""
      if keeps_rows and rs ~= nil and rs.nrows > 0 then
         text = tostring(rs:fetch_row()[1])
      end
      if recorder then C.bench_history_answer(recorder, text, #text) end
      return text
   end

   -- `text` adds the value n.
   function own.write(key, n, text)
      write_id:set(key)
      value:set(text)
      if recorder then C.bench_history_write(recorder, key, n) end
      write:execute()
   end

   function own.commit()
      committing = true
      commit:execute()
      committing = false
      if recorder then C.bench_history_end(recorder, OK) end
   end

   -- Without COMMIT nothing is committed; a refused COMMIT has an outcome, too.
   function own.restarts(err)
      local unknown = committing and doubt(err)

      committing = false
      if recorder then
         C.bench_history_end(recorder, unknown and UNKNOWN or FAIL)
      end
   end

   return own
end

return history
