/*
 * value_hist.h - a histogram of numbers from 1e-9 to 1e12, 0.1 % exact, with
 * 512 buckets per power of two. The first bucket represents 0, and has smaller
 * and negative values; the last has larger ones. Smallest, largest and mean are
 * exact. One thread adds; any can read.
 */
#ifndef BENCH_STATS_VALUE_HIST_H
#define BENCH_STATS_VALUE_HIST_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
  VALUE_LOW_EXP = -30, /* just below 1e-9 */
  VALUE_HIGH_EXP = 40, /* just above 1e12 */
  VALUE_SUB_BITS = 9,
  VALUE_BUCKETS = (VALUE_HIGH_EXP - VALUE_LOW_EXP) << VALUE_SUB_BITS,
};

/* {0} is empty; untouched pages of `count` cost nothing. */
struct value_hist {
  _Atomic uint64_t n; /* written last; release pairs with acquire of readers */
  _Atomic double sum, min, max; /* only with n > 0 */
  _Atomic uint32_t first, last; /* buckets in use; only with n > 0 */
  _Atomic uint64_t count[VALUE_BUCKETS];
};

/* Plain numbers, owned by one thread. */
struct value_sum {
  uint64_t n;
  double sum, min, max; /* all 0 without values */
  uint64_t count[VALUE_BUCKETS];
};

/* By the only thread that writes. NaN is not recorded. */
void value_hist_record(struct value_hist *h, double value);

/* 0 for the first bucket. */
double value_middle(size_t index);

/* sum += h */
void value_sum_add(struct value_sum *sum, const struct value_hist *h);

/* The caller adds the counts. */
void value_sum_join(struct value_sum *to, uint64_t n, double sum, double min,
                    double max);

/* Limits are exact if `before` is empty, otherwise ends of buckets. */
void value_sum_sub(struct value_sum *out, const struct value_sum *now,
                   const struct value_sum *before);

/* 0 without values. */
double value_mean(const struct value_sum *sum);

/* Within [min, max]; 0 without values. */
double value_percentile(const struct value_sum *sum, double pct);

#endif
