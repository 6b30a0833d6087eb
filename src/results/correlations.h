/*
 * correlations.h - keeps series of the run, and reports coincidences at its
 * end.
 */
#ifndef BENCH_RESULTS_CORRELATIONS_H
#define BENCH_RESULTS_CORRELATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/coincide.h"

struct monitor;
struct report;
struct strbuf;
struct system_use;

enum {
  CORRELATIONS_SERIES = 31,
  CORRELATIONS_MAX = 20000 /* intervals kept; 5 MB */
};

/* {0} is empty.  `failed`: out of memory, reports nothing. */
struct correlations {
  size_t n, room;
  double *rate, *latency, *series[CORRELATIONS_SERIES]; /* owned; [room] */
  bool failed;

  /* Valid after correlations_judge(). */
  bool judged;
  bool *dip; /* owned; [n] */
  struct coincide_result found;
};

void correlations_done(struct correlations *c);

/* A whole interval; `monitor` can be NULL. */
void correlations_add(struct correlations *c, const struct report *r,
                      const struct system_use *sys, struct monitor *monitor);

/* Once, at the end. */
void correlations_judge(struct correlations *c);

/* For programs. */
const char *correlations_series(size_t series);
/* A sentence without an end. */
void correlations_sentence(const struct correlations *c, unsigned i,
                           struct strbuf *ret);

#endif
