/*
 * coincide.h - series that run high when a run stumbles, more often than by
 * chance.
 *
 * Series have one value per interval. A dip: intervals with a rate below 80 %
 * of the median around them, or a latency above three times that median. A
 * series is active where it is far above its usual values. It coincides with a
 * dip if it is active from two intervals before to one after.
 *
 * Chance is estimated by shifting the series, in a circle, by all distances (at
 * most 2048) but the smallest. A dip counts by its loss, a series by the share
 * of the dip in which it is active. A finding needs p <= 0.01 that any series
 * gets as far, and 1.5 times as many hits as by chance. Otherwise series are
 * correlated with the loss; one dip can be enough. Runs of less than about 100
 * intervals have no finding.
 */
#ifndef BENCH_STATS_COINCIDE_H
#define BENCH_STATS_COINCIDE_H

#include <stdbool.h>
#include <stddef.h>

enum {
  COINCIDE_MAX = 3 /* findings */
};

struct coincide_input {
  size_t n;
  const double *rate;    /* [n] events per second */
  const double *latency; /* [n] a high percentile; NAN: unknown */
  size_t n_series;
  const double *const *series; /* [n_series][n]; NAN: unknown */
};

struct coincide_finding {
  size_t series;
  unsigned hits;
  double expected; /* hits by chance */
  double p;
};

struct coincide_result {
  unsigned dips;
  unsigned n;
  struct coincide_finding of[COINCIDE_MAX];
};

/* `ret_dip` has n elements. 0 or -ENOMEM. */
int coincide_find(const struct coincide_input *in, bool *ret_dip,
                  struct coincide_result *ret);

#endif
