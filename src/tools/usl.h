/*
 * usl.h - the Universal Scalability Law: throughput as a function of the number
 * of workers, and its peak.
 *
 *   X(N) = g N / (1 + a (N - 1) + b N (N - 1)),   a, b >= 0
 *
 * g: throughput of one worker; a: contention, the serial share of work; b:
 * coherence, the cost of agreement of each pair of workers.  The fit minimizes
 * relative residuals.  Intervals come from a residual bootstrap, widened to
 * Student's t distribution.
 */
#ifndef BENCH_TOOLS_USL_H
#define BENCH_TOOLS_USL_H

#include <stdbool.h>
#include <stddef.h>

enum {
  USL_VALUES_MIN = 6, /* different numbers */
};

/* The curve is uncertain beyond this multiple of the most workers. */
#define USL_TRUSTED 1.5

/* Repeats are points of their own. */
struct usl_point {
  double workers, throughput;
};

/* Interval at BOOT_CONFIDENCE. */
struct usl_figure {
  double value, low, high;
};

struct usl {
  size_t values, runs;
  double smallest, largest; /* of workers */
  struct usl_figure single; /* g */
  struct usl_figure contention, coherence;

  /* The interval of the coherence excludes 0. */
  bool has_peak;
  struct usl_figure peak_at; /* workers */
  double peak;               /* throughput there */

  /* Residuals follow each other: another law holds. */
  bool patterned;
};

/* Deterministic.  False: too few different numbers of workers, a point is not
 * above 0, or no memory. */
bool usl_fit(struct usl *ret, const struct usl_point *points, size_t n);

double usl_throughput(const struct usl *u, double workers);

#endif
