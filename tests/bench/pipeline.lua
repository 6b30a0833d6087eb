-- pipeline.lua - prepared point selects, one at a time or several in flight, for
-- pipeline.sh.
sysbench.cmdline.options = {
  depth = {"Statements in flight; 1: no pipeline", 1},
  rows = {"Rows of the table", 10000},
}

local T = sysbench.sql.type

function prepare()
  local con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE pipeline_rows (id BIGINT PRIMARY KEY, c CHAR(120))")
  local insert = con:prepare("INSERT INTO pipeline_rows VALUES (?, ?)")
  insert:bind_param(insert:bind_create(T.BIGINT), insert:bind_create(T.CHAR, 120))
  local rows = {}
  for i = 1, sysbench.opt.rows do
    rows[i] = {i, ("x"):rep(120)}
  end
  insert:execute_bulk(rows)
end

function cleanup()
  sysbench.sql.driver():connect():query("DROP TABLE IF EXISTS pipeline_rows")
end

local con, find, id, depth, rows

function thread_init()
  con = sysbench.sql.driver():connect()
  find = con:prepare("SELECT c FROM pipeline_rows WHERE id = ?")
  id = find:bind_create(T.BIGINT)
  find:bind_param(id)
  depth, rows = sysbench.opt.depth, sysbench.opt.rows
end

local function fill(p)
  for _ = 1, depth do
    id:set(sysbench.rand.uniform(1, rows))
    p:execute(find)
  end
end

function event()
  if depth == 1 then
    id:set(sysbench.rand.uniform(1, rows))
    find:execute()
  else
    con:pipeline(fill)
  end
end
