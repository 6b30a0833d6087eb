/*
 * waiting.c - the operations that may wait, and the function that executes one.
 */
#include "lua/engine/waiting.h"

#include "base/compiler.h"
#include "base/ffi_api.h"
#include "db/env_conns.h"
#include "loop/fiber.h"
#include "lua/engine/state.h"
#include "lua/engine/trace.h"
#include "run/worker.h"

/* ---- events ---- */

/* The event has ended, unless it is going to be tried again. */
static void end_lease(struct state *s, const struct worker *w)
{
  if (w->again)
    return;
  env_event_ended(&s->env);
  if (s->vm)
    client_event(s->vm);
}

static void event_step(bench_call *c)
{
  struct state *s = state_current();
  struct worker *w = s ? s->worker : NULL;

  if (LIKELY(w != NULL && !w->unsettled)) {
    end_lease(s, w);
    c->yes = worker_step_in_turn(w);
  } else {
    c->yes = w && w->members && worker_turn(w);
  }
}

static void event_settle(bench_call *c)
{
  c->con = bench_event_settle();
}

static void event_restart(bench_call *c)
{
  c->yes = bench_event_restart(c->n);
}

static void event_undo(bench_call *c)
{
  (void)c;
  bench_event_undo();
}

static void more_events(bench_call *c)
{
  struct state *s = state_current();

  if (s && s->worker)
    end_lease(s, s->worker);
  c->yes = sb_more_events(c->n);
}

/* ---- connections ---- */

static void connection_create(bench_call *c)
{
  c->con = db_connection_create(c->drv);
}

static void connect_to(bench_call *c)
{
  c->con = bench_db_connect(c->drv, c->text[0], c->text[1], c->text[2],
                            c->text[3], c->text[4], c->text[5]);
}

static void connection_close(bench_call *c)
{
  c->n = db_connection_close(c->con);
}

static void connection_reconnect(bench_call *c)
{
  c->n = db_connection_reconnect(c->con);
}

static void visit(bench_call *c)
{
  c->yes = bench_db_visit(c->con, c->n, c->text[0], c->len, c->ptr);
}

static void forgive(bench_call *c)
{
  c->n = bench_db_forgive(c->con);
}

static void restart(bench_call *c)
{
  c->n = bench_db_restart(c->con);
}

/* ---- statements and results ---- */

static void query(bench_call *c)
{
  c->rs = db_query(c->con, c->text[0], c->len);
}

static void query_of_class(bench_call *c)
{
  c->rs = bench_db_query(c->con, c->text[0], c->len, c->ptr);
}

static void next_result(bench_call *c)
{
  c->rs = db_next_result(c->con);
}

static void free_results(bench_call *c)
{
  c->n = db_free_results(c->rs);
}

static void prepare(bench_call *c)
{
  c->stmt = db_prepare(c->con, c->text[0], c->len);
}

static void bind_param(bench_call *c)
{
  c->n = db_bind_param(c->stmt, c->ptr, c->len);
}

static void execute(bench_call *c)
{
  c->rs = db_execute(c->stmt);
}

static void draw(bench_call *c)
{
  c->number[0] = bench_db_draw(c->stmt, c->number[0], c->number[1], c->param[0],
                               c->param[1], c->number[2]);
}

static void next_of_statement(bench_call *c)
{
  c->rs = db_stmt_next_result(c->stmt);
}

static void statement_close(bench_call *c)
{
  c->n = db_close(c->stmt);
}

/* ---- many rows ---- */

static void bulk_init(bench_call *c)
{
  c->n = db_bulk_insert_init(c->con, c->text[0], c->len);
}

static void bulk_next(bench_call *c)
{
  c->n = db_bulk_insert_next(c->con, c->text[0], c->len);
}

static void bulk_done(bench_call *c)
{
  c->n = db_bulk_insert_done(c->con);
}

static void statement_sizes(bench_call *c)
{
  c->number[0] = bench_db_statement_sizes(c->con, &c->number[1], &c->text[0]);
}

static void pipeline(bench_call *c)
{
  c->yes = bench_pipeline_run(c->con);
}

