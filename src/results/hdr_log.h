/*
 * hdr_log.h - an HdrHistogram interval log, format 1.3, in nanoseconds.
 *
 * All events have no tag; a class has its name, with `_` for blanks, commas and
 * the like.
 */
#ifndef BENCH_RESULTS_HDR_LOG_H
#define BENCH_RESULTS_HDR_LOG_H

#include "report/reporter.h"
#include "results/outfile.h"

struct results_shared;
struct strbuf;

/* Context of hdr_log_reporter; `file` is open.  The caller writes the lines:
 * outfile_flush(). */
struct hdr_log {
  struct outfile file;
  const struct results_shared *shared;
};

extern const struct reporter hdr_log_reporter;

#endif
