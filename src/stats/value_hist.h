/*
 * value_hist.h - a histogram of numbers of any unit: from 1e-9 to 1e12, with an
 * error of at most 0.1 %.
 *
 * Every power of two is split into 512 buckets.  Values below the range,
 * including zero and negative numbers, go to the first bucket, which represents
 * 0.  Values above it go to the last one.  The smallest, largest and mean value
 * are always exact.  One thread adds to a histogram; any thread may read at any
 * time.
 */
#ifndef BENCH_STATS_VALUE_HIST_H
#define BENCH_STATS_VALUE_HIST_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
  VALUE_LOW_EXP = -30, /* from 2^-30, just below 1e-9 */
  VALUE_HIGH_EXP = 40, /* to 2^40, just above 1e12 */
  VALUE_SUB_BITS = 9,
  VALUE_BUCKETS = (VALUE_HIGH_EXP - VALUE_LOW_EXP) << VALUE_SUB_BITS,
};

/* Only its thread writes to it.  {0} is empty; pages of `count` that were never
 * written to cost no memory. */
struct value_hist {
  _Atomic uint64_t n; /* written last; pairs release with acquire of readers */
  _Atomic double sum, min, max; /* min and max: only with n > 0 */
  _Atomic uint32_t first, last; /* buckets in use; only with n > 0 */
  _Atomic uint64_t count[VALUE_BUCKETS];
};

/* Plain numbers that one thread owns. */
struct value_sum {
  uint64_t n;
  double sum, min, max; /* all 0 without values */
  uint64_t count[VALUE_BUCKETS];
};

/* Called by the only thread that writes to it.  NaN is not recorded. */
void value_hist_record(struct value_hist *h, double value);

/* The middle of a bucket; 0 for the first one. */
double value_middle(size_t index);

/* sum += h */
void value_sum_add(struct value_sum *sum, const struct value_hist *h);

/* The same for `n` values with this sum and these limits; the caller adds their
 * counts. */
void value_sum_join(struct value_sum *to, uint64_t n, double sum, double min,
                    double max);

/*
 * out = now - before, which was read earlier.  The smallest and largest value
 * are exact if `before` is empty; otherwise they are the ends of buckets.
 */
void value_sum_sub(struct value_sum *out, const struct value_sum *now,
                   const struct value_sum *before);

/* Returns 0 without values. */
double value_mean(const struct value_sum *sum);

/* The value at percentile `pct` (0..100), within [min, max]; 0 without values.
 */
double value_percentile(const struct value_sum *sum, double pct);

#endif
