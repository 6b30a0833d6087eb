/*
 * shared.h - what all kinds of results work with.  Only for src/results.
 */
#ifndef BENCH_RESULTS_SHARED_H
#define BENCH_RESULTS_SHARED_H

#include <jansson.h>
#include <stdbool.h>

#include "report/life.h"
#include "results/event_log.h"
#include "results/system.h"

struct err;
struct optset;

/* Written by results.c, read by the kinds of results while it calls them. */
struct results_shared {
  const char *name;    /* of the program */
  const char *version; /* as it presents itself */
  const char *test;
  const struct optset *set;
  struct disk *disk;

  bool started;
  struct run_start start;
  struct system_use sys; /* of the interval that is reported */

  /* Known once the event log has ended. */
  bool logged; /* there was one */
  struct event_log_end log;
};

/* One value as text, on one line or indented; NULL: out of memory.  The caller
 * frees it. */
char *shared_json_line(const json_t *value);
char *shared_json_pretty(const json_t *value);

/* The message where memory ran out; returns -ENOMEM. */
int results_no_memory(struct err *err);

#endif
