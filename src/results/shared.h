/*
 * shared.h - data that all kinds of results use.  Only for src/results.
 */
#ifndef BENCH_RESULTS_SHARED_H
#define BENCH_RESULTS_SHARED_H

#include <stdbool.h>

#include "machine/sampler.h"
#include "report/life.h"
#include "results/correlations.h"
#include "results/event_log.h"

struct marks;
struct monitor;
struct optset;

/* results.c writes this; the kinds of results read it while they are called. */
struct results_shared {
  const char *name;    /* of the program */
  const char *version; /* as printed by --version */
  const char *test;
  const struct optset *set;
  struct disk *disk;
  struct monitor *monitor; /* [opt] reads the servers */

  const struct marks *marks;     /* [opt] borrowed */
  unsigned marks_from, marks_to; /* those of the interval that is reported */

  struct correlations correlations;

  uint64_t time_ns; /* the limits of the run; UINT64_MAX: none */
  uint64_t events;

  bool started;
  struct run_start start;
  struct system_use sys; /* of the interval that is reported */

  /* Known once the event log has ended. */
  bool logged; /* there was an event log */
  struct event_log_end log;
};

#endif
