# quirks.bats - defects of sysbench's script interface that no other test looks
# at.  The tests are named in QUIRKS.md, which says what sysbench does.
load ../cli/helper

@test "a template longer than the parameter is cut" {
  cat >t.lua <<'L'
local con = sysbench.sql.driver("null"):connect()
local st = con:prepare("SELECT ?")
local p = st:bind_create(sysbench.sql.type.VARCHAR, 10)
st:bind_param(p)
p:set_rand_str(("@"):rep(5000))
print(tonumber(p.data_len[0]), ffi.string(p.buffer, 10):match("^%l+$") ~= nil)
L
  bench -0 t.lua
  must is "$(lines)" "10	true"
}

@test "events are called TRX, and cpath ends with a pattern" {
  cat >t.lua <<'L'
print(tonumber(ffi.C.SB_CNT_TRX), (pcall(function() return ffi.C.SB_CNT_EVENT end)))
print(package.cpath:match("[^;]+;?$"):match("/%?%.so;?$") ~= nil)
L
  bench t.lua
  must is "$(lines)" "3	false
true"
}

@test "the keys do not depend on prepared statements" {
  cat >t.lua <<'L'
function thread_init()
  con = sysbench.sql.driver():connect()
  st = con:prepare("SELECT ?")
  p = st:bind_create(sysbench.sql.type.INT)
  st:bind_param(p)
end
function event() local k = sysbench.rand.uniform(1, 1e9) p:set(k) st:execute() print("k", k) end
L
  keys() {
    bench t.lua --db-driver=null --rand-seed=3 --events=20 "$@" run
    grep ^k <<<"$output"
  }
  must is "$(keys --db-ps-mode=auto)" "$(keys --db-ps-mode=disable)"
  must [ "$(keys | sort -u | wc -l)" = 20 ]
}

@test "threads have their streams, whatever order they start in" {
  cat >t.lua <<'L'
function thread_init(id) print("k", id, sysbench.rand.uniform(1, 1e9), sysbench.rand.uniform(1, 1e9)) end
function event() end
L
  first=
  for _ in {1..6}; do
    bench t.lua --threads=8 --rand-seed=5 --events=1 run
    draws=$(grep ^k <<<"$output" | sort)
    must is "$(cut -f3 <<<"$draws" | sort -u | wc -l)" 8
    must is "$draws" "${first:=$draws}"
  done
}

@test "commands: the seed counts, and without one data are fixed" {
  echo 'function prepare() print("k", sysbench.rand.uniform(1, 1e9)) end' >t.lua
  key() {
    bench t.lua "$@" prepare
    grep ^k <<<"$output"
  }
  must is "$(key)" "$(key)"
  must is "$(key --rand-seed=3)" "$(key --rand-seed=3)"
  must [ "$(key --rand-seed=3)" != "$(key --rand-seed=4)" ]
  must [ "$(key --rand-seed=3)" != "$(key)" ]
}

@test "pareto and zipfian are hot at the low end" {
  cat >t.lua <<'L'
for _, name in ipairs{"pareto", "zipfian"} do
  local low = 0
  for i = 1, 10000 do if sysbench.rand[name](1, 1000) <= 200 then low = low + 1 end end
  print(name, low > 5000)
end
L
  bench t.lua
  must is "$(lines)" "pareto	true
zipfian	true"
}

@test "several connections per thread" {
  cat >t.lua <<'L'
function thread_init() c = {} for i = 1, 10 do c[i] = sysbench.sql.driver():connect() end end
function event() for i = 1, 10 do c[i]:query("SELECT 1") end end
L
  bench -0 t.lua --db-driver=null --threads=3 --events=20 run
  must is "$(number 'read:')" 200
}

@test "the end of the results is counted nowhere" {
  needs_driver sqlite
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  local rs = con:query("SELECT 1; SELECT 2")
  while rs ~= nil do rs = con:next_result() end
end
L
  bench t.lua --db-driver=sqlite --sqlite-db=t.db --events=5 run
  must is "$(number 'read:') $(number 'other:')" "10 0"
}

@test "values of an error in the statements of a thread's start" {
  needs_driver sqlite
  cat >t.lua <<'L'
function thread_init()
  con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE t (id INTEGER PRIMARY KEY)")
  con:query("INSERT INTO t VALUES (1)")
  con:query("INSERT INTO t VALUES (1)")
end
function event() end
L
  bench -1 t.lua --db-driver=sqlite --sqlite-db=t.db --db-ignore-errors=23505 run
  must has "$stderr" "^FATAL: thread_init\(\) failed: SQL error, errno = 1555, state = '23505'"
}

@test "a seed stands for numbers of its own" {
  cat >t.lua <<'L'
function event()
  local n = {}
  for i = 1, 6 do n[i] = sysbench.rand.uniform(1, 1000) end
  print("drawn", table.concat(n, " "))
end
L
  bench t.lua --rand-seed=7 --events=1 run
  must is "$(grep drawn <<<"$output")" "drawn	724 488 653 864 594 678"
}
