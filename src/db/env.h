/*
 * env.h - what a thread that uses connections has: one struct db_env (in
 * scripts: per Lua state), which is "current" while that thread calls the
 * layer.  What all threads share is in process.h.
 */
#ifndef BENCH_DB_ENV_H
#define BENCH_DB_ENV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/ffi_api.h"
#include "db/abi.h"
#include "db/churn.h"
#include "db/driver.h"
#include "db/error_policy.h"
#include "db/process.h"

struct ack_client;
struct conn;
struct line;
struct pool;

/* One statement that ended, for statement classes. */
struct stmt_sample {
  bool failed;
  uint64_t nrows; /* on success; 0 without a result set */
};

/* A driver as a thread sees it; the first member is what scripts hold. */
struct driver_handle {
  struct driver_pub pub;
  const struct driver *driver;
  struct driver_state *state;
  const void *cfg;
  struct db_env *env;
};

/* What one thread has.  {0} but for the given members is ready for use. */
struct db_env {
  /* Given.  The recorder may be set and cleared at any time by the thread. */
  struct db_process *process;
  struct recorder *recorder; /* NULL: not in the measured part */
  uint64_t rng;        /* state of the internal stream, any seed; never one from
                        * which the workload draws */
  bool shares_thread;  /* with other clients: its calls must not block */
  bool under_deadline; /* a worker: the deadline ends its calls */
  /*
   * [opt] Of a worker, which writes them: is an event open, and the number of
   * the last one; it keeps its number when it is started again.  Both or none.
   */
  const bool *event_open;
  const uint64_t *event_number;
  const bool *counted; /* [opt] of a worker: the warm-up is over */
  struct pool *pool;   /* [opt] of the thread: connections lease sessions */
  /*
   * [opt] Called after each statement (not for those that the layer sends by
   * itself) with the class that was set by conn_set_class() or
   * stmt_set_class(), or NULL; `sql` is the text, of prepared statements too.
   */
  void (*on_statement)(void *ctx, void *cls, const char *sql, size_t len,
                       uint64_t took_ns, const struct stmt_sample *s);
  void *on_statement_ctx;
  /* [opt] Does a finalizer run, in the middle of whatever the thread does? */
  bool (*in_finalizer)(void *ctx);
  void *in_finalizer_ctx;
  bool ending;  /* finalizers run in any order: objects stay until env_done() */
  bool timed;   /* on_statement is wanted; --db-debug sets it too */
  bool ack_due; /* the next statement commits what `ack` has named */
  struct ack_client *ack; /* [opt] writes down what is acknowledged */
  struct churn churn;     /* see env_start_between() */
  uint64_t unsampled;     /* events until a backend is asked for its number */
  bool sampled;           /* one has been */

  /* The layer's own. */
  struct driver_handle *handle[DRIVERS_MAX]; /* owned; NULL: not used yet */
  struct conn *first; /* all connection objects of the thread */
  /* [opt] A connection that fails does not end the run: the reason is put
   * there. */
  struct strbuf *refused;
  struct pool_wait pool_wait;
  uint64_t attempts;   /* of events that were undone */
  struct conn *leased; /* the connection that has a session of the pool */
  bool between;        /* env_between() is called between events */
  bool in_pool;        /* there was one: see broker_leave() */
  bool reported; /* a FATAL line has said why a call of this thread failed, or
                  * that of another one with the same cause has */
  bool too_late; /* the run has ended before the last new connection could be
                  * opened; nothing was reported */
  bool awaited;  /* find_server_after_run() has found a server: new connections
                  * go  there */
  bool unread;   /* env_settle() has something to do */
  bool *unread_too; /* [opt] the same, where the end of events is decided */
};

/* Ends the drivers of the thread; its connections are gone: see env_done(). */
void env_done_drivers(struct db_env *env);

/* The thread's env, for functions that scripts call; NULL: none. */
struct db_env *env_current(void);
void env_set_current(struct db_env *env);

/*
 * A driver by name (NULL or "": of --db-driver), initialised.  NULL after
 * FATAL lines were logged.  The same name gives the same handle; it lives as
 * long as the env.
 */
struct driver_handle *env_driver(struct db_env *env, const char *name);

/* Call fn(env, c) as a part of an event: so the end of the run ends the wait
 * for a new session, if c loses its own. */
void env_as_in_event(struct db_env *env, struct conn *c,
                     void (*fn)(struct db_env *env, struct conn *c));

/* A number from the internal stream; and one in [0, 1). */
double env_random_double(struct db_env *env);

/* An event is open: it may be started again, and the end of the run ends it. */
static inline bool env_in_event(const struct db_env *env)
{
  return env->event_open && *env->event_open;
}

/* Is there something to settle?  For the layer itself. */
static inline void env_note_unread(struct db_env *env, bool unread)
{
  env->unread = unread;
  if (env->unread_too)
    *env->unread_too = unread;
}

/* What drivers say of a result for which env_may_keep() is false. */
#define RESULT_TOO_LARGE "the result is larger than --db-max-result-size allows"

/* May rows of so many bytes be kept?  `env` may be NULL. */
static inline bool env_may_keep(const struct db_env *env, size_t bytes)
{
  const uint64_t max = env ? env->process->set.max_result_bytes : 0;

  return max == 0 || bytes <= max;
}

/* The run is over. */
bool env_is_over(const struct db_env *env, uint64_t now_ns);

/*
 * ... and this thread is still in an event, which it has to leave: whoever
 * waits for a lock gives up.  What a script does after its events (the last
 * packet of a bulk insert, say) has all the time that options allow.
 */
bool env_has_to_leave(const struct db_env *env, uint64_t now_ns);

/* Where the thread stands in the run, for verdicts. */
enum verdict_phase env_phase(const struct db_env *env, uint64_t now_ns);

/* Calls of this thread have to fail at once: the deadline has passed. */
static inline bool env_is_dead(const struct db_env *env)
{
  return env->under_deadline &&
         atomic_load_explicit(&env->process->watch.deadline_at_ns,
                              memory_order_relaxed) != 0;
}

/*
 * Does every thread of the run have two processors, one for itself and one for
 * the server that answers it?  Then waking up early takes time from nobody.
 * Other programs that run at this moment need two as well.  False where the run
 * is not known; `env`, or what it belongs to, may be NULL.
 */
bool env_has_spare_cpus(const struct db_env *env);

#endif
