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
 * What a script prints in place of text; false: no hook, the usual text.
 * Called at every verbosity, on the reporting thread.  periods_over() comes
 * before the final report; no interval or checkpoint follows.
 */
struct text_hooks {
  bool (*interval)(void *arg, const struct report *r);   /* [opt] */
  bool (*cumulative)(void *arg, const struct report *r); /* [opt] */
  void (*periods_over)(void *arg);                       /* [opt] */
  void *arg;
  /* [opt] After the last report, except after an error in an event. */
  void (*append)(void *arg, const struct report *r, struct strbuf *b);
};

/*
 * After an error in an event, the last report begins with "The run ended early:
 * REASON", or is left out without events.  Under the name sysbench the report
 * is left out, with a hook as well.
 */

/* {0}: the usual text. */
struct text_reporter {
  const struct text_hooks *hooks; /* [opt] borrowed */
  const struct marks *marks;      /* [opt] borrowed */
};

/* Text is NOTICE; statistics of threads and statements are DEBUG messages.  The
 * line before a checkpoint and the histogram also come before a hook's text. */
extern const struct reporter text_reporter;

#endif
