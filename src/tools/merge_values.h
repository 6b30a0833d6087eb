/*
 * merge_values.h - adds up figures of several runs as their documents have
 * them.
 *
 * Counts are sums, histograms are added bucket by bucket, and what follows from
 * both (rates, means, percentiles) is computed again.  The meaning of a figure
 * follows from its key: docs/results.md.
 */
#ifndef BENCH_TOOLS_MERGE_VALUES_H
#define BENCH_TOOLS_MERGE_VALUES_H

#include <jansson.h>
#include <stddef.h>

struct err;

enum {
  MERGE_RUNS_MAX = 100,
  MERGE_PARTS_MAX = 2 * MERGE_RUNS_MAX, /* a late interval is another part */
};

/* The same value of several runs; those that lack it are not there.  The values
 * are borrowed. */
struct merge_parts {
  const json_t *of[MERGE_PARTS_MAX];
  size_t n;
};

/* Appends the value at `path` (see result_at()), unless it is missing or
 * null. */
void merge_parts_add(struct merge_parts *parts, const json_t *json,
                     const char *path);

/*
 * The object or list of all parts together, which the caller frees: a period of
 * a run, a part of it, or a list of classes, members or errors.  Rates are over
 * `period_s`, and shares are those of all `events`.  Members that cannot be
 * added up are left out.  NULL: `err` says why (a histogram is missing or
 * damaged, no memory).
 */
json_t *merge_values(const struct merge_parts *parts, double period_s,
                     double events, struct err *err);

/* The sum, mean and population standard deviation of values in groups, each of
 * `n` values with a mean and a deviation. */
struct merge_moments {
  double n, mean, squares;
};

void merge_moments_add(struct merge_moments *m, double n, double mean,
                       double stddev);
double merge_moments_stddev(const struct merge_moments *m);

#endif
