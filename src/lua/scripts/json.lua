#!/usr/bin/env bench
-- One event: a read of a document by its key, a read of a group of documents by
-- an index on a member, or an update of a document. Every document that is
-- read is compared with the one that it must be. `check` compares all of them,
-- and proves that every acknowledged update is there, and that no other is.
-- Example: --dsn=postgresql://db1/test --documents=1M prepare

local ffi = require("ffi")

local checked = require("bench_checked")
local index = require("bench_index")
local ledger = require("bench_ledger")
local load = require("bench_load")
local options = require("bench_options")
local schema = require("bench_schema")

local INT = sysbench.cmdline.ARG_INT
local DOCUMENTS, GROUPS, BODY, SEED, MOST = 10000, 1000, 200, 1, 100000000

checked.options({
   documents = {"documents; 0 = 10000 for prepare, otherwise the number in " ..
                "the table", 0, INT, options.within(0, MOST)},
   groups = {"groups of documents; 0 = 1000 for prepare, otherwise the " ..
             "number in the table", 0, INT, options.within(0, MOST)},
   body = {"characters of the longest member of a document; 0 = 200 for " ..
           "prepare, otherwise that of the table", 0, INT,
           options.within(0, 1000)},
   data_seed = {"documents are a function of this number and their key; 0 " ..
                "= 1 for prepare, otherwise that of the table", 0, INT,
                options.within(0, 1000000000)},
   updates = options.percent("percentage of events that update a document", 20),
   finds = options.percent("percentage of events that read the documents of " ..
                           "a group; the rest reads one by its key", 40),
})

-- Types and expressions of each database: the document, the column made from
-- its member k, how a number is read and a document updated.
local WORDS = {
   pgsql = {
      types = {document = "JSONB NOT NULL", extracted = "INTEGER GENERATED " ..
                  "ALWAYS AS (CAST(doc ->> 'k' AS INTEGER)) STORED"},
      n = "CAST(doc ->> 'n' AS BIGINT)",
      update = "doc || jsonb_build_object('n', %s + 1, 'k', k %% %.0f + 1)",
   },
   sqlite = {
      types = {document = "TEXT NOT NULL", extracted = "INTEGER GENERATED " ..
                  "ALWAYS AS (json_extract(doc, '$.k')) VIRTUAL"},
      n = "json_extract(doc, '$.n')",
      update = "json_set(doc, '$.n', %s + 1, '$.k', k %% %.0f + 1)",
   },
   other = {
      types = {document = "JSON NOT NULL", extracted = "INTEGER GENERATED " ..
                  "ALWAYS AS (CAST(JSON_EXTRACT(doc, '$.k') AS SIGNED)) VIRTUAL"},
      n = "CAST(JSON_EXTRACT(doc, '$.n') AS SIGNED)",
      update = "JSON_SET(doc, '$.n', %s + 1, '$.k', k %% %.0f + 1)",
   },
}

local function words(drv) return WORDS[drv:name()] or WORDS.other end

local INDEX = {"json_k", "k"}

local spec = {
   name = "json", version = 1, table = "bench_json", kind = "json",
   unit = "document", least = function(size) return size.group_count end,
   settings = {{"document_count", "documents", DOCUMENTS},
               {"group_count", "groups", GROUPS}, {"body_length", "body", BODY},
               {"data_seed", "data_seed", SEED}},
   names = {"json_docs"},
   columns = {json_docs = "id $key, doc $document, k $extracted"},
   types = {pgsql = WORDS.pgsql.types, sqlite = WORDS.sqlite.types,
            other = WORDS.other.types},
   indexes = {json_docs = {INDEX}},
   title = "Updates", committed = "document updates",
   unknown = "document updates unknown",
   rows = function(settings) return settings.document_count end,
}

function spec.placed(con)
   return (checked.numbers(con, "SELECT COALESCE(SUM(%s), 0) FROM json_docs",
                           words(sysbench.sql.driver()).n))
