/*
 * coincide.h - what happens when a run stumbles, more often than by chance.
 *
 * Pure functions over series with one value per interval.  A dip is a stretch
 * of intervals with a rate below 80 % of the median around them, or with a
 * latency above three times that median.  A series is active where it is far
 * above what it usually is.  It coincides with a dip if it is active from two
 * intervals before the dip to one after it.
 *
 * Chance is what remains if the series is shifted against the dips, in a
 * circle, by all distances (by 2048 of them in longer runs) but the smallest
 * ones: at these, what lasts as long as the longest dip still meets it.  A dip
 * counts by what was lost in it, and a series by the share of the dip that it
 * is active; a shift that loses less than half a dip is no worse.  A finding is
 * one with p <= 0.01, and a chance of at most 0.01 that any of all series gets
 * as far.  It also meets at least 1.5 times as many dips as by chance: great
 * dips may decide alone, but a sentence says how many.
 *
 * If nothing passes, the shapes are compared: a series that rises as long as
 * what was lost lasts, by the correlation with what was lost.  One dip can be
 * enough for that. Each of the two stages is wrong by chance in at most 1 % of
 * runs: up to 2 of 100 runs without a cause have a finding.
 *
 * So runs of less than about 100 intervals have no finding.  This says that two
 * things go together; it does not say why.
 */
#ifndef BENCH_STATS_COINCIDE_H
#define BENCH_STATS_COINCIDE_H

#include <stdbool.h>
#include <stddef.h>

enum {
  COINCIDE_MAX = 3 /* findings */
};

struct coincide_input {
  size_t n;              /* intervals */
  const double *rate;    /* [n] events per second */
  const double *latency; /* [n] a high percentile; NAN: not known */
  size_t n_series;
  const double *const *series; /* [n_series][n]; NAN: not known */
};

struct coincide_finding {
  size_t series;
  unsigned hits;   /* dips in which it is active */
  double expected; /* as many by chance */
  double p;
};

struct coincide_result {
  unsigned dips;
  unsigned n;
  struct coincide_finding of[COINCIDE_MAX]; /* the least likely first */
};

/* `ret_dip` has n elements: is the interval in a dip?  -ENOMEM. */
int coincide_find(const struct coincide_input *in, bool *ret_dip,
                  struct coincide_result *ret);

#endif
