/*
 * counts.h - counts of all threads: work of an embedded database, backends
 * behind a pooler, times of statements for --db-debug.
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
  COUNT_SPILLS,
  COUNT_LOCK_WAITS,
  DB_COUNTS
};

/* A session's, with one writer; {0} is in no list. */
struct counts_part {
  struct counts_part *next, *prev; /* protected by the list's lock */
  _Atomic uint64_t of[DB_COUNTS];  /* relaxed */
};

struct counts {
  _Atomic bool wanted;  /* relaxed */
  pthread_mutex_t lock; /* protects the rest */
  struct counts_part *first;
  uint64_t gone[DB_COUNTS]; /* ended sessions */
};

void counts_init(struct counts *c);
void counts_done(struct counts *c);

void counts_join(struct counts *c, struct counts_part *p);
void counts_leave(struct counts *c, struct counts_part *p);

void counts_sum(struct counts *c, uint64_t ret[DB_COUNTS]);

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

struct backends {
  pthread_mutex_t lock; /* protects the rest */
  uint64_t *key;        /* [room] owned; 0: free */
  size_t n, room;
  uint64_t asked;
  uint64_t failed;
  uint64_t askers;
  bool incomplete; /* out of memory */
};

struct backends_seen {
  uint64_t backends, asked, failed, askers;
  bool incomplete;
};

/* False after a FATAL line.  `cfg` is the driver's. */
bool backends_are_possible(const struct db_cfg *set, const struct driver *d,
                           const void *cfg);

void backends_init(struct backends *b);
void backends_done(struct backends *b);

/* `first`: the worker's first answer. */
void backends_add(struct backends *b, const char *target, uint64_t id,
                  bool first);
void backends_fail(struct backends *b);

struct backends_seen backends_get(struct backends *b);

/* {0} is empty.  Relaxed: two periods can split a call. */
struct db_times {
  _Atomic uint64_t count, sum_ns, max_ns;
  _Atomic uint64_t min; /* UINT64_MAX - the shortest; 0: none */
};

void db_times_add(struct db_times *t, uint64_t ns);

struct report_times db_times_take(struct db_times *t);

#endif
