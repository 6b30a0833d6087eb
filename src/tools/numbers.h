/*
 * numbers.h - statistics of a handful of numbers.
 */
#ifndef BENCH_TOOLS_NUMBERS_H
#define BENCH_TOOLS_NUMBERS_H

#include <stddef.h>

/* Statistics of numbers of the same kind; all NAN if there are none. */
struct spread {
  size_t n;
  double median, min, max, mean;
  /* Of the population that they are a sample of; 0 for n < 2. */
  double variance;
};

/* Numbers that are not finite do not count. */
struct spread spread_of(const double *x, size_t n);

/*
 * The value below which the share `q` (0..1) of the sorted numbers lies, by
 * linear interpolation; NAN without numbers.
 */
double numbers_quantile(const double *sorted, size_t n, double q);
void numbers_sort(double *x, size_t n);

/* The quantile of Student's t distribution with `df` > 0 degrees of freedom,
 * for 0.5 <= p < 1; its error is below 1 % for df >= 2, and below 2 % between 1
 * and 2 for p <= 0.995.  Less than 1 counts as 1. */
double numbers_student_quantile(double p, double df);

/* The quantile of the standard normal distribution, 0 < p < 1. */
double numbers_normal_quantile(double p);

/*
 * The integrated autocorrelation time of a series: how many successive numbers
 * are worth one independent number; at least 1.  Times of hundreds of numbers
 * are estimated from means of a few numbers.
 */
double numbers_autocorrelation(const double *x, size_t n);

/* ---- variance ---- */

/*
 * Where the spread of repeated runs comes from: do the runs differ from each
 * other, or does each of them only scatter?  Pure functions.
 */

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
