/*
 * form.h - the special parts of the reports of a test: its lines in the text,
 * its figures in the files.  A test provides its form (struct test).
 *
 * The functions are pure: they append to `b`, or pass figures on.
 */
#ifndef BENCH_REPORT_FORM_H
#define BENCH_REPORT_FORM_H

#include <stdbool.h>
#include <stdint.h>

struct report;
struct report_setup;
struct strbuf;

/* Takes figures with their names.  Groups may be nested. */
struct figures {
  void *ctx;
  void (*begin)(void *ctx, const char *name);
  void (*end)(void *ctx);
  void (*count)(void *ctx, const char *name, uint64_t value);
  void (*real)(void *ctx, const char *name, double value);
};

struct report_form {
  /* Write the interval line after its time, including the line feed.
   * `percentile` is the number of --percentile as text. */
  void (*interval)(struct strbuf *b, const struct report_setup *setup,
                   const struct report *r, const char *percentile);

  /* [opt] Write the lines before the general block. */
  void (*results)(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r);

  /* [opt] The test's own figures for the files. */
  void (*figures)(const struct figures *to, const struct report_setup *setup,
                  const struct report *r);

  /* [opt] Columns of its own at the end of the lines of --csv: the name of
   * number `i`, NULL after the last one, and its value; NAN: there is none. */
  const char *(*column)(const struct report_setup *setup, unsigned i);
  double (*value)(const struct report_setup *setup, const struct report *r,
                  unsigned i);

  /* [opt] Write the whole of --csv at the end of the run: a line with the names
   * of the columns, and the lines below it.  There are no lines of intervals
   * then. */
  void (*table)(struct strbuf *b, const struct report_setup *setup);

  /* With --rate, the text after the length in the line about the queue; NULL:
   * there is no such line. */
  const char *queue_mark;

  const char *classes; /* title of the table of classes */
  const char *class;   /* title of its last column */

  bool has_statements;  /* --db-debug prints the times of statements */
  bool measures_itself; /* the client itself is measured, so its processor time
                           raises no doubt */
  /* [opt] With measures_itself: what suffers when a processor is missing, with
   * its verb; NULL: "events per second are". */
  const char *outcome;
  bool measures_times; /* times are what suffers */
  /* In the layout of 1.1 there is neither a general block nor one about
   * fairness and threads, and latencies have their own column widths. */
  bool is_brief_1_1;
};

/* For tests that have nothing to add: threads, mutex, scripts without a
 * database. */
extern const struct report_form form_events;

/* The percentile of an interval line: "-" without events, though 0.00 under the
 * name sysbench. */
void form_interval_latency(struct strbuf *b, const struct report_setup *setup,
                           const struct report *r, int decimals);

/* The interval line of that form, which other forms may use. */
void form_interval_events(struct strbuf *b, const struct report_setup *setup,
                          const struct report *r, const char *percentile);

#endif
