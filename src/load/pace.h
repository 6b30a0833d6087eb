/*
 * pace.h - how far a command that goes through tables is, shown on stderr.
 *
 * Threads add what they have done; a thread of its own shows it, so that a
 * statement that takes minutes does not silence the others.
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
  uint64_t total;         /* in that unit */
  _Atomic uint64_t done;  /* all of these are relaxed: only looked at */
  _Atomic uint64_t bytes; /* that were sent with it */
  _Atomic uint64_t there; /* had been done before; not in `done` */
  struct progress progress;
  /* [opt] Adds a detail, or changes what is shown altogether. */
  void (*more)(void *ctx, struct progress_point *at, struct strbuf *detail);
  void *ctx;
};

void pace_init(struct pace *p, const char *verb, enum progress_unit unit,
               uint64_t total);

/* Show lines from now on, if notices are to be shown. */
void pace_start(struct pace *p);
/* No more lines, and nothing is left on the terminal. */
void pace_stop(struct pace *p);
/* After pace_stop(): print what was done in which time, if anything was and
 * notices are to be shown. */
void pace_print_sum(struct pace *p);

void pace_add(struct pace *p, uint64_t n, uint64_t bytes);

/* Rows that were sent are not in the table: their transaction has failed. */
void pace_take_back(struct pace *p, uint64_t n, uint64_t bytes);

/* There were so many rows already. */
void pace_found(struct pace *p, uint64_t n);

/* The present point. */
void pace_look(void *pace, struct progress_point *ret, struct strbuf *detail);

#endif
