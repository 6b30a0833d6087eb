/*
 * client.h - a Lua state that many clients share: the `L` of each client's
 * state (state.h) is a thread of the common Lua state, with its own globals.
 * See vm.lua.
 */
#ifndef BENCH_LUA_ENGINE_CLIENT_H
#define BENCH_LUA_ENGINE_CLIENT_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/ffi_api.h"
#include "lua/engine/heap.h"
#include "lua/engine/host.h"

struct conn;
struct script;
struct state;
struct stmt;

struct later_item {
  struct conn *conn; /* one of the two is not NULL */
  struct stmt *stmt;
};

/*
 * Objects found by the garbage collector.  It runs in the middle of any
 * client's call, while the owner can be waiting on the same connection.  The
 * owner's next call frees them.  Zeroed: empty.
 */
struct later {
  struct later_item *item; /* owned */
  size_t n, room;
};

struct vm {
  lua_State *L; /* the main thread of the Lua state */
  struct heap heap;
  struct script *script;
  struct host host;
  int most_kib;   /* memory limit while clients are made, beyond KIB_AT_FIRST */
  unsigned early; /* first events still to begin: the JIT is off, the collector
                     eager */
  bool settling;  /* the first has begun */
  bool settled;   /* the last has begun */
  bool compiles;  /* the JIT is on afterwards */
  unsigned here;  /* clients with data in L */
  unsigned left;  /* since the last collection */
  bench_call call;        /* of the running client */
  bool collector_stopped; /* by a script */
  struct err finalizer;   /* why a finalizer failed, until reported; "": none */
  struct state *retired;  /* freed states, linked by client.next */
};

struct client {
  int host_ref, thread_ref; /* in the registry; 0: not yet */
  struct later later;
  struct state *next;
  bool left; /* its connections stay open */
};

void client_early_event(struct vm *vm);

lua_State *client_lua(struct heap *heap, bool gc64);

/* *ret_L: the client's thread, with its own globals.  Returns the status of
 * lua_cpcall(); the error is on the stack of vm->L. */
int client_new(struct client *c, struct vm *vm, unsigned tid,
               lua_State **ret_L);

/* For lua_cpcall() with the vm: delays the collector. */
int client_made(lua_State *L);

static inline void client_event(struct vm *vm)
{
  if (UNLIKELY(vm->early > 0))
    client_early_event(vm);
}

/* The client's data becomes garbage; its connections and statements stay
 * open. */
void client_leave(struct client *c, struct vm *vm);

/* `c` can be half made. */
void client_drop(struct client *c, struct vm *vm);

/*
 * Push the script's body, with the client's globals; again after its end, for
 * client_body_done(), which pops it.  Both return lua_pcall()'s status.
 */
int client_push_body(const struct client *c, lua_State *L);
int client_body_done(const struct client *c, lua_State *L);

void client_push_host(const struct client *c, lua_State *L);

void client_push_common(const struct vm *vm, lua_State *L, const char *name);

/* Adds nothing without memory: env_done() frees the object. */
void later_add(struct later *l, struct conn *conn, struct stmt *stmt);

/* WAITS. */
void later_free_objects(struct later *l);

/* Frees the list only. */
void later_done(struct later *l);

#endif
