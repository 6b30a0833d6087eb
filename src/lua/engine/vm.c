/*
 * vm.c - the Lua state that clients share, and their calls that can wait.
 *
 * A client must not be parked inside an FFI call of machine code, which owns
 * the Lua state meanwhile. host.wait() is a Lua function in C: LuaJIT leaves
 * its machine code first.  See waiting.lua.
 *
 * Finalizers run in any code of any client, perhaps while another waits on the
 * same connection: host.wait() refuses their calls.  The next call of a client
 * fails with the error of a finalizer.
 */
#include "lua/engine/vm.h"

#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/ffi_api.h"
#include "base/log.h"
#include "db/env_conns.h"
#include "loop/fiber.h"
#include "lua/engine/client.h"
#include "lua/engine/failure.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "run/worker.h"

/* The event has ended, unless it is tried again. */
static void vm_end_lease(struct state *s, const struct worker *w)
{
  if (w->again)
    return;
  env_event_ended(&s->env);
  if (s->vm)
    client_event(s->vm);
}

static void vm_event_step(bench_call *c)
{
  struct state *s = state_current();
  struct worker *w = s ? s->worker : NULL;

  if (LIKELY(w != NULL && !w->unsettled)) {
    vm_end_lease(s, w);
    c->yes = worker_step_in_turn(w);
  } else {
    c->yes = w && w->members && worker_turn(w);
  }
}

static void vm_more_events(bench_call *c)
{
  struct state *s = state_current();

  if (s && s->worker)
    vm_end_lease(s, s->worker);
  c->yes = sb_more_events(c->n);
}

#define OPERATIONS(X)                                                        \
  X(bench_event_step, vm_event_step(c))                                      \
  X(bench_event_settle, c->con = bench_event_settle())                       \
  X(bench_event_restart, c->yes = bench_event_restart(c->n))                 \
  X(bench_event_undo, bench_event_undo())                                    \
  X(sb_more_events, vm_more_events(c))                                       \
  X(db_connection_create, c->con = db_connection_create(c->drv))             \
  X(bench_db_connect,                                                        \
    c->con = bench_db_connect(c->drv, c->text[0], c->text[1], c->text[2],    \
                              c->text[3], c->text[4], c->text[5]))           \
  X(db_connection_close, c->n = db_connection_close(c->con))                 \
  X(db_connection_reconnect, c->n = db_connection_reconnect(c->con))         \
  X(bench_db_visit,                                                          \
    c->yes = bench_db_visit(c->con, c->n, c->text[0], c->len, c->ptr))       \
  X(bench_db_forgive, c->n = bench_db_forgive(c->con))                       \
  X(bench_db_restart, c->n = bench_db_restart(c->con))                       \
  X(db_query, c->rs = db_query(c->con, c->text[0], c->len))                  \
  X(bench_db_query,                                                          \
    c->rs = bench_db_query(c->con, c->text[0], c->len, c->ptr))              \
  X(db_next_result, c->rs = db_next_result(c->con))                          \
  X(db_free_results, c->n = db_free_results(c->rs))                          \
  X(db_prepare, c->stmt = db_prepare(c->con, c->text[0], c->len))            \
  X(db_bind_param, c->n = db_bind_param(c->stmt, c->ptr, c->len))            \
  X(db_execute, c->rs = db_execute(c->stmt))                                 \
  X(bench_db_draw,                                                           \
    c->number[0] = bench_db_draw(c->stmt, c->number[0], c->number[1],        \
                                 c->param[0], c->param[1], c->number[2]))    \
  X(db_stmt_next_result, c->rs = db_stmt_next_result(c->stmt))               \
  X(db_close, c->n = db_close(c->stmt))                                      \
  X(db_bulk_insert_init,                                                     \
    c->n = db_bulk_insert_init(c->con, c->text[0], c->len))                  \
  X(db_bulk_insert_next,                                                     \
    c->n = db_bulk_insert_next(c->con, c->text[0], c->len))                  \
  X(db_bulk_insert_done, c->n = db_bulk_insert_done(c->con))                 \
  X(bench_db_statement_sizes, c->number[0] = bench_db_statement_sizes(       \
                                c->con, &c->number[1], &c->text[0]))         \
  X(bench_pipeline_run, c->yes = bench_pipeline_run(c->con))                 \
  X(bench_pipeline_run_bulk, c->number[0] = bench_pipeline_run_bulk(c->con)) \
  X(bench_copy_begin,                                                        \
    c->yes = bench_copy_begin(c->con, c->text[0], c->ptr, c->n))             \
  X(bench_copy_row, c->yes = bench_copy_row(c->con, c->ptr))                 \
  X(bench_copy_end, c->yes = bench_copy_end(c->con))

