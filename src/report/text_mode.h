/*
 * text_mode.h - the lines that show the options of a run.
 */
#ifndef BENCH_REPORT_TEXT_MODE_H
#define BENCH_REPORT_TEXT_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

struct text_mode {
  unsigned threads;
  unsigned carriers; /* threads that carry them, which are clients; 0: they are
                      * called threads */
  unsigned idle;     /* of them */
  const char *storm; /* [opt] of clients that come in addition */
  uint64_t warmup_s; /* 0: none */
  double rate;       /* events per second; 0: no rate */
  const char *profile;         /* [opt] of the load; "": none */
  double interval_s;           /* 0: no interval lines */
  size_t n_checkpoints;        /* all that were asked for */
  const uint64_t *checkpoints; /* seconds, ascending; borrowed */
  bool debug;
  bool validate;
  int64_t seed;      /* 0: taken from the clock */
  bool forced;       /* a forced shutdown was asked for */
  uint64_t forced_s; /* whole seconds until then, warm-up included */
  const char *extra; /* [opt] a line of the test; NULL or "": none */
};

/* Write from "Running the test with following options:" to the empty line
 * before the block of the test. */
void text_mode(struct strbuf *b, const struct text_mode *m);

#endif
