/*
 * env.h - what the SQL layer is given by its surroundings.
 *
 * One struct db_process per process (one run or command), one struct db_env
 * per thread that uses connections (in scripts: per Lua state).  The thread's
 * env is "current" while that thread calls the layer.
 */
#ifndef BENCH_DB_ENV_H
#define BENCH_DB_ENV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/facts.h"
#include "base/ffi_api.h"
#include "db/abi.h"
#include "db/driver.h"
#include "db/errtab.h"
#include "db/flood.h"
#include "db/ignore.h"
#include "db/outage.h"
#include "db/times.h"
#include "db/watch.h"
#include "opt/identity.h"

struct conn;

enum ps_mode {
  PS_AUTO,
  PS_DISABLE,
};

/* The general database options. */
struct db_settings {
  const char *driver; /* "" or NULL: the first of the list */
  int ps_mode;        /* enum ps_mode */
  bool debug;
  struct opt_list ignore_errors;
  uint64_t connect_timeout_s; /* 0: 10 */
  double query_timeout_s;     /* 0: none */
  uint64_t max_result_bytes;  /* of rows that are kept; 0: no limit */
};

/* A driver and its options. */
struct driver_config {
  const struct driver *driver;
  const void *cfg; /* the struct of cfg_size bytes that its rows filled in */
};

/* A driver in use. */
struct driver_state {
  bool ready, failed; /* global_init was done; protected by driver_lock */
  struct ignore_list ignore; /* constant when ready: both lists */
};

enum {
  DRIVERS_MAX = 16
};

/*
 * The first connection of a run is opened while the others wait (not for
 * long): the checks before the run are about a server that they have not
 * filled yet, and are told before anything that they foresee.
 */
enum first_open {
  FIRST_OPEN_NOT_YET,
  FIRST_OPEN_UNDER_WAY,
  FIRST_OPEN_OVER
};

/* Failed connects at the start. */
struct connect_failures {
  pthread_mutex_t lock; /* protects the rest */
  unsigned count;
  char reason[256]; /* of the first */
};

/*
 * What all threads share.  The caller fills in the first part before
 * process_init() and leaves it alone afterwards, unless it says otherwise.
 */
struct db_process {
  /* Given. */
  struct db_settings set;
  const struct driver_config *drivers; /* [n_drivers], in order of the list */
  size_t n_drivers;
  struct run_facts facts;
  const char *program;    /* its name in messages; NULL: bench */
  enum identity identity; /* as sysbench, messages are in its words */
  bool in_run;            /* the command is `run` */
  bool is_known; /* facts are filled in: make the checks before the run */
  uint64_t first_number; /* of a connection: as if others had been before */
  bool in_results; /* keep what the first connection tells of its server */
  /*
   * The run is over: not 0.  Whoever changes it wakes the waiters of the word
   * (wait_wake_all).  NULL: never.
   */
  _Atomic uint32_t *over;
  /* No event starts after this moment; 0: not known.  Set by the run layer
   * when the clock starts; relaxed, read when connections break. */
  _Atomic uint64_t end_ns;

  /* The layer's own. */
  _Atomic uint32_t never;        /* `over`, where none was given; stays 0 */
  _Atomic uint64_t next_number;  /* of a connection */
  _Atomic bool used;             /* a driver was obtained: SQL reports */
  _Atomic bool native, emulated; /* statements were prepared this way */
  _Atomic bool checked;          /* the checks before the run were made */
  _Atomic bool looked;           /* at the tables */
  _Atomic uint32_t first_open;   /* enum first_open: of all connections */
  atomic_flag noting;            /* the first connection is asked */
  _Atomic bool noted;            /* `server` is complete; release, acquire */
  const struct driver *driver;   /* with `server`: of that connection */
  struct facts server;           /* owned */
  pthread_mutex_t driver_lock;   /* protects `state` until ready */
  struct driver_state state[DRIVERS_MAX];
  struct connect_failures failures;
  struct errtab errors;
  struct outage outage;
  struct flood flood;
  struct watch watch;
  struct db_times execution, fetching; /* with --db-debug, of runs */
};

/* -EINVAL with the text to show when the ignore lists cannot be read. */
int process_init(struct db_process *p, struct err *err);
/*
 * After all envs are done; ends the watching thread, frees the drivers.  False:
 * threads that never end were left behind.  They use `p` and the options of
 * drivers, which have to stay, and the program has to leave with _exit().
 */
bool process_done(struct db_process *p);

/* Change p->over, while no other thread uses the process; NULL: never. */
void process_set_over(struct db_process *p, _Atomic uint32_t *over);

/* One of the drivers in use talks to servers. */
bool process_uses_server(struct db_process *p);

/* The run is over: flag or time.  `now_ns` is the present moment. */
bool process_is_over(const struct db_process *p, uint64_t now_ns);

/*
 * Does every thread of the run have two processors, one for itself and one for
 * who answers it?  Then waking up early takes time from nobody.  False where
 * the run is not known; `env`, or what it belongs to, may be NULL.
 */
bool env_has_spare_cpus(const struct db_env *env);

