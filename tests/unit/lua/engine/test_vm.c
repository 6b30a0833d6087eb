/*
 * test_vm.c - clients that share a Lua state share its code and nothing else.
 */
#include <sys/wait.h>

#include "lua/engine/client.h"
#include "lua/engine/heap.h"
#include "tests/unit/lua/vm_rig.h"

enum {
  FEW = 3,
  MANY = 1000,
};

/*
 * A case is a script.  check(id) is called for each client, in turns, several
 * times.  It returns nothing and raises an error if anything is wrong.
 */
static const struct {
  const char *what, *script;
} cases[] = {
  { "globals and locals",
    "local mine = 0\n"
    "ours = 0\n"
    "function check(id)\n"
    "  mine, ours = mine + 1, ours + 10\n"
    "  turns = (turns or 0) + 1\n"
    "  assert(mine == turns and ours == 10 * turns and _G.ours == ours)\n"
    "  assert(sysbench.tid == id and thread_id == id and _G._G == _G)\n"
    "  assert(type(print) == 'function' and unknown == nil)\n"
    "end\n" },
  { "modules with data",
    "package.path = package.path .. ';/nowhere/' .. sysbench.tid\n"
    "local m = require('counted')\n"
    "assert(require('counted') == m and package.loaded.counted == m)\n"
    "assert(require('string') == string and require('ffi') == ffi)\n"
    "function check(id)\n"
    "  m.n = m.n + 1\n"
    "  turns = (turns or 0) + 1\n"
    "  assert(m.n == turns and m.tid == id and m.next() == turns)\n"
    "  assert(package.path:match('%d+$') == tostring(id))\n"
    "  local ok, err = pcall(require, 'no_such_module')\n"
    "  assert(not ok and err:find('module \\'no_such_module\\' not found'))\n"
    "  assert(err:find('/nowhere/' .. id, 1, true))\n"
    "end\n" },
  { "the rules of require()",
    "package.preload.own = function(name) return { name, sysbench.tid } end\n"
    "table.insert(package.loaders, 1, function(name)\n"
    "  return name == 'odd' and function() package.loaded.odd = 7 end or nil\n"
    "end)\n"
    "function check(id)\n"
    "  assert(require('own')[1] == 'own' and require('own')[2] == id)\n"
    "  assert(require('odd') == 7 and require('empty') == true)\n"
    "  local ok, err = pcall(require, 'circle')\n"
    "  assert(not ok and err:find('loop or previous error'))\n"
    "  package.loaded.circle = nil\n"
    "  package.loaded.own = nil\n"
    "end\n" },
  { "module()",
    "require('old_style')\n"
    "function check(id)\n"
    "  turns = (turns or 0) + 1\n"
    "  assert(old_style.count() == turns and old_style.id() == id)\n"
    "  assert(old_style._NAME == 'old_style')\n"
    "end\n" },
  { "functions that were replaced",
    "depth = 0\n"
    "local function wrap(t, name)\n"
    "  local old = t[name]\n"
    "  t[name] = function(...) depth = depth + 1 return old(...) end\n"
    "end\n"
    "wrap(sysbench.rand, 'default')\n"
    "wrap(sysbench.sql, 'driver')\n"
    "wrap(string, 'rep')\n"
    "wrap(math, 'floor')\n"
    "wrap(_G, 'tostring')\n"
    "wrap(_G, 'sb_rand')\n"
    "function string.twice(s) return s .. s end\n"
    "sysbench.sql.type.MINE = sysbench.tid\n"
    "function check(id)\n"
    "  depth = 0\n"
    "  sysbench.rand.default(1, 2) sysbench.sql.driver() string.rep('x', 2)\n"
    "  math.floor(1) tostring(1) sb_rand(1, 2)\n"
    "  assert(depth == 6, depth)\n"
    "  assert(('ab'):twice() == 'abab' and sysbench.sql.type.MINE == id)\n"
    "end\n" },
  { "tables that are looked at as a whole",
    "sysbench.opt = sysbench.opt\n"
    "local mt = getmetatable(_G)\n"
    "assert(mt == nil)\n"
    "setmetatable(_G, { __index = function(_, k) error('no ' .. k) end })\n"
    "local n = 0\n"
    "for k, v in pairs(_G) do n = n + 1 end\n"
    "assert(n > 70 and rawget(_G, 'print') == print)\n"
    "n = 0\n"
    "for k in pairs(string) do n = n + 1 end\n"
    "assert(n >= 14)\n"
    "function check(id)\n"
    "  assert(not pcall(function() return nothing_there end))\n"
    "  local seen = {}\n"
    "  if id > 0 then sysbench.opt.percentile = id end\n"
    "  for k, v in pairs(sysbench.opt) do seen[k] = v end\n"
    "  assert(seen.threads == 3 and seen.percentiles[1] == nil)\n"
    "  assert(seen.percentile == (id > 0 and id or 95))\n"
    "  sysbench.opt.percentiles[1] = id\n"
    "  sysbench.opt.threads = nil\n"
    "  assert(sysbench.opt.threads == nil and sysbench.opt.time == 10)\n"
    "  sysbench.opt.threads = 3\n"
    "  sysbench.opt.percentiles[1] = nil\n"
    "end\n" },
  { "chunks, environments, coroutines",
    "dofile(sysbench.cmdline.script_path:gsub('script', 'part'))\n"
    "function check(id)\n"
    "  assert(part == id)\n"
    "  assert(loadstring('seen = sysbench.tid return seen')() == id)\n"
    "  assert(seen == id and getfenv(0) == _G and getfenv(check) == _G)\n"
    "  local co = coroutine.wrap(function(a)\n"
    "    while true do inner = id a = coroutine.yield(a + sysbench.tid) end\n"
    "  end)\n"
    "  assert(co(1) == 1 + id and co(2) == 2 + id and inner == id)\n"
    "  local f = setfenv(function() x = 1 return x end, {})\n"
    "  assert(f() == 1 and x == nil)\n"
    "  assert(collectgarbage() == 0 and collectgarbage('count') > 0)\n"
    "end\n" },
  { "types of the script",
    "local ffi = require('ffi')\n"
    "ffi.cdef('struct point { int x, y; }; int getpid(void);')\n"
    "local point = ffi.metatype('struct point', {\n"
    "  __index = { tid = function() return sysbench.tid end },\n"
    "  __add = function(a, b) return a.x + b.x + sysbench.tid end,\n"
    "})\n"
    "function check(id)\n"
    "  local p = point(1, 2)\n"
    "  assert(p.y == 2 and p:tid() == id and p + p == 2 + id)\n"
    "  assert(ffi.C.getpid() > 0 and ffi.C.SB_CNT_READ == 1)\n"
    "end\n" },
  { "statements",
    "local con, insert\n"
    "local function open()\n"
    "  con = sysbench.sql.driver('sqlite'):connect()\n"
    "  con:query('CREATE TABLE t (a INTEGER, b TEXT)')\n"
    "  insert = con:prepare('INSERT INTO t VALUES (?, ?)')\n"
    "  a = insert:bind_create(sysbench.sql.type.INT)\n"
    "  b = insert:bind_create(sysbench.sql.type.VARCHAR, 20)\n"
    "  insert:bind_param(a, b)\n"
    "end\n"
    "function check(id)\n"
    "  if not con then open() end\n"
    "  turns = (turns or 0) + 1\n"
    "  a:set(turns) b:set('of ' .. id) insert:execute()\n"
    "  local n, text = con:query_row('SELECT max(a), max(b) FROM t')\n"
    "  assert(tonumber(n) == turns and text == 'of ' .. id)\n"
    "  local rs = con:query('SELECT a FROM t ORDER BY a')\n"
    "  for i = 1, rs.nrows do assert(rs:fetch_row()[1] == '' .. i) end\n"
    "  rs:free()\n"
    "  local ok, err = pcall(con.query, con, 'SELECT a FROM u')\n"
    "  assert(not ok and tostring(err):find('no such table'))\n"
    "  con:bulk_insert_init('INSERT INTO t VALUES')\n"
    "  con:bulk_insert_next('(0, \\'\\')')\n"
    "  con:bulk_insert_done()\n"
    "  con:query('DELETE FROM t WHERE a = 0')\n"
    "end\n" },
  { "the functions of old",
    "local ffi = require('ffi')\n"
    "function check(id)\n"
    "  db_connect()\n"
    "  db_query('SELECT ' .. id)\n"
    "  local s = db_prepare('SELECT ?')\n"
    "  db_bind_param(s, { 1 })\n"
    "  db_free_results(db_execute(s))\n"
    "  db_close(s)\n"
    "  local drv = ffi.C.db_create('null')\n"
    "  local con = ffi.C.db_connection_create(drv)\n"
    "  assert(ffi.C.db_query(con, 'SELECT 1', 8) ~= nil)\n"
    "  ffi.C.db_connection_free(con)\n"
    "  local p = newproxy(true)\n"
    "  getmetatable(p).__gc = function() pcall(db_query, 'SELECT 2') end\n"
    "  p = nil\n"
    "end\n" },
  { "hooks and errors",
    "function sysbench.hooks.sql_error_ignorable(err)\n"
    "  asked = (asked or 0) + 1\n"
    "  return true\n"
    "end\n"
    "function check(id)\n"
    "  con = con or sysbench.sql.driver('sqlite'):connect()\n"
    "  turns = (turns or 0) + 1\n"
    "  local ok, err = pcall(con.query, con, 'nonsense')\n"
    "  assert(not ok and type(err) == 'table' and err.errcode == 1)\n"
    "  assert(asked == turns)\n"
    "end\n" },
};

