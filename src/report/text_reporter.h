/*
 * text_reporter.h - the reporter that prints text on the standard output.
 */
#ifndef BENCH_REPORT_TEXT_REPORTER_H
#define BENCH_REPORT_TEXT_REPORTER_H

#include <stdbool.h>

#include "report/reporter.h"

struct marks;
struct strbuf;

/*
 * What a script may print instead of text.  A function returns false if the
 * script has no such hook at present; then the usual text is printed.  The
 * hooks are called at every verbosity, on the thread that reports.
 * periods_over() comes before the final report and everything that belongs to
 * it: no interval or checkpoint follows.
 */
struct text_hooks {
  bool (*interval)(void *arg, const struct report *r);   /* [opt] */
  bool (*cumulative)(void *arg, const struct report *r); /* [opt] */
  void (*periods_over)(void *arg);                       /* [opt] */
  void *arg;
  /* [opt] Write what follows the last report, whichever was printed; not after
   * an error in an event. */
  void (*append)(void *arg, const struct report *r, struct strbuf *b);
};

/*
 * After an error in an event, the text of the last report begins with "The run
 * ended early: REASON".  It is left out if no event has ended.  When called as
 * sysbench, the whole report is left out, including that of a hook.
 */

/* The context of text_reporter; {0} prints the usual text. */
struct text_reporter {
  const struct text_hooks *hooks; /* [opt], borrowed */
  const struct marks *marks;      /* [opt], borrowed */
};

/*
 * Text is printed as NOTICE, and statistics of threads and statements as DEBUG
 * messages.  The line before a checkpoint and the histogram are also printed
 * before the text of a script's hook.
 */
extern const struct reporter text_reporter;

#endif
