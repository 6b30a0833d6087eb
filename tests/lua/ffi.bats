# ffi.bats - the C interface, and scripts that declare it again.
load ../cli/helper
NEEDS_DRIVER=sqlite

@test "the program exports what scripts may call, and nothing else" {
  sed -n 's/^  \([a-z0-9_]*\);/\1/p' "$BENCH_BUILD/src/lua/exports.list" | sort >want
  [ -s want ]
  must [ "$(grep -cvE '^(sb|db|bench)_' want)" = 0 ]
  if is_static; then # a list in the program does the work of the dynamic linker
    {
      sed 's/.*/ffi.cdef("void &(void)") print(ffi.C.& ~= nil and "&")/' want
      echo 'ffi.cdef("void sb_nosuch(void); int system(const char *);")'
      echo 'for _, name in ipairs{ "sb_nosuch", "system" } do'
      echo '  print(pcall(function() return ffi.C[name] end))'
      echo 'end'
    } >t.lua
    bench -0 t.lua
    must is "$(grep -cE '^false	.*no such function: a static program opens no libraries' <<<"$output")" 2
    must is "$(grep -E '^(sb|db|bench)_' <<<"$output")" "$(cat want)"
    return
  fi
  nm -D --defined-only "$BENCH" >all
  awk '$2 ~ /^[TW]$/ { print $3 }' all | grep -vE '^(_init|_fini|_start|main|__asan|__ubsan|__tsan|__sanitizer|__interceptor|__lsan)' | sort >got || true
  if nm "$BENCH" | grep -q __asan_init || nm "$BENCH" | grep -q __tsan_init; then
    must is "$(comm -13 got want)" "" # a sanitizer exports more
  else
    must is "$(cat got)" "$(cat want)"
  fi
}

@test "scripts may declare everything again, equal or not" {
  cat >t.lua <<'L'
ffi.cdef[[
typedef struct { int a; } sql_result;
typedef int sb_counter_type;
bool sb_more_events(int thread_id);
int sb_event_start(long thread_id);
void sb_event_stop(int);
void sb_counter_inc(int thread, int type);
void sb_rand_uniform(const char *x);
char *bench_rand_uniform(void);
void bench_event_step(int);
int db_query(void);
int db_fetch_row(void);
void *bench_db_query(void);
struct timeval { long tv_sec; long tv_usec; };
enum mine { SB_CNT_EVENT = 3 };
int gettimeofday(struct timeval *tv, void *tz);
]]
function thread_init()
  con = sysbench.sql.driver():connect()
  local tv = ffi.new("struct timeval")
  ffi.C.gettimeofday(tv, nil)
  assert(tv.tv_sec > 1e9)
end
function event(id)
  for i = 1, 100 do
    local n = sysbench.rand.uniform(1, 10)
    assert(n >= 1 and n <= 10 and n % 1 == 0)
  end
  assert(con:query_row("SELECT 1") == "1")
  ffi.C.sb_counter_inc(id, ffi.C.SB_CNT_WRITE)
end
L
  bench -0 t.lua --db-driver=null --threads=2 --events=200 run
  must is "$stderr" ""
  must is "$(number 'read:')" 200
  must is "$(number 'write:')" 200
}

@test "metatypes are taken" {
  for type in sql_driver sql_connection sql_statement sql_bind sql_result sb_histogram_t; do
    echo "ffi.metatype('$type', {})" >t.lua
    bench -1 t.lua
    must has "$stderr" "cannot change a protected metatable"
  done
}

