#!/usr/bin/env bench
-- One event: a transfer between two accounts, or the total of all accounts as
-- a reader sees it. A total that is wrong is counted, and fails `check`.
-- Example: --dsn=postgresql://db1/test --accounts=1000 run

local checked = require("bench_checked")
local history = require("bench_bank_history")
local isolation = require("bench_isolation")
local ledger = require("bench_ledger")
local load = require("bench_load")
local options = require("bench_options")
local schema = require("bench_schema")

local INT, STRING = sysbench.cmdline.ARG_INT, sysbench.cmdline.ARG_STRING
local READS = {"sum", "rows"}
local ACCOUNTS, BALANCE, MOST = 100, 1000, 100000000

checked.options({
   accounts = {"accounts; 0 = 100 for prepare, otherwise the number in the " ..
               "tables", 0, INT, options.within(0, MOST)},
   balance = {"initial balance of each account; 0 = 1000 for prepare, " ..
              "otherwise that of the tables", 0, INT,
              options.within(0, 1000000000)},
   readers = options.percent("percentage of events that read the total", 10),
   read = {"how the total is read {" .. table.concat(READS, ",") .. "}: sum " ..
           "is one statement, rows is one for each account in a transaction",
           "sum", STRING, options.one_of(READS)},
   history_file = history.option,
})

local spec = {
   name = "bank", version = 2, table = "bench_bank", kind = "bank", unit = "account",
   settings = {{"accounts", "accounts", ACCOUNTS},
               {"balance", "balance", BALANCE}},
   names = {"bank_accounts"},
   columns = {bank_accounts = "id $key, balance BIGINT NOT NULL, " ..
                 "transfers BIGINT NOT NULL, version BIGINT NOT NULL"},
   title = "Transfers", committed = "transfers", unknown = "transfers unknown",
   also = {wrong_totals = "wrong totals"},
   rows = function(settings) return settings.accounts end,
}

-- A transfer adds one to the transfers of both accounts.
spec.total = "SELECT COALESCE(SUM(transfers), 0) / 2 FROM bank_accounts"

function spec.placed(con) return (checked.numbers(con, spec.total)) end

-- ---- check

local function check_total(con, faults, settings)
   local total, transfers = checked.numbers(con, [[
SELECT COALESCE(SUM(balance), 0), COALESCE(SUM(transfers), 0)
FROM bank_accounts]])
   local right = settings.accounts * settings.balance

   if total ~= right then
      table.insert(faults, string.format(
         "sum of balance is %.0f, but %.0f accounts began with %.0f: it " ..
         "should be %.0f", total, settings.accounts, settings.balance, right))
   end
   if transfers % 2 == 1 then
      table.insert(faults, string.format(
         "sum of transfers is %.0f, which is odd: half of a transfer is missing",
         transfers))
   end
end

checked.commands(spec, function(drv, con, settings)
   local faults = {}

   checked.rows(con, faults, spec, settings, 1, "balance,transfers,version")
   schema.begin_snapshot(drv, con)
   for _, column in ipairs({"balance", "transfers"}) do
      checked.no_rows(con, faults, "bank_accounts", "id", column .. " IS NULL",
                      column .. " is NULL")
   end
   checked.no_rows(con, faults, "bank_accounts", "id",
                   string.format("transfers = 0 AND balance <> %.0f",
                                 settings.balance),
                   "balance has changed without a transfer")
   checked.no_rows(con, faults, "bank_accounts", "id", "transfers < 0",
                   "transfers is negative")
   check_total(con, faults, settings)
   local good = checked.report("table 'bank_accounts'", faults)
   local fits, line = ledger.reconcile(spec, settings, spec.placed(con))
   if line then load.say("bank_accounts: sum of transfers: " .. line) end
   con:query("ROLLBACK")
   faults = {}
   if settings.wrong_totals > 0 then
      faults[1] = string.format("bench_bank.wrong_totals is %.0f: the totals " ..
                                "that readers have seen were not those of " ..
                                "any moment", settings.wrong_totals)
   end
   return checked.report("the totals of readers", faults) and good and fits
end)

-- ---- A run, in its main state

local run

function init()
   local drv, con = checked.connect()

   local settings = checked.settings(drv, con, spec)
   history.open(drv, con, settings)
   run = ledger.open(drv, con, spec, history.alone())
   history.number(con)
   ledger.ack_total(drv, con, spec)
end

local wrong = 0 -- totals that readers have seen

function done()
   local kept, why = pcall(history.close)

   run.close() -- also after an incomplete history
   if not kept then error(why, 0) end
   if wrong > 0 then
      error(string.format("bank: %.0f wrong totals were read", wrong), 0)
   end
end

