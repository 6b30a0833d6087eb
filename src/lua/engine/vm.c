/*
 * vm.c - creates the Lua state that clients share.
 */
#include "lua/engine/vm.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"
#include "lua/engine/client.h"
#include "lua/engine/failure.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "lua/engine/waiting.h"

/* ---- functions for internal modules ---- */

/* host.client(): returns the host table of the client that runs, or nil. */
static int push_client(lua_State *L)
{
  const struct state *s = state_current();

  if (!s || !s->vm || s->client.host_ref == 0)
    return 0;
  client_push_host(&s->client, L);
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

/* Adds fields to the host table on the top. */
static void add_functions(struct vm *vm, lua_State *L)
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
  (void)lua_gc(L, LUA_GCCOLLECT, 0);
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
  vm->host = (struct host){ .script = script,
                            .in_worker = true,
                            .vm = vm,
                            .add_functions = add_functions };
  vm->L = client_lua(&vm->heap, script->gc64);
  if (!vm->L) {
    vm_free(vm);
    return out_of_memory(err);
  }
  rc = lua_cpcall(vm->L, boot, vm);
  if (rc != 0) {
    if (rc == LUA_ERRMEM) {
      rc = out_of_memory(err);
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

/* Of the last finalizers no client has heard. */
static void warn_of_finalizer(struct vm *vm)
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
    lua_close(vm->L); /* finalizers still find the objects of the clients */
  warn_of_finalizer(vm);
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
