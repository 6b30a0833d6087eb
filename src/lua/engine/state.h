/*
 * state.h - one Lua state: its libraries, the script in it, and calls to the
 * script's functions.
 *
 * One thread at a time uses a state, after it has entered it.  The data belong
 * to these objects:
 *
 * script   texts and byte code, declared options, labels, the names of counters
 *          and histograms, the failures that were printed (shared.h)
 * state    globals and loaded modules, the heap, connections with statements
 *          and unread results (`env`), cells of counters and histograms, the
 *          last quoted literal
 * worker   its number, the random stream, the recorders of events and classes,
 *          the open event and its number (run/worker.h); `env` points to these
 * thread   only the state that it is in: state_current()
 *
 * Each worker has a state and a thread of its own.
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
#include "rand/rng.h"

struct err;
struct rand_stream;
struct script;
struct vm;
struct worker;

/* A Lua state that no other state shares. */
struct own_lua {
  struct heap heap;
  struct host host;
};

struct state {
  lua_State *L;
  struct vm *vm;        /* [opt] L is a thread in it */
  struct client client; /* with a vm */
  struct own_lua *own;  /* owned; NULL with a vm */
  struct script *script;
  unsigned tid;          /* as scripts see it */
  struct worker *worker; /* [opt] the worker of the state */
  bool finalizer_failed; /* the first one has been reported */
  struct rand_stream *rand;
  struct rand_stream *own_rand; /* owned; NULL: `rand` is the worker's */
  struct db_env env;
  struct statements statements;
  struct strbuf quoted; /* the last literal that was made */
  bool measured;        /* counters of the script count */
};

/* The role of a state, and its source of random numbers. */
struct state_role {
  unsigned tid;
  struct worker *worker;    /* [opt] the worker, whose stream is used */
  enum rng_purpose purpose; /* otherwise: the stream */
  uint64_t index;
  struct vm *vm; /* [opt] the Lua state that the new state shares with others */
};

/*
 * Create a state, enter it, and execute the body of the script.  On failure
 * nothing is left, and the message is complete.
 */
int state_new(struct state **ret, struct script *script,
              const struct state_role *role, struct err *err);

/*
 * Free the state, and close what scripts left open.  The thread must have
 * entered it.  With a vm, that is done by vm_free().
 */
void state_free(struct state *s);

/*
 * An idle client leaves the Lua state of its vm, if its script would only close
 * connections at the end; WAITS.  They stay open, with their statements, until
 * state_end_left() closes them (WAITS) in place of the script's thread_done().
 */
void state_leave(struct state *s);
void state_end_left(struct state *s);

/*
 * Return the state in which this thread is; NULL: none.  The functions that
 * scripts call have no argument for it.  Everything else is found from here:
 * the worker, its recorder, the connections, random numbers.
 */
static inline struct state *state_current(void)
{
  extern _Thread_local struct state *state_of_thread;

  return state_of_thread;
}

/*
 * Enter `s`, or no state (NULL); returns the state that the thread was in.
 * Nothing else changes what a thread works on.
 */
struct state *state_enter(struct state *s);

/* Push the table `host` of the state. */
void state_push_host(struct state *s);

/* Push a global as it is, without any metamethod of the script. */
void state_push_global(struct state *s, const char *name);

/*
 * Call the global `name`, with the number of the thread if `with_tid`.  The
 * message is that of failure.h.  -ECANCELED: the function was left because the
 * run is over.
 */
int state_call(struct state *s, const char *name, bool with_tid,
               struct err *err);

/* Do the same if there is such a global. */
int state_call_optional(struct state *s, const char *name, bool with_tid,
                        struct err *err);

/*
 * Call this when the function `name` has returned: results that it did not read
 * are read and dropped.  An error among them is an error of the function,
 * unless the events of the script's own loop may have such errors.
 */
int state_settle(struct state *s, const char *name, struct err *err);

/*
 * Call the function below `n_args` arguments on the stack.  Returns 0 and
 * pushes `n_results` values, or -EINVAL or -ECANCELED with the message as
 * above.
 */
int state_call_top(struct state *s, const char *name, int n_args, int n_results,
                   struct err *err);

/*
 * Push sysbench[table][name], or nil if there is none; table NULL: push
 * sysbench[name].
 */
void state_push_field(struct state *s, const char *table, const char *name);

/*
 * A function that was called under lua_pcall() while the state was made has
 * returned `rc`, which is not 0.  Pops the error from the top.  Returns -ENOMEM
 * with a message that names the worker, or -EINVAL with the text of the error.
 */
int state_make_failed(struct state *s, int rc, struct err *err);

/* A finalizer has failed with this text, in the middle of whatever the thread
 * does.  The first one of a worker ends the run, that of others is a warning.
 */
void state_finalizer_failed(struct state *s, const char *text);

/* Copy the text of an error value; see trace.h. */
void state_error_text(lua_State *L, int index, struct err *err);

#endif
