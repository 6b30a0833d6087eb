/*
 * form.h - the parts of reports that only one test has.
 *
 * Pure functions: append to `b`, or pass figures on.
 */
#ifndef BENCH_REPORT_FORM_H
#define BENCH_REPORT_FORM_H

#include <stdbool.h>
#include <stdint.h>

struct report;
struct report_setup;
struct strbuf;

struct figures {
  void *ctx;
  void (*begin)(void *ctx, const char *name);
  void (*end)(void *ctx);
  void (*count)(void *ctx, const char *name, uint64_t value);
  void (*real)(void *ctx, const char *name, double value);
};

struct report_form {
  /* Follows the time, with the line feed.  `percentile`: the text of
   * --percentile. */
  void (*interval)(struct strbuf *b, const struct report_setup *setup,
                   const struct report *r, const char *percentile);

  /* [opt] Lines before the general block. */
  void (*results)(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r);

  /* [opt] Figures for files. */
  void (*figures)(const struct figures *to, const struct report_setup *setup,
                  const struct report *r);

  /* [opt] Columns at the end of --csv: name of number `i` (NULL: no more) and
   * value (NAN: none). */
  const char *(*column)(const struct report_setup *setup, unsigned i);
  double (*value)(const struct report_setup *setup, const struct report *r,
                  unsigned i);

  /* [opt] Replaces the lines of --csv; written at the end. */
  void (*table)(struct strbuf *b, const struct report_setup *setup);

  /* With --rate: text behind the length of the queue; NULL: no such line. */
  const char *queue_mark;

  const char *classes; /* title of the table of classes */
  const char *class;   /* title of its last column */

  bool has_statements;  /* statement times with --db-debug */
  bool measures_itself; /* the client is measured: its CPU time is no warning */
  /* [opt] With measures_itself: the subject and verb of a warning about a
   * missing CPU; NULL: "events per second are". */
  const char *outcome;
  bool measures_times; /* a missing CPU affects times */
  /* Layout 1.1: no general block, fairness or threads; own column widths of
   * latencies. */
  bool is_brief_1_1;
};

/* For threads, mutex, and scripts without a database. */
extern const struct report_form form_events;

/* "-" without events; 0.00 under the name sysbench. */
void form_interval_latency(struct strbuf *b, const struct report_setup *setup,
                           const struct report *r, int decimals);

void form_interval_events(struct strbuf *b, const struct report_setup *setup,
                          const struct report *r, const char *percentile);

#endif
