/*
 * state.h - one Lua state: its libraries, the script in it, and calls to the
 * script's functions.
 *
 * A state is used by one thread at a time, which has entered it.  Who owns
 * what:
 *
 * script   texts and byte code, declared options, labels, the names of counters
 *          and histograms, the failures that were printed (shared.h)
 * state    globals and loaded modules, the heap, connections with statements
 *          and unread results (`env`), cells of counters and histograms, the
 *          last quoted literal, the classes of statements seen so far
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
#include "db/env.h"
#include "lua/engine/heap.h"
#include "lua/engine/host.h"
#include "rand/rng.h"

struct err;
struct rand_stream;
struct script;
struct statements;
struct worker;

struct state {
  lua_State *L;
  struct heap heap; /* of L */
  struct script *script;
  unsigned tid;          /* as scripts see it */
  struct worker *worker; /* [opt] of states of workers */
  struct rand_stream *rand;
  struct rand_stream *own_rand; /* owned; NULL: `rand` is the worker's */
  struct db_env env;
  struct statements *statements; /* owned; NULL: no classes are kept */
  struct strbuf quoted;          /* the last literal that was made */
  bool measured;                 /* counters of the script count */
  struct host host;
};

/* Which state it is, and what it draws random numbers from. */
struct state_role {
  unsigned tid;
  struct worker *worker;    /* [opt] it is the worker's, and draws from its */
  enum rng_purpose purpose; /* otherwise: the stream */
  uint64_t index;
};

/*
 * A new state, entered, with the body of the script executed.  On failure
 * nothing is left, and the message is complete.
 */
int state_new(struct state **ret, struct script *script,
              const struct state_role *role, struct err *err);

/* Closes what scripts left open.  The thread must have entered it. */
void state_free(struct state *s);

/*
 * The state in which this thread is, NULL: none.  The functions that scripts
 * call get no argument that says so.  All else that they work on is found from
 * here: the worker, its recorder, the connections, random numbers.
 */
static inline struct state *state_current(void)
{
  extern _Thread_local struct state *state_of_thread;

  return state_of_thread;
}

/* Enter `s`, or none; returns the state that the thread was in.  Nothing else
 * changes what a thread works on. */
struct state *state_enter(struct state *s);

/* Push a global as it is, past what a script may have put in front of it. */
void state_push_global(struct state *s, const char *name);

/*
 * Call the global `name`, with the number of the thread if `with_tid`.  The
 * message is that of failure.h.
 * -ECANCELED: the function was left because the run is over.
 */
int state_call(struct state *s, const char *name, bool with_tid,
               struct err *err);

/* The same if there is such a global. */
int state_call_optional(struct state *s, const char *name, bool with_tid,
                        struct err *err);

/*
 * The function `name` has returned: results that it did not read are read and
 * dropped; an error among them is that of the function, unless the events of a
 * loop of the script's own may have such errors.
 */
int state_settle(struct state *s, const char *name, struct err *err);

/*
 * Call the function below `n_args` arguments on the stack: 0 and `n_results`
 * values, or -EINVAL or -ECANCELED and the message as above.
 */
int state_call_top(struct state *s, const char *name, int n_args, int n_results,
                   struct err *err);

/* Push sysbench[table][name], nil if there is none; table NULL: that of
 * sysbench itself. */
void state_push_field(struct state *s, const char *table, const char *name);

/*
 * What makes the state was called under lua_pcall() and returned `rc`, not 0,
 * with the error on the top, which is popped.  Returns -ENOMEM with a message
 * that names the thread, or -EINVAL with the text of the error.
 */
int state_make_failed(struct state *s, int rc, struct err *err);

/* The text of an error value: of strings and numbers, or what __tostring says;
 * otherwise "(not a string)". */
void state_error_text(lua_State *L, int index, struct err *err);

#endif
