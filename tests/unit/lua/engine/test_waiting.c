/*
 * test_waiting.c - clients that share a Lua state wait in the middle of Lua
 * code of every kind, and others run.
 */
#include "loop/fiber.h"
#include "loop/loop.h"
#include "tests/unit/lua/vm_rig.h"

enum {
  CLIENTS = 50,
  STACK_BYTES = 256 << 10,
  WAIT_US = 60, /* the driver spins for shorter ones */
};

/*
 * run(wait) has a result that is the same whether wait() waits or not.  Every
 * client calculates it in both ways, several times.
 */
static const char script[] =
  "local ffi = require('ffi')\n"
  "local con, stmt, param\n"
  "local kept = {}\n"
  "local function open()\n"
  "  con = sysbench.sql.driver():connect()\n"
  "  stmt = con:prepare('SELECT ?')\n"
  "  param = stmt:bind_create(sysbench.sql.type.INT)\n"
  "  stmt:bind_param(param)\n"
  "end\n"
  "local function query() con:query('SELECT 1') end\n"
  "local function execute() param:set(1) stmt:execute() end\n"
  "local function prepare() con:prepare('SELECT 2'):execute() end\n"
  "local function direct() ffi.C.db_query(con, 'SELECT 3', 8) end\n"
  "local function nothing() end\n"
  "\n"
  "local function loops(wait, n)\n"
  "  local sum, text = sysbench.tid, ''\n"
  "  for i = 1, n do\n"
  "    for j = 1, 70 do sum = (sum * 31 + j) % 1000003 end\n"
  "    if i % 3 == 0 then wait() end\n"
  "    for j = 1, 70 do sum = (sum * 17 + j) % 1000003 end\n"
  "    text = text .. sum % 10\n"
  "  end\n"
  "  return sum .. text\n"
  "end\n"
  "local function protected(wait, n)\n"
  "  local sum = 0\n"
  "  for i = 1, n do\n"
  "    local ok, err = pcall(function(k)\n"
  "      for j = 1, 60 do sum = (sum + j * k + sysbench.tid) % 65521 end\n"
  "      if k % 4 == 0 then wait() end\n"
  "      if k % 3 == 0 then error({ k }) end\n"
  "      return sum\n"
  "    end, i)\n"
  "    sum = (sum + (ok and err or err[1])) % 65521\n"
  "  end\n"
  "  return sum\n"
  "end\n"
  "local function callbacks(wait, n)\n"
  "  local text = ('abcdefgh'):rep(n):gsub('[bdf]', function(c)\n"
  "    if c == 'd' then wait() end\n"
  "    return c:upper() .. sysbench.tid\n"
  "  end)\n"
  "  local list, calls = {}, 0\n"
  "  for i = 1, n do list[i] = (i * 7919 + sysbench.tid) % 101 end\n"
  "  table.sort(list, function(a, b)\n"
  "    calls = calls + 1\n"
  "    if calls % 5 == 0 then wait() end\n"
  "    return a < b\n"
  "  end)\n"
  "  return text .. table.concat(list, ',')\n"
  "end\n"
  "local function coroutines(wait, n)\n"
  "  local function numbers()\n"
  "    for i = 1, n do\n"
  "      if i % 4 == 0 then wait() end\n"
  "      coroutine.yield(i * sysbench.tid)\n"
  "    end\n"
  "  end\n"
  "  local sum = 0\n"
  "  for v in coroutine.wrap(numbers) do sum = sum + v end\n"
  "  local t = setmetatable({}, { __index = function(_, k)\n"
  "    if k % 5 == 0 then wait() end\n"
  "    return k\n"
  "  end })\n"
  "  for i = 1, n do sum = sum + t[i] end\n"
  "  local box = ffi.new('int64_t[1]')\n"
  "  for i = 1, n do box[0] = box[0] + i if i % 6 == 0 then wait() end end\n"
  "  return sum .. tostring(box[0])\n"
  "end\n"
  "local function all(wait, n)\n"
  "  return loops(wait, n) .. protected(wait, n) .. callbacks(wait, n) ..\n"
  "    coroutines(wait, n)\n"
  "end\n"
  "function run()\n"
  "  open()\n"
  "  for turn, wait in ipairs({ query, execute, prepare, direct }) do\n"
  "    local want = all(nothing, 20 + turn)\n"
  "    for again = 1, 2 do\n"
  "      kept[1] = all(wait, 20 + turn)\n"
  "      assert(kept[1] == want, 'turn ' .. turn)\n"
  "    end\n"
  "  end\n"
  "  done = true\n"
  "  con:disconnect()\n"
  "end\n";

struct bed {
  struct rig rig;
  uint64_t switches;
  unsigned done;
};

static void run_client(void *arg)
{
  struct bed *b = arg;
  struct rig *r = &b->rig;
  const unsigned number = r->n;
  struct err err = { "" };
  int rc = rig_add(r, &err);

  if (rc == 0)
    rc = rig_call(r, number, "run", &err);
  if (rc < 0)
    printf("# client %u: %s\n", number, err.text);
  b->done += rc == 0;
  b->switches += fiber_switches();
}

/* `jit`: a call before everything else. */
static void test_clients(const char *jit, const char *what)
{
  const struct loop_setup setup = { .stack_bytes = STACK_BYTES,
                                    .engine = LOOP_EPOLL };
  struct bed b = { .done = 0 };
  struct err err = { "" };
  char text[sizeof(script) + 64];
  struct loop *l = NULL;

  rig_init(&b.rig);
  b.rig.null.latency_us = WAIT_US;
  (void)snprintf(text, sizeof(text), "%s %s", jit, script);
  MUST(rig_load(&b.rig, text, CLIENTS, &err) == 0);
  MUST(loop_new(&l, &setup, &err) == 0);
  for (unsigned i = 0; i < CLIENTS; i++)
    MUST(loop_add(l, run_client, &b, &err) == 0);
  loop_run(l);
  printf("# %s: %llu times put aside\n", what, (unsigned long long)b.switches);
  OK(b.done == CLIENTS, what);
  OK(b.switches > 100 * CLIENTS, "the clients have waited");
  loop_free(l);
  rig_done(&b.rig);
}

int main(void)
{
  test_clients("", "compiled");
  test_clients("jit.opt.start('hotloop=2', 'hotexit=1') ", "compiled early");
  test_clients("jit.off() ", "interpreted");
  return TAP_EXIT();
}
