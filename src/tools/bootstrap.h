/*
 * bootstrap.h - how much a figure differs between two groups of runs, and how
 * certain that is.
 *
 * The interval of the ratio has two parts.  Within each run, the variance of
 * the figure follows from the scatter of its samples: the largest estimate from
 * blocks of several lengths and from the correlation of successive samples, so
 * that noise that lasts for several samples, and drift, count for what they
 * are.  Among the runs of a group, one run says nothing of how much runs differ
 * among themselves, and few runs say little: BOOT_RUN_SPREAD stands in for what
 * is not known, with the weight of BOOT_PRIOR_RUNS runs.  Scatter within that
 * is averaged with it (a moderated variance); scatter beyond it comes on top,
 * and is known as well as the number of runs allows, however sure the
 * assumption is.  The interval is as wide as Student's t distribution asks for
 * with so few independent pieces.
 */
#ifndef BENCH_TOOLS_BOOTSTRAP_H
#define BENCH_TOOLS_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct boot_result;

enum {
  BOOT_PRIOR_RUNS = 8,
  /* Fewer samples of a run are not used: they do not show how it varies. */
  BOOT_SAMPLES_MIN = 8,
  /* So many runs show by themselves how runs vary. */
  BOOT_RUNS_MIN = 3,
};

/* An assumption about runs of one build on one machine: the relative standard
 * deviation of a figure among them. */
#define BOOT_RUN_SPREAD 0.01
/* A run is disturbed if known disturbances have caused more than this. */
#define BOOT_UNSTEADY_MAX 0.01
#define BOOT_CONFIDENCE 0.99

/*
 * A figure of one run: its value, and samples whose sum(num) / sum(den) is
 * about that value; fewer than BOOT_SAMPLES_MIN are as good as none.
 */
struct boot_run {
  double value;
  double unsteady; /* relative standard deviation that known disturbances of the
                      run have caused; it is added */
  const double *num, *den; /* borrowed */
  size_t n;
};

struct boot_group {
  const struct boot_run *runs; /* borrowed */
  size_t n;
};

enum boot_state {
  BOOT_NOTHING,   /* a value is missing, not finite or not above zero, or there
                     is no memory */
  BOOT_TOO_FEW,   /* fewer than BOOT_RUNS_MIN runs, and one has no samples:
                     nobody knows how much the figure varies */
  BOOT_DISTURBED, /* fewer than BOOT_RUNS_MIN runs, and one was disturbed */
  BOOT_COMPARED,
};

struct boot_result {
  double base, other; /* geometric means over the runs */
  double ratio;       /* other / base */
  /* All others are 0 unless the state is BOOT_COMPARED. */
  double low, high; /* its confidence interval */
  bool differs;     /* 1 is outside of the interval */
  double smallest;  /* the relative difference that would have been found
                       in four cases of five */

  /* For settle.h. */
  size_t runs;   /* of the side with fewer runs */
  double within; /* share of the variance that longer runs would lessen */
  double df;     /* degrees of freedom of the interval */
};

/* The same input gives the same result.  *ret is not written if there is
 * nothing to compare. */
enum boot_state bootstrap_compare(struct boot_result *ret,
                                  const struct boot_group *base,
                                  const struct boot_group *other);

/* ---- settle ---- */

/*
 * What would make an inconclusive comparison certain: how many repeats, or how
 * much longer runs.  Pure functions.
 */

enum {
  SETTLE_REPEATS_MAX = 100, /* more would be no useful advice */
  SETTLE_REPEATS_FEW = 5,   /* so many are no trouble */
};

/* Runs that are longer by more than this factor are no useful advice either. */
#define SETTLE_LONGER_MAX 100.0

/*
 * The number of runs on each side with which a change by `share` (0.05: 5 %)
 * would be noticed in four of five cases.  If the present runs are enough for
 * that, and the change itself is near the threshold, the number of runs that
 * separates the two.  It is larger than the present number; 0:
 * SETTLE_REPEATS_MAX are not enough.
 */
unsigned settle_repeats(const struct boot_result *r, double share);

/*
 * How many times longer the runs would have to be with `runs` of them on each
 * side, which is at least the present number.  0: they differ too much from
 * each other for that, or SETTLE_LONGER_MAX is not enough.
 */
double settle_longer(const struct boot_result *r, double share, size_t runs);

#endif
