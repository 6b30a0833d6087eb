/*
 * times.h - how long statements take, over all threads: for --db-debug.
 */
#ifndef BENCH_DB_TIMES_H
#define BENCH_DB_TIMES_H

#include <stdatomic.h>
#include <stdint.h>

#include "stats/report.h"

/*
 * {0} is empty.  All threads write to it, which is too slow for the hot
 * path: it is for debugging.  All members relaxed: a call that ends while they
 * are taken may be split between two periods.
 */
struct db_times {
  _Atomic uint64_t count, sum_ns, max_ns;
  _Atomic uint64_t min; /* UINT64_MAX - the shortest; 0: none */
};

void times_add(struct db_times *t, uint64_t ns);

/* What was added since the last call; all 0 if nothing was. */
struct report_times times_take(struct db_times *t);

#endif
