/*
 * decision_pool.h - what several runs at the same load say together about one
 * term of an objective, when none of them was decided.
 *
 * Pure functions of what was added.
 */
#ifndef BENCH_STATS_DECISION_POOL_H
#define BENCH_STATS_DECISION_POOL_H

#include "stats/decision.h"

struct decision_pool {
  double events, late;
  double waiting; /* at the ends of runs: they are not in time */
  double longest; /* events of the run that has the most */
  double clusters;
  double inflated; /* the sum of late events times their inflation as seen */
};

/* What is known of a run.  One with fewer than DECISION_INTERVALS_MIN intervals
 * says nothing about clusters, and is left out. */
struct decision_run {
  double intervals;
  double events, late;
  double waiting;   /* at its end; see struct decision_waiting */
  double inflation; /* decision_inflation() */
  double clusters;  /* decision_clusters() */
};

void decision_pool_add(struct decision_pool *p, const struct decision_run *run);

/* No more than `share` (0..1) of the events may be late. */
enum decision_verdict decision_pool_verdict(const struct decision_pool *p,
                                            double share);

/* If it is open: it takes so many more runs as long as the longest one, at
 * least. Their late events are those of the pool, less two standard deviations,
 * for it may have seen too many by chance.  INFINITY: a lot. */
double decision_pool_missing(const struct decision_pool *p, double share);

#endif
