/*
 * process.h - what the SQL layer is given by its surroundings, and what all of
 * its threads share: one struct db_process per process (one run or command).
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
 * filled yet, and are reported before what they predict.
 */
enum first_open {
  FIRST_OPEN_NOT_YET,
  FIRST_OPEN_UNDER_WAY,
  FIRST_OPEN_OVER
};

/* Failed connects at the start, by their reasons. */
enum {
  CONNECT_REASONS = 8 /* further ones are not told apart */
};

struct connect_failures {
  pthread_mutex_t lock; /* protects the rest */
  unsigned count, n_reasons;
  struct {
    char text[256];
    unsigned count;
  } reason[CONNECT_REASONS]; /* in the order of their first failures */
};

/*
 * What all threads share.  The caller fills in the first part before
 * process_init() and leaves it alone afterwards, unless it says otherwise.
 */
/* What all ranks of a run have done together. */
struct process_whole {
  bool known;
  unsigned pool_sessions;
  struct pool_sum pool;
};

struct db_process {
  /* Given. */
  struct db_cfg set;
  const struct driver_config *drivers; /* [n_drivers], in order of the list */
  size_t n_drivers;
  struct run_facts facts;
  const char *program;    /* its name in messages; NULL: bench */
  const char *worker;     /* "client"; NULL: "thread" */
  enum identity identity; /* under the name sysbench messages have its words */
  bool in_run;            /* the command is `run` */
  bool one_server; /* all connections to servers of the lists go to the same
                    * one: the first that takes writes, else that is there */
  bool is_known;   /* facts are filled in: make the checks before the run */
  uint64_t first_number;  /* of a connection: as if others had been before */
  unsigned carriers;      /* threads that carry clients; 0: none do */
  unsigned pool_sessions; /* of all their clients; 0: each has its own */
  bool in_results; /* keep what the first connection reports of its server */
  /*
   * The run is over when it is not 0.  Wake all waiters after changing it:
   * wait_wake_all().  NULL: the run never ends.
   */
  _Atomic uint32_t *over;
  /* No event starts after this moment; 0: not known.  Set by the run layer
   * when the clock starts; relaxed, read when connections break. */
  _Atomic uint64_t end_ns;

  /* The layer's own. */
  _Atomic uint32_t never; /* used as `over` when none was given; stays 0 */
  _Atomic uint64_t next_number; /* of a connection */
  _Atomic uint64_t served;  /* where a connection to a server of the lists was
                             * opened last: its number and attempt; relaxed */
  _Atomic uint64_t settled; /* with one_server: which one, see role.h; 0: not
                             * known yet; release, acquire */
  _Atomic bool used;        /* a driver was obtained: reports are about SQL */
  /* The place of the server, as the first session with a socket has met it;
   * relaxed, but `place_known`: release, acquire. */
  _Atomic bool place_known, place_here;
  _Atomic int place_pid;
  _Atomic bool native, emulated; /* statements were prepared this way */
  _Atomic bool checked;          /* the checks before the run were made */
  _Atomic bool looked;           /* at the tables */
  _Atomic bool asked;        /* all that is asked of the server was, in time */
  _Atomic bool keys_missing; /* which was printed after that look */
  _Atomic uint32_t first_open; /* enum first_open: of all connections */
  atomic_flag noting;          /* the first connection is asked */
  atomic_flag told;            /* why the library is needed: see visit.h */
  atomic_flag pipe_told;       /* why nothing is in flight: see pipeline.h */
  atomic_flag pool_told;       /* of open transactions: see pool.c */
  _Atomic unsigned pool_leftovers; /* kinds that were said; bits */
  struct process_whole whole;
  struct pool *pools; /* owned; [carriers]; NULL: none */
  _Atomic bool noted; /* `server` is complete; release, acquire */
  /* Keys that a login has computed, for those of all sessions: see scram.h.
   * Owned. */
  struct login_keys login_keys;
  /* How sessions log in without the client library: numbers of the driver, 0
   * at first; relaxed. */
  _Atomic uint32_t own_login;
  const struct driver *driver; /* with `server`: of that connection */
  struct facts server;         /* owned */
  pthread_mutex_t driver_lock; /* protects `state` until ready */
  struct driver_state state[DRIVERS_MAX];
  struct connect_failures failures;
  struct limiter limiter; /* of all connections */
  struct churn_cfg churn; /* what the options say */
  struct backends backends;
  struct counts counts; /* of sessions of an embedded database */
  _Atomic uint64_t pings, pings_failed; /* of idle clients */
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

/* The pool of the thread number `carrier`; NULL: there is none. */
static inline struct pool *process_pool(const struct db_process *p,
                                        unsigned carrier)
{
  return p->pools ? &p->pools[carrier] : NULL;
}

/* Is the server of the first session on this machine?  See test_ops.server().
 */
bool process_server(struct db_process *p, int *ret_pid,
                    const char **ret_driver);

/* One of the drivers in use talks to servers. */
bool process_uses_server(struct db_process *p);

/* The run is over: flag or time.  `now_ns` is the present moment. */
bool process_is_over(const struct db_process *p, uint64_t now_ns);

/*
 * When all threads have ended their thread_init: the line
 * `FATAL: K of T connections failed` (or `K of T clients got no connection`,
 * where they share them), unless all have failed for one reason: it says
 * enough.  With several reasons, a line for each says how many it has.
 * Under the name sysbench there is one line, which has the first reason, and is
 * printed also when all have failed.
 */
void process_connect_summary(struct db_process *p, unsigned threads);

/*
 * At the end, after the report: messages held back, threads still
 * reconnecting, errors by code.
 */
void process_final_messages(struct db_process *p);
/* The facts of all ranks, for these messages: by process_describe(), merged. */
void process_take_whole(struct db_process *p, const struct facts *of);

/*
 * For structured results, at the end of a run: what is known of the database,
 * with the kind of its statements and times without connection.  May be called
 * while threads still use it.
 */
void process_describe(struct db_process *p, struct facts *ret);

/* What the server of the first connection gives up: see durable_gaps().  0 as
 * long as nothing is known. */
size_t process_durable_gaps(struct db_process *p, struct strbuf *to,
                            bool *ret_usual);
/* What is stored on that server is found again: so reads find rows. */
bool process_keeps_rows(struct db_process *p);

/* native, emulated, mixed, or none. */
const char *process_statement_mode(const struct db_process *p);

#endif
