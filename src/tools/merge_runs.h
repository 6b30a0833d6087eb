/*
 * merge_runs.h - one document of several runs of one load, executed at the same
 * time by other machines or processes.
 */
#ifndef BENCH_TOOLS_MERGE_RUNS_H
#define BENCH_TOOLS_MERGE_RUNS_H

#include <jansson.h>
#include <stddef.h>

#include "tools/result.h"

struct err;

/* Seconds of wall-clock time since the second in which the first run of the
 * list began. */
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
  double common_s;       /* duration of the overlap; above 0 */
};

/* -EINVAL: too few or too many runs, different tests, the same run twice, or
 * not at the same time; `err` names the files. */
int merge_init(struct merge *ret, const struct result *const *runs, size_t n,
               struct err *err);
void merge_done(struct merge *m);

/* Owned by the caller; NULL: `err` has the reason. */
json_t *merge_document(const struct merge *m, struct err *err);

#endif