/*
 * When all threads have ended their thread_init: the line
 * `FATAL: K of T connections failed`, unless all have failed: the reason alone
 * says enough.  As sysbench with the reason, also when all have failed.
 */
void process_connect_summary(struct db_process *p, unsigned threads);

/*
 * At the end, after the report: messages held back, threads still
 * reconnecting, errors by code.
 */
void process_final_messages(struct db_process *p);

/*
 * For structured results, at the end of a run: what is known of the database,
 * with the kind of its statements and times without connection.  May be called
 * while threads still use it.
 */
void process_describe(struct db_process *p, struct facts *ret);

/* What the server of the first connection gives up: see durable_gaps().  0 as
 * long as it has told nothing. */
size_t process_durable_gaps(struct db_process *p, struct strbuf *to,
                            bool *ret_usual);
/* What is stored on that server is found again: so reads find rows. */
bool process_keeps_rows(struct db_process *p);

/* native, emulated, mixed, or none. */
const char *process_statement_mode(const struct db_process *p);

/* One statement that ended, for statement classes. */
struct stmt_sample {
  bool failed;
  uint64_t nrows; /* on success; 0 without a result set */
};

/* A driver as a thread sees it; the first member is what scripts hold. */
struct driver_handle {
  struct driver_pub pub;
  const struct driver *driver; /* NULL: this place is free */
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
  bool under_deadline; /* a worker: the deadline ends its calls */
  /*
   * [opt] Of a worker, which writes them: is an event open, and the number of
   * the last one; it keeps its number when it is started again.  Both or none.
   */
  const bool *event_open;
  const uint64_t *event_number;
  /*
   * [opt] Called after each statement (not for those that the layer sends by
   * itself) with the class that was set by conn_set_class() or
   * stmt_set_class(), or NULL; `sql` is the text, of prepared statements too.
   */
  void (*on_statement)(void *ctx, void *cls, const char *sql, size_t len,
                       uint64_t took_ns, const struct stmt_sample *s);
  void *on_statement_ctx;
  bool timed; /* on_statement is wanted; --db-debug sets it too */

  /* The layer's own. */
  struct driver_handle handle[DRIVERS_MAX];
  struct conn *first; /* all connection objects of the thread */
  bool told; /* a FATAL line has said why a call of this thread failed, or that
              * of another one with the same cause has */
  bool unread;      /* env_settle() has something to do */
  bool *unread_too; /* [opt] the same, where the end of events is decided */
};

/* Ends and frees all connections, statements and drivers of the thread; no
 * pointer to one may be used afterwards. */
void env_done(struct db_env *env);

/* The thread's env, for functions that scripts call; NULL: none. */
struct db_env *env_current(void);
void env_set_current(struct db_env *env);

/*
 * A driver by name (NULL or "": of --db-driver), initialised.  NULL after
 * FATAL lines were logged.  The same name gives the same handle; it lives as
 * long as the env.
 */
struct driver_handle *env_driver(struct db_env *env, const char *name);

/* A number from the internal stream; and one in [0, 1). */
uint64_t env_random(struct db_env *env);
double env_random_double(struct db_env *env);

/* An event is open: it may be started again, and the end of the run ends it. */
static inline bool env_in_event(const struct db_env *env)
{
  return env->event_open && *env->event_open;
}

/* The open event is about to be started again: rows of bulk inserts that it has
 * collected are dropped. */
void env_undo_attempt(struct db_env *env);

/* Is there something to settle?  For the layer itself. */
static inline void env_note_unread(struct db_env *env, bool unread)
{
  env->unread = unread;
  if (env->unread_too)
    *env->unread_too = unread;
}

/*
 * The event has ended, or the function that the script has for something else:
 * results that are still pending are read and dropped.  NULL; or a connection
 * on which a failure was among them (or among those that were dropped before,
 * and no call has told of it): it is the connection's present failure.  Then
 * there may be others.
 */
struct conn *env_settle_slowly(struct db_env *env);
static inline struct conn *env_settle(struct db_env *env)
{
  return UNLIKELY(env->unread) ? env_settle_slowly(env) : NULL;
}

/* It is given up: so are they, and the transactions in which it has failed. */
void env_undo_event(struct db_env *env);

/* What drivers say of a result for which env_may_keep() is false. */
#define RESULT_TOO_LARGE "the result is larger than --db-max-result-size allows"

/* May rows of so many bytes be kept?  `env` may be NULL. */
static inline bool env_may_keep(const struct db_env *env, size_t bytes)
{
  const uint64_t most = env ? env->process->set.max_result_bytes : 0;

  return most == 0 || bytes <= most;
}

/* The run is over. */
bool env_is_over(const struct db_env *env, uint64_t now_ns);

/*
 * ... and this thread is still in an event, which it has to leave: whoever
 * waits for a lock gives up.  What a script does after its events (the last
 * packet of a bulk insert, say) has all the time that options allow.
 */
bool env_has_to_leave(const struct db_env *env, uint64_t now_ns);

/* Calls of this thread have to fail at once: the deadline has passed. */
static inline bool env_is_dead(const struct db_env *env)
{
  return env->under_deadline &&
         atomic_load_explicit(&env->process->watch.deadline_at_ns,
                              memory_order_relaxed) != 0;
}

#endif
