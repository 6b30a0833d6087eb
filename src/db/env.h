/*
 * env.h - one struct db_env per thread (in scripts: per Lua state) that uses
 * connections, "current" while the thread calls the layer.
 */
#ifndef BENCH_DB_ENV_H
#define BENCH_DB_ENV_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/ffi_api.h"
#include "db/churn.h"
#include "db/driver.h"
#include "db/error_policy.h"
#include "db/process.h"

/* The heads of objects that scripts see: the ABI's types cannot be members. */

/* sql_driver */
struct driver_pub {
  const char *sname;
  const char *lname;
};

/* sql_connection */
struct conn_pub {
  sql_error_t error;
  int sql_errno;
  const char *sql_state;
  const char *sql_errmsg;
  sql_driver *driver;
};

/* sql_statement */
struct stmt_pub {
  sql_connection *connection;
};

#define ABI_SAME(T, mine, f)                                             \
  _Static_assert(offsetof(T, f) == offsetof(struct mine, f) &&           \
                   sizeof(((T *)0)->f) == sizeof(((struct mine *)0)->f), \
                 #f " has moved")

/* Compares sizes of pointers. NOLINTBEGIN(bugprone-sizeof-expression) */
ABI_SAME(sql_driver, driver_pub, sname);
ABI_SAME(sql_driver, driver_pub, lname);
ABI_SAME(sql_connection, conn_pub, error);
ABI_SAME(sql_connection, conn_pub, sql_errno);
ABI_SAME(sql_connection, conn_pub, sql_state);
ABI_SAME(sql_connection, conn_pub, sql_errmsg);
ABI_SAME(sql_connection, conn_pub, driver);
ABI_SAME(sql_statement, stmt_pub, connection);
/* NOLINTEND(bugprone-sizeof-expression) */

struct ack_client;
struct conn;
struct pool;

struct stmt_sample {
  bool failed;
  uint64_t nrows; /* 0 without a result set */
};

struct driver_handle {
  struct driver_pub pub;
  const struct driver *driver;
  struct driver_state *state;
  const void *cfg;
  struct db_env *env;
};

/* Ready if {0}, except the given members. */
struct db_env {
  struct db_process *process;
  struct recorder *recorder; /* NULL: not measured; can change */
  uint64_t rng;
  bool shares_thread;
  bool under_deadline; /* the deadline ends its calls */
  /* [opt] A worker's: in an event?  And its number, which a restart keeps.
   * Both or neither. */
  const bool *event_open;
  const uint64_t *event_number;
  const bool *counted; /* [opt] after the warm-up */
  struct pool *pool;   /* [opt] */
  /* [opt] After each statement of the script, with its class or NULL and its
   * text. */
  void (*on_statement)(void *ctx, void *cls, const char *sql, size_t len,
                       uint64_t took_ns, const struct stmt_sample *s);
  void *on_statement_ctx;
  /* [opt] Does a finalizer interrupt the thread's work? */
  bool (*in_finalizer)(void *ctx);
  void *in_finalizer_ctx;
  bool ending;            /* objects stay until env_done() */
  bool timed;             /* also with --db-debug */
  bool ack_due;           /* the next statement acknowledges */
  struct ack_client *ack; /* [opt] */
  struct churn churn;     /* see env_start_between() */
  uint64_t unsampled;     /* events until a backend is asked */
  bool sampled;           /* a backend has answered */

  struct driver_handle *handle[DRIVERS_MAX]; /* owned; NULL: not used yet */
  struct conn *first;
  /* [opt] A failed connection puts its reason there, and does not end the
   * run. */
  struct strbuf *refused;
  struct pool_wait pool_wait;
  uint64_t attempts;   /* how often events were undone */
  struct conn *leased; /* has a session of the pool */
  bool between;
  bool in_pool;     /* in pool->users */
  bool reported;    /* by a FATAL line, possibly of another thread */
  bool too_late;    /* to open a connection; not reported */
  bool awaited;     /* by find_server_after_run() */
  bool unread;      /* env_settle() has work */
  bool *unread_too; /* [opt] for the caller that ends events */
};

void env_done_drivers(struct db_env *env);

struct db_env *env_current(void);
void env_set_current(struct db_env *env);

/* NULL or "": --db-driver.  NULL after FATAL lines.  Lives as long as the
 * env. */
struct driver_handle *env_driver(struct db_env *env, const char *name);

/* Calls fn() as in an event: the end of the run ends its wait for a session. */
void env_as_in_event(struct db_env *env, struct conn *c,
                     void (*fn)(struct db_env *env, struct conn *c));

/* In [0, 1). */
double env_random_double(struct db_env *env);

/* In an event, which can restart, and which the end of the run ends? */
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

/* The message if env_may_keep() is false. */
#define RESULT_TOO_LARGE "the result is larger than --db-max-result-size allows"

/* `env` can be NULL. */
static inline bool env_may_keep(const struct db_env *env, size_t bytes)
{
  const uint64_t max = env ? env->process->set.max_result_bytes : 0;

  return max == 0 || bytes <= max;
}

/* NULL: without --rtt, or not a session of the run. */
static inline struct relay *env_relay(const struct session *s)
{
  return s->env && !s->apart ? s->env->process->relay : NULL;
}

bool env_is_over(const struct db_env *env, uint64_t now_ns);

/* Is the run over, so that the event has to end?  After events a script has all
 * its time. */
bool env_has_to_leave(const struct db_env *env, uint64_t now_ns);

enum verdict_phase env_phase(const struct db_env *env, uint64_t now_ns);

static inline bool env_is_dead(const struct db_env *env)
{
  return env->under_deadline &&
         atomic_load_explicit(&env->process->watch.deadline_at_ns,
                              memory_order_relaxed) != 0;
}

/* Has each thread two CPUs, one for its server?  Then an early wake-up takes
 * time from nobody.  False if unknown; `env` can be NULL. */
bool env_has_spare_cpus(const struct db_env *env);

#endif
