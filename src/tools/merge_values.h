/*
 * merge_values.h - merges the figures of documents.
 *
 * Counts are added up, histograms bucket by bucket; rates, means and
 * percentiles are computed again. The key decides the meaning.
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

/* Values of several runs; borrowed. */
struct merge_parts {
  const json_t *of[MERGE_PARTS_MAX];
  size_t n;
};

/* `path`: see result_at(); skips missing and null values. */
void merge_parts_add(struct merge_parts *parts, const json_t *json,
                     const char *path);

/*
 * All parts (a period or a part of it, or lists of classes, members or errors)
 * as one value, owned by the caller.  Rates are over `period_s`, shares are of
 * `events`.  Leaves out members that cannot be added up.  NULL: `err` has
 * the reason.
 */
json_t *merge_values(const struct merge_parts *parts, double period_s,
                     double events, struct err *err);

/* Mean and population standard deviation of groups of `n` values. */
struct merge_moments {
  double n, mean, squares;
};

void merge_moments_add(struct merge_moments *m, double n, double mean,
                       double stddev);
double merge_moments_stddev(const struct merge_moments *m);

#endif
