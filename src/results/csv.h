/*
 * csv.h - a line of comma-separated values per interval, or the table of a test
 * without intervals.
 */
#ifndef BENCH_RESULTS_CSV_H
#define BENCH_RESULTS_CSV_H

#include "report/reporter.h"
#include "results/outfile.h"

struct report;
struct report_setup;
struct results_shared;
struct strbuf;

/* Context of csv_reporter; `file` is open.  The caller calls
 * outfile_flush(). */
struct csv {
  struct outfile file;
  const struct results_shared *shared;
};

extern const struct reporter csv_reporter;

/* Unknown values are empty. */
void csv_header(struct strbuf *b, const struct report_setup *setup,
                const struct results_shared *shared);
void csv_interval(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r, const struct results_shared *shared);

#endif
