/*
 * counts.h - what the sessions of an embedded database have done: a server
 * would count that itself.
 *
 * Each session has a part, which its own thread alone writes.  Others may read
 * the sum over all of them at any time.
 */
#ifndef BENCH_DB_COUNTS_H
#define BENCH_DB_COUNTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
