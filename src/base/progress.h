/*
 * progress.h - the progress of a long command: one line that fits into the
 * terminal and is overwritten, or else a line every ten seconds.
 */
#ifndef BENCH_BASE_PROGRESS_H
#define BENCH_BASE_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

enum progress_unit {
  PROGRESS_ROWS,
  PROGRESS_BYTES, /* shown in MiB */
  PROGRESS_TABLES,
};

struct progress_point {
  const char *verb; /* "Loaded"; static */
  enum progress_unit unit;
  uint64_t total, done;
  /* The part of `done` from before the start. */
  uint64_t there;
  uint64_t bytes; /* PROGRESS_ROWS: bytes sent; 0: unknown */
};

/* Verb, amount, rate, time left, `detail` at `passed_ns`, in less than
 * `columns` characters (0: no limit). Less important parts are left out. */
void progress_line(struct strbuf *line, const struct progress_point *at,
                   uint64_t passed_ns, const char *detail, unsigned columns);

/* "Loaded 800000 rows in 2.6 s, 301536 rows/s". */
void progress_sum(struct strbuf *line, const struct progress_point *at,
                  uint64_t passed_ns);

/* "1 h 20 min", "3 min 5 s", "12 s"; at least "1 s". */
void progress_add_time(struct strbuf *line, double seconds);

struct progress_io {
  uint64_t (*now_ns)(void *ctx);
  /* Width of the terminal, asked each time; 0: not a terminal. */
  unsigned (*columns)(void *ctx);
  /* Unless it `stays`, the next line replaces it, and NULL removes it. */
  void (*show)(void *ctx, const char *line, bool stays);
};

extern const struct progress_io progress_stderr;

struct progress {
  const struct progress_io *io;
  void *io_ctx;
  /* Sets the present point, and may add a detail. Called by the progress
   * thread. */
  void (*look)(void *ctx, struct progress_point *ret, struct strbuf *detail);
  void *ctx;

  uint64_t start_ns, next_ns;
  bool threaded;
  pthread_t thread;
  _Atomic uint32_t stop;
};

/* Starts the clock. All pointers are borrowed. */
void progress_init(struct progress *p, const struct progress_io *io,
                   void *io_ctx,
                   void (*look)(void *ctx, struct progress_point *ret,
                                struct strbuf *detail),
                   void *ctx);

uint64_t progress_tick(struct progress *p);

/* Shows nothing if a thread cannot be started. */
void progress_start(struct progress *p);

/* May be called again. */
void progress_stop(struct progress *p);

/* In a line that stays. */
void progress_print_sum(struct progress *p);

#endif
