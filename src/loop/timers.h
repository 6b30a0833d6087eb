/*
 * timers.h - moments to come, the next one first (for src/loop only).
 */
#ifndef BENCH_LOOP_TIMERS_H
#define BENCH_LOOP_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A moment; part of what waits for it.  All zero: it is not in a heap. */
struct timer {
  uint64_t at_ns;
  size_t place; /* 1 is the first; 0: none */
};

/* A binary heap; all zero: it is empty. */
struct timers {
  struct timer **heap; /* owned; heap[1] is the next one */
  size_t n, room;
};

/* Have room for so many; false: no memory. */
bool timers_reserve(struct timers *ts, size_t n);
void timers_done(struct timers *ts);

/* Put `t` into the heap, for t->at_ns; there is room. */
void timers_add(struct timers *ts, struct timer *t);
/* Take it out, if it is there. */
void timers_remove(struct timers *ts, struct timer *t);

/* The next one; NULL: none. */
static inline struct timer *timers_next(const struct timers *ts)
{
  return ts->n > 0 ? ts->heap[1] : NULL;
}

#endif
