/*
 * usl.h - the Universal Scalability Law: how throughput grows with the number
 * of workers, and whether it has a peak.
 *
 * X(N) = g N / (1 + a (N - 1) + b N (N - 1)), a, b >= 0
 *
 * g is the throughput of one worker, a the contention (the share of the work
 * that only one can do at a time), b the coherence (the cost of each pair of
 * workers that has to agree).  Relative residuals are made as small as
 * possible.  Intervals are those of a residual bootstrap, widened as Student's
 * t distribution asks for.
 */
#ifndef BENCH_TOOLS_USL_H
#define BENCH_TOOLS_USL_H

#include <stdbool.h>
#include <stddef.h>

enum {
  USL_VALUES_MIN = 6, /* different numbers of workers */
};

/* The curve is drawn as uncertain beyond so many times the largest value. */
#define USL_TRUSTED 1.5

/* One run; repeats are points of their own. */
struct usl_point {
  double workers, throughput;
};

/* With its interval, at BOOT_CONFIDENCE. */
struct usl_figure {
  double value, low, high;
};

struct usl {
  size_t values, runs;
  double smallest, largest; /* number of workers in the data */
  struct usl_figure single; /* g */
  struct usl_figure contention, coherence;

  /* The interval of the coherence excludes 0, so there is a peak. */
  bool has_peak;
  struct usl_figure peak_at; /* number of workers */
  double peak;               /* throughput there */

  /* Residuals follow each other: the law is not that of these runs. */
  bool patterned;
};

/* The same input gives the same result.  False: there are fewer than
 * USL_VALUES_MIN different numbers of workers, a point is not above 0, or there
 * is no memory. */
bool usl_fit(struct usl *ret, const struct usl_point *points, size_t n);

/* The throughput that the law gives for this number of workers. */
double usl_throughput(const struct usl *u, double workers);

#endif
