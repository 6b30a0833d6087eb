/*
 * coincide_dips.h - where a run stumbles, and what it loses there: a part of
 * coincide.h.
 */
#ifndef BENCH_STATS_COINCIDE_DIPS_H
#define BENCH_STATS_COINCIDE_DIPS_H

#include <stdbool.h>
#include <stddef.h>

struct coincide_input;

/* Intervals in a row with a low rate or a high latency. */
struct coincide_dip {
  size_t first, last;
  double weight; /* what was lost in it: the sum of its depths; 1 on average */
};

/*
 * Fills in `ret`, which has room for n of them, and returns how many they are:
 * none in runs of fewer than eight intervals.
 * `ret_dip` and `ret_loss` have n elements: is an interval in a dip, and what
 * was lost in it, from 0 to 1?  Losses include those beside a dip, which begins
 * and ends in the middle of intervals.
 */
size_t coincide_dips(const struct coincide_input *in, bool *ret_dip,
                     double *ret_loss, struct coincide_dip *ret);

/* The median of the known values; NAN: there are none.  Sorts `of`. */
double coincide_median(double *of, size_t n);

#endif
