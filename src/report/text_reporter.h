/*
 * text_reporter.h - the reporter that prints text on the standard output.
 */
#ifndef BENCH_REPORT_TEXT_REPORTER_H
#define BENCH_REPORT_TEXT_REPORTER_H

#include <stdbool.h>

#include "report/reporter.h"

/*
 * What a script may print instead.  A function returns false when the script
 * has no such hook at this moment; then the usual text is printed.  Called at
 * every verbosity, on the thread that reports.  periods_over() comes before the
 * final report and all that belongs to it: no interval or checkpoint follows.
 */
struct text_hooks {
  bool (*interval)(void *arg, const struct report *r);   /* [opt] */
  bool (*cumulative)(void *arg, const struct report *r); /* [opt] */
  void (*periods_over)(void *arg);                       /* [opt] */
  void *arg;
};

/*
 * After an error in an event the text of the last report begins with "The run
 * ended early: REASON".  It is left out when no event has ended.  As sysbench
 * the whole report is left out, that of a hook as well.
 */

/* The context of text_reporter; {0} prints all there is. */
struct text_reporter {
  const struct text_hooks *hooks; /* [opt], borrowed */
};

/*
 * Text is NOTICE, statistics of threads and statements are DEBUG messages.
 * The line before a checkpoint and the histogram are printed in front of what
 * a script's hook prints too.
 */
extern const struct reporter text_reporter;

#endif