static void add_modules(struct rig *r)
{
  rig_file(r, "counted.lua",
           "local k = 0\n"
           "return { n = 0, tid = sysbench.tid,\n"
           "  next = function() k = k + 1 return k end }\n");
  rig_file(r, "empty.lua", "");
  rig_file(r, "circle.lua", "require('circle')\n");
  rig_file(r, "old_style.lua",
           "module('old_style', package.seeall)\n"
           "local n = 0\n"
           "function count() n = n + 1 return n end\n"
           "function id() return sysbench.tid end\n");
  rig_file(r, "part.lua", "part = sysbench.tid\n");
}

static void test_cases(void)
{
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    struct err err = { "" };
    struct rig r;
    int rc = 0;

#ifndef HAVE_SQLITE
    if (strstr(cases[i].script, "'sqlite'"))
      continue;
#endif
    rig_init(&r);
    add_modules(&r);
    rc = rig_start(&r, cases[i].script, FEW, &err);
    for (unsigned turn = 0; turn < 9 && rc == 0; turn++)
      for (unsigned c = 0; c < FEW && rc == 0; c++)
        rc = rig_call(&r, c, "check", &err);
    if (rc < 0)
      printf("# %s\n", err.text);
    OK(rc == 0, cases[i].what);
    rig_done(&r);
  }
}

