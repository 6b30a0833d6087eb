/*
 * pace.h - how far a load is: a line that is written over again on a
 * terminal, else one every ten seconds; on stderr.
 */
#ifndef BENCH_LOAD_PACE_H
#define BENCH_LOAD_PACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct strbuf;

struct pace {
  bool shown, terminal;
  uint64_t total;               /* rows */
  uint64_t start_ns;            /* of the first row */
  _Atomic uint64_t rows, bytes; /* sent; relaxed, only to be looked at */
  _Atomic uint64_t there;       /* rows that had been loaded before */

  pthread_mutex_t lock;     /* protects the rest, and what is written */
  _Atomic uint64_t next_ns; /* time of the next line */
  bool drawn;               /* an unfinished line stands on the terminal */
  /* [opt] Adds what is said of single tables. */
  void (*tables)(void *ctx, struct strbuf *line);
  void *ctx;
};

/* Nothing is shown if notices are not. */
void pace_init(struct pace *p, uint64_t total);
void pace_done(struct pace *p);

/* Rows were sent; writes a line if it is time. */
void pace_add(struct pace *p, uint64_t rows, uint64_t bytes);

/* Rows that were sent are not in the table: their transaction has failed. */
void pace_take_back(struct pace *p, uint64_t rows, uint64_t bytes);

/* Other text is about to be written: the line on the terminal goes. */
void pace_clear(struct pace *p);

/* The line for a moment `passed_ns` after the first row, without its end. */
void pace_line(const struct pace *p, uint64_t passed_ns, struct strbuf *line);

#endif
