/*
 * slow.h - the histogram of rare, slow latencies, which all threads share.
 *
 * A histogram of hist.h takes a page for each power of two among its latencies,
 * and there are several of each kind.  The longest latencies cover many powers
 * of two and are few.  Here they only take memory for the values that occur.
 */
#ifndef BENCH_STATS_SLOW_H
#define BENCH_STATS_SLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "stats/hist_sum.h"

/* 67 ms: a thread has at most 15 such latencies in a second. */
#define SLOW_NS (UINT64_C(1) << 26)

struct slow_hist;

struct slow_hist *slow_new(void); /* NULL when out of memory */
void slow_free(struct slow_hist *h);

/* Takes a lock; allocates only when a new block is needed. */
COLD void slow_record(struct slow_hist *h, uint64_t ns);

/* sum += h */
void slow_add(struct hist_sum *sum, struct slow_hist *h);

/* Record a latency.  Slow ones have a histogram of their own.  The one for all
 * others may be `shared` with other threads. */
static inline void latency_record(struct hist *h, bool shared,
                                  struct slow_hist *slow, uint64_t ns)
{
  if (UNLIKELY(ns >= SLOW_NS))
    slow_record(slow, ns);
  else if (shared)
    hist_record_shared(h, ns);
  else
    hist_record(h, ns);
}

#endif
