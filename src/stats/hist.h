/*
 * hist.h - a histogram of nanoseconds in the layout of HdrHistogram with three
 * significant digits: a bucket each below 2048, then 1024 per power of two, the
 * middle within 0.05 % of each value. The last bucket has the values from 2^42
 * ns (73 minutes) on.
 *
 * Counts only grow. One thread adds, or several to a shared histogram; any
 * thread can read, with hist_sum.h.
 */
#ifndef BENCH_STATS_HIST_H
#define BENCH_STATS_HIST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

enum {
  HIST_SUB_BITS = 11, /* 2048 sub-buckets, of which the upper half is used */
  HIST_HALF = 1 << (HIST_SUB_BITS - 1),
  HIST_TOP_BIT = 42, /* values are below 2^42 */
  HIST_BUCKETS = (HIST_TOP_BIT - HIST_SUB_BITS + 2) * HIST_HALF,
};

#define HIST_MAX_NS ((UINT64_C(1) << HIST_TOP_BIT) - 1)

/* Less than the maximum: every thread can add one more before it notices. */
#define HIST_FULL (UINT32_MAX - 0xffff)

/* Untouched pages cost nothing. `more` counts the values beyond HIST_FULL, so
 * that both only grow. */
struct hist {
  /* bit n: a bucket from n * HIST_HALF on has a value */
  _Atomic uint64_t groups;
  _Atomic uint32_t count[HIST_BUCKETS];
  _Atomic uint64_t more[HIST_BUCKETS];
};

/* For each worker, or fewer, shared ones: each takes 400 kB of address space
 * and a page for each power of two in use. */
unsigned hist_count(unsigned workers);

struct hist *hist_new(void);
void hist_free(struct hist *h);

/* The bucket had `count` values: 0, or HIST_FULL and more. */
void hist_add_slow(struct hist *h, unsigned index, uint32_t count);

static inline unsigned hist_index(uint64_t ns)
{
  unsigned bit, shift;

  if (UNLIKELY(ns > HIST_MAX_NS))
    ns = HIST_MAX_NS;
  /* Values below 2048 count as if bit 10 were their highest. */
  bit = 63u - (unsigned)__builtin_clzll(ns | (2 * HIST_HALF - 1));
  shift = bit - (HIST_SUB_BITS - 1);
  return shift * HIST_HALF + (unsigned)(ns >> shift);
}

static inline bool hist_is_slow(uint32_t count)
{
  return UNLIKELY(count - 1 >= HIST_FULL - 1);
}

/* By the only thread that writes. */
static inline void hist_record(struct hist *h, uint64_t ns)
{
  const unsigned i = hist_index(ns);
  const uint32_t n = atomic_load_explicit(&h->count[i], memory_order_relaxed);

  atomic_store_explicit(&h->count[i], n + 1, memory_order_relaxed);
  if (hist_is_slow(n))
    hist_add_slow(h, i, n);
}

/* By one of several threads that write. */
static inline void hist_record_shared(struct hist *h, uint64_t ns)
{
  const unsigned i = hist_index(ns);
  const uint32_t n = atomic_fetch_add_explicit(&h->count[i], 1,
                                               memory_order_relaxed);

  if (hist_is_slow(n))
    hist_add_slow(h, i, n);
}

/* The smallest value of a bucket, and its representative. */
uint64_t hist_low(unsigned index);
uint64_t hist_middle(unsigned index);

static inline uint64_t hist_count_at(const struct hist *h, unsigned index)
{
  const uint32_t n = atomic_load_explicit(&h->count[index],
                                          memory_order_relaxed);

  if (LIKELY(n < HIST_FULL))
    return n;
  return HIST_FULL +
         atomic_load_explicit(&h->more[index], memory_order_relaxed);
}

#endif
