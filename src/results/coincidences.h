/*
 * coincidences.h - keeps a few series of the run, and says at its end what
 * happens when the run stumbles: see stats/coincide.h.
 */
#ifndef BENCH_RESULTS_COINCIDENCES_H
#define BENCH_RESULTS_COINCIDENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/coincide.h"

struct monitor;
struct report;
struct strbuf;
struct system_use;

enum {
  COINCIDENCES_SERIES = 31,
  COINCIDENCES_MAX = 20000 /* intervals that are kept; 5 MB */
};

/* {0} is empty.  If memory runs out, `failed` is set, and nothing is said. */
struct coincidences {
  size_t n, room;
  double *rate, *latency, *series[COINCIDENCES_SERIES]; /* owned; [room] */
  bool failed;

  /* After coincidences_judge(). */
  bool judged;
  bool *dip; /* owned; [n] */
  struct coincide_result found;
};

void coincidences_done(struct coincidences *c);

/* An interval that is not partial.  `monitor` may be NULL. */
void coincidences_add(struct coincidences *c, const struct report *r,
                      const struct system_use *sys, struct monitor *monitor);

/* Call it once, at the end. */
void coincidences_judge(struct coincidences *c);

/* The name of a series, for programs. */
const char *coincidences_series(size_t series);
/* Finding i as a sentence without an end. */
void coincidences_sentence(const struct coincidences *c, unsigned i,
                           struct strbuf *ret);

#endif
