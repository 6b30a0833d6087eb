/*
 * hist_sum.h - plain counts of a histogram, owned by one thread. Most powers of
 * two hold a few outliers, so buckets lie in short blocks, in the order of
 * first use. Each power of two in use has a row with the numbers of its blocks.
 * A block has 64-bit counts only if needed.
 */
#ifndef BENCH_STATS_HIST_SUM_H
#define BENCH_STATS_HIST_SUM_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/hist.h"

enum {
  HIST_BLOCK = 4, /* buckets */
  HIST_BLOCKS = HIST_BUCKETS / HIST_BLOCK,
  HIST_ROW = HIST_HALF / HIST_BLOCK, /* blocks of a group */
  HIST_ROWS = HIST_BUCKETS / HIST_HALF,
};

/* Read all but `total` with the functions below. */
struct hist_sum {
  uint64_t total;
  unsigned n_short, n_long; /* in use */
  unsigned rows;
  uint8_t at[HIST_ROWS]; /* the group's row, from 1 on; 0: none */
  /* The block's number; 0: none; above HIST_BLOCKS: a long one. */
  uint16_t row[HIST_ROWS][HIST_ROW];
  uint16_t short_block[HIST_BLOCKS][HIST_BLOCK];
  uint64_t long_block[HIST_BLOCKS][HIST_BLOCK];
};

struct hist_sum *hist_sum_new(void);
void hist_sum_free(struct hist_sum *s);

void hist_sum_put(struct hist_sum *sum, unsigned index, uint64_t n);

/* sum += h */
void hist_sum_add(struct hist_sum *sum, const struct hist *h);

void hist_sum_clear(struct hist_sum *sum);
void hist_sum_copy(struct hist_sum *to, const struct hist_sum *from);
void hist_sum_merge(struct hist_sum *to, const struct hist_sum *from);

/* out = now - before, which no bucket may undercut. `out` may be `now` or
 * `before`. */
void hist_sum_sub(struct hist_sum *out, const struct hist_sum *now,
                  const struct hist_sum *before);

static inline unsigned hist_sum_block(const struct hist_sum *sum,
                                      unsigned index)
{
  const unsigned r = sum->at[index / HIST_HALF];

  return r > 0 ? sum->row[r - 1][index % HIST_HALF / HIST_BLOCK] : 0;
}

static inline uint64_t hist_sum_in(const struct hist_sum *sum, unsigned block,
                                   unsigned i)
{
  if (block == 0)
    return 0;
  return block <= HIST_BLOCKS ? sum->short_block[block - 1][i]
                              : sum->long_block[block - HIST_BLOCKS - 1][i];
}

static inline uint64_t hist_sum_at(const struct hist_sum *sum, unsigned index)
{
  return hist_sum_in(sum, hist_sum_block(sum, index), index % HIST_BLOCK);
}

/* The first bucket with values from `from` on; HIST_BUCKETS: none. */
unsigned hist_sum_next(const struct hist_sum *sum, unsigned from);

/* Among `total` values, for a percentile of 0..100: floor(total * pct / 100 +
 * 0.5), within 1..`total`. */
uint64_t hist_rank(uint64_t total, double pct);
/* Is less than one of `total` values beyond the percentile? False for 100. */
bool hist_is_beyond(uint64_t total, double pct);

/* The middle of the bucket that reaches the rank; 0: empty. */
uint64_t hist_percentile(const struct hist_sum *sum, double pct);

/* Of the middles of the buckets; population standard deviation. */
double hist_mean(const struct hist_sum *sum);
double hist_stddev(const struct hist_sum *sum);

/* Shared by all threads, so that rare long latencies take little memory. */

/* 67 ms: a thread has at most 15 such latencies per second. */
#define SLOW_NS (UINT64_C(1) << 26)

struct slow_hist;

struct slow_hist *hist_slow_new(void);
void hist_slow_free(struct slow_hist *h);

/* Takes a lock; allocates only for a new block. */
COLD void slow_record(struct slow_hist *h, uint64_t ns);

/* sum += h */
void hist_slow_add(struct hist_sum *sum, struct slow_hist *h);

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
