/*
 * measure.h - named counters and histograms of scripts: one cell per Lua state,
 * added up by name over all states.
 */
#ifndef BENCH_LUA_ENGINE_MEASURE_H
#define BENCH_LUA_ENGINE_MEASURE_H

#include <pthread.h>
#include <stddef.h>

struct measure;
struct tally;

enum {
  MEASURE_NAMES = 64,      /* counters, and the same number of histograms */
  MEASURE_NAME_BYTES = 65, /* including the terminator */
};

/* A name that a state has used. */
struct measure_name {
  char name[MEASURE_NAME_BYTES];
  char unit[MEASURE_NAME_BYTES]; /* histograms: the first one given */
  struct measure *first;         /* owned: its cells */
};

struct measures {
  pthread_mutex_t lock; /* protects everything but the values in cells */
  size_t n_counters, n_histograms;
  struct measure_name counter[MEASURE_NAMES];
  struct measure_name histogram[MEASURE_NAMES];
};

void measures_init(struct measures *m);
void measures_done(struct measures *m);

/*
 * Return the cell of this owner, which is a Lua state: of a histogram if there
 * is a unit, otherwise of a counter.  NULL: there are too many names, or no
 * memory.  Any thread may call it.  Only the owner's thread writes to the cell,
 * which lives as long as `m`.
 */
struct measure *measure_open(struct measures *m, const void *owner,
                             const char *name, const char *unit);

void measure_add(struct measure *counter, double n);
double measure_value(const struct measure *counter);

/* The sum of all counters of this name, a warm-up included.  Any thread may
 * call it. */
double measure_total(struct measures *m, const char *name);

void measure_record(struct measure *histogram, double value);
/* Print the histogram on the standard output, as bars. */
void measure_print(const struct measure *histogram);

/*
 * Add up the current content of all cells.  It contains only what was added in
 * the measured part of workers.  Any thread may call it.
 */
void measures_tally(struct measures *m, struct tally *to);

#endif
