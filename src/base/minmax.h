/*
 * minmax.h - the smaller, the larger, the growth, the order of numbers.
 */
#ifndef BENCH_BASE_MINMAX_H
#define BENCH_BASE_MINMAX_H

#include <stdatomic.h>
#include <stdint.h>

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* 0 if the counter stepped back a little, as counters of the system can. */
static inline uint64_t grown_u64(uint64_t now, uint64_t before)
{
  return now > before ? now - before : 0;
}

/* For qsort(): ascending. */
static inline int order_u64(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static inline int order_real(const void *a, const void *b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* Relaxed: any thread. */
static inline void max_atomic_u64(_Atomic uint64_t *max, uint64_t value)
{
  uint64_t seen = atomic_load_explicit(max, memory_order_relaxed);

  while (seen < value &&
         !atomic_compare_exchange_weak_explicit(
           max, &seen, value, memory_order_relaxed, memory_order_relaxed))
    ;
}

#endif