#define DEFINE(name, ...)               \
  static void run_##name(bench_call *c) \
  {                                     \
    (void)c;                            \
    __VA_ARGS__;                        \
  }
#define ROW(name, ...) { #name, run_##name },

OPERATIONS(DEFINE)

static const struct {
  const char *name;
  void (*run)(bench_call *c);
} operations[] = { OPERATIONS(ROW) };

enum upvalue {
  THE_VM = 1,
  DO_NOTHING,
};

static int vm_nothing(lua_State *L)
{
  (void)L;
  return 0;
}

/*
 * Others have run: scripts' functions have to find this client, and LuaJIT the
 * thread.  lua_cpcall() leaves garbage, and nothing in an event may call for
 * the collector.
 */
static void vm_come_back(lua_State *L, struct state *s)
{
  (void)state_enter(s);
  lua_pushvalue(L, lua_upvalueindex(DO_NOTHING));
  lua_call(L, 0, 0);
}

static void vm_free_later(struct state *s)
{
  if (s && s->client.later.n > 0 && s->client.host_ref != 0)
    later_free_objects(&s->client.later);
}

/* LuaJIT puts off the next collection while it calls a finalizer, even one
 * unknown to host.quiet(). */
static bool vm_in_finalizer(lua_State *L, const struct vm *vm)
{
  return vm->call.quiet > 0 ||
         (!vm->collector_stopped && lua_gc(L, LUA_GCISRUNNING, 0) == 0);
}

static int vm_refuse(lua_State *L)
{
  failure_push_place(L);
  lua_pushliteral(L, "with --clients, finalizers cannot use connections and "
                     "statements, since the garbage collector calls them in "
                     "the middle of the work of any client");
  lua_concat(L, 2);
  return lua_error(L);
}

static int vm_pass_on(lua_State *L, struct vm *vm)
{
  lua_pushstring(L, vm->finalizer.text);
  vm->finalizer.text[0] = '\0';
  return lua_error(L);
}

static int vm_finalizer_failed(lua_State *L)
{
  struct vm *vm = lua_touserdata(L, lua_upvalueindex(THE_VM));
  struct err err = { "" };

  if (vm->finalizer.text[0] != '\0')
    return 0;
  state_error_text(L, 1, &err);
  (void)err_set(&vm->finalizer, 0, "%s (in a finalizer, __gc)", err.text);
  return 0;
}

/* host.collector_stopped(yes): by a script. */
static int vm_collector_stopped(lua_State *L)
{
  struct vm *vm = lua_touserdata(L, lua_upvalueindex(THE_VM));

  vm->collector_stopped = lua_toboolean(L, 1);
  return 0;
}

/* host.wait(...): the arguments only live as long as the call. */
static int wait_for_call(lua_State *L)
{
  struct vm *vm = lua_touserdata(L, lua_upvalueindex(THE_VM));
  struct state *s = state_current();
  bench_call call = vm->call; /* other clients write to the vm's */
  const uint64_t switches = fiber_switches();
  bool before;

  if (UNLIKELY(vm_in_finalizer(L, vm)))
    return vm_refuse(L);
  if (UNLIKELY(vm->finalizer.text[0] != '\0'))
    return vm_pass_on(L, vm);
  before = fiber_allow(true);
  vm_free_later(s);
  if (call.op >= 0 && call.op < (int)ARRAY_SIZE(operations))
    operations[call.op].run(&call);
  (void)fiber_allow(before);
  if (fiber_switches() != switches)
    vm_come_back(L, s);
  vm->call = call;
  return 0;
}

/* Can the next event start?  Others can run before. */
static bool vm_step(lua_State *L)
{
  struct vm *vm = lua_touserdata(L, lua_upvalueindex(THE_VM));
  struct state *s = state_current();
  bench_call call = { 0 };
  const uint64_t switches = fiber_switches();
  const bool before = fiber_allow(true);

  vm_free_later(s);
  vm_event_step(&call);
  (void)fiber_allow(before);
  if (fiber_switches() != switches)
    vm_come_back(L, s);
  if (UNLIKELY(vm->finalizer.text[0] != '\0'))
    (void)vm_pass_on(L, vm);
  return call.yes;
}

