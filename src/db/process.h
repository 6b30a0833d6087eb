/*
 * process.h - what all threads that use databases share: one struct db_process
 * per run or command.
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
#include "db/pool.h"
#include "db/watch.h"
#include "opt/identity.h"

struct err;
struct strbuf;

struct driver_config {
  const struct driver *driver;
  const void *cfg;
};

struct driver_state {
  bool ready, failed;        /* after global_init; protected by driver_lock */
  struct ignore_list ignore; /* both lists; constant when ready */
};

enum {
  DRIVERS_MAX = 16
};

/* The first connection of a run opens while the others wait for a moment: the
 * checks before the run need a server that the run has not filled yet. */
enum first_open {
  FIRST_OPEN_NOT_YET,
  FIRST_OPEN_UNDER_WAY,
  FIRST_OPEN_OVER
};

/* Failed connects at the start, by reason. */
enum {
  CONNECT_REASONS = 8 /* further reasons have no entry */
};

struct connect_failures {
  pthread_mutex_t lock; /* protects the rest */
  unsigned count, n_reasons;
  struct {
    char text[256];
    unsigned count;
  } reason[CONNECT_REASONS]; /* in the order of first failures */
};

/* The caller sets the first part before process_init() and leaves it alone. */
/* Sums over all ranks of a run. */
struct process_whole {
  bool known;
  unsigned pool_sessions;
  struct pool_sum pool;
};

struct db_process {
  struct db_cfg set;
  const struct driver_config *drivers; /* [n_drivers] */
  size_t n_drivers;
  struct run_facts facts;
  const char *program; /* in messages; NULL: bench */
  const char *worker;  /* "client"; NULL: "thread" */
  enum identity identity;
  bool in_run;     /* the command is `run` */
  bool one_server; /* all connections to the lists use one server: the first
                      that takes writes, else that is there */
  bool is_known;   /* facts are set: make the checks before the run */
  uint64_t first_number;  /* of a connection */
  unsigned carriers;      /* threads that carry clients; 0: none */
  unsigned pool_sessions; /* of all their clients; 0: each has its own */
  bool in_results;        /* note what the first connection reports */
  /* Not 0: the run is over.  Change, then wait_wake_all().  NULL: never. */
  _Atomic uint32_t *over;
  /* No event starts afterwards; 0: unknown.  Written by the run layer when the
   * clock starts; relaxed. */
  _Atomic uint64_t end_ns;

  /* The layer's own. */
  _Atomic uint32_t never;       /* stands for a missing `over`; stays 0 */
  _Atomic uint64_t next_number; /* of a connection */
  _Atomic uint64_t served; /* number and attempt of the last connection opened
                              to the lists; relaxed */
  _Atomic uint64_t
    settled; /* with one_server: see role.h; 0: unknown; release, acquire */
  _Atomic bool used; /* a driver was obtained */
  /* Where the server of the first session with a socket is; relaxed, but
   * `place_known`: release, acquire. */
  _Atomic bool place_known, place_here;
  _Atomic int place_pid;
  _Atomic bool native, emulated; /* how statements were prepared */
  _Atomic bool checked;          /* before the run */
  _Atomic bool looked;           /* at the tables */
  _Atomic bool asked;          /* everything that is asked of the server was */
  _Atomic bool keys_missing;   /* a look at the tables has warned */
  _Atomic uint32_t first_open; /* enum first_open */
  atomic_flag noting;          /* the first connection is asked */
  atomic_flag told;            /* warned that visits need the library */
  atomic_flag pipe_told;       /* warned that nothing is in flight */
  atomic_flag pool_told;       /* warned of open transactions */
  _Atomic unsigned pool_leftovers; /* kinds warned of; bits */
  struct process_whole whole;
  struct pool *pools; /* owned; [carriers]; NULL: none */
  _Atomic bool noted; /* `server` is complete; release, acquire */
  /* Owned.  Keys computed by logins, for all sessions: see scram.h. */
  struct login_keys login_keys;
  /* The driver's state of logins without the client library; 0 at first;
   * relaxed. */
  _Atomic uint32_t own_login;
  const struct driver *driver; /* with `server` */
  struct facts server;
  pthread_mutex_t driver_lock; /* protects `state` until ready */
  struct driver_state state[DRIVERS_MAX];
  struct connect_failures failures;
  struct limiter limiter;
  struct churn_cfg churn;
  struct backends backends;
  struct counts counts; /* of sessions of an embedded database */
  _Atomic uint64_t pings, pings_failed; /* of idle clients */
  struct errtab errors;
  struct outage outage;
  struct flood flood;
  struct watch watch;
  struct db_times execution, fetching; /* with --db-debug */
};

/* -EINVAL: the ignore lists are wrong; `err` has the text. */
int process_init(struct db_process *p, struct err *err);
/*
 * After all envs are done; ends the watching thread, frees the drivers.  False:
 * threads were left behind, which use `p` and the drivers' options; the program
 * has to leave with _exit().
 */
bool process_done(struct db_process *p);

/* While no other thread uses the process; NULL: never. */
void process_set_over(struct db_process *p, _Atomic uint32_t *over);

/* The pool of thread `carrier`, or NULL. */
static inline struct pool *process_pool(const struct db_process *p,
                                        unsigned carrier)
{
  return p->pools ? &p->pools[carrier] : NULL;
}

/* See test_ops.server(). */
bool process_server(struct db_process *p, int *ret_pid,
                    const char **ret_driver);

bool process_uses_server(struct db_process *p);

/* By the flag, or by `now_ns`. */
bool process_is_over(const struct db_process *p, uint64_t now_ns);

/*
 * After all threads' thread_init: `FATAL: K of T connections failed` (or `K of
 * T clients got no connection`, where clients share them), unless all have
 * failed for one reason; with several reasons, a line for each.  Under the name
 * sysbench: one line with the first reason, also when all have failed.
 */
void process_connect_summary(struct db_process *p, unsigned threads);

/* After the report: messages held back, threads still reconnecting, errors by
 * code. */
void process_final_messages(struct db_process *p);
/* The merged facts of all ranks, for the final messages. */
void process_take_whole(struct db_process *p, const struct facts *of);

/* For structured results; may be called while threads run. */
void process_describe(struct db_process *p, struct facts *ret);

/* See durable_gaps(); 0: nothing is known. */
size_t process_durable_gaps(struct db_process *p, struct strbuf *to,
                            bool *ret_usual);
/* The first connection's server finds what was stored. */
bool process_keeps_rows(struct db_process *p);

const char *process_statement_mode(const struct db_process *p);

#endif
