-- Tables filled by the loader of the program, much faster than by a script,
-- with all threads at once. steps.create(n) makes table n and returns
-- load.FRESH, RESUME or LEAVE; steps.finish(n) follows the rows.

local load = {FRESH = 0, RESUME = 1, LEAVE = 2}

local END, STOPPED, CREATE = 0, 1, 2

-- sysbench, which can run these scripts, has no such loader.
local has_ffi, ffi = pcall(require, "ffi")
load.possible = sysbench.bench_version ~= nil and has_ffi

-- Like print(), without mixing with a progress line.
load.say = load.possible and function(text)
   ffi.C.bench_say(text .. "\n", #text + 1)
end or print

-- Starts the progress of a command, shared by its threads: of `total` tables
-- (warmup) or rows (check).  Returns a function that adds to it.
function load.pace(warmup, total)
   if not load.possible then return function() end end
   local pace = ffi.C.bench_pace_open(warmup, total)
   return function(n) ffi.C.bench_pace_add(pace, n) end
end

-- Ends cleanup: closes the connection, and gives back the space of dropped
-- tables.
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

-- table_of(n): the argument of a step for table n.
local function go(loader, steps, table_of)
   local C = ffi.C
   local table_number = ffi.new("double[1]")

   if loader == nil then error("not enough memory", 0) end
   ffi.gc(loader, C.bench_load_close)
   while true do
      local step = C.bench_load_next(loader, table_number)
      if step < 0 then raise(loader) end
      if step == END or step == STOPPED then break end
      local of = table_of(table_number[0])
      if step == CREATE then
         create(loader, steps, of)
      else
         finish(loader, steps, of)
      end
   end
   C.bench_load_close(ffi.gc(loader, nil))
end

local function method()
   return sysbench.opt.load_method or "auto"
end

-- Loads `tables` tables sbtestN from number `first` on, each with `size` rows;
-- `shared`: together with all threads that call this.
function load.run(con, first, tables, size, steps, shared)
   local loader = ffi.C.bench_load_open(con, first, tables, size, method(),
                                        shared)
   go(loader, steps, function(n) return n end)
end

-- The parameters of a kind for C: names, values, number.
local function params(list)
   local names, values = {}, {}
   for name, value in pairs(list) do
      names[#names + 1], values[#values + 1] = name, value
   end
   return ffi.new("const char *[?]", #names + 1, names),
      ffi.new("double[?]", #values + 1, values), #names
end

-- Loads all tables of a kind (src/db/load/kinds), together with all threads that
-- call this; `list` has its parameters: {scale = 10}.  The steps get the name
-- of a table.
function load.run_kind(con, kind, list, steps)
   local names, values, n = params(list)
   local loader = ffi.C.bench_load_open_kind(con, kind, names, values, n,
                                             method(), true)
   go(loader, steps, function()
      return ffi.string(ffi.C.bench_load_table(loader))
   end)
end

-- For prepare with --data-size: sets an option to the number of units with
-- which all tables of a kind take about that size.  unit: {option, singular,
-- plural, least, most}.  `loud`: print the line.
function load.fit(drv, kind, list, unit, loud, tables)
   if not load.possible then return end
   local option, one, many, least, most = unpack(unit)
   local text = ffi.new("const char *[1]")
   list[option] = least
   local names, values, n = params(list)
   local units = ffi.C.bench_load_fit(drv, kind, names, values, n, tables or 0,
                                      option, least, most, text)
   if units == 0 then return end
   if units < 0 then error(ffi.string(text[0]), 0) end
   if loud then
      load.say(string.format("%s%.0f %s", ffi.string(text[0]), units,
                             units == 1 and one or many))
   end
   sysbench.opt[option] = units
end

local function differences(rc, text)
   local words = ffi.string(text[0])

   if rc < 0 then error(words, 0) end
   return words ~= "" and words or nil
end

-- The differences between the rows of table n and those of load.run, in words,
-- or nil.
function load.check(con, n, size)
   local text = ffi.new("const char *[1]")
   return differences(ffi.C.bench_load_check(con, n, size, text), text)
end

-- The same for table number n of a kind.  `skip`: columns that may have any
-- value, separated by commas.
function load.check_kind(con, kind, list, n, skip)
   local names, values, count = params(list)
   local text = ffi.new("const char *[1]")
   return differences(
      ffi.C.bench_load_check_kind(con, kind, names, values, count, n, skip,
                                  text), text)
end

return load