function sysbench.hooks.report_append(stat)
   local line, result = run.compare(stat)
   local totals = stat.counters["totals read"] or 0
   wrong = stat.counters["wrong totals"] or 0
   local verdict = wrong == 0 and "ok" or "bad"

   local text = string.format(
      "\nTotals read, --read=%s, %s: %.0f, wrong: %.0f: %s\n%s\n",
      sysbench.opt.read, isolation.words(), totals, wrong, verdict, line)
   local more, figures = history.report()
   return text .. (more or ""),
      {totals = {read = totals, wrong = wrong, verdict = verdict},
       reconciliation = result, history = figures and figures.history}
end

-- ---- Clients

local draw, uniform = sysbench.rand.default, sysbench.rand.uniform
local begin, commit, snapshot, take, give, total, account -- statements
local amount, from, to, id -- parameters
local client, settings, right
local record -- with --history-file
local totals, wrong_totals -- counters
local keeps_rows -- false for the null driver

function thread_init()
   local drv, con = checked.connect()
   local BIGINT = sysbench.sql.type.BIGINT
   local sqlite = drv:name() == "sqlite"

   record = history.client(drv, con)
   local text = "UPDATE bank_accounts SET balance = balance %s ?, " ..
      "transfers = transfers + 1" .. (record and ", version = ?" or "") ..
      " WHERE id = ?"
   settings = checked.settings(drv, con, spec)
   if settings.accounts < 2 then
      error("a transfer needs two accounts: prepare with --accounts=2 or more",
            0)
   end
   right = settings.accounts * settings.balance
   keeps_rows = drv:name() ~= "null"
   client = ledger.client(spec)
   totals = sysbench.counter.new("totals read")
   wrong_totals = sysbench.counter.new("wrong totals")
   begin = con:prepare(sqlite and "BEGIN IMMEDIATE" or "BEGIN")
   snapshot = con:prepare("BEGIN")
   commit = con:prepare("COMMIT")
   take = con:prepare(text:format("-"), "take")
   give = con:prepare(text:format("+"), "give")
   amount, from = take:bind_create(BIGINT), take:bind_create(BIGINT)
   to = give:bind_create(BIGINT)
   if record then
      take:bind_param(amount, record.bind(take), from)
      give:bind_param(amount, record.bind(give), to)
   else
      take:bind_param(amount, from)
      give:bind_param(amount, to)
   end
   total = con:prepare(record and
                          "SELECT balance, version, id FROM bank_accounts" or
                          "SELECT SUM(balance) FROM bank_accounts", "total")
   account = con:prepare(string.format(
      "SELECT balance%s FROM bank_accounts WHERE id = ?",
      record and ", version" or ""), "account")
   id = account:bind_create(BIGINT)
   account:bind_param(id)
end

local function change(statement, account)
   if record then record.change(account) end
   statement:execute()
end

-- Locks the accounts in the order of their numbers, so that transfers never
-- wait for each other in a circle.
local function transfer()
   local a, b = draw(1, settings.accounts), draw(1, settings.accounts - 1)

   if b >= a then b = b + 1 end
   from:set(a)
   to:set(b)
   amount:set(uniform(1, 100))
   begin:execute()
   if record then record.lock(a, b) end
   if a < b then
      change(take, a)
      change(give, b)
   else
      change(give, b)
      change(take, a)
   end
   sysbench.ack(sysbench.iteration())
   client.before_commit()
   if record then record.before_commit() end
   commit:execute()
   client.after_commit()
end

-- The sum of n rows; nil: another number of rows.  `only`: the account that was
-- read, if one.
local function sum_of(rs, n, only)
   local sum = 0

   if rs == nil or rs.nrows ~= n then return nil end
   for _ = 1, n do
      local row = rs:fetch_row()
      local value = tonumber(row[1])
      if record then record.read(only or tonumber(row[3]), tonumber(row[2])) end
      sum = sum and value and sum + value
   end
   return sum
end

local function read_rows()
   local sum = 0

   snapshot:execute()
   for i = 1, settings.accounts do
      id:set(i)
      local value = sum_of(account:execute(), 1, i)
      sum = sum and value and sum + value
   end
   commit:execute()
   return sum
end

local function read()
   local sum

   if sysbench.opt.read == "rows" then
      sum = read_rows()
   else
      sum = sum_of(total:execute(), record and settings.accounts or 1)
   end
   totals:add(1)
   if keeps_rows and sum ~= right then wrong_totals:add(1) end
end

function event()
   if record then record.begin() end
   if uniform(1, 100) <= sysbench.opt.readers then read() else transfer() end
   if record then record.finish() end
end

function sysbench.hooks.before_restart_event(err)
   client.restarts(err)
   if record then record.restarts(err) end
end
