/*
 * decision.h - has an objective held, or failed? Decided as early as possible
 * from the counts of all events and of late ones. Pure functions.
 *
 * An objective allows a share of late events: 1 % for "p99<=10ms". The test is
 * the exact binomial one. One pause delays many events, so counts are divided
 * by the variance inflation of late events per interval, the largest over
 * several lengths.
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
  double share;   /* allowed to be late */
  double planned; /* events of the longest possible run; 0: unknown */
  unsigned intervals;
  struct decision_cell total;
  struct decision_cell open; /* intervals that do not fill a cell yet */
  unsigned in_open;
  unsigned cells, per_cell; /* per_cell: 1, 2, 4, ... */
  struct decision_cell cell[DECISION_CELLS];
};

void decision_init(struct decision *d, double share, double planned);

/* All intervals have the same length. */
void decision_add(struct decision *d, uint64_t events, uint64_t late);

/* Cells with late events. */
unsigned decision_clusters(const struct decision *d);

/* Variance of late events per interval relative to independent ones,
 * corrected. */
double decision_inflation(const struct decision *d);

struct decision_waiting {
  uint64_t all; /* due and not begun */
  uint64_t late;
};

/*
 * `last`: no more intervals. Only some intervals decide, because each decision
 * can err.
 *
 * DECISION_FAILED: twice as many are late as the longest run allows, or the
 * share is exceeded at DECISION_CONFIDENCE. DECISION_HELD: the share is kept at
 * that confidence; a share of 0 needs a run without late events.
 */
enum decision_verdict decision_verdict(const struct decision *d,
                                       const struct decision_waiting *waiting,
                                       bool last);

struct decision_term {
  const struct slo_term *term;
  enum decision_verdict verdict;
  uint64_t events, late; /* 0 if the term does not count events */
  uint64_t waiting;
  double inflation;
  unsigned clusters; /* intervals with late events */
};

struct decision_result {
  enum decision_verdict verdict;
  uint64_t settled_ns; /* until steady, since the measured start */
  uint64_t decided_ns; /* until decided, or the end */
  unsigned intervals;
  unsigned n;
  struct decision_term of[SLO_TERMS_MAX];
};

/* The fewest events, none late, for DECISION_HELD. */
double decision_events_min(double share);

const char *decision_name(enum decision_verdict verdict);

/* Several undecided runs at one load. */

struct decision_pool {
  double events, late;
  double waiting; /* at the ends of runs: count as late */
  double longest;
  double clusters;
  double inflated; /* sum of late events times their uncorrected inflation */
};

/* Needs DECISION_INTERVALS_MIN intervals. */
struct decision_run {
  double intervals;
  double events, late;
  double waiting;
  double inflation;
  double clusters;
};

void decision_pool_add(struct decision_pool *p, const struct decision_run *run);

enum decision_verdict decision_pool_verdict(const struct decision_pool *p,
                                            double share);

/* If open: the fewest further runs as long as the longest, if its late events
 * are two standard deviations too many. INFINITY: too many. */
double decision_pool_missing(const struct decision_pool *p, double share);

#endif
