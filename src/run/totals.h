/*
 * totals.h - the totals of a run at a look.  Only for src/run.
 */
#ifndef BENCH_RUN_TOTALS_H
#define BENCH_RUN_TOTALS_H

#include <stdint.h>

struct run;

struct run_totals {
  uint64_t events, sum_ns, errors, queries;
};

/* While workers go on: they may be a little behind each other. */
struct run_totals run_totals(const struct run *run);

#endif
