/*
 * metrics.h - the present state of a run as text for Prometheus.
 */
#ifndef BENCH_RESULTS_METRICS_H
#define BENCH_RESULTS_METRICS_H

struct hist_sum;
struct results_shared;
struct strbuf;

enum metrics_format {
  METRICS_TEXT,        /* text/plain; version=0.0.4 */
  METRICS_OPENMETRICS, /* application/openmetrics-text; version=1.0.0 */
};

/* The text, and its format. */
struct metrics_out {
  struct strbuf *b;
  enum metrics_format format;
};

/*
 * Write the numbers since the load began, including the warm-up, up to now.
 * Any thread may call while workers run.  `work` is scratch memory.
 */
void metrics_write(struct strbuf *b, enum metrics_format format,
                   const struct results_shared *shared, struct hist_sum *work);

/* The same for given numbers: cumulative counts of latencies, in seconds.
 * `label` is NULL, or a label of all samples as metrics_label() writes it. */
void metrics_histogram(struct strbuf *b, const char *name, const char *label,
                       const struct hist_sum *h, double sum_s);

/* Write NAME="VALUE", escaped as needed.  A value that is not valid UTF-8 is
 * stored as in documents: byte by byte, as Latin-1. */
void metrics_label(struct strbuf *b, const char *name, const char *value);

/* What the whole machine has done since it was started, and its state now.
 * Files are read below `root`, which is "" for the system itself; `device` is
 * the disk of the test, or "".  What is unknown is left out. */
void metrics_machine(const struct metrics_out *o, const char *root,
                     const char *device);

#endif
