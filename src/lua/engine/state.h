/*
 * state.h - one Lua state: its libraries, the script in it, and calls to the
 * script's functions. One thread at a time uses a state, after entering it.
 *
 * The script owns shared data (shared.h); a state owns globals, modules, the
 * heap, connections with statements and unread results (`env`), and cells of
 * measures; a worker owns its number, the random stream, the recorders and the
 * open event. Each worker has its own state and thread.
 */
#ifndef BENCH_LUA_ENGINE_STATE_H
#define BENCH_LUA_ENGINE_STATE_H

#include <lua.h>
#include <stdbool.h>

#include "base/strbuf.h"
#include "db/classes/statement.h"
#include "db/env.h"
#include "lua/engine/client.h"
#include "lua/engine/heap.h"
#include "lua/engine/host.h"
#include "stats/rand/rng.h"

struct err;
struct rand_stream;
struct script;
struct worker;

/* Of one state only. */
struct own_lua {
  struct heap heap;
  struct host host;
};

struct state {
  lua_State *L;
  struct vm *vm; /* [opt] L is a thread in it */
  struct client client;
  struct own_lua *own; /* owned; NULL with a vm */
  struct script *script;
  unsigned tid;
  struct worker *worker; /* [opt] */
  bool finalizer_failed;
  struct rand_stream *rand;
  struct rand_stream *own_rand; /* owned; NULL: `rand` is the worker's */
  struct db_env env;
  struct statements statements;
  struct strbuf quoted;
  bool measured; /* the script's counters count */
};

struct state_role {
  unsigned tid;
  struct worker *worker;    /* [opt] its stream is used */
  enum rng_purpose purpose; /* otherwise: the stream */
  uint64_t index;
  struct vm *vm; /* [opt] shared */
};

/* Enters the state, and executes the script's body.  On failure nothing is
 * left, and the message is complete. */
int state_new(struct state **ret, struct script *script,
              const struct state_role *role, struct err *err);

/* The thread must have entered the state.  With a vm, vm_free() frees it. */
void state_free(struct state *s);

/*
 * An idle client leaves the Lua state of its vm if its script would only close
 * connections at the end; WAITS.  state_end_left() closes them (WAITS) instead
 * of thread_done().
 */
void state_leave(struct state *s);
void state_end_left(struct state *s);

/* The state of this thread, or NULL: scripts' functions have no argument for
 * it. */
static inline struct state *state_current(void)
{
  extern _Thread_local struct state *state_of_thread;

  return state_of_thread;
}

/* `s` can be NULL; returns the state before. */
struct state *state_enter(struct state *s);

void state_push_host(struct state *s);

/* Without any metamethod of the script. */
void state_push_global(struct state *s, const char *name);

/* Calls the global `name`, with the number of the thread if `with_tid`.  The
 * message is that of failure.h.  -ECANCELED: the run is over. */
int state_call(struct state *s, const char *name, bool with_tid,
               struct err *err);

int state_call_optional(struct state *s, const char *name, bool with_tid,
                        struct err *err);

/*
 * After `name` has returned: drops unread results.  Their errors are errors of
 * the function, unless events of the script's own loop allow them.
 */
int state_settle(struct state *s, const char *name, struct err *err);

/* The function is below its `n_args` arguments on the stack.  Returns 0 and
 * pushes `n_results` values, or -EINVAL or -ECANCELED as above. */
int state_call_top(struct state *s, const char *name, int n_args, int n_results,
                   struct err *err);

/* Pushes sysbench[table][name]; sysbench[name] if `table` is NULL; nil if
 * missing. */
void state_push_field(struct state *s, const char *table, const char *name);

/* A function under lua_pcall() returned `rc` != 0 while the state was made.
 * Pops the error. -ENOMEM or -EINVAL, with a complete message. */
int state_make_failed(struct state *s, int rc, struct err *err);

/* A worker's first failure ends the run; elsewhere it is a warning. */
void state_finalizer_failed(struct state *s, const char *text);

void state_error_text(lua_State *L, int index, struct err *err);

#endif
