/*
 * judge_counts.h - the totals of a run at a look.  Only for src/run.
 */
#ifndef BENCH_RUN_JUDGE_COUNTS_H
#define BENCH_RUN_JUDGE_COUNTS_H

#include <stdint.h>

struct run;

struct judge_counts {
  uint64_t events, sum_ns, errors, queries;
};

/* While workers go on: they may be a little behind each other. */
struct judge_counts judge_count(const struct run *run);

#endif
