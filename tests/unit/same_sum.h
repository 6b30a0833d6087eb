/*
 * same_sum.h - compares two sums of histograms.
 */
#ifndef BENCH_TESTS_SAME_SUM_H
#define BENCH_TESTS_SAME_SUM_H

#include <stdbool.h>

#include "stats/hist_sum.h"

static inline bool same_sum(const struct hist_sum *a, const struct hist_sum *b)
{
  unsigned n = 0;

  while (n < HIST_BUCKETS && hist_sum_at(a, n) == hist_sum_at(b, n))
    n++;
  return a->total == b->total && n == HIST_BUCKETS;
}

#endif
