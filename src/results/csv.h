/*
 * csv.h - one line of comma-separated values per interval, or the table of a
 * test whose results are no series.
 */
#ifndef BENCH_RESULTS_CSV_H
#define BENCH_RESULTS_CSV_H

#include "report/reporter.h"
#include "results/outfile.h"

struct report;
struct report_setup;
struct results_shared;
struct strbuf;

/* The context of csv_reporter; `file` is open.  Lines are put there, and the
 * caller writes them: see outfile_flush(). */
struct csv {
  struct outfile file;
  const struct results_shared *shared;
};

extern const struct reporter csv_reporter;

/* Write the line of column names, or the line of an interval.  An unknown value
 * is an empty field. */
void csv_header(struct strbuf *b, const struct report_setup *setup,
                const struct results_shared *shared);
void csv_interval(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r, const struct results_shared *shared);

#endif
