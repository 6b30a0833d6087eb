/*
 * live_line.h - one line on a terminal that follows a run: the time left, and
 * the rate, latency and errors of the last second.
 *
 * A reporter.  It writes to stderr, and only if that is a terminal.
 */
#ifndef BENCH_REPORT_LIVE_LINE_H
#define BENCH_REPORT_LIVE_LINE_H

#include <stdint.h>

#include "base/progress.h"
#include "report/reporter.h"

struct report;
struct report_setup;
struct strbuf;

struct live_line {
  const struct progress_io *io;
  void *io_ctx;
  uint64_t time_ns; /* the time limit; UINT64_MAX: none */
  uint64_t events;  /* the limit of events; UINT64_MAX: none */
  /* Of a sweep: the number of this step, and how long those take that follow
   * it (NAN: not known); no steps: it is no part of one. */
  uint64_t step, steps;
  double rest_s;

  /* What the intervals so far have counted. */
  uint64_t done, errors;
};

extern const struct reporter live_line_reporter; /* ctx: struct live_line */

#endif
