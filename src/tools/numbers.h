/*
 * numbers.h - statistics of small samples; pure functions.
 */
#ifndef BENCH_TOOLS_NUMBERS_H
#define BENCH_TOOLS_NUMBERS_H

#include <stddef.h>

/* All NAN without numbers. */
struct spread {
  size_t n;
  double median, min, max, mean;
  /* sample variance; 0 for n < 2 */
  double variance;
};

/* Ignores NAN and infinity. */
struct spread spread_of(const double *x, size_t n);

/* By linear interpolation, q from 0 to 1; NAN without numbers. */
double numbers_quantile(const double *sorted, size_t n, double q);
void numbers_sort(double *x, size_t n);

/*
 * Student's t distribution, df > 0 (below 1 counts as 1), 0.5 <= p < 1.
 * Relative error below 1 % for df >= 2; below 2 % between 1 and 2 for p <=
 * 0.995.
 */
double numbers_student_quantile(double p, double df);

/* Standard normal distribution, 0 < p < 1. */
double numbers_normal_quantile(double p);

/*
 * Integrated autocorrelation time, at least 1: this many successive numbers are
 * worth one independent number.  Times of hundreds are estimates from means.
 */
double numbers_autocorrelation(const double *x, size_t n);

enum {
  VARIANCE_SAMPLES_MIN = 8 /* per run */
};

/* A figure and samples of equal weight, in order, whose mean it is. */
struct variance_run {
  double value;
  const double *samples; /* borrowed */
  size_t n;
};

struct variance {
  double spread;  /* relative standard deviation from run to run */
  double between; /* share of the variance that longer runs do not reduce */
  double within;  /* the rest */
};

/*
 * By the method of moments: the variance of the figures, less the part that the
 * scatter within runs explains.  NAN: fewer than two runs, fewer than
 * VARIANCE_SAMPLES_MIN samples in a run, or a mean not above 0.
 */
struct variance variance_of(const struct variance_run *runs, size_t n);

#endif
