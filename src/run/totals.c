/*
 * totals.c - the totals of a run at a look.
 */
#include "run/totals.h"

#include "run/run.h"

struct run_totals run_totals(const struct run *run)
{
  struct run_totals c = { 0 };

  for (unsigned i = 0; i < run->recorders.n; i++) {
    const struct recorder *r = &run->recorders.of[i];
    uint64_t events, sum_ns;

    recorder_peek(r, &events, &sum_ns);
    c.events += events;
    c.sum_ns += sum_ns;
    c.errors += atomic_load_explicit(&r->counter[COUNTER_ERROR],
                                     memory_order_relaxed);
    for (int k = COUNTER_OTHER; k <= COUNTER_WRITE; k++)
      c.queries += atomic_load_explicit(&r->counter[k], memory_order_relaxed);
  }
  return c;
}
