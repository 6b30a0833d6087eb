#include "lua/engine/client.h"

#include <lauxlib.h>
#include <limits.h>
#include <luajit.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "db/conn.h"
#include "db/stmt.h"

/* A finalizer failed outside of all protected calls. */
static int client_die(lua_State *L)
{
  const char *text = lua_tostring(L, -1);

  if (text && strcmp(text, "not enough memory") == 0)
    log_msg(LOG_FATAL, "%s in a Lua state", text);
  else
    log_msg(LOG_FATAL, "%s (in a finalizer, __gc)",
            text ? text : luaL_typename(L, -1));
  log_flush();
  _exit(EXIT_FAILURE); /* other threads still run */
}

/* Its own allocator makes the state a fifth smaller.  LuaJIT insists on its
 * own without GC64, or if memory is out of its reach. */
lua_State *client_lua(struct heap *heap, bool gc64)
{
  lua_State *L = NULL;

  if (gc64 && heap_start(heap)) {
    L = lua_newstate(heap_alloc, heap);
    heap_started(heap);
  }
  if (!L)
    L = luaL_newstate();
  if (L)
    (void)lua_atpanic(L, client_die);
  return L;
}

struct making {
  struct client *client;
  unsigned tid;
  lua_State *thread;
};

static int client_make(lua_State *L)
{
  struct making *m = lua_touserdata(L, 1);

  lua_getfield(L, LUA_REGISTRYINDEX, "bench.host");
  lua_getfield(L, -1, "new_client");
  lua_pushnumber(L, m->tid);
  lua_call(L, 1, 2);
  m->client->host_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  m->thread = lua_newthread(L);
  lua_insert(L, -2);
  lua_xmove(L, m->thread, 1);
  lua_replace(m->thread, LUA_GLOBALSINDEX);
  m->client->thread_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int client_new(struct client *c, struct vm *vm, unsigned tid, lua_State **ret_L)
{
  struct making m = { .client = c, .tid = tid };
  const int rc = lua_cpcall(vm->L, client_make, &m);

  if (rc == 0)
    *ret_L = m.thread;
  return rc;
}

/*
 * While thousands of clients are made, nearly all memory stays in use, and each
 * collection would look at all of it.  So a collection begins only when memory
 * has doubled.
 */
enum {
  KIB_AT_FIRST = 128 * 1024, /* before anything is collected */
  LATER = -1,                /* for LUA_GCRESTART: after growth by the pause */
  EARLY_EVENTS = 2,
  LEFT_MIN = 36, /* clients that leave before a collection: half a MiB, which
                    fits in caches */
};

/* In percent: growth of memory between two collections, and their speed. */
struct pace {
  int size, speed;
};

static const struct pace usual = { 200, 200 }, eager = { 110, 400 };

static void client_collect_at(lua_State *L, const struct pace *pace)
{
  (void)lua_gc(L, LUA_GCSETPAUSE, pace->size);
  (void)lua_gc(L, LUA_GCSETSTEPMUL, pace->speed);
  (void)lua_gc(L, LUA_GCRESTART, LATER);
}

/* Scripts can call jit.off(). */
static bool client_is_compiling(lua_State *L)
{
  bool on;

  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  lua_getfield(L, -1, "jit");
  lua_getfield(L, -1, "status");
  lua_call(L, 0, 1);
  on = lua_toboolean(L, -1);
  lua_pop(L, 3);
  return on;
}

int client_made(lua_State *L)
{
  struct vm *vm = lua_touserdata(L, 1);
  int kib = lua_gc(L, LUA_GCCOUNT, 0);

  if (kib - KIB_AT_FIRST > vm->most_kib) {
    (void)lua_gc(L, LUA_GCCOLLECT, 0);
    kib = lua_gc(L, LUA_GCCOUNT, 0);
    vm->most_kib = kib < INT_MAX / 2 ? 2 * kib : INT_MAX;
  }
  vm->here++;
  client_collect_at(L, &usual);
  if (!vm->settled) {
    vm->early += EARLY_EVENTS;
    if (!vm->settling)
      vm->compiles = client_is_compiling(L);
  }
  return 0;
}

/*
 * Garbage of thousands of clients would stay in resident memory.  And LuaJIT
 * would compile their first events, which prepare statements, to machine code
 * that later events leave.
 */
static void client_begin_to_settle(struct vm *vm)
{
  vm->settling = true;
  client_collect_at(vm->L, &eager);
  (void)luaJIT_setmode(vm->L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
}

static void client_has_settled(struct vm *vm)
{
  vm->settling = false;
  vm->settled = true;
  client_collect_at(vm->L, &usual);
  if (vm->compiles)
    (void)luaJIT_setmode(vm->L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_ON);
}

void client_early_event(struct vm *vm)
{
  if (!vm->settling)
    client_begin_to_settle(vm);
  if (--vm->early == 0)
    client_has_settled(vm);
}

void client_drop(struct client *c, struct vm *vm)
{
  if (c->host_ref)
    luaL_unref(vm->L, LUA_REGISTRYINDEX, c->host_ref);
  if (c->thread_ref)
    luaL_unref(vm->L, LUA_REGISTRYINDEX, c->thread_ref);
  c->host_ref = c->thread_ref = 0;
}

static int client_collect(lua_State *L)
{
  (void)lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

/*
 * Later clients reuse the memory of earlier ones.  Each collection looks at all
 * data, so the part that left must not be small.
 */
void client_leave(struct client *c, struct vm *vm)
{
  c->left = true;
  client_drop(c, vm);
  vm->left++;
  if (vm->left < LEFT_MIN || vm->left < vm->here / 4)
    return;
  vm->here -= vm->left;
  vm->left = 0;
  if (lua_cpcall(vm->L, client_collect, NULL) != 0)
    lua_pop(vm->L, 1); /* no memory: a later one collects them */
}

int client_push_body(const struct client *c, lua_State *L)
{
  int rc;

  client_push_host(c, L);
  lua_getfield(L, -1, "take_body");
  lua_remove(L, -2);
  rc = lua_pcall(L, 0, 1, 0);
  if (rc == 0) {
    lua_pushvalue(L, LUA_GLOBALSINDEX);
    (void)lua_setfenv(L, -2);
  }
  return rc;
}

int client_body_done(const struct client *c, lua_State *L)
{
  client_push_host(c, L);
  lua_getfield(L, -1, "body_done");
  lua_replace(L, -2);
  lua_insert(L, -2);
  return lua_pcall(L, 1, 0, 0);
}

void client_push_host(const struct client *c, lua_State *L)
{
  lua_rawgeti(L, LUA_REGISTRYINDEX, c->host_ref);
}

void client_push_common(const struct vm *vm, lua_State *L, const char *name)
{
  lua_pushstring(vm->L, name);
  lua_rawget(vm->L, LUA_GLOBALSINDEX);
  lua_xmove(vm->L, L, 1);
}

enum {
  FIRST_ROOM = 16
};

void later_add(struct later *l, struct conn *conn, struct stmt *stmt)
{
  if (l->n == l->room) {
    const size_t room = l->room > 0 ? 2 * l->room : FIRST_ROOM;
    struct later_item *item = realloc(l->item, room * sizeof(*item));

    if (!item)
      return;
    l->item = item;
    l->room = room;
  }
  l->item[l->n++] = (struct later_item){ .conn = conn, .stmt = stmt };
}

void later_free_objects(struct later *l)
{
  /* The collector can add objects while this client waits. */
  while (l->n > 0) {
    const struct later_item item = l->item[--l->n];

    if (item.stmt)
      stmt_free(item.stmt);
    if (item.conn)
      conn_free(item.conn);
  }
}

void later_done(struct later *l)
{
  free(l->item);
  *l = (struct later){ 0 };
}
