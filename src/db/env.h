/*
 * env.h - what a thread that uses connections has: one struct db_env (in
 * scripts: per Lua state), "current" while the thread calls the layer.
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

/* An ended statement, for classes. */
struct stmt_sample {
  bool failed;
  uint64_t nrows; /* 0 without a result set */
};

/* A driver in a thread; scripts hold the first member. */
struct driver_handle {
  struct driver_pub pub;
  const struct driver *driver;
  struct driver_state *state;
  const void *cfg;
  struct db_env *env;
};

/* {0} but for the given members is ready for use. */
struct db_env {
  struct db_process *process;
  struct recorder
    *recorder;  /* NULL: not in the measured part; the thread may change it */
  uint64_t rng; /* any seed but those of workloads */
  bool shares_thread;  /* with other clients: calls must not block */
  bool under_deadline; /* a worker: the deadline ends its calls */
  /* [opt] Of a worker, which writes them: is an event open, and its number,
   * which stays when the event starts again.  Both or none. */
  const bool *event_open;
  const uint64_t *event_number;
  const bool *counted; /* [opt] of a worker: the warm-up is over */
  struct pool *pool;   /* [opt] of the thread; connections lease sessions */
  /*
   * [opt] After each statement of the script, with the class of
   * conn_set_class() or stmt_set_class(), or NULL; `sql` is the text of
   * prepared ones too.
   */
  void (*on_statement)(void *ctx, void *cls, const char *sql, size_t len,
                       uint64_t took_ns, const struct stmt_sample *s);
  void *on_statement_ctx;
  /* [opt] Does a finalizer run, in the middle of the thread's work? */
  bool (*in_finalizer)(void *ctx);
  void *in_finalizer_ctx;
  bool ending;  /* finalizers run in any order: objects stay until env_done() */
  bool timed;   /* on_statement is wanted; also by --db-debug */
  bool ack_due; /* the next statement commits what `ack` has named */
  struct ack_client *ack; /* [opt] the acknowledgement log */
  struct churn churn;     /* see env_start_between() */
  uint64_t unsampled;     /* events until a backend is asked */
  bool sampled;           /* a backend has answered */

  struct driver_handle *handle[DRIVERS_MAX]; /* owned; NULL: not used yet */
  struct conn *first;                        /* all connection objects */
  /* [opt] Gets the reason of a failed connection, which then does not end the
   * run. */
  struct strbuf *refused;
  struct pool_wait pool_wait;
  uint64_t attempts;   /* at events that were undone */
  struct conn *leased; /* it has a session of the pool */
  bool between;        /* env_between() is called */
  bool in_pool;        /* counted in pool->users */
  bool reported;    /* a FATAL line was printed for this thread, or for another
                       with the same cause */
  bool too_late;    /* the run ended before a new connection could open; nothing
                       was reported */
  bool awaited;     /* find_server_after_run() has found a server */
  bool unread;      /* env_settle() has work */
  bool *unread_too; /* [opt] the same, for whoever ends events */
};

/* After the connections: see env_done(). */
void env_done_drivers(struct db_env *env);

/* NULL: none. */
struct db_env *env_current(void);
void env_set_current(struct db_env *env);

/* Initialised; NULL or "": --db-driver.  NULL after FATAL lines.  One handle
 * per name, which lives as long as the env. */
struct driver_handle *env_driver(struct db_env *env, const char *name);

/* Call fn(env, c) as a part of an event: the end of the run ends the wait for a
 * new session. */
void env_as_in_event(struct db_env *env, struct conn *c,
                     void (*fn)(struct db_env *env, struct conn *c));

/* From the internal stream, in [0, 1). */
double env_random_double(struct db_env *env);

/* An event is open: it may start again, and the run's end ends it. */
static inline bool env_in_event(const struct db_env *env)
{
  return env->event_open && *env->event_open;
}

static inline void env_note_unread(struct db_env *env, bool unread)
{
  env->unread = unread;
  if (env->unread_too)
    *env->unread_too = unread;
}

/* Drivers use it if env_may_keep() is false. */
#define RESULT_TOO_LARGE "the result is larger than --db-max-result-size allows"

/* May rows of `bytes` be kept?  `env` may be NULL. */
static inline bool env_may_keep(const struct db_env *env, size_t bytes)
{
  const uint64_t max = env ? env->process->set.max_result_bytes : 0;

  return max == 0 || bytes <= max;
}

bool env_is_over(const struct db_env *env, uint64_t now_ns);

/*
 * ... and this thread is in an event, which it has to leave: waits for locks
 * end.  What a script does after its events has all the time that options
 * allow.
 */
bool env_has_to_leave(const struct db_env *env, uint64_t now_ns);

enum verdict_phase env_phase(const struct db_env *env, uint64_t now_ns);

/* The deadline has passed: calls of this thread fail. */
static inline bool env_is_dead(const struct db_env *env)
{
  return env->under_deadline &&
         atomic_load_explicit(&env->process->watch.deadline_at_ns,
                              memory_order_relaxed) != 0;
}

/*
 * Two CPUs for every thread of the run, one for itself and one for its server,
 * beside other running programs?  Then waking up early takes time from nobody.
 * False if the run is unknown; `env` and its members may be NULL.
 */
bool env_has_spare_cpus(const struct db_env *env);

#endif