static void pipeline_of_rows(bench_call *c)
{
  c->number[0] = bench_pipeline_run_bulk(c->con);
}

static void copy_begin(bench_call *c)
{
  c->yes = bench_copy_begin(c->con, c->text[0], c->ptr, c->n);
}

static void copy_row(bench_call *c)
{
  c->yes = bench_copy_row(c->con, c->ptr);
}

static void copy_end(bench_call *c)
{
  c->yes = bench_copy_end(c->con);
}

/* ---- the table ---- */

struct operation {
  const char *name; /* the function that scripts call through the FFI */
  void (*run)(bench_call *c);
};

static const struct operation operations[] = {
  { "bench_event_step", event_step },
  { "bench_event_settle", event_settle },
  { "bench_event_restart", event_restart },
  { "bench_event_undo", event_undo },
  { "sb_more_events", more_events },
  { "db_connection_create", connection_create },
  { "bench_db_connect", connect_to },
  { "db_connection_close", connection_close },
  { "db_connection_reconnect", connection_reconnect },
  { "bench_db_visit", visit },
  { "bench_db_forgive", forgive },
  { "bench_db_restart", restart },
  { "db_query", query },
  { "bench_db_query", query_of_class },
  { "db_next_result", next_result },
  { "db_free_results", free_results },
  { "db_prepare", prepare },
  { "db_bind_param", bind_param },
  { "db_execute", execute },
  { "bench_db_draw", draw },
  { "db_stmt_next_result", next_of_statement },
  { "db_close", statement_close },
  { "db_bulk_insert_init", bulk_init },
  { "db_bulk_insert_next", bulk_next },
  { "db_bulk_insert_done", bulk_done },
  { "bench_db_statement_sizes", statement_sizes },
  { "bench_pipeline_run", pipeline },
  { "bench_pipeline_run_bulk", pipeline_of_rows },
  { "bench_copy_begin", copy_begin },
  { "bench_copy_row", copy_row },
  { "bench_copy_end", copy_end },
};

/* ---- host.wait() ---- */

/* What the functions of this file have besides their arguments. */
enum upvalue {
  THE_VM = 1,
  DO_NOTHING,
};

static int nothing(lua_State *L)
{
  (void)L;
  return 0;
}

/*
 * Others have run.  The functions that scripts call have to find this client,
 * and LuaJIT remembers the thread that has entered it last.  No lua_cpcall():
 * it leaves garbage, and nothing in an event may call for the collector.
 */
static void come_back(lua_State *L, struct state *s)
{
  (void)state_enter(s);
  lua_pushvalue(L, lua_upvalueindex(DO_NOTHING));
  lua_call(L, 0, 0);
}

/* Frees what the collector has found. */
static void free_later(struct state *s)
{
  if (s && s->client.later.n > 0 && s->client.host_ref != 0)
    later_free_objects(&s->client.later);
}

/*
 * Does the garbage collector run?  LuaJIT puts off the next collection while it
 * calls a finalizer, which is known even of those that host.quiet() has not
 * seen.
 */
static bool in_finalizer(lua_State *L, const struct vm *vm)
{
  return vm->call.quiet > 0 ||
         (!vm->collector_stopped && lua_gc(L, LUA_GCISRUNNING, 0) == 0);
}

static int refuse(lua_State *L)
{
  trace_push_place(L);
  lua_pushliteral(L, "with --clients, finalizers cannot use connections and "
                     "statements, since the garbage collector calls them in "
                     "the middle of the work of any client");
  lua_concat(L, 2);
  return lua_error(L);
}

/* A finalizer has failed: this client happens to be the next one. */
static int pass_on(lua_State *L, struct vm *vm)
{
  lua_pushstring(L, vm->finalizer.text);
  vm->finalizer.text[0] = '\0';
  return lua_error(L);
}

/* host.finalizer_failed(error) */
static int finalizer_failed(lua_State *L)
{
  struct vm *vm = lua_touserdata(L, lua_upvalueindex(THE_VM));
  struct err err = { "" };

  if (vm->finalizer.text[0] != '\0')
    return 0;
  state_error_text(L, 1, &err);
  (void)err_set(&vm->finalizer, 0, "%s (in a finalizer, __gc)", err.text);
  return 0;
}

