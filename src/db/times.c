/*
 * times.c - how long statements take, over all threads.
 */
#include "db/times.h"

static void lift(_Atomic uint64_t *max, uint64_t value)
{
  uint64_t seen = atomic_load_explicit(max, memory_order_relaxed);

  while (seen < value &&
         !atomic_compare_exchange_weak_explicit(
           max, &seen, value, memory_order_relaxed, memory_order_relaxed))
    ;
}

void times_add(struct db_times *t, uint64_t ns)
{
  lift(&t->min, UINT64_MAX - ns);
  lift(&t->max_ns, ns);
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
