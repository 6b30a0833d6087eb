/*
 * vm.h - a Lua state that many clients share.
 *
 * Each client has a state (state.h) whose `L` is a thread of the common Lua
 * state, with globals of its own.  Compiled code is common to all.  One thread
 * at a time uses a vm with all its states.
 *
 * A client may be parked in a call (waiting.h) while others run.
 */
#ifndef BENCH_LUA_ENGINE_VM_H
#define BENCH_LUA_ENGINE_VM_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/ffi_api.h"
#include "lua/engine/heap.h"
#include "lua/engine/host.h"

struct err;
struct script;
struct state;

struct vm {
  lua_State *L; /* the main thread of the Lua state */
  struct heap heap;
  struct script *script;
  struct host host;
  bench_call call;       /* of the client that runs */
  struct state *retired; /* states that were freed, linked by client.next */
};

/*
 * Create a Lua state for clients of the script, without any client.  On failure
 * nothing is left, and the message is complete.
 */
int vm_new(struct vm **ret, struct script *script, struct err *err);

/*
 * Free the Lua state and its clients, which state_free() has got before.  Closes
 * what their scripts left open; WAITS.  NULL is allowed.
 */
void vm_free(struct vm *vm);

/* ---- for state.c and host.c ---- */

/* Create a Lua state whose memory is `heap`, if that is possible. */
lua_State *vm_new_lua(struct heap *heap, bool gc64);

/* Add fields to the host table on the top. */
void vm_add_functions(struct vm *vm, lua_State *L);

/* Make `s` a client: it gets a thread with globals. */
int vm_add_client(struct state *s, struct err *err);

/* Execute the body of the script with the globals of this client. */
int vm_run_body(struct state *s, struct err *err);

/* Replace the value on the top by a global that is common to all clients. */
void vm_replace_by_common(struct state *s, const char *name);

/* lua_pcall() for a client: it may be parked only where Lua allows it. */
int vm_pcall(struct state *s, int n_args, int n_results);

/* The client has ended; vm_free() frees it. */
void vm_retire(struct state *s);

#endif
