/*
 * text_reporter.h - prints text on the standard output.
 */
#ifndef BENCH_REPORT_TEXT_REPORTER_H
#define BENCH_REPORT_TEXT_REPORTER_H

#include <stdbool.h>

#include "report/reporter.h"

struct marks;
struct strbuf;

/*
 * A script's replacements for text; false: print the usual text.  Called at
 * every verbosity, on the reporting thread.  After periods_over() no interval
 * or checkpoint follows.
 */
struct text_hooks {
  bool (*interval)(void *arg, const struct report *r);   /* [opt] */
  bool (*cumulative)(void *arg, const struct report *r); /* [opt] */
  void (*periods_over)(void *arg);                       /* [opt] */
  void *arg;
  /* [opt] After the last report, except after an error in an event. */
  void (*append)(void *arg, const struct report *r, struct strbuf *b);
};

/* After an error in an event, the last report begins with "The run ended early:
 * REASON". Without events, and under the name sysbench, it is left out. */

/* {0}: no hooks, no marks. */
struct text_reporter {
  const struct text_hooks *hooks; /* [opt] borrowed */
  const struct marks *marks;      /* [opt] borrowed */
};

/* Text is NOTICE; statistics of threads and statements are DEBUG.  The line
 * before a checkpoint and the histogram also come before a hook's text. */
extern const struct reporter text_reporter;

#endif
