/*
 * vm.c - creates the Lua state that clients share, and its clients.
 */
#include "lua/engine/vm.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "db/env_conns.h"
#include "loop/fiber.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "lua/engine/waiting.h"
#include "lua/find/resolve.h"

/* ---- a Lua state ---- */

static int die(lua_State *L)
{
  (void)fprintf(stderr, "PANIC: unprotected error in call to Lua API (%s)\n",
                lua_tostring(L, -1));
  return 0; /* LuaJIT would end the process */
}

/*
 * With its own allocator, the state takes a fifth less memory.  Without GC64,
 * or if malloc's memory is out of its reach, LuaJIT insists on its own.
 */
lua_State *vm_new_lua(struct heap *heap, bool gc64)
{
  lua_State *L = NULL;

  if (gc64 && heap_start(heap)) {
    L = lua_newstate(heap_alloc, heap);
    heap_started(heap);
  }
  if (!L)
    return luaL_newstate();
  (void)lua_atpanic(L, die);
  return L;
}

/* ---- functions for internal modules ---- */

/* host.client(): returns the host table of the client that runs, or nil. */
static int push_client(lua_State *L)
{
  const struct state *s = state_current();

  if (!s || !s->vm || s->client.host_ref == 0)
    return 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, s->client.host_ref);
  return 1;
}

/* host.load_body(): returns the body of the script as a new function. */
static int load_body(lua_State *L)
{
  const struct vm *vm = lua_touserdata(L, lua_upvalueindex(1));
  const struct strbuf *body = &vm->script->body;

  if (luaL_loadbuffer(L, body->text, body->len, "script") != 0)
    return lua_error(L);
  return 1;
}

void vm_add_functions(struct vm *vm, lua_State *L)
{
  lua_pushcfunction(L, push_client);
  lua_setfield(L, -2, "client");
  lua_pushlightuserdata(L, vm);
  lua_pushcclosure(L, load_body, 1);
  lua_setfield(L, -2, "load_body");
  waiting_add(vm, L);
}

/* ---- new and free ---- */

static int boot(lua_State *L)
{
  struct vm *vm = lua_touserdata(L, 1);

  luaL_openlibs(L);
  host_boot(&vm->host, L);
  return 0;
}

static int out_of_memory(struct err *err)
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
    return out_of_memory(err);
  vm->script = script;
  vm->host = (struct host){ .script = script, .in_worker = true, .vm = vm };
  vm->L = vm_new_lua(&vm->heap, script->gc64);
  if (!vm->L) {
    vm_free(vm);
    return out_of_memory(err);
  }
  rc = lua_cpcall(vm->L, boot, vm);
  if (rc != 0) {
    if (rc == LUA_ERRMEM)
      rc = out_of_memory(err);
    else
      state_error_text(vm->L, -1, err), rc = -EINVAL;
    vm_free(vm);
    return rc;
  }
  (void)lua_gc(vm->L, LUA_GCCOLLECT, 0);
  *ret = vm;
  return 0;
}

void vm_free(struct vm *vm)
{
  struct state *s;

  if (!vm)
    return;
  if (vm->L)
    lua_close(vm->L); /* finalizers still find the objects of the clients */
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

/* ---- clients ---- */

/*
 * Runs under lua_cpcall in the main thread.  The first value that is left in
 * the new thread is its table of globals.
 */
static int add_client(lua_State *L)
{
  struct state *s = lua_touserdata(L, 1);
  lua_State *thread;

  lua_getfield(L, LUA_REGISTRYINDEX, "bench.host");
  lua_getfield(L, -1, "new_client");
  lua_pushnumber(L, s->tid);
  lua_call(L, 1, 2);
  s->client.host_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  thread = lua_newthread(L);
  lua_insert(L, -2);
  lua_xmove(L, thread, 1);
  lua_replace(thread, LUA_GLOBALSINDEX);
  s->client.thread_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  s->L = thread;
  return 0;
}

int vm_add_client(struct state *s, struct err *err)
{
  int rc;

  s->L = s->vm->L; /* for the error */
  rc = lua_cpcall(s->L, add_client, s);
  if (rc == 0)
    return 0;
  rc = state_make_failed(s, rc, err);
  s->L = NULL;
  return rc;
}

void vm_replace_by_common(struct state *s, const char *name)
{
  lua_State *common = s->vm->L;

  lua_pop(s->L, 1);
  lua_pushstring(common, name);
  lua_rawget(common, LUA_GLOBALSINDEX);
  lua_xmove(common, s->L, 1);
}

int vm_pcall(struct state *s, int n_args, int n_results)
{
  bool before;
  int rc;

  (void)state_enter(s); /* other clients may have run since the last call */
  before = fiber_allow(false);
  rc = lua_pcall(s->L, n_args, n_results, 0);
  (void)fiber_allow(before);
  return rc;
}

/* Pushes the body, with the globals of the client. */
static int push_body(struct state *s)
{
  lua_State *L = s->L;
  int rc;

  state_push_host(s);
  lua_getfield(L, -1, "take_body");
  lua_remove(L, -2);
  rc = vm_pcall(s, 0, 1);
  if (rc == 0) {
    lua_pushvalue(L, LUA_GLOBALSINDEX);
    (void)lua_setfenv(L, -2);
  }
  return rc;
}

int vm_run_body(struct state *s, struct err *err)
{
  const char *module = s->script->setup.what->module;
  lua_State *L = s->L;
  int rc = push_body(s);

  if (rc != 0)
    return state_make_failed(s, rc, err);
  lua_pushvalue(L, -1);
  if (module)
    lua_pushstring(L, module);
  rc = vm_pcall(s, module ? 1 : 0, 0);
  if (rc != 0) {
    lua_remove(L, -2);
    return state_make_failed(s, rc, err);
  }
  state_push_host(s);
  lua_getfield(L, -1, "body_done");
  lua_replace(L, -2);
  lua_insert(L, -2);
  rc = vm_pcall(s, 1, 0);
  return rc == 0 ? 0 : state_make_failed(s, rc, err);
}

void vm_retire(struct state *s)
{
  struct vm *vm = s->vm;

  /* The worker, and what it records, may be gone when the objects are freed. */
  s->worker = NULL;
  s->measured = false;
  s->env.recorder = NULL;
  s->env.event_open = NULL;
  s->env.event_number = NULL;
  s->env.unread_too = NULL;
  s->env.on_statement = NULL;
  if (!s->own_rand)
    s->rand = NULL;
  if (s->client.host_ref)
    luaL_unref(vm->L, LUA_REGISTRYINDEX, s->client.host_ref);
  if (s->client.thread_ref)
    luaL_unref(vm->L, LUA_REGISTRYINDEX, s->client.thread_ref);
  s->client.host_ref = s->client.thread_ref = 0;
  s->client.next = vm->retired;
  vm->retired = s;
}
