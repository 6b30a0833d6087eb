/*
 * settle.h - what would make an inconclusive comparison certain: how many
 * repeats, or how much longer runs.  Pure functions.
 */
#ifndef BENCH_TOOLS_SETTLE_H
#define BENCH_TOOLS_SETTLE_H

#include <stddef.h>

struct boot_result;

enum {
  SETTLE_REPEATS_MAX = 100, /* more would be no useful advice */
  SETTLE_REPEATS_FEW = 5,   /* so many are no trouble */
};

/* Runs that are longer by more than this factor are no useful advice either. */
#define SETTLE_LONGER_MAX 100.0

/*
 * The number of runs on each side with which a change by `share` (0.05: 5 %)
 * would be noticed in four of five cases.  If the present runs are enough for
 * that, and the change itself is near the threshold, the number of runs that
 * separates the two.  It is larger than the present number; 0:
 * SETTLE_REPEATS_MAX are not enough.
 */
unsigned settle_repeats(const struct boot_result *r, double share);

/*
 * How many times longer the runs would have to be with `runs` of them on each
 * side, which is at least the present number.  0: they differ too much from
 * each other for that, or SETTLE_LONGER_MAX is not enough.
 */
double settle_longer(const struct boot_result *r, double share, size_t runs);

#endif
