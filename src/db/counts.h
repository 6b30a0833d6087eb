/*
 * counts.h - what all threads of a run count together: the work of an embedded
 * database, which a server would count itself; the backends that clients have
 * met, as a pooler gives fewer than there are clients; the time that statements
 * take, for --db-debug.
 *
 * Each session of an embedded database has a part, which its own thread alone
 * writes.  Others may read the sum at any time.
 */
#ifndef BENCH_DB_COUNTS_H
#define BENCH_DB_COUNTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/report.h"

struct db_cfg;
struct driver;

enum db_count {
  COUNT_PAGES_READ,
  COUNT_PAGES_WRITTEN,
  COUNT_SPILLS, /* pages that were written to make room in the cache */
  COUNT_LOCK_WAITS,
  DB_COUNTS
};

/* Of a session; {0} is in no list. */
struct counts_part {
  struct counts_part *next, *prev; /* protected by the lock of the list */
  _Atomic uint64_t of[DB_COUNTS];  /* relaxed */
};

struct counts {
  _Atomic bool wanted;  /* somebody reads them; relaxed */
  pthread_mutex_t lock; /* protects the rest */
  struct counts_part *first;
  uint64_t gone[DB_COUNTS]; /* of sessions that have ended */
};

void counts_init(struct counts *c);
void counts_done(struct counts *c);

/* A session begins; what it has counted before is included. */
void counts_join(struct counts *c, struct counts_part *p);
/* It ends.  What it has counted stays in the sum, and the part is {0}. */
void counts_leave(struct counts *c, struct counts_part *p);

void counts_sum(struct counts *c, uint64_t ret[DB_COUNTS]);

/* By the session's thread. */
static inline void counts_add(struct counts_part *p, enum db_count which,
                              uint64_t n)
{
  atomic_store_explicit(
    &p->of[which],
    atomic_load_explicit(&p->of[which], memory_order_relaxed) + n,
    memory_order_relaxed);
}

static inline bool counts_are_wanted(const struct counts *c)
{
  return atomic_load_explicit(&c->wanted, memory_order_relaxed);
}

/* Shared by all threads of a run. */
struct backends {
  pthread_mutex_t lock; /* protects the rest */
  uint64_t *key;        /* [room] owned; 0: free */
  size_t n, room;
  uint64_t asked;  /* answers */
  uint64_t failed; /* questions without one */
  uint64_t askers; /* workers that have an answer */
  bool incomplete; /* no memory for one more */
};

struct backends_seen {
  uint64_t backends, asked, failed, askers;
  bool incomplete;
};

/* The driver has a server that can be asked, or --backend-sample asks none;
 * false after a FATAL line.  `cfg` is that of the driver. */
bool backends_are_possible(const struct db_cfg *set, const struct driver *d,
                           const void *cfg);

void backends_init(struct backends *b);
void backends_done(struct backends *b);

/* Backend `id` of the server `target` has answered.  `first`: the worker has
 * not asked before. */
void backends_add(struct backends *b, const char *target, uint64_t id,
                  bool first);
/* A question had no answer. */
void backends_fail(struct backends *b);

struct backends_seen backends_get(struct backends *b);

/*
 * {0} is empty.  All threads write to it, which is too slow for the hot
 * path: it is for debugging.  All members relaxed: a call that ends while they
 * are taken may be split between two periods.
 */
struct db_times {
  _Atomic uint64_t count, sum_ns, max_ns;
  _Atomic uint64_t min; /* UINT64_MAX - the shortest; 0: none */
};

void db_times_add(struct db_times *t, uint64_t ns);

/* What was added since the last call; all 0 if nothing was. */
struct report_times db_times_take(struct db_times *t);

#endif
