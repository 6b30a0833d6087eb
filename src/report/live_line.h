/*
 * live_line.h - a line on a terminal: time left, and rate, latency and errors
 * of the last second.  Nothing if stderr is no terminal.
 */
#ifndef BENCH_REPORT_LIVE_LINE_H
#define BENCH_REPORT_LIVE_LINE_H

#include <stdint.h>

#include "base/progress.h"
#include "report/reporter.h"

struct live_line {
  const struct progress_io *io;
  void *io_ctx;
  uint64_t time_ns; /* limit; UINT64_MAX: none */
  uint64_t events;  /* limit; UINT64_MAX: none */
  /* In a sweep: number of the step, and time of later steps (NAN: unknown).
   * steps 0: no sweep. */
  uint64_t step, steps;
  double rest_s;

  /* Sums of all intervals. */
  uint64_t done, errors;
};

extern const struct reporter live_line_reporter; /* ctx: struct live_line */

#endif
