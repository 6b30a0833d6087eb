/*
 * process.h - state that threads share: one struct db_process per run or
 * command.
 */
#ifndef BENCH_DB_PROCESS_H
#define BENCH_DB_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/facts.h"
#include "base/login_keys.h"
#include "db/churn.h"
#include "db/connect_limiter.h"
#include "db/counts.h"
#include "db/driver.h"
#include "db/error_policy.h"
#include "db/errtab.h"
#include "db/message.h"
#include "db/options.h"
#include "db/outage.h"
#include "db/password.h"
#include "db/pool.h"
#include "db/watch.h"
#include "opt/identity.h"

struct dialect;
struct err;
struct process_made;
struct relay;
struct strbuf;

struct driver_config {
  const struct driver *driver;
  const void *cfg;
};

struct driver_state {
  bool ready, failed;        /* protected by driver_lock */
  struct ignore_list ignore; /* constant when ready */
};

enum {
  DRIVERS_MAX = 16
};

/* The first opening is alone: checks need an idle server. */
enum first_open {
  FIRST_OPEN_NOT_YET,
  FIRST_OPEN_UNDER_WAY,
  FIRST_OPEN_OVER
};

enum {
  CONNECT_REASONS = 8
};

struct connect_failures {
  pthread_mutex_t lock; /* protects the rest */
  unsigned count, n_reasons;
  struct {
    char text[256];
    unsigned count;
  } reason[CONNECT_REASONS];
};

/* Set these members before process_init(). */
/* Of all ranks. */
struct process_whole {
  bool known;
  unsigned pool_sessions;
  struct pool_sum pool;
};

enum {
  LOOK_TABLES = 24,
};

struct table_look {
  bool known;
  bool unindexed; /* see look_at_indexes() */
  uint64_t rows;  /* highest id; gaps are not seen */
};

struct tables_look {
  unsigned n; /* tables sbtest1 to sbtest<n> */
  struct table_look of[LOOK_TABLES];
};

struct db_process {
  struct db_cfg set;
  const struct driver_config *drivers; /* [n_drivers] */
  size_t n_drivers;
  struct run_facts facts;
  const char *program; /* in messages; NULL: bench */
  const char *worker;  /* "client"; NULL: "thread" */
  enum identity identity;
  bool in_run;
  bool one_server; /* use the first listed server that takes writes, else the
                    * first that is there */
  bool is_known;   /* for the checks before the run */
  uint64_t first_number;
  unsigned carriers;
  unsigned pool_sessions; /* 0: no pool */
  bool in_results;
  /* Not 0: the run is over; then wait_wake_all().  NULL: never. */
  _Atomic uint32_t *over;
  /* No event starts afterwards; 0: unknown.  By the run layer, when the clock
   * starts; relaxed. */
  _Atomic uint64_t end_ns;

  /* The layer's own. */
  _Atomic uint32_t never; /* a missing `over` */
  _Atomic uint64_t next_number;
  _Atomic uint64_t
    served; /* number and attempt opened last, in the lists; relaxed */
  _Atomic uint64_t settled; /* see role.h; 0: unknown; release, acquire */
  _Atomic bool used;
  /* Of the first session with a socket; relaxed, but `place_known`: release,
   * acquire. */
  _Atomic bool place_known, place_here;
  _Atomic int place_pid;
  _Atomic uint64_t
    round_trip_ns; /* least of all sessions; 0: unknown; relaxed */
  _Atomic bool native, emulated;
  _Atomic bool checked;
  _Atomic bool looked; /* at the tables */
  struct tables_look seen;
  _Atomic bool asked;
  _Atomic bool keys_missing;
  _Atomic uint32_t first_open; /* enum first_open */
  atomic_flag noting;
  atomic_flag told; /* a warning was printed */
  atomic_flag pipe_told;
  atomic_flag pool_told;
  atomic_flag hinted;              /* at another dialect */
  _Atomic unsigned pool_leftovers; /* bits */
  struct process_whole whole;
  struct pool *pools; /* owned; [carriers]; [opt] */
  _Atomic bool noted; /* of `server`; release, acquire */
  /* Owned.  See scram.h. */
  struct login_keys login_keys;
  /* Owned; filled under `driver_lock`; release, acquire. */
  _Atomic(struct process_made *) shared;
  /* The driver's state of own logins; 0 at first; relaxed. */
  _Atomic uint32_t own_login;
  /* Owned; NULL: unknown; release, acquire. */
  _Atomic(struct dialect *) dialect;
  const struct driver *driver; /* with `server` */
  struct facts server;
  struct password_command password;
  struct relay *relay;         /* owned; NULL: without --rtt */
  pthread_mutex_t driver_lock; /* protects `state` until ready */
  struct driver_state state[DRIVERS_MAX];
  struct connect_failures failures;
  struct limiter limiter;
  struct churn_cfg churn;
  struct backends backends;
  struct counts counts;
  _Atomic uint64_t pings, pings_failed; /* of idle clients */
  struct errtab errors;
  struct outage outage;
  struct flood flood;
  struct watch watch;
  struct db_times execution, fetching; /* with --db-debug */
};

/* -EINVAL: wrong ignore lists. */
int process_init(struct db_process *p, struct err *err);
/* After all envs.  False: threads were left behind, which use `p` and the
 * drivers' options; leave with _exit(). */
bool process_done(struct db_process *p);

/* What sessions with one configuration share: made by the first caller, freed
 * by process_done().  NULL: as made, or no memory. */
void *process_shared(struct db_process *p, const void *cfg,
                     void *(*make)(const void *cfg),
                     void (*unmake)(void *made));

static inline const struct dialect *process_dialect(const struct db_process *p)
{
  return atomic_load_explicit(&p->dialect, memory_order_acquire);
}

int process_choose_dialect(struct db_process *p, const char *name,
                           struct err *err);

bool process_has_indexes(const struct db_process *p);

void process_note_dialect(struct db_process *p, const char *name);

/* While no other thread uses the process. */
void process_set_over(struct db_process *p, _Atomic uint32_t *over);

static inline struct pool *process_pool(const struct db_process *p,
                                        unsigned carrier)
{
  return p->pools ? &p->pools[carrier] : NULL;
}

/* See test_ops.server(). */
bool process_server(struct db_process *p, int *ret_pid,
                    const char **ret_driver);

bool process_uses_server(struct db_process *p);

bool process_is_over(const struct db_process *p, uint64_t now_ns);

/* After all thread_init(): reports failed connections, unless all failed for
 * one reason.  As sysbench: one line with the first reason. */
void process_connect_summary(struct db_process *p, unsigned threads);

void process_final_messages(struct db_process *p);
void process_take_whole(struct db_process *p, const struct facts *of);

/* While threads run, too. */
void process_describe(struct db_process *p, struct facts *ret);

/*
 * Appends the settings in `server` (of server_settings()) that give up
 * durability, with commas.  `rules` can be NULL.  Returns their number;
 * *ret_usual: all are well-known defaults.
 */
size_t process_gaps(const struct driver_durable *rules,
                    const struct facts *server, struct strbuf *to,
                    bool *ret_usual);

/* See process_gaps(); 0: unknown. */
size_t process_durable_gaps(struct db_process *p, struct strbuf *to,
                            bool *ret_usual);
bool process_keeps_rows(struct db_process *p);

const char *process_statement_mode(const struct db_process *p);

#endif
