/*
 * merge_runs.h - one document of several runs of one load, executed at the same
 * time.
 */
#ifndef BENCH_TOOLS_MERGE_RUNS_H
#define BENCH_TOOLS_MERGE_RUNS_H

#include <jansson.h>
#include <stddef.h>

#include "tools/result.h"

struct err;

/* Wall-clock seconds since the second in which the first run of the list
 * began. */
struct merge_run {
  const struct result *r; /* borrowed */
  double start_s, end_s;  /* of the measured part */
};

/* In the order given. */
struct merge {
  struct merge_run *of; /* owned */
  size_t n;
  size_t first;          /* began first */
  double start_s, end_s; /* first start, last end */
  double common_s;       /* overlap; above 0 */
};

/* -EINVAL: too few or too many runs, different tests, the same run twice, or
 * not at the same time. */
int merge_init(struct merge *ret, const struct result *const *runs, size_t n,
               struct err *err);
void merge_done(struct merge *m);

/* Owned by the caller; NULL: see `err`. */
json_t *merge_document(const struct merge *m, struct err *err);

#endif
