/*
 * decision.h - does an objective hold, or has it failed?  Decided from the
 * counts of events and of those that were late, as early as that is certain.
 *
 * The objective is that no more than a share of all events is late: 1 % for
 * "p99<=10ms".  The test is the exact binomial one.  Late events come in
 * clusters, because one pause delays many, so they say less than as many
 * independent ones would.  The counts are divided by the variance inflation
 * of the late events per interval, the largest one of several lengths of
 * intervals.  Pure functions of what was added.
 */
#ifndef BENCH_STATS_DECISION_H
#define BENCH_STATS_DECISION_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/slo.h"

#define DECISION_CONFIDENCE 0.99

enum {
  /* Fewer intervals say nothing about clusters. */
  DECISION_INTERVALS_MIN = 30,
  /* When so many are there, pairs of them are merged. */
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
  double share;   /* that may be late */
  double planned; /* events of the longest possible run; 0: unknown */
  unsigned intervals;
  struct decision_cell total;
  struct decision_cell open; /* intervals that are not a whole cell yet */
  unsigned in_open;
  unsigned cells, per_cell; /* intervals in a cell: 1, 2, 4, ... */
  struct decision_cell cell[DECISION_CELLS];
};

/* `share` 0: no event may be late. */
void decision_init(struct decision *d, double share, double planned);

/* The next interval; all have the same length. */
void decision_add(struct decision *d, uint64_t events, uint64_t late);

/* In so many cells were late events. */
unsigned decision_clusters(const struct decision *d);

/* How much more the late events per interval vary than independent ones would,
 * corrected: 1 or more. */
double decision_inflation(const struct decision *d);

/* Events that have not begun although they were due. */
struct decision_waiting {
  uint64_t all;  /* none of them counts as being in time */
  uint64_t late; /* the part that is late already */
};

/*
 * `last`: there will be no more intervals.  Otherwise each look at the data
 * could be the one that errs by chance, so most intervals are no reason for a
 * look.
 *
 * DECISION_FAILED: twice as many are late as may be in the longest possible
 * run, or the share is exceeded for sure.  DECISION_HELD: the share is kept for
 * sure; with a share of 0, which can never be sure: none is late.
 */
enum decision_verdict decision_verdict(const struct decision *d,
                                       const struct decision_waiting *waiting,
                                       bool last);

/* What was decided about one term of an objective. */
struct decision_term {
  const struct slo_term *term; /* borrowed from the objective */
  enum decision_verdict verdict;
  uint64_t events, late; /* 0 for a term that does not count events */
  uint64_t waiting;      /* due when it was decided, and not begun */
  double inflation;      /* of the late events */
  unsigned clusters;     /* of them: intervals that have any */
};

/* The same about a run. */
struct decision_result {
  enum decision_verdict verdict;
  uint64_t settled_ns; /* until it was steady, since the measured start */
  uint64_t decided_ns; /* until it was decided, or the end */
  unsigned intervals;
  unsigned n;
  struct decision_term of[SLO_TERMS_MAX]; /* in the order of the terms */
};

/* The fewest events, none of them late, with which it holds for sure.  With a
 * share of 0 nothing is sure, and one is enough. */
double decision_events_min(double share);

/* "open", "held", "failed". */
const char *decision_name(enum decision_verdict verdict);

/* ---- several runs ---- */

/*
 * what several runs at the same load say together about one
 * term of an objective, when none of them was decided.
 *
 * Pure functions of what was added.
 */

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
