/*
 * client.h - a Lua state that many clients share, and what each has in it.
 *
 * Each client has a state (state.h) whose `L` is a thread of the common Lua
 * state, with globals of its own.  See vm.lua.
 */
#ifndef BENCH_LUA_ENGINE_CLIENT_H
#define BENCH_LUA_ENGINE_CLIENT_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/ffi_api.h"
#include "lua/engine/heap.h"
#include "lua/engine/host.h"
#include "lua/engine/later.h"

struct script;
struct state;

struct vm {
  lua_State *L; /* the main thread of the Lua state */
  struct heap heap;
  struct script *script;
  struct host host;
  int most_kib;    /* what clients may use, beyond some, while they are made */
  unsigned early;  /* events that may still begin before all has settled */
  bool settling;   /* the first of them has */
  bool settled;    /* the last of them has */
  bool compiles;   /* LuaJIT is to make machine code of the others */
  unsigned here;   /* clients of which something may be in L */
  unsigned left;   /* those that have left, since a collection was made */
  bench_call call; /* of the client that runs */
  bool collector_stopped; /* by a script */
  struct err finalizer;   /* why one has failed; "": none that was not told */
  struct state *retired;  /* states that were freed, linked by client.next */
};

/* What a state has as a client. */
struct client {
  int host_ref, thread_ref; /* in the registry; 0: none */
  struct later later;       /* objects that will be freed */
  struct state *next;       /* in the list of the vm */
  bool left; /* it has left the Lua state; its connections stay open */
};

void client_early_event(struct vm *vm);

/* Create a Lua state whose memory is `heap`, if that is possible. */
lua_State *client_lua(struct heap *heap, bool gc64);

/*
 * Make a client with number `tid`.  *ret_L is its thread, which has its own
 * globals.  Returns what lua_cpcall() does; then the error is on the stack of
 * vm->L.
 */
int client_new(struct client *c, struct vm *vm, unsigned tid,
               lua_State **ret_L);

/* Called by lua_cpcall() with the vm, when a client was made: garbage is left
 * until there is much of it. */
int client_made(lua_State *L);

/*
 * An event of a client may begin.  As long as these are the first ones of
 * clients, LuaJIT makes no machine code of them, and little garbage is left.
 */
static inline void client_event(struct vm *vm)
{
  if (UNLIKELY(vm->early > 0))
    client_early_event(vm);
}

/*
 * The script of the client will not run any more, and all that it has in the
 * Lua state is garbage; connections and statements among that stay open.
 */
void client_leave(struct client *c, struct vm *vm);

/* Drop the thread and the host table.  `c` may be half made. */
void client_drop(struct client *c, struct vm *vm);

/*
 * Push the body of the script, with the globals of the client.  After the body
 * has returned, push it again and call client_body_done(), which pops it.  Both
 * return what lua_pcall() does.
 */
int client_push_body(const struct client *c, lua_State *L);
int client_body_done(const struct client *c, lua_State *L);

/* Push the host table of the client. */
void client_push_host(const struct client *c, lua_State *L);

/* Push a global that is common to all clients. */
void client_push_common(const struct vm *vm, lua_State *L, const char *name);

#endif
