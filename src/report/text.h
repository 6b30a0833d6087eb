/*
 * text.h - reports as text, in two layouts.
 *
 * Pure functions: append to `b`.  Programs parse this text: add no line and no
 * number.  Rates use the report's own period.  Parts of single tests: form.h.
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

/* With --rate, also the line about the queue, if the test has one. */
void text_interval(struct strbuf *b, const struct report_setup *setup,
                   const struct report *r);

void text_checkpoint_header(struct strbuf *b, const struct report *r);

/* A cumulative report is text_results(), then times of statements (messages),
 * then text_common(). */
void text_results(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r);
void text_common(struct strbuf *b, const struct report_setup *setup,
                 const struct report *r);

/* --percentiles: an empty line and the block, or nothing. */
void text_percentiles(struct strbuf *b, const struct report_setup *setup,
                      const struct report *r);

void text_members(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r);

/* --report-classes: an empty line and the table, or nothing. -ENOMEM: writes
 * nothing. */
int text_classes(struct strbuf *b, const struct report_setup *setup,
                 const struct report *r);

/* With an empty line, or nothing. */
void text_outages(struct strbuf *b, const struct outage_report *r);

/* With an empty line, or nothing. */
void text_storms(struct strbuf *b, const struct storm_report *of, unsigned n);

/* With an empty line. */
void text_slo(struct strbuf *b, const struct slo_verdict *v);
/* A term: "holds", "does not hold: 12 of 900 were later". */
void text_slo_remark(struct strbuf *b, const struct slo_result *r);

/* Ends with a line of one blank. -ENOMEM: writes nothing. */
int text_histogram(struct strbuf *b, const struct report *r);

/*
 * Debug messages, one per line.  The first line of text_statement_times() is
 * empty. text_threads() has two lines per thread.  The title is one message
 * with an empty line.
 */
#define TEXT_THREADS_TITLE "Verbose per-thread statistics:\n"
void text_statement_times(struct strbuf *b, const struct report *r);
void text_threads(struct strbuf *b, const struct report *r);

struct text_mode {
  unsigned threads;
  unsigned carriers; /* that carry clients; 0: one each */
  unsigned idle;     /* of them */
  const char *storm; /* [opt] more clients */
  uint64_t warmup_s;
  double rate;
  const char *profile; /* [opt] */
  double interval_s;   /* 0: none */
  size_t n_checkpoints;
  const uint64_t *checkpoints; /* seconds, ascending; borrowed */
  bool debug;
  bool validate;
  int64_t seed; /* 0: from the clock */
  bool forced;
  uint64_t forced_s; /* with the warm-up */
  const char *extra; /* [opt] line of the test */
};

/* From "Running the test with following options:" to the empty line before the
 * test's block. */
void text_mode(struct strbuf *b, const struct text_mode *m);

#endif