/*
 * host.run_events(id, after, handler or nil): calls the global event(id) until
 * no event can start.
 *
 * After an error, or a value of event(), calls after(ok, value); true ends the
 * loop.  Returns whether it did.  LuaJIT compiles an event called from here as
 * a whole; after pcall() in a loop in Lua, it could not compile the code after
 * a wait.
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
  while (vm_step(L)) {
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

static void vm_add(struct vm *vm, lua_State *L, const char *name,
                   lua_CFunction f)
{
  lua_pushlightuserdata(L, vm);
  lua_pushcfunction(L, vm_nothing);
  lua_pushcclosure(L, f, 2);
  lua_setfield(L, -2, name);
}

/*
 * Fields of the host table on top: run_events(); wait(), which makes the call
 * in vm->call; wait_call, its address; wait_ops, numbers by function;
 * finalizer_failed(error); collector_stopped(yes).
 */
static void vm_waiting_add(struct vm *vm, lua_State *L)
{
  lua_createtable(L, 0, (int)ARRAY_SIZE(operations));
  for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
    lua_pushnumber(L, (lua_Number)i);
    lua_setfield(L, -2, operations[i].name);
  }
  lua_setfield(L, -2, "wait_ops");
  lua_pushlightuserdata(L, &vm->call);
  lua_setfield(L, -2, "wait_call");
  vm_add(vm, L, "wait", wait_for_call);
  vm_add(vm, L, "run_events", run_events);
  vm_add(vm, L, "finalizer_failed", vm_finalizer_failed);
  vm_add(vm, L, "collector_stopped", vm_collector_stopped);
}

/* host.client(): the running client's host table, or nil. */
static int vm_push_client(lua_State *L)
{
  const struct state *s = state_current();

  if (!s || !s->vm || s->client.host_ref == 0)
    return 0;
  client_push_host(&s->client, L);
  return 1;
}

/* host.load_body(): the body of the script as a new function. */
static int load_body(lua_State *L)
{
  const struct vm *vm = lua_touserdata(L, lua_upvalueindex(1));
  const struct strbuf *body = &vm->script->body;

  if (luaL_loadbuffer(L, body->text, body->len, "script") != 0)
    return lua_error(L);
  return 1;
}

static void vm_add_functions(struct vm *vm, lua_State *L)
{
  lua_pushcfunction(L, vm_push_client);
  lua_setfield(L, -2, "client");
  lua_pushlightuserdata(L, vm);
  lua_pushcclosure(L, load_body, 1);
  lua_setfield(L, -2, "load_body");
  vm_waiting_add(vm, L);
}

static int vm_boot(lua_State *L)
{
  struct vm *vm = lua_touserdata(L, 1);

  luaL_openlibs(L);
  host_boot(&vm->host, L);
  (void)lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

static int vm_out_of_memory(struct err *err)
{
  return err_set(err, -ENOMEM,
                 "cannot create the Lua state of the clients: not enough "
                 "memory");
}

int vm_new(struct vm **ret, struct script *script, struct err *err)
{
  struct vm *vm = calloc(1, sizeof(*vm));
  int rc;

  if (!vm)
    return vm_out_of_memory(err);
  vm->script = script;
  vm->host = (struct host){ .script = script,
                            .in_worker = true,
                            .vm = vm,
                            .add_functions = vm_add_functions };
  vm->L = client_lua(&vm->heap, script->gc64);
  if (!vm->L) {
    vm_free(vm);
    return vm_out_of_memory(err);
  }
  rc = lua_cpcall(vm->L, vm_boot, vm);
  if (rc != 0) {
    if (rc == LUA_ERRMEM) {
      rc = vm_out_of_memory(err);
    } else {
      state_error_text(vm->L, -1, err);
      rc = -EINVAL;
    }
    vm_free(vm);
    return rc;
  }
  *ret = vm;
  return 0;
}

/* About the last finalizers, if no client has heard. */
static void vm_warn_of_finalizer(struct vm *vm)
{
  if (vm->finalizer.text[0] == '\0')
    return;
  failure_note(&vm->script->failures, &vm->finalizer);
  if (!vm->finalizer.said)
    log_msg(LOG_WARNING, "%s", vm->finalizer.text);
}

void vm_free(struct vm *vm)
{
  struct state *s;

  if (!vm)
    return;
  if (vm->L)
    lua_close(vm->L); /* finalizers still find clients' objects */
  vm_warn_of_finalizer(vm);
  while ((s = vm->retired) != NULL) {
    vm->retired = s->client.next;
    s->vm = NULL;
    s->L = NULL;
    later_done(&s->client.later); /* env_done() frees the objects */
    (void)state_enter(s);
    state_free(s);
  }
  heap_done(&vm->heap);
  free(vm);
}
