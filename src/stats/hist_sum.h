/*
 * hist_sum.h - the plain counts of a histogram, owned by one thread: what
 * snapshots are made of, differences between them, and the figures of reports.
 *
 * Latencies cover many powers of two, most of which hold a few outliers.  So
 * buckets lie in short blocks, in the order in which they were first used, and
 * a block that holds nothing takes no memory.  Neither does the row of the
 * numbers of the blocks of a power of two that holds nothing.
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

/* Anybody may read `total`; the functions below are for the rest. */
struct hist_sum {
  uint64_t total;        /* of all buckets */
  unsigned blocks, rows; /* in use */
  uint8_t at[HIST_ROWS]; /* number of the group's row, from 1 on; 0: empty */
  uint16_t row[HIST_ROWS][HIST_ROW]; /* number of the block, likewise */
  uint64_t block[HIST_BLOCKS][HIST_BLOCK];
};

struct hist_sum *hist_sum_new(void); /* NULL when out of memory */
void hist_sum_free(struct hist_sum *s);

/* `n` more values in the bucket `index`. */
void hist_sum_put(struct hist_sum *sum, unsigned index, uint64_t n);

/* sum += h */
void hist_sum_add(struct hist_sum *sum, const struct hist *h);

void hist_sum_clear(struct hist_sum *sum);
void hist_sum_copy(struct hist_sum *to, const struct hist_sum *from);
void hist_sum_merge(struct hist_sum *to, const struct hist_sum *from);

/* out = now - before, bucket by bucket, where no bucket has become smaller;
 * `out` may be one of them. */
void hist_sum_sub(struct hist_sum *out, const struct hist_sum *now,
                  const struct hist_sum *before);

/* The buckets of a block; NULL: they are all empty. */
static inline const uint64_t *hist_sum_block(const struct hist_sum *sum,
                                             unsigned number)
{
  const unsigned r = sum->at[number / HIST_ROW];
  const unsigned b = r > 0 ? sum->row[r - 1][number % HIST_ROW] : 0;

  return b > 0 ? sum->block[b - 1] : NULL;
}

/* What the bucket `index` holds. */
static inline uint64_t hist_sum_at(const struct hist_sum *sum, unsigned index)
{
  const uint64_t *block = hist_sum_block(sum, index / HIST_BLOCK);

  return block ? block[index % HIST_BLOCK] : 0;
}

/* The first bucket that holds something, `from` or behind it; HIST_BUCKETS if
 * there is none. */
unsigned hist_sum_next(const struct hist_sum *sum, unsigned from);

/*
 * The value at percentile `pct` (0..100) of what is in the histogram: the
 * middle of the bucket in which the cumulated count reaches the rank
 * max(1, floor(total * pct / 100 + 0.5)); 0 when it is empty.
 */
uint64_t hist_percentile(const struct hist_sum *sum, double pct);

/* Mean and (population) standard deviation, of the middles of the buckets. */
double hist_mean(const struct hist_sum *sum);
double hist_stddev(const struct hist_sum *sum);

#endif
