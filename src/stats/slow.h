/*
 * slow.h - the histogram of latencies that are rare: all threads share one.
 *
 * A histogram of hist.h takes a page for each power of two among its latencies,
 * and there are several of each kind.  Those that last longest cover many
 * powers of two and are few, so here they take the memory of what is there.
 */
#ifndef BENCH_STATS_SLOW_H
#define BENCH_STATS_SLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "stats/hist_sum.h"

/* 67 ms: a thread has at most 15 of them in a second. */
#define SLOW_NS (UINT64_C(1) << 26)

struct slow_hist;

struct slow_hist *slow_new(void); /* NULL when out of memory */
void slow_free(struct slow_hist *h);

/* Takes a lock, but no memory that is not there. */
COLD void slow_record(struct slow_hist *h, uint64_t ns);

/* sum += h */
void slow_add(struct hist_sum *sum, struct slow_hist *h);

/* A latency of a kind that has a histogram for what is slow, and one for the
 * rest, which may be `shared` with other threads. */
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