@test "the functions of old, straight from C" {
  cat >t.lua <<'L'
local C = ffi.C
function event() end
function prepare()
  local drv = C.db_create("sqlite")
  local con = C.db_connection_create(drv)
  print(ffi.string(drv.sname), tonumber(con.error), con.driver == drv)
  local function q(sql) return C.db_query(con, sql, #sql) end
  print(q("CREATE TABLE t (a INT, b TEXT)") == nil, q("INSERT INTO t VALUES (1, 'x'), (2, NULL)") == nil)
  local rs = q("SELECT * FROM t")
  print(rs.nrows, rs.nfields, tonumber(rs.counter) == C.SB_CNT_READ)
  local row = C.db_fetch_row(rs)
  print(ffi.string(row.values[1].ptr, row.values[1].len))
  row = C.db_fetch_row(rs)
  print(row.values[1].ptr == nil, C.db_fetch_row(rs) == nil, C.db_free_results(rs), C.db_free_results(rs))
  local sql = "SELECT a FROM t WHERE a > ?"
  local st = C.db_prepare(con, sql, #sql)
  local bind = ffi.new("sql_bind[1]")
  local value, null = ffi.new("int[1]", 1), ffi.new("char[1]")
  bind[0].type, bind[0].buffer, bind[0].is_null = C.SQL_TYPE_INT, value, null
  print(C.db_bind_param(st, bind, 1), C.db_bind_result(st, bind, 1))
  bind[0].type = 0
  rs = C.db_execute(st)
  row = C.db_fetch_row(rs)
  print(ffi.string(row.values[0].ptr, row.values[0].len), st.connection == con)
  bind[0].type = C.SQL_TYPE_DATE
  print(C.db_bind_param(st, bind, 1), C.db_close(st), C.db_close(st))
  local head = "INSERT INTO t (a) VALUES"
  print(C.db_bulk_insert_init(con, head, #head), C.db_bulk_insert_next(con, "(7)", 3), C.db_bulk_insert_done(con))
  print(C.db_more_results(con), C.db_next_result(con) == nil)
  print(con:query_row("SELECT MAX(a) FROM t"))
  print(C.db_connection_close(con), C.db_destroy(drv))
  C.db_connection_free(con)
  local buf = ffi.new("char[8]")
  C.sb_rand_str("a#@", buf)
  print(ffi.string(buf):match("^a%d%l$") ~= nil, C.sb_rand_varstr(buf, 3, 3), C.sb_rand_varstr(buf, 0, 0))
  print(C.sb_rand_uniform(5, 5), C.sb_rand_default(7, 7), C.sb_rand_unique() ~= C.sb_rand_unique())
  print(C.sb_rand_uniform_double() < 1, C.sb_rand_uniform_uint64() ~= C.sb_rand_uniform_uint64())
end
L
  bench -0 t.lua --sqlite-db=t.db prepare
  must is "$(tail -n +3 <<<"$output")" "sqlite	0	true
true	true
2	2	true
x
true	true	0	1
0	0
2	true
1	0	0
0	0	0
false	true
7
0	0
true	3	0
5	7	true
true	true"
}

# A compiler of machine code that loses them is not used.  JIT=on uses it all the same.
@test "constants arrive in functions in C as they are" {
  cat >t.lua <<'L'
if os.getenv("JIT") then jit.on() end
require("jit.opt").start(os.getenv("OPT"))
function thread_init() sum, n = sysbench.counter.new("sum"), 0 end
function event() n = n + 1; sum:add(7) end
function thread_done() print("sum", n, sum:get()) end
L
  local opt
  for opt in loop -loop; do
    OPT=$opt bench -0 t.lua --events=300 --time=0 run
    must has "$output" '^sum	300	2100$'
  done
}

@test "machine code is used, and --version says where it cannot be" {
  echo 'print("used", (jit.status()))' >t.lua
  bench -0 t.lua
  local used
  used=$(sed -n 's/^used	//p' <<<"$output")
  bench --version --verbosity=5
  if has "$output" '^Lua: LuaJIT 2\.1\.0-beta3, without machine code, which is wrong on 64-bit ARM$'; then
    must is "$used" false
  elif has "$output" '^Lua: LuaJIT 2\.1\.[0-9]{10}, with machine code$' || ! on_arm; then
    must is "$used" true
  else # another LuaJIT on 64-bit ARM, of which nothing is known
    must has "$output" '^Lua: .*, without machine code, which is wrong on 64-bit ARM$'
    must is "$used" false
  fi
}

# on_arm: the program is for 64-bit ARM.
on_arm() {
  readelf -h "${BENCH_REAL-$BENCH}" | grep -q 'Machine: *AArch64'
}