end

-- ---- What a document must be

-- A function that says what is wrong with a document, or nil.
local function judge(settings)
   local param = ffi.new("double[4]", settings.document_count,
                         settings.group_count, settings.body_length,
                         settings.data_seed)
   local right = ffi.new("char[1200]")

   -- Depends only on the number of updates.
   local function text_of(id, n)
      local len = ffi.C.bench_json_document(param, id, n, right)
      return (ffi.string(right, len):gsub("%s", ""))
   end

   local MEMBERS = {k = "%d+", id = "%d+", body = '"%x*"', tags = "%[[%d,]*%]"}

   -- Databases keep documents with spaces or without, and order members.  No
   -- member has a space.
   return function(id, doc)
      local text = doc and doc:gsub("%s", "") or "NULL"
      local n = tonumber(text:match('"n":(%d+)[,}]'))
      local wanted = n and text_of(id, n)

      if text == wanted then return nil, n end
      if not n then return "member n is not a number" end
      local rest = text:gsub('"n":%d+', "", 1)
      for _, name in ipairs({"k", "id", "body", "tags"}) do
         local form = string.format('"%s":(%s)', name, MEMBERS[name])
         local is, should = text:match(form), wanted:match(form)
         if is ~= should then
            return string.format("member %s is %s, after %.0f updates it is %s", name,
                          is or "missing", n, should or "missing")
         end
         rest = rest:gsub(form, "", 1)
      end
      if rest ~= "{,,,,}" then return "it has other members" end
      return nil, n
   end
end

-- ---- check

local CHUNK = 1000 -- documents of a statement

-- Adds the number of wrong documents, and the first fault.
local function documents(con, faults, settings)
   local wrong = judge(settings)
   local bad, first, from = 0, nil, 0

   repeat
      local rs = con:query(string.format(
         "SELECT id, doc FROM json_docs WHERE id > %.0f AND id <= %.0f " ..
         "ORDER BY id LIMIT %d", from, settings.document_count, CHUNK))
      for _ = 1, rs.nrows do
         local row = rs:fetch_row()
         from = tonumber(row[1])
         local what = wrong(from, row[2])
         if what then
            bad = bad + 1
            first = first or string.format("row %.0f: %s", from, what)
         end
      end
   until rs.nrows < CHUNK
   if bad > 0 then
      table.insert(faults, string.format(
         "%d row%s of json_docs with another document, the first is %s", bad,
         bad == 1 and "" or "s", first))
   end
end

checked.commands(spec, function(drv, con, settings)
   local of = {name = "json_docs", sums = {"k", "id"}, outside = "id",
               highest = settings.group_count}
   local faults = {}

   checked.rows(con, faults, spec, settings, 1, "doc")
   schema.begin_snapshot(drv, con)
   documents(con, faults, settings)
   if drv:name() == "pgsql" then
      checked.no_rows(con, faults, "json_docs", "id",
                      "k IS DISTINCT FROM CAST(doc ->> 'k' AS INTEGER)",
                      "k is not that of the document")
   end
   local good = checked.report("table 'json_docs'", faults)
   if index.exists(drv, con, of, INDEX) then
      good = index.check(drv, con, of, INDEX) and good
   else
      good = checked.report("index 'json_k'", {"it does not exist"})
   end
   local readable, placed = pcall(spec.placed, con)
   local fits, line = false, "Updates of all runs: the documents have no sum of n"
   if readable then fits, line = ledger.reconcile(spec, settings, placed) end
   if line then load.say("json_docs: sum of n: " .. line) end
   con:query("ROLLBACK")
   return good and fits
end)

-- MySQL takes no documents from LOAD DATA that is read as binary.
local prepare = sysbench.cmdline.commands.prepare[1]
sysbench.cmdline.commands.prepare[1] = function()
   if sysbench.sql.driver():name() == "mysql" and
      sysbench.opt.load_method == "auto" then
      sysbench.opt.load_method = "insert"
   end
   prepare()
