/*
 * form.h - the parts of reports that only one test has; a test provides its
 * form (struct test).
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

/* Takes named figures; groups may be nested. */
struct figures {
  void *ctx;
  void (*begin)(void *ctx, const char *name);
  void (*end)(void *ctx);
  void (*count)(void *ctx, const char *name, uint64_t value);
  void (*real)(void *ctx, const char *name, double value);
};

struct report_form {
  /* Behind the time, with the line feed; `percentile`: of --percentile, as
   * text. */
  void (*interval)(struct strbuf *b, const struct report_setup *setup,
                   const struct report *r, const char *percentile);

  /* [opt] Lines before the general block. */
  void (*results)(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r);

  /* [opt] Own figures for files. */
  void (*figures)(const struct figures *to, const struct report_setup *setup,
                  const struct report *r);

  /* [opt] Own columns at the end of --csv: the name of number `i` (NULL: no
   * more), and the value; NAN: none. */
  const char *(*column)(const struct report_setup *setup, unsigned i);
  double (*value)(const struct report_setup *setup, const struct report *r,
                  unsigned i);

  /* [opt] The whole of --csv, at the end of the run, in place of lines of
   * intervals. */
  void (*table)(struct strbuf *b, const struct report_setup *setup);

  /* With --rate: text behind the length in the line about the queue; NULL: no
   * such line. */
  const char *queue_mark;

  const char *classes; /* of the table of classes */
  const char *class;   /* last column of that table */

  bool has_statements;  /* statement times with --db-debug */
  bool measures_itself; /* the client is what is measured: its CPU time is no
                           warning */
  /* [opt] With measures_itself: what a missing CPU affects, with the verb;
   * NULL: "events per second are". */
  const char *outcome;
  bool measures_times; /* affects times */
  /* Layout 1.1: neither the general block nor fairness and threads; own column
   * widths of latencies. */
  bool is_brief_1_1;
};

/* Tests without parts of their own: threads, mutex, scripts without a
 * database. */
extern const struct report_form form_events;

/* "-" without events; 0.00 under the name sysbench. */
void form_interval_latency(struct strbuf *b, const struct report_setup *setup,
                           const struct report *r, int decimals);

/* The interval line of default form, for use by others. */
void form_interval_events(struct strbuf *b, const struct report_setup *setup,
                          const struct report *r, const char *percentile);

#endif
