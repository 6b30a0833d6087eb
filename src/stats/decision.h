/*
 * decision.h - does an objective hold, or has it failed? Decided from counts of
 * all and of late events, as early as possible. Pure functions.
 *
 * At most a share of all events may be late: 1 % for "p99<=10ms". The test is
 * the exact binomial one, with counts divided by the variance inflation of late
 * events per interval, the largest of several lengths: one pause delays many
 * events.
 */
#ifndef BENCH_STATS_DECISION_H
#define BENCH_STATS_DECISION_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/slo.h"

#define DECISION_CONFIDENCE 0.99

enum {
  /* fewer show no clusters */
  DECISION_INTERVALS_MIN = 30,
  /* then pairs are merged */
  DECISION_CELLS = 512,
};

enum decision_verdict {
  DECISION_OPEN,
  DECISION_HELD,
  DECISION_FAILED,
};

struct decision_cell {
  uint64_t events, late;
};

struct decision {
  double share;   /* may be late */
  double planned; /* events of the longest possible run; 0: unknown */
  unsigned intervals;
  struct decision_cell total;
  struct decision_cell open; /* intervals that make no whole cell yet */
  unsigned in_open;
  unsigned cells, per_cell; /* 1, 2, 4, ... */
  struct decision_cell cell[DECISION_CELLS];
};

void decision_init(struct decision *d, double share, double planned);

/* All intervals have the same length. */
void decision_add(struct decision *d, uint64_t events, uint64_t late);

/* Cells with late events. */
unsigned decision_clusters(const struct decision *d);

/* Variance of late events per interval against independent ones, corrected; at
 * least 1. */
double decision_inflation(const struct decision *d);

struct decision_waiting {
  uint64_t all;  /* due and not begun; none is in time */
  uint64_t late; /* the part that is late already */
};

/*
 * `last`: no more intervals. Otherwise most intervals are no reason for a look,
 * because each could err by chance.
 *
 * DECISION_FAILED: twice as many are late as the longest run allows, or the
 * share is exceeded for sure. DECISION_HELD: the share is kept for sure; with
 * share 0: none is late.
 */
enum decision_verdict decision_verdict(const struct decision *d,
                                       const struct decision_waiting *waiting,
                                       bool last);

/* One term of an objective. */
struct decision_term {
  const struct slo_term *term;
  enum decision_verdict verdict;
  uint64_t events, late; /* 0 if the term counts no events */
  uint64_t waiting;      /* due when it was decided, and not begun */
  double inflation;
  unsigned clusters; /* intervals with late events */
};

struct decision_result {
  enum decision_verdict verdict;
  uint64_t settled_ns; /* until steady, since the measured start */
  uint64_t decided_ns; /* until decided, or the end */
  unsigned intervals;
  unsigned n;
  struct decision_term of[SLO_TERMS_MAX]; /* in the order of the terms */
};

/* The fewest events, none late, that hold for sure. */
double decision_events_min(double share);

const char *decision_name(enum decision_verdict verdict);

/* Several runs at one load, none decided. */

struct decision_pool {
  double events, late;
  double waiting; /* at the ends of runs: not in time */
  double longest; /* events of the longest run */
  double clusters;
  double inflated; /* sum of late events times their inflation as seen */
};

/* Needs DECISION_INTERVALS_MIN intervals. */
struct decision_run {
  double intervals;
  double events, late;
  double waiting; /* as struct decision_waiting */
  double inflation;
  double clusters;
};

void decision_pool_add(struct decision_pool *p, const struct decision_run *run);

/* At most `share` (0..1) of the events may be late. */
enum decision_verdict decision_pool_verdict(const struct decision_pool *p,
                                            double share);

/* If open: the fewest further runs as long as the longest, if its late events
 * are two standard deviations too many. INFINITY: too many runs. */
double decision_pool_missing(const struct decision_pool *p, double share);

#endif