end

-- ---- A run, in its main state

local run

function init()
   local drv, con = checked.connect()

   if sysbench.opt.updates + sysbench.opt.finds > 100 then
      error(string.format("--updates and --finds are %d and %d percent: " ..
                          "together they are more than 100",
                          sysbench.opt.updates, sysbench.opt.finds), 0)
   end
   checked.settings(drv, con, spec)
   if drv:name() ~= "null" and
      not index.exists(drv, con, {name = "json_docs"}, INDEX) then
      error("json: json_docs has no index json_k; use prepare with " ..
            "--table-exists=resume", 0)
   end
   run = ledger.open(drv, con, spec)
end

function done() run.close() end

-- A document that differs ends the run without a report.
function sysbench.hooks.report_append(stat)
   local line, result = run.compare(stat)
   local n = stat.counters["documents compared"] or 0
   local verdict = sysbench.opt.db_driver == "null" and
      "the null driver has no tables" or string.format("%.0f: ok", n)

   return string.format("\nDocuments read and compared: %s\n%s\n", verdict,
                        line),
      {compared = {documents = n}, reconciliation = result}
end

-- ---- Clients

local draw, uniform = sysbench.rand.default, sysbench.rand.uniform
local read, find, update -- statements
local read_id, find_k, update_id -- parameters
local client, settings, wrong, compared
local keeps_rows -- false for the null driver

function thread_init()
   local drv, con = checked.connect()
   local says, BIGINT = words(drv), sysbench.sql.type.BIGINT

   settings = checked.settings(drv, con, spec)
   keeps_rows = drv:name() ~= "null"
   wrong = judge(settings)
   client = ledger.client(spec)
   compared = sysbench.counter.new("documents compared")
   read = con:prepare("SELECT id, doc FROM json_docs WHERE id = ?", "read")
   read_id = read:bind_create(BIGINT)
   read:bind_param(read_id)
   find = con:prepare("SELECT id, doc, k FROM json_docs WHERE k = ?", "find")
   find_k = find:bind_create(BIGINT)
   find:bind_param(find_k)
   update = con:prepare("UPDATE json_docs SET doc = " ..
                        says.update:format(says.n, settings.group_count) ..
                        " WHERE id = ?", "update")
   update_id = update:bind_create(BIGINT)
   update:bind_param(update_id)
end

local function differs(id, ...)
   error(string.format("json: table json_docs, row %.0f: ", id) ..
         string.format(...), 0)
end

-- Returns the key.
local function compare(row)
   local id = tonumber(row[1])
   local what = wrong(id, row[2])

   if what then differs(id, "%s", what) end
   compared:add(1)
   return id
end

local function read_one(id)
   read_id:set(id)
   local rs = read:execute()
   if not keeps_rows then return end
   if rs.nrows ~= 1 then differs(id, "it is missing") end
   local is = compare(rs:fetch_row())
   if is ~= id then differs(id, "the database returned row %.0f", is) end
end

local function read_group(k)
   find_k:set(k)
   local rs = find:execute()
   if not keeps_rows then return end
   for _ = 1, rs.nrows do
      local row = rs:fetch_row()
      local id = compare(row)
      -- The document is right, so a different k means a wrong index.
      if tonumber(row[3]) ~= k or
         tonumber(row[2]:match('"k":%s*(%d+)')) ~= k then
         differs(id, "it was found in group %.0f", k)
      end
   end
end

local function update_one(id)
   update_id:set(id)
   client.before_commit()
   update:execute()
   client.after_commit()
end

function event()
   local kind = uniform(1, 100)
   local opt = sysbench.opt

   if kind <= opt.updates then
      update_one(draw(1, settings.document_count))
   elseif kind <= opt.updates + opt.finds then
      read_group(draw(1, settings.group_count))
   else
      read_one(draw(1, settings.document_count))
   end
end

function sysbench.hooks.before_restart_event(err) client.restarts(err) end
