/*
 * pace.h - the progress of a command that works on tables, on stderr.  A thread
 * shows the sum, even during long statements.
 */
#ifndef BENCH_LOAD_PACE_H
#define BENCH_LOAD_PACE_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/progress.h"

struct pace {
  const char *verb; /* "Loaded": static */
  enum progress_unit unit;
  uint64_t total;
  /* Relaxed: only shown. */
  _Atomic uint64_t done;
  _Atomic uint64_t bytes; /* sent with `done` */
  _Atomic uint64_t there; /* before; not part of `done` */
  struct progress progress;
  /* [opt] Adds to the line, or changes it. */
  void (*more)(void *ctx, struct progress_point *at, struct strbuf *detail);
  void *ctx;
};

void pace_init(struct pace *p, const char *verb, enum progress_unit unit,
               uint64_t total);

/* If notices are shown. */
void pace_start(struct pace *p);
/* Removes the line from the terminal. */
void pace_stop(struct pace *p);
/* After pace_stop(), if anything was done and notices are shown. */
void pace_print_sum(struct pace *p);

void pace_add(struct pace *p, uint64_t n, uint64_t bytes);

/* The transaction of these rows has failed. */
void pace_take_back(struct pace *p, uint64_t n, uint64_t bytes);

/* Rows that were there before. */
void pace_found(struct pace *p, uint64_t n);

void pace_look(void *pace, struct progress_point *ret, struct strbuf *detail);

#endif
