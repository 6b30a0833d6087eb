-- Tables filled by the loader of the program, which generates rows much faster
-- than a script can, and with all threads at once.
--
-- The caller handles each table as a whole: steps.create(n) makes table n and
-- returns one of load.FRESH, RESUME, LEAVE; steps.finish(n) does what comes
-- after the rows.

local load = {FRESH = 0, RESUME = 1, LEAVE = 2}

local END, STOPPED, CREATE = 0, 1, 2

-- sysbench, which can run these scripts too, has no such loader.
local has_ffi, ffi = pcall(require, "ffi")
load.possible = sysbench.bench_version ~= nil and has_ffi

-- Prints a line on stdout, like print(), which does not mix with a progress
-- line.
load.say = load.possible and function(text)
   ffi.C.bench_say(text .. "\n", #text + 1)
end or print

-- Starts the progress of a command, which all its threads share: of `total`
-- tables (warmup) or rows (check).  Returns a function that adds what was done.
function load.pace(warmup, total)
   if not load.possible then return function() end end
   local pace = ffi.C.bench_pace_open(warmup, total)
   return function(n) ffi.C.bench_pace_add(pace, n) end
end

-- Ends cleanup: closes the connection, and gives back the space of the tables
-- that were dropped.
function load.tidy(con)
   if not load.possible then return end
   local text = ffi.string(ffi.C.bench_load_tidy(con))
   if text ~= "" then load.say(text) end
end

local function raise(loader)
   error(ffi.string(ffi.C.bench_load_reason(loader)), 0)
end

local function create(loader, steps, n)
   local ok, origin = pcall(steps.create, n)
   if not ok then
      ffi.C.bench_load_failed(loader)
      error(origin, 0)
   end
   if ffi.C.bench_load_created(loader, origin) < 0 then raise(loader) end
end

local function finish(loader, steps, n)
   local ok, err = pcall(steps.finish, n)
   if not ok then
      ffi.C.bench_load_failed(loader)
      error(err, 0)
   end
   ffi.C.bench_load_finished(loader)
end

-- Loads `tables` tables from number `first` on, each with `size` rows;
-- `shared`: together with all threads that call this.
function load.run(con, first, tables, size, steps, shared)
   local C = ffi.C
   local loader = C.bench_load_open(con, first, tables, size,
                                    sysbench.opt.load_method or "auto", shared)
   local table_number = ffi.new("double[1]")

   if loader == nil then error("not enough memory", 0) end
   ffi.gc(loader, C.bench_load_close)
   while true do
      local step = C.bench_load_next(loader, table_number)
      if step < 0 then raise(loader) end
      if step == END or step == STOPPED then break end
      if step == CREATE then
         create(loader, steps, table_number[0])
      else
         finish(loader, steps, table_number[0])
      end
   end
   C.bench_load_close(ffi.gc(loader, nil))
end

-- Returns the differences between the rows of table n and those that load.run
-- makes, in words; nil if there are none.
function load.check(con, n, size)
   local text = ffi.new("const char *[1]")
   local rc = ffi.C.bench_load_check(con, n, size, text)
   local words = ffi.string(text[0])

   if rc < 0 then error(words, 0) end
   return words ~= "" and words or nil
end

return load
