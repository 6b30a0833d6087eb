/*
 * times.c - how long statements take, over all threads.
 */
#include "db/times.h"

#include "base/minmax.h"

void times_add(struct db_times *t, uint64_t ns)
{
  max_atomic_u64(&t->min, UINT64_MAX - ns);
  max_atomic_u64(&t->max_ns, ns);
  atomic_fetch_add_explicit(&t->sum_ns, ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&t->count, 1, memory_order_relaxed);
}

static uint64_t take(_Atomic uint64_t *value)
{
  return atomic_exchange_explicit(value, 0, memory_order_relaxed);
}

struct report_times times_take(struct db_times *t)
{
  struct report_times got = { .count = take(&t->count),
                              .sum_ns = take(&t->sum_ns),
                              .max_ns = take(&t->max_ns) };
  const uint64_t min = take(&t->min);

  if (min != 0)
    got.min_ns = UINT64_MAX - min;
  return got;
}
