-- waiting.lua - functions of the script ABI that may wait, for clients that
-- share a Lua state; the module stands for ffi.C.
--
-- Machine code calls FFI functions directly, and no other client may run in its
-- middle.  LuaJIT leaves machine code before it calls a Lua function in C.  So
-- the arguments are stored in a struct, and host.wait() makes the call and
-- stores its result.  No other client runs between host.wait() and the code
-- that reads the result.  The arguments of host.wait() only keep objects and
-- texts alive.
local host = ...
local ffi = host.ffi
local C = ffi.C
local wait, op = host.wait, host.wait_ops
local call = ffi.cast("bench_call *", host.wait_call)
-- Without compilation, each use of an array makes an object.
local text, number, param = call.text, call.number, call.param

local M = {}

local STEP, SETTLE, RESTART, UNDO = op.bench_event_step, op.bench_event_settle, op.bench_event_restart, op.bench_event_undo
local MORE = op.sb_more_events

function M.bench_event_step()
  call.op = STEP
  wait()
  return call.yes
end

function M.bench_event_settle()
  call.op = SETTLE
  wait()
  return call.con
end

function M.bench_event_restart(attempt)
  call.op, call.n = RESTART, attempt
  wait()
  return call.yes
end

function M.bench_event_undo()
  call.op = UNDO
  wait()
end

function M.sb_more_events(thread_id)
  call.op, call.n = MORE, thread_id
  wait()
  return call.yes
end

function M.db_connection_create(drv)
  call.op, call.drv = op.db_connection_create, drv
  wait(drv)
  return call.con
end

function M.bench_db_connect(drv, ...)
  call.drv = drv
  for i = 1, 6 do
    text[i - 1] = (select(i, ...))
  end
  call.op = op.bench_db_connect
  wait(drv, ...)
  return call.con
end

function M.bench_db_visit(con, way, query, len, ms)
  call.op, call.con, call.n, text[0], call.len, call.ptr = op.bench_db_visit, con, way, query, len, ms
  wait(con, query, ms)
  return call.yes
end

-- A function `name` of a connection, with a number or a boolean (`field`) as
-- its result.
local function of_connection(name, field)
  local number = op[name]
  M[name] = function(con)
    call.op, call.con = number, con
    wait(con)
    return call[field]
  end
end

of_connection("db_connection_close", "n")
of_connection("db_connection_reconnect", "n")
of_connection("db_bulk_insert_done", "n")
of_connection("bench_db_forgive", "n")
of_connection("bench_db_restart", "n")
of_connection("bench_copy_end", "yes")
of_connection("db_next_result", "rs")
of_connection("bench_pipeline_run", "yes")

local QUERY, CLASS_QUERY, PREPARE = op.db_query, op.bench_db_query, op.db_prepare
local EXECUTE, DRAW, NEXT = op.db_execute, op.bench_db_draw, op.db_stmt_next_result
local BIND, CLOSE, FREE = op.db_bind_param, op.db_close, op.db_free_results

function M.db_query(con, query, len)
  call.op, call.con, text[0], call.len = QUERY, con, query, len
  wait(con, query)
  return call.rs
end

function M.bench_db_query(con, query, len, class)
  call.op, call.con, text[0], call.len, call.ptr = CLASS_QUERY, con, query, len, class
  wait(con, query)
  return call.rs
end

function M.db_prepare(con, query, len)
  call.op, call.con, text[0], call.len = PREPARE, con, query, len
  wait(con, query)
  return call.stmt
end

function M.db_bind_param(stmt, params, len)
  call.op, call.stmt, call.ptr, call.len = BIND, stmt, params, len
  wait(stmt, params)
  return call.n
end

function M.db_execute(stmt)
  call.op, call.stmt = EXECUTE, stmt
  wait(stmt)
  return call.rs
end

function M.bench_db_draw(stmt, times, highest, first, last, span)
  call.op, call.stmt = DRAW, stmt
  number[0], number[1], number[2] = times, highest, span
  param[0], param[1] = first, last
  wait(stmt, first, last)
  return number[0]
end

function M.db_stmt_next_result(stmt)
  call.op, call.stmt = NEXT, stmt
  wait(stmt)
  return call.rs
end

function M.db_close(stmt)
  call.op, call.stmt = CLOSE, stmt
  wait(stmt)
  return call.n
end

function M.db_free_results(rs)
  call.op, call.rs = FREE, rs
  wait(rs)
  return call.n
end

local BULK_NEXT = op.db_bulk_insert_next

function M.db_bulk_insert_init(con, query, len)
  call.op, call.con, text[0], call.len = op.db_bulk_insert_init, con, query, len
  wait(con, query)
  return call.n
end

function M.db_bulk_insert_next(con, query, len)
  call.op, call.con, text[0], call.len = BULK_NEXT, con, query, len
  wait(con, query)
  return call.n
end

function M.bench_db_statement_sizes(con, max, setting)
  call.op, call.con = op.bench_db_statement_sizes, con
  wait(con)
  max[0], setting[0] = number[1], text[0]
  return number[0]
end

function M.bench_pipeline_run_bulk(con)
  call.op, call.con = op.bench_pipeline_run_bulk, con
  wait(con)
  return number[0]
end

function M.bench_copy_begin(con, name, columns, n)
  call.op, call.con, text[0], call.ptr, call.n = op.bench_copy_begin, con, name, columns, n
  wait(con, name, columns)
  return call.yes
end

function M.bench_copy_row(con, values)
  call.op, call.con, call.ptr = op.bench_copy_row, con, values
  wait(con, values)
  return call.yes
end

-- The garbage collector runs finalizers at any time, perhaps while the client
-- waits on the same connection.  So the object is freed later.
M.db_connection_free = C.bench_db_connection_later
M.bench_db_statement_free = C.bench_db_statement_later

-- A finalizer that calls `f` in the middle of other code: host.wait() makes no
-- call for it, the struct stays as it was, and its error does not end that
-- code.
local call_t = ffi.typeof("bench_call")
local failed = host.finalizer_failed
function host.quiet(f)
  return function(object)
    local saved = call_t(call[0])
    call.quiet = saved.quiet + 1
    local ok, err = pcall(f, object)
    call[0] = saved
    if not ok then
      failed(err)
    end
  end
end

return setmetatable(M, { __index = C, __newindex = C })
