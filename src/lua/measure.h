/*
 * measure.h - counters and histograms that scripts name: one cell per state,
 * added up by name over all of them.
 */
#ifndef BENCH_LUA_MEASURE_H
#define BENCH_LUA_MEASURE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct measure;
struct state;

enum {
  MEASURE_NAMES = 64,      /* of each kind */
  MEASURE_NAME_BYTES = 65, /* with the terminator */
};

/* A name that some state has used. */
struct measure_name {
  char name[MEASURE_NAME_BYTES];
  char unit[MEASURE_NAME_BYTES]; /* of histograms; of who came first */
  struct measure *first;         /* owned: its cells */
};

struct measures {
  pthread_mutex_t lock; /* protects all but the values in cells */
  size_t n_counters, n_histograms;
  struct measure_name counter[MEASURE_NAMES];
  struct measure_name histogram[MEASURE_NAMES];
};

void measures_init(struct measures *m);
void measures_done(struct measures *m);

/* The sum of all cells of a counter, as of now; it only has what was added in
 * the measured part of workers.  Any thread. */
double measures_counter(struct measures *m, size_t index);

/* What the cells of a histogram hold, as of now.  All 0 without values. */
struct measure_stats {
  uint64_t count;
  double min, max, mean;
  double p50, p90, p95, p99, p999;
};

/* Any thread.  -ENOMEM. */
int measures_histogram(struct measures *m, size_t index,
                       struct measure_stats *ret, struct err *err);

#endif
