/*
 * merge_runs.h - one document of several runs of one load, which other machines
 * or other processes have executed at the same time.
 */
#ifndef BENCH_TOOLS_MERGE_RUNS_H
#define BENCH_TOOLS_MERGE_RUNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tools/result.h"

struct err;

/* A run on the common time axis, in seconds of wall-clock time since the second
 * in which the first one of the list began. */
struct merge_run {
  const struct result *r; /* borrowed */
  double start_s, end_s;  /* of the measured part */
};

/* The runs, in the order given. */
struct merge {
  struct merge_run *of; /* owned */
  size_t n;
  size_t first;          /* the run that began first */
  double start_s, end_s; /* from the first start to the last end */
  double common_s;       /* while all of them ran; above 0 */
};

/*
 * Places the runs on the time axis.  -EINVAL: they are too few or too many,
 * differ in what they ran, are the same run, or did not run at the same time;
 * `err` names the files.  merge_done() frees *ret.
 */
int merge_init(struct merge *ret, const struct result *const *runs, size_t n,
               struct err *err);
void merge_done(struct merge *m);

/* The document, which the caller frees; NULL: `err` says why. */
json_t *merge_document(const struct merge *m, struct err *err);

/* ---- merge_check.c ---- */

/* ---- merge_periods.c ---- */

#endif
