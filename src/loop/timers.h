/*
 * timers.h - a heap of future moments (for src/loop only).
 */
#ifndef BENCH_LOOP_TIMERS_H
#define BENCH_LOOP_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: in no heap. */
struct timer {
  uint64_t at_ns;
  size_t place; /* from 1; 0: none */
};

/* All zero: empty. */
struct timers {
  struct timer **heap; /* owned; heap[1] is next */
  size_t n, room;
};

/* False: no memory. */
bool timers_reserve(struct timers *ts, size_t n);
void timers_done(struct timers *ts);

/* Sorted by t->at_ns.  Reserve room before. */
void timers_add(struct timers *ts, struct timer *t);
void timers_remove(struct timers *ts, struct timer *t);

static inline struct timer *timers_next(const struct timers *ts)
{
  return ts->n > 0 ? ts->heap[1] : NULL;
}

#endif