/* host.collector_stopped(yes): a script has done it, or lets it go on. */
static int collector_stopped(lua_State *L)
{
  struct vm *vm = lua_touserdata(L, lua_upvalueindex(THE_VM));

  vm->collector_stopped = lua_toboolean(L, 1);
  return 0;
}

/* host.wait(...): the arguments only have to live as long as the call. */
static int wait_for_call(lua_State *L)
{
  struct vm *vm = lua_touserdata(L, lua_upvalueindex(THE_VM));
  struct state *s = state_current();
  bench_call call = vm->call; /* other clients write to that one */
  const uint64_t switches = fiber_switches();
  bool before;

  if (UNLIKELY(in_finalizer(L, vm)))
    return refuse(L);
  if (UNLIKELY(vm->finalizer.text[0] != '\0'))
    return pass_on(L, vm);
  before = fiber_allow(true);
  free_later(s);
  if (call.op >= 0 && call.op < (int)ARRAY_SIZE(operations))
    operations[call.op].run(&call);
  (void)fiber_allow(before);
  if (fiber_switches() != switches)
    come_back(L, s);
  vm->call = call;
  return 0;
}

/* ---- host.run_events() ---- */

/* May the next event start?  Others may run before it does. */
static bool step(lua_State *L)
{
  struct state *s = state_current();
  bench_call call = { 0 };
  const uint64_t switches = fiber_switches();
  const bool before = fiber_allow(true);

  free_later(s);
  event_step(&call);
  (void)fiber_allow(before);
  if (fiber_switches() != switches)
    come_back(L, s);
  return call.yes;
}

/*
 * host.run_events(id, after, handler or nil): calls the global event(id) again
 * and again, until no event may start.  After an error, or a value that event()
 * has returned, after(ok, value) is called, and the loop ends if that returns
 * true.  Returns whether it did.
 *
 * LuaJIT compiles an event that is called from here as a whole.  Called from a
 * loop in Lua by pcall(), the code after a wait could not be compiled.
 */
static int run_events(lua_State *L)
{
  enum {
    ID = 1,
    AFTER,
    HANDLER,
    EVENT
  };
  const int handler = lua_isnoneornil(L, HANDLER) ? 0 : HANDLER;

  lua_settop(L, HANDLER);
  lua_pushliteral(L, "event");
  while (step(L)) {
    bool ok;

    lua_pushvalue(L, EVENT);
    lua_gettable(L, LUA_GLOBALSINDEX);
    lua_pushvalue(L, ID);
    ok = lua_pcall(L, 1, 1, handler) == 0;
    if (LIKELY(ok && !lua_toboolean(L, -1))) {
      lua_settop(L, EVENT);
      continue;
    }
    lua_pushvalue(L, AFTER);
    lua_pushboolean(L, ok);
    lua_pushvalue(L, EVENT + 1);
    lua_call(L, 2, 1);
    if (lua_toboolean(L, -1)) {
      lua_pushboolean(L, true);
      return 1;
    }
    lua_settop(L, EVENT);
  }
  return 0;
}

static void add(struct vm *vm, lua_State *L, const char *name, lua_CFunction f)
{
  lua_pushlightuserdata(L, vm);
  lua_pushcfunction(L, nothing);
  lua_pushcclosure(L, f, 2);
  lua_setfield(L, -2, name);
}

void waiting_add(struct vm *vm, lua_State *L)
{
  lua_createtable(L, 0, (int)ARRAY_SIZE(operations));
  for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
    lua_pushnumber(L, (lua_Number)i);
    lua_setfield(L, -2, operations[i].name);
  }
  lua_setfield(L, -2, "wait_ops");
  lua_pushlightuserdata(L, &vm->call);
  lua_setfield(L, -2, "wait_call");
  add(vm, L, "wait", wait_for_call);
  add(vm, L, "run_events", run_events);
  add(vm, L, "finalizer_failed", finalizer_failed);
  add(vm, L, "collector_stopped", collector_stopped);
}
