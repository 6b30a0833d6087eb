/*
 * bootstrap.h - the change of a figure between two groups of runs, with its
 * confidence interval.
 *
 * The interval of the ratio has two parts.  Within each run, the variance
 * follows from the scatter of samples: the largest estimate from blocks of
 * several lengths and from the correlation of successive samples, so that long
 * noise and drift count.  Among runs, BOOT_RUN_SPREAD stands in for the unknown
 * spread, with the weight of BOOT_PRIOR_RUNS runs (a moderated variance);
 * scatter beyond is added.  The width is that of Student's t distribution.
 */
#ifndef BENCH_TOOLS_BOOTSTRAP_H
#define BENCH_TOOLS_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>

struct boot_result;

enum {
  BOOT_PRIOR_RUNS = 8,
  /* fewer samples are not used */
  BOOT_SAMPLES_MIN = 8,
  /* this many runs show how runs vary */
  BOOT_RUNS_MIN = 3,
};

/* Assumed relative standard deviation among runs of one build on one
 * machine. */
#define BOOT_RUN_SPREAD 0.01
/* A run is disturbed if known disturbances have caused more. */
#define BOOT_UNSTEADY_MAX 0.01
#define BOOT_CONFIDENCE 0.99

/* A run: its value, and samples whose sum(num) / sum(den) is about that value;
 * fewer than BOOT_SAMPLES_MIN count as none. */
struct boot_run {
  double value;
  double
    unsteady; /* relative standard deviation from known disturbances; added */
  const double *num, *den; /* borrowed */
  size_t n;
};

struct boot_group {
  const struct boot_run *runs; /* borrowed */
  size_t n;
};

enum boot_state {
  BOOT_NOTHING,   /* a value is missing or not above 0, or no memory */
  BOOT_TOO_FEW,   /* fewer than BOOT_RUNS_MIN runs, one without samples */
  BOOT_DISTURBED, /* fewer than BOOT_RUNS_MIN runs, one disturbed */
  BOOT_COMPARED,
};

struct boot_result {
  double base, other; /* geometric means over the runs */
  double ratio;       /* other / base */
  /* Below: 0 unless BOOT_COMPARED. */
  double low, high; /* confidence interval */
  bool differs;     /* 1 is outside */
  double smallest;  /* difference found in four cases of five */

  /* For the functions below. */
  size_t runs;   /* of the side with fewer runs */
  double within; /* share of the variance that longer runs reduce */
  double df;     /* degrees of freedom of the interval */
};

/* Deterministic.  *ret is not written for BOOT_NOTHING. */
enum boot_state bootstrap_compare(struct boot_result *ret,
                                  const struct boot_group *base,
                                  const struct boot_group *other);

enum {
  SETTLE_REPEATS_MAX = 100,
  SETTLE_REPEATS_FEW = 5,
};

#define SETTLE_LONGER_MAX 100.0

/*
 * The number of runs per side that would show a change by `share` (0.05: 5 %)
 * in four of five cases.  If the present runs suffice and the change is near
 * the threshold: the number that separates the two.  0: SETTLE_REPEATS_MAX is
 * not enough.
 */
unsigned bootstrap_repeats(const struct boot_result *r, double share);

/* The factor of the length of `runs` runs per side (not fewer than now).  0:
 * runs differ too much, or SETTLE_LONGER_MAX is not enough. */
double bootstrap_longer(const struct boot_result *r, double share, size_t runs);

#endif
