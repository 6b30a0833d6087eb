/*
 * text.h - reports as text, in two layouts that differ in a few lines.
 *
 * Pure functions: what they are given becomes text at the end of `b`.  Many
 * programs parse this text; there is no room for one more line or number.
 * Times are printed in milliseconds or seconds as each line demands; every
 * rate is a count divided by the report's own period.  What only one
 * test has is in its form (form.h).
 */
#ifndef BENCH_REPORT_TEXT_H
#define BENCH_REPORT_TEXT_H

struct report;
struct report_setup;
struct strbuf;

/* One interval line, and with a rate the line about the queue where the test
 * has one. */
void text_interval(struct strbuf *b, const struct report_setup *setup,
                   const struct report *r);

/* The line before the report of a checkpoint. */
void text_checkpoint_header(struct strbuf *b, const struct report *r);

/*
 * A cumulative report is text_results(), then text_common().  They are two
 * because the times of statements, which are messages, belong between them.
 * The results are what the test has in front of the general block.
 */
void text_results(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r);
void text_common(struct strbuf *b, const struct report_setup *setup,
                 const struct report *r);

/* The block of --percentiles, with the empty line before it; nothing when
 * there are none. */
void text_percentiles(struct strbuf *b, const struct report_setup *setup,
                      const struct report *r);

/* The table of --report-statements, with the empty line before it; nothing
 * when no class was met.  Returns 0 or -ENOMEM, and then has written nothing.
 */
int text_classes(struct strbuf *b, const struct report_setup *setup,
                 const struct report *r);

/* The latency histogram, down to the line with a single blank.  Returns 0 or
 * -ENOMEM, and then has written nothing. */
int text_histogram(struct strbuf *b, const struct report *r);

/*
 * Debug messages, a line each, without prefix: the times of statements (the
 * first line is empty), and two lines per thread.  The title of the latter is
 * one message that ends with an empty line.
 */
#define TEXT_THREADS_TITLE "Verbose per-thread statistics:\n"
void text_statement_times(struct strbuf *b, const struct report *r);
void text_threads(struct strbuf *b, const struct report *r);

#endif
