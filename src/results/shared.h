/*
 * shared.h - data of all kinds of results.
 */
#ifndef BENCH_RESULTS_SHARED_H
#define BENCH_RESULTS_SHARED_H

#include <stdbool.h>

#include "base/machine/sampler.h"
#include "report/life.h"
#include "results/correlations.h"
#include "results/event_log.h"

struct mark_fifo;
struct marks;
struct monitor;
struct optset;

/* Written by results.c; read by reporters while called. */
struct results_shared {
  const char *name;
  const char *version;
  const char *test;
  const struct optset *set;
  struct disk *disk;
  struct monitor *monitor; /* [opt] */

  const struct mark_fifo *mark_fifo; /* [opt] borrowed */
  const struct marks *marks;         /* [opt] its marks */
  unsigned marks_from, marks_to;     /* of this interval */

  struct correlations correlations;

  uint64_t time_ns; /* UINT64_MAX: none */
  uint64_t events;

  bool started;
  struct run_start start;
  struct system_use sys; /* of this interval */

  /* After the end of the event log. */
  bool logged;
  struct event_log_end log;
};

#endif
