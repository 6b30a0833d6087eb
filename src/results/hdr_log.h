/*
 * hdr_log.h - an HdrHistogram interval log, format 1.3, in nanoseconds.
 *
 * The histogram of all events has no tag.  That of a class has the name of the
 * class, with blanks, commas and similar characters replaced by `_`.
 */
#ifndef BENCH_RESULTS_HDR_LOG_H
#define BENCH_RESULTS_HDR_LOG_H

#include "report/reporter.h"
#include "results/outfile.h"

struct results_shared;
struct strbuf;

/* The context of hdr_log_reporter; `file` is open.  Lines are put there, and
 * the caller writes them: see outfile_flush(). */
struct hdr_log {
  struct outfile file;
  const struct results_shared *shared;
};

extern const struct reporter hdr_log_reporter;

#endif