/* Errors are those that a state of its own has. */
static void test_errors(void)
{
  struct err err = { "" };
  struct rig r;

  rig_init(&r);
  OK(rig_start(&r, "if sysbench.tid == 1 and thread_run then error('x', 0) end",
               FEW, &err) < 0,
     "the body of a client fails");
  OK_STR(err.text, "x", "its error");
  OK(r.n == 1, "the client before it is there");
  rig_done(&r);

  rig_init(&r);
  MUST(rig_start(&r, "function f() error('wrong', 0) end", 1, &err) == 0);
  OK(rig_call(&r, 0, "f", &err) == -EINVAL, "a function fails");
  OK(strstr(err.text, "f() failed: wrong") != NULL, "its message");
  rig_done(&r);
}

/* ---- shared code ---- */

static const char hot[] =
  "local sum = 0\n"
  "local function add(n) for i = 1, n do sum = sum + i % 7 end return sum end\n"
  "function run() local m = require('hot') for i = 1, 50 do add(20) m(i) end "
  "end\n";
static const char hot_module[] =
  "local last = 0\n"
  "return function(n) for i = 1, 20 do last = (last + n * i) % 1000 end end\n";

/* Returns how many traces so many clients have made. */
static int traces_of(unsigned clients)
{
  static const char watch[] =
    "local n = 0\n"
    "jit.attach(function(what) if what == 'stop' then n = n + 1 end end, "
    "'trace')\n"
    "return function() return n end";
  struct err err = { "" };
  struct rig r;
  int n;

  rig_init(&r);
  rig_file(&r, "hot.lua", hot_module);
  MUST(rig_start(&r, hot, clients, &err) == 0);
  MUST(luaL_dostring(r.vm->L, watch) == 0);
  for (unsigned c = 0; c < clients; c++)
    rig_must(&r, c, "run");
  lua_call(r.vm->L, 0, 1);
  n = (int)lua_tonumber(r.vm->L, -1);
  lua_settop(r.vm->L, 0);
  rig_done(&r);
  return n;
}

static void test_traces(void)
{
  const int few = traces_of(10), many = traces_of(100);

  printf("# traces: %d with 10 clients, %d with 100\n", few, many);
  OK(few > 0, "there are traces");
  /* Ten times as many if each client had its own ones. */
  OK(many < 3 * few, "more clients use the same ones");
}

/* ---- memory ---- */

static double kib_per_client(struct rig *r)
{
  (void)lua_gc(r->vm->L, LUA_GCCOLLECT, 0);
  return (double)lua_gc(r->vm->L, LUA_GCCOUNT, 0) / r->n;
}

