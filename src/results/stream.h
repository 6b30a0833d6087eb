/*
 * stream.h - a JSON object per interval and line.
 */
#ifndef BENCH_RESULTS_STREAM_H
#define BENCH_RESULTS_STREAM_H

#include "report/reporter.h"
#include "results/outfile.h"

struct results_shared;

/* Context of stream_reporter; `file` is open.  The caller writes the lines:
 * outfile_flush(). */
struct stream {
  struct outfile file;
  const struct results_shared *shared;
};

extern const struct reporter stream_reporter;

#endif
