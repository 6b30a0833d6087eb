-- The history of the workload bank: each account is a register, whose value, in
-- the column version, is the number of the last transfer.  A transfer locks
-- both accounts and reads their numbers first, so the history has the order of
-- all transfers of an account.

local checked = require("bench_checked")
local doubt = require("bench_doubt")
local history = require("bench_history")

local ffi = require("ffi")
local C = ffi.C
local format = string.format

local OK, FAIL, UNKNOWN = 0, 1, 2
local LARGEST = 2^53
local MOST_ACCOUNTS = 1000 -- a reader reads them all
local NUMBERS, BEFORE = "transfers", "transfers before the run" -- sequences

local own = {option = history.option, close = history.close,
             report = history.report}

local ALONE = "--history-file: another run uses these tables, or has not ended " ..
   "properly, and transfers of two runs would have the same numbers: wait for " ..
   "its end, or prepare the tables again"

-- Nil, or the error if another run is open.
function own.alone() return sysbench.opt.history_file ~= "" and ALONE or nil end

-- At the start of a run with the settings of the tables: opens the file.
function own.open(drv, con, settings)
   if sysbench.opt.history_file == "" then return end
   if settings.accounts > MOST_ACCOUNTS then
      error(format("--history-file is for at most %d accounts, and there are %.0f: " ..
                   "readers read them all", MOST_ACCOUNTS, settings.accounts), 0)
   end
   -- Before the file, which may be that of the other run.
   if settings.open_runs > 0 then error(ALONE, 0) end
   history.start(drv, false)
end

-- When no other run can begin: the numbers of the transfers.
function own.number(con)
   if sysbench.opt.history_file == "" then return end
   local last = checked.numbers(con, "SELECT MAX(version) FROM bank_accounts")
   assert(C.bench_sequence_set(NUMBERS, last + 1) == 0)
   assert(C.bench_sequence_set(BEFORE, last + 1) == 0)
end

local number = ffi.new("double[1]")

local function take(name, n)
   if C.bench_sequence_take(name, n, LARGEST, number) < 0 then
      error("there are no more numbers of transfers: prepare the tables again",
            0)
   end
   return number[0]
end

-- What a client records with; nil: no history.
function own.client(drv, con)
   local recorder = history.recorder()
   if recorder == nil then return nil end
   local record = {}
   local BIGINT = sysbench.sql.type.BIGINT
   local first = take(BEFORE, 0)
   local committing = false
   local this, version -- the number of the transfer, and its parameter
   local lock = con:prepare("SELECT version FROM bank_accounts WHERE id = ?" ..
                            (drv:name() == "sqlite" and "" or " FOR UPDATE"),
                            "lock")
   local id = lock:bind_create(BIGINT)

   lock:bind_param(id)

   -- Adds the parameter of a statement that changes an account.
   function record.bind(statement)
      version = version or statement:bind_create(BIGINT)
      return version
   end

   function record.begin() C.bench_history_begin(recorder) end

   -- Values of earlier runs count as nothing.
   function record.read(account, seen)
      local text = seen >= first and format("%.0f", seen - first + 1) or ""

      C.bench_history_read(recorder, account)
      C.bench_history_answer(recorder, text, #text)
   end

   -- Returns the account's number of the last transfer.
   local function locked(account)
      local rs = lock:execute()
      if rs.nrows == 0 then
         error(format("bank_accounts has no account %d: prepare the tables again",
                      account), 0)
      end
      return rs:fetch_row()[1]
   end

   -- Locks both accounts of a transfer, and gives it a number.
   function record.lock(a, b)
      for _, account in ipairs({math.min(a, b), math.max(a, b)}) do
         id:set(account)
         record.read(account, tonumber(locked(account)))
      end
      this = take(NUMBERS, 1)
      version:set(this)
   end

   function record.change(account)
      C.bench_history_write(recorder, account, this - first + 1)
   end

   function record.before_commit() committing = true end

   function record.finish()
      committing = false
      C.bench_history_end(recorder, OK)
   end

   function record.restarts(err)
      C.bench_history_end(recorder, committing and doubt(err) and UNKNOWN or FAIL)
      committing = false
   end

   return record
end

return own
