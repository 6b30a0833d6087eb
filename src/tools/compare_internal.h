/*
 * compare_internal.h - how figures are put into a comparison.  Only for the
 * files that fill in comparisons.
 */
#ifndef BENCH_TOOLS_COMPARE_INTERNAL_H
#define BENCH_TOOLS_COMPARE_INTERNAL_H

#include <stdbool.h>

#include "tools/compare.h"

/* The name of the figure that sums up all kernels, or all figures of a test's
 * own. */
#define COMPARE_FIGURES_MEAN "geometric mean"

/* What is looked at in both groups. */
struct figure {
  enum compare_kind kind;
  /* LATENCY: a percentile, NULL: the mean.  CLASS: the name of a class.
   * THROUGHPUT: the name of a kernel, NULL: events, or queries. */
  const char *key;
  bool queries;       /* THROUGHPUT: of queries, not of events */
  double beyond;      /* percentiles: share of the events above it; may be 0 */
  const char *member; /* [opt] of this member of a mix, not of the whole */
};

/* Compare one figure; without memory, c->failed is set. */
void compare_add(struct comparisons *c, const char *name,
                 const struct figure *f);

/* The geometric mean of the ratios of all figures from number `first` on; of
 * times among others, of their inverses. */
void compare_add_mean(struct comparisons *c, size_t first);

/* The kernels that both have, and the geometric mean of their ratios; how many
 * they are. */
size_t compare_add_kernels(struct comparisons *c);

#endif
