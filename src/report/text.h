/*
 * text.h - reports as text, in two layouts that differ in a few lines.
 *
 * The functions are pure: they append text to `b`.  Many programs parse this
 * text, so no line and no number may be added.  Times are printed in
 * milliseconds or seconds, as each line requires.  Every rate is a count
 * divided by the report's own period.  The parts that only one test has are in
 * its form (form.h).
 */
#ifndef BENCH_REPORT_TEXT_H
#define BENCH_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outage_report;
struct report;
struct report_setup;
struct slo_result;
struct slo_verdict;
struct storm_report;
struct strbuf;

/* One interval line, and with a rate the line about the queue if the test has
 * one. */
void text_interval(struct strbuf *b, const struct report_setup *setup,
                   const struct report *r);

/* The line before the report of a checkpoint. */
void text_checkpoint_header(struct strbuf *b, const struct report *r);

/*
 * A cumulative report is text_results(), then text_common().  They are two
 * functions because the times of statements, which are messages, come between
 * them. text_results() writes the test's lines before the general block.
 */
void text_results(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r);
void text_common(struct strbuf *b, const struct report_setup *setup,
                 const struct report *r);

/* The block of --percentiles, preceded by an empty line; nothing if there are
 * none. */
void text_percentiles(struct strbuf *b, const struct report_setup *setup,
                      const struct report *r);

/* The table of the members of a mix, with a line for each. */
void text_members(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r);

/* The table of --report-classes, preceded by an empty line; nothing if no
 * class occurred.  Returns 0; or -ENOMEM, and nothing is written. */
int text_classes(struct strbuf *b, const struct report_setup *setup,
                 const struct report *r);

/* The outages of a run that had some, followed by an empty line. */
void text_outages(struct strbuf *b, const struct outage_report *r);

/* What became of the clients of storms, followed by an empty line. */
void text_storms(struct strbuf *b, const struct storm_report *of, unsigned n);

/* The verdict on the objective, followed by an empty line. */
void text_slo(struct strbuf *b, const struct slo_verdict *v);
/* What is said of one term: "holds", "does not hold: 12 of 900 were later". */
void text_slo_remark(struct strbuf *b, const struct slo_result *r);

/* The latency histogram, up to the line with a single blank.  Returns 0; or
 * -ENOMEM, and nothing is written. */
int text_histogram(struct strbuf *b, const struct report *r);

/*
 * Debug messages, one per line, without prefix: the times of statements (the
 * first line is empty), and two lines per thread.  The title of the latter is
 * one message that ends with an empty line.
 */
#define TEXT_THREADS_TITLE "Verbose per-thread statistics:\n"
void text_statement_times(struct strbuf *b, const struct report *r);
void text_threads(struct strbuf *b, const struct report *r);

/* ---- the options of a run ---- */

struct text_mode {
  unsigned threads;
  unsigned carriers; /* threads that carry them, which are clients; 0: they are
                      * called threads */
  unsigned idle;     /* of them */
  const char *storm; /* [opt] of clients that come in addition */
  uint64_t warmup_s; /* 0: none */
  double rate;       /* events per second; 0: no rate */
  const char *profile;         /* [opt] of the load; "": none */
  double interval_s;           /* 0: no interval lines */
  size_t n_checkpoints;        /* all that were asked for */
  const uint64_t *checkpoints; /* seconds, ascending; borrowed */
  bool debug;
  bool validate;
  int64_t seed;      /* 0: taken from the clock */
  bool forced;       /* a forced shutdown was asked for */
  uint64_t forced_s; /* whole seconds until then, warm-up included */
  const char *extra; /* [opt] a line of the test; NULL or "": none */
};

/* Write from "Running the test with following options:" to the empty line
 * before the block of the test. */
void text_mode(struct strbuf *b, const struct text_mode *m);

#endif
