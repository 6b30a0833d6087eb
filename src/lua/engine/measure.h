/*
 * measure.h - counters and histograms that scripts name: one cell per Lua
 * state, added up by name over all states.
 */
#ifndef BENCH_LUA_ENGINE_MEASURE_H
#define BENCH_LUA_ENGINE_MEASURE_H

#include <pthread.h>
#include <stddef.h>

struct measure;
struct tally;

enum {
  MEASURE_NAMES = 64,      /* of each kind */
  MEASURE_NAME_BYTES = 65, /* with the terminator */
};

/* A name that some state has used. */
struct measure_name {
  char name[MEASURE_NAME_BYTES];
  char unit[MEASURE_NAME_BYTES]; /* of histograms; the first one given */
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

/*
 * The cell of this owner, a Lua state: of a histogram if there is a unit, else
 * of a counter.  NULL: there are too many names, or no memory.  Any thread; the
 * cell is written by that of its owner only, and lives as long as `m`.
 */
struct measure *measure_open(struct measures *m, const void *owner,
                             const char *name, const char *unit);

void measure_add(struct measure *counter, double n);
double measure_value(const struct measure *counter);

void measure_record(struct measure *histogram, double value);
/* On the standard output, as bars. */
void measure_print(const struct measure *histogram);

/* What all cells together hold, as of now; it only has what was added in the
 * measured part of workers.  Any thread. */
void measures_tally(struct measures *m, struct tally *to);

#endif
