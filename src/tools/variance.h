/*
 * variance.h - where the spread of repeated runs comes from: do the runs differ
 * from each other, or does each of them only scatter?  Pure functions.
 */
#ifndef BENCH_TOOLS_VARIANCE_H
#define BENCH_TOOLS_VARIANCE_H

#include <stddef.h>

enum {
  VARIANCE_SAMPLES_MIN = 8 /* per run; fewer say nothing of its scatter */
};

/* One run: a figure, and samples of equal weight whose mean it is. */
struct variance_run {
  double value;
  const double *samples; /* borrowed; in the order in which they were taken */
  size_t n;
};

struct variance {
  double spread;  /* relative standard deviation of the figure from run to run,
                     if runs had no more scatter than these */
  double between; /* share of its square that longer runs would not lessen: the
                     runs themselves differ */
  double within;  /* the rest: scatter within the runs */
};

/*
 * The components of the variance, by the method of moments: the variance of the
 * figures, less what the scatter within each run explains (the variance of its
 * samples, with their autocorrelation, by their number).  All members are NAN
 * if there are fewer than two runs, if one of them has fewer than
 * VARIANCE_SAMPLES_MIN samples, or if the mean is not above 0.
 */
struct variance variance_of(const struct variance_run *runs, size_t n);

#endif
