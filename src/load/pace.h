/*
 * pace.h - shows the progress of a command that works on tables on stderr.
 *
 * Threads add their work.  A thread of its own shows the sum, so that a
 * statement that takes minutes does not stop the lines.
 */
#ifndef BENCH_LOAD_PACE_H
#define BENCH_LOAD_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"

struct pace {
  const char *verb; /* "Loaded": static */
  enum progress_unit unit;
  uint64_t total; /* in that unit */
  /* These are all relaxed, because they are only shown. */
  _Atomic uint64_t done;
  _Atomic uint64_t bytes; /* that were sent with it */
  _Atomic uint64_t there; /* done before; not part of `done` */
  struct progress progress;
  /* [opt] Adds a detail, or changes the whole line. */
  void (*more)(void *ctx, struct progress_point *at, struct strbuf *detail);
  void *ctx;
};

void pace_init(struct pace *p, const char *verb, enum progress_unit unit,
               uint64_t total);

/* Show lines from now on, if notices are shown. */
void pace_start(struct pace *p);
/* Stop, and remove the line from the terminal. */
void pace_stop(struct pace *p);
/* After pace_stop(): print how much was done in which time, if there was
 * anything to do and notices are shown. */
void pace_print_sum(struct pace *p);

void pace_add(struct pace *p, uint64_t n, uint64_t bytes);

/* Rows that were sent are not in the table, because their transaction has
 * failed. */
void pace_take_back(struct pace *p, uint64_t n, uint64_t bytes);

/* So many rows were already there. */
void pace_found(struct pace *p, uint64_t n);

/* The present point. */
void pace_look(void *pace, struct progress_point *ret, struct strbuf *detail);

#endif
