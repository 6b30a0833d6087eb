/*
 * stream.h - one line with a JSON object per interval, during the run.
 */
#ifndef BENCH_RESULTS_STREAM_H
#define BENCH_RESULTS_STREAM_H

#include "report/reporter.h"
#include "results/outfile.h"

struct results_shared;

/* The context of stream_reporter; `file` is open.  Lines are put there, and the
 * caller writes them: see outfile_flush(). */
struct stream {
  struct outfile file;
  const struct results_shared *shared;
};

extern const struct reporter stream_reporter;

#endif
