/*
 * turn.h - may the thread that hands out reports go on?
 *
 * A thread that is stuck in a reporter is left behind, and another one goes on
 * with the numbers and the reporters.  The first one takes a turn before it
 * touches any of them, so that it finds out when it comes back.
 */
#ifndef BENCH_REPORT_TURN_H
#define BENCH_REPORT_TURN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct turn {
  _Atomic uint32_t taken; /* hands on what was done before */
  _Atomic uint32_t over;
};

/* False: nothing may be touched any more. */
static inline bool turn_take(struct turn *t)
{
  (void)atomic_fetch_add(&t->taken, 1);
  return atomic_load(&t->over) == 0;
}

/* There is no next turn.  What was done before the last one is visible here;
 * the last one itself may still be going on. */
static inline void turn_end(struct turn *t)
{
  atomic_store(&t->over, 1);
  (void)atomic_load(&t->taken);
}

#endif
