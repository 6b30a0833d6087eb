/*
 * metrics.h - the present state of a run as text for Prometheus.
 */
#ifndef BENCH_RESULTS_METRICS_H
#define BENCH_RESULTS_METRICS_H

#include <stdbool.h>

struct hist_sum;
struct results_shared;
struct strbuf;

enum metrics_format {
  METRICS_TEXT,        /* text/plain; version=0.0.4 */
  METRICS_OPENMETRICS, /* application/openmetrics-text; version=1.0.0 */
};

/*
 * Does the value of an Accept header ask for OpenMetrics 1?  It has to name
 * application/openmetrics-text, and to like it no less than text/plain ("q");
 * `*` is no such wish.  "": there is no header.
 */
bool metrics_wants_openmetrics(const char *accept);

/*
 * Everything since the load began, the warm-up included, up to now; any thread
 * may call while workers work.  `work` is for the function's own use.
 */
void metrics_write(struct strbuf *b, enum metrics_format format,
                   const struct results_shared *shared, struct hist_sum *work);

/* The same of given numbers: cumulative counts of latencies, in seconds. */
void metrics_histogram(struct strbuf *b, const char *name,
                       const struct hist_sum *h, double sum_s);

/* NAME="VALUE" with what needs it escaped.  A value that is no valid UTF-8 is
 * stored as in documents: byte by byte, as Latin-1. */
void metrics_label(struct strbuf *b, const char *name, const char *value);

#endif
