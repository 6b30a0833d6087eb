/*
 * measure.h - named counters and histograms of scripts: a cell per Lua state,
 * added up by name.
 */
#ifndef BENCH_LUA_ENGINE_MEASURE_H
#define BENCH_LUA_ENGINE_MEASURE_H

#include <pthread.h>
#include <stddef.h>

struct measure;
struct tally;

enum {
  MEASURE_NAMES = 64, /* counters, and as many histograms */
  MEASURE_NAME_BYTES = 65,
};

struct measure_name {
  char name[MEASURE_NAME_BYTES];
  char unit[MEASURE_NAME_BYTES]; /* of histograms: the first one given */
  struct measure *first;         /* owned */
};

struct measures {
  pthread_mutex_t lock; /* protects all but the values in cells */
  size_t n_counters, n_histograms;
  struct measure_name counter[MEASURE_NAMES];
  struct measure_name histogram[MEASURE_NAMES];
};

void measures_init(struct measures *m);
void measures_done(struct measures *m);

/*
 * The cell of a Lua state: of a histogram if there is a unit, otherwise of a
 * counter.  NULL: errno is ENOSPC (names) or ENOMEM.  Any thread. Only the
 * owner's thread writes to the cell, which lives as long as `m`.
 */
struct measure *measure_open(struct measures *m, const void *owner,
                             const char *name, const char *unit);

void measure_add(struct measure *counter, double n);
double measure_value(const struct measure *counter);

/* Warm-up included.  Any thread. */
double measure_total(struct measures *m, const char *name);

void measure_record(struct measure *histogram, double value);
void measure_print(const struct measure *histogram);

/* Only the measured part of workers.  Any thread. */
void measures_tally(struct measures *m, struct tally *to);

#endif
