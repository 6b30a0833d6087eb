/*
 * hist_sum.h - the plain counts of a histogram, owned by one thread.
 * Snapshots, the differences between them and the figures of reports are made
 * of these.
 *
 * Latencies cover many powers of two, most of which hold a few outliers.  So
 * buckets lie in short blocks, in the order in which they were first used, and
 * an empty block takes no memory.  Each power of two has a row with the numbers
 * of its blocks; an empty row takes no memory either.  A block has long counts
 * only if it needs them: a run of hours sees an outlier or two in most blocks,
 * and should not grow because of them.
 */
#ifndef BENCH_STATS_HIST_SUM_H
#define BENCH_STATS_HIST_SUM_H

#include <stdint.h>

#include "stats/hist.h"

enum {
  HIST_BLOCK = 4, /* buckets */
  HIST_BLOCKS = HIST_BUCKETS / HIST_BLOCK,
  HIST_ROW = HIST_HALF / HIST_BLOCK, /* blocks of a group */
  HIST_ROWS = HIST_BUCKETS / HIST_HALF,
};

/* Any code may read `total`; use the functions below for the rest. */
struct hist_sum {
  uint64_t total;           /* of all buckets */
  unsigned n_short, n_long; /* blocks in use */
  unsigned rows;            /* likewise */
  uint8_t at[HIST_ROWS];    /* number of the group's row, from 1 on */
  /* Number of the block: 0: none; up to HIST_BLOCKS: a short one; larger: a
   * long one. */
  uint16_t row[HIST_ROWS][HIST_ROW];
  uint16_t short_block[HIST_BLOCKS][HIST_BLOCK];
  uint64_t long_block[HIST_BLOCKS][HIST_BLOCK];
};

struct hist_sum *hist_sum_new(void); /* NULL when out of memory */
void hist_sum_free(struct hist_sum *s);

/* Add `n` values to the bucket `index`. */
void hist_sum_put(struct hist_sum *sum, unsigned index, uint64_t n);

/* sum += h */
void hist_sum_add(struct hist_sum *sum, const struct hist *h);

void hist_sum_clear(struct hist_sum *sum);
void hist_sum_copy(struct hist_sum *to, const struct hist_sum *from);
void hist_sum_merge(struct hist_sum *to, const struct hist_sum *from);

/* out = now - before, bucket by bucket.  No bucket may have become smaller.
 * `out` may be one of the two. */
void hist_sum_sub(struct hist_sum *out, const struct hist_sum *now,
                  const struct hist_sum *before);

/* The number of the block that holds the bucket `index`. */
static inline unsigned hist_sum_block(const struct hist_sum *sum,
                                      unsigned index)
{
  const unsigned r = sum->at[index / HIST_HALF];

  return r > 0 ? sum->row[r - 1][index % HIST_HALF / HIST_BLOCK] : 0;
}

/* The count of bucket `i` in the block with this number. */
static inline uint64_t hist_sum_in(const struct hist_sum *sum, unsigned block,
                                   unsigned i)
{
  if (block == 0)
    return 0;
  return block <= HIST_BLOCKS ? sum->short_block[block - 1][i]
                              : sum->long_block[block - HIST_BLOCKS - 1][i];
}

/* The count of the bucket `index`. */
static inline uint64_t hist_sum_at(const struct hist_sum *sum, unsigned index)
{
  return hist_sum_in(sum, hist_sum_block(sum, index), index % HIST_BLOCK);
}

/* The first bucket that is not empty, from `from` on; HIST_BUCKETS if there is
 * none. */
unsigned hist_sum_next(const struct hist_sum *sum, unsigned from);

/*
 * The rank of percentile `pct` (0..100) among `total` values in ascending
 * order: floor(total * pct / 100 + 0.5), limited to 1..`total`.
 */
uint64_t hist_rank(uint64_t total, double pct);

/*
 * The value at percentile `pct` (0..100) of the histogram: the middle of the
 * bucket in which the cumulated count reaches its rank; 0 if the histogram is
 * empty.
 */
uint64_t hist_percentile(const struct hist_sum *sum, double pct);

/* Mean and (population) standard deviation, of the middles of the buckets. */
double hist_mean(const struct hist_sum *sum);
double hist_stddev(const struct hist_sum *sum);

/* ---- slow latencies ---- */

/*
 * the histogram of rare, slow latencies, which all threads share.
 *
 * A histogram of hist.h takes a page for each power of two among its latencies,
 * and there are several of each kind.  The longest latencies cover many powers
 * of two and are few.  Here they only take memory for the values that occur.
 */

/* 67 ms: a thread has at most 15 such latencies in a second. */
#define SLOW_NS (UINT64_C(1) << 26)

struct slow_hist;

struct slow_hist *hist_slow_new(void); /* NULL when out of memory */
void hist_slow_free(struct slow_hist *h);

/* Takes a lock; allocates only when a new block is needed. */
COLD void slow_record(struct slow_hist *h, uint64_t ns);

/* sum += h */
void hist_slow_add(struct hist_sum *sum, struct slow_hist *h);

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