static void test_memory(void)
{
  struct err err = { "" };
  char path[320];
  struct rig r;
  double kib;

  rig_init(&r);
  MUST(rig_start(&r, "sysbench.cmdline.options = { x = { '', 1 } }", MANY,
                 &err) == 0);
  kib = kib_per_client(&r);
  printf("# an empty script: %.1f KiB per client\n", kib);
  OK(kib < 6, "memory of a client");
  rig_done(&r);

  rig_init(&r);
  (void)snprintf(path, sizeof(path), "%s/oltp_read_write.lua", r.datadir);
  MUST(rig_load_file(&r, path, MANY, &err) == 0);
  while (r.n < MANY)
    MUST(rig_add(&r, &err) == 0);
  for (unsigned c = 0; c < MANY; c++)
    rig_must(&r, c, "thread_init");
  for (unsigned i = 0; i < 3; i++)
    for (unsigned c = 0; c < MANY; c++)
      rig_must(&r, c, "event");
  kib = kib_per_client(&r);
  printf("# oltp_read_write: %.1f KiB per client\n", kib);
  OK(kib < 30, "memory of a client with prepared statements");
  rig_done(&r);
}

static int kib_now(const struct rig *r)
{
  return lua_gc(r->vm->L, LUA_GCCOUNT, 0);
}

/* How much memory is in use at most while each client has an event that leaves
 * as much garbage as the client has memory; its share of what was in use before
 * that. */
static double growth(bool counted)
{
  struct err err = { "" };
  struct rig r;
  int before, most;

  rig_init(&r);
  MUST(rig_start(&r,
                 "keep = {} for i = 1, 100 do keep[i] = { i } end "
                 "function run() for i = 1, 100 do last = { i } end end",
                 MANY, &err) == 0);
  (void)lua_gc(r.vm->L, LUA_GCCOLLECT, 0);
  before = most = kib_now(&r);
  for (unsigned round = 0; round < 2; round++) {
    for (unsigned c = 0; c < MANY; c++) {
      rig_must(&r, c, "run");
      if (counted)
        client_event(r.vm);
      if (kib_now(&r) > most)
        most = kib_now(&r);
    }
  }
  OK(r.vm->settled == counted, "after two events of each, all is as usual");
  rig_done(&r);
  return (double)most / before;
}

static void test_first_events(void)
{
  const double few = growth(true), much = growth(false);

  printf(
    "# first events: memory grows to %.2f of what it was, %.2f uncounted\n",
    few, much);
  OK(few < 1.6, "the first events of clients leave little garbage");
  OK(much > 1.8, "which is so because they are counted");
}

static bool compiles(struct rig *r)
{
  bool on;

  MUST(luaL_dostring(r->vm->L, "return (jit.status())") == 0);
  on = lua_toboolean(r->vm->L, -1);
  lua_settop(r->vm->L, 0);
  return on;
}

/* Machine code is made of the events that come after the first ones. */
static void test_when_compiled(const char *text, bool wanted, const char *what)
{
  struct err err = { "" };
  struct rig r;
  bool before, meanwhile = false;

  rig_init(&r);
  MUST(rig_start(&r, text, FEW, &err) == 0);
  before = compiles(&r);
  do {
    client_event(r.vm);
    meanwhile |= !r.vm->settled && compiles(&r);
  } while (r.vm->early > 0);
  OK(before == wanted && !meanwhile && compiles(&r) == wanted, what);
  rig_done(&r);
}

/* An error outside of all protected calls, as of a finalizer. */
static void test_unprotected(bool gc64, const char *error, const char *wanted)
{
  struct heap heap = { 0 };
  char said[200] = "";
  int ends[2], status;
  ssize_t n;
  pid_t child;

  MUST(pipe(ends) == 0);
  (void)fflush(stdout);
  child = fork();
  MUST(child >= 0);
  if (child == 0) {
    lua_State *L = client_lua(&heap, gc64);

    (void)dup2(ends[1], STDERR_FILENO);
    if (error)
      lua_pushstring(L, error);
    else
      lua_newtable(L);
    (void)lua_error(L);
  }
  (void)close(ends[1]);
  n = read(ends[0], said, sizeof(said) - 1);
  (void)close(ends[0]);
  MUST(n >= 0 && waitpid(child, &status, 0) == child);
  OK(WIFEXITED(status) && WEXITSTATUS(status) == 1, "it ends the program");
  OK(strcmp(said, wanted) == 0, wanted);
}

int main(void)
{
  test_unprotected(true, "mine", "FATAL: mine (in a finalizer, __gc)\n");
  test_unprotected(false, "mine", "FATAL: mine (in a finalizer, __gc)\n");
  test_unprotected(true, NULL, "FATAL: table (in a finalizer, __gc)\n");
  test_unprotected(true, "not enough memory",
                   "FATAL: not enough memory in a Lua state\n");
  test_cases();
  test_errors();
  test_traces();
  test_memory();
  test_first_events();
  test_when_compiled("x = 1", true, "machine code is made later");
  test_when_compiled("jit.off()", false, "none if the script wants none");
  return TAP_EXIT();
}
