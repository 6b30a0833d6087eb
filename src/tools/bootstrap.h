/*
 * bootstrap.h - how much a figure differs between two groups of runs, and how
 * certain that is.
 *
 * The interval of the ratio comes from a bootstrap on two levels.  Within each
 * run, blocks of successive samples are drawn (circular block bootstrap): a
 * block is as long as samples depend on each other, so that noise that lasts
 * for several samples, and drift, count for what they are.  Among the runs of
 * a group, a normal distribution takes the place of drawing.  One run says
 * nothing of how much runs differ among themselves, and few runs say little:
 * BOOT_RUN_SPREAD stands in for what is not known, with the weight of
 * BOOT_PRIOR_RUNS runs.  Scatter within that is averaged with it (a moderated
 * variance); scatter beyond it comes on top, and is known as well as the number
 * of runs allows, however sure the assumption is.  At last the interval is
 * widened as Student's t distribution asks for with so few independent pieces.
 */
#ifndef BENCH_TOOLS_BOOTSTRAP_H
#define BENCH_TOOLS_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  BOOT_PRIOR_RUNS = 8,
  BOOT_REPLICATES = 1000,
};

/* An assumption about runs of one build on one machine: the relative standard
 * deviation of a figure among them. */
#define BOOT_RUN_SPREAD 0.01
/* The same for a figure that has one value per run and no samples. */
#define BOOT_RUN_SPREAD_SINGLE 0.05
#define BOOT_CONFIDENCE 0.99

/*
 * A figure of one run: its value, and samples whose sum(num) / sum(den) is
 * about that value; n = 0: there are none.
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

struct boot_result {
  double base, other; /* geometric means over the runs */
  double ratio;       /* other / base */
  double low, high;   /* its confidence interval */
  bool differs;       /* 1 is outside of the interval */
  double smallest;    /* the relative difference that would have been found
                         in four cases of five */

  /* For settle.h. */
  size_t runs;   /* of the side with fewer runs */
  double within; /* share of the variance that longer runs would lessen */
  double df;     /* degrees of freedom of the interval */
};

/*
 * The same input gives the same result.  False: there is no comparison, because
 * a value is missing, not finite or not above zero, or there is no memory.
 */
bool bootstrap_compare(struct boot_result *ret, const struct boot_group *base,
                       const struct boot_group *other);

#endif
