/*
 * prometheus.h - live metrics for Prometheus.
 */
#ifndef BENCH_RESULTS_PROMETHEUS_H
#define BENCH_RESULTS_PROMETHEUS_H

#include <stdbool.h>

#include "report/reporter.h"

struct err;
struct hist_sum;
struct prometheus;
struct results_cfg;
struct results_shared;
struct strbuf;

enum metrics_format {
  METRICS_TEXT,        /* text/plain; version=0.0.4 */
  METRICS_OPENMETRICS, /* application/openmetrics-text; version=1.0.0 */
};

struct metrics_out {
  struct strbuf *b;
  enum metrics_format format;
};

/* Since the load began, with the warm-up.  Any thread, while workers run;
 * `work` is scratch. */
void prometheus_write(struct strbuf *b, enum metrics_format format,
                      const struct results_shared *shared,
                      struct hist_sum *work);

/* Cumulative latency counts, in seconds.  `label`: from prometheus_label(), or
 * NULL. */
void prometheus_histogram(struct strbuf *b, const char *name, const char *label,
                          const struct hist_sum *h, double sum_s);

/* NAME="VALUE", escaped; invalid UTF-8 as Latin-1. */
void prometheus_label(struct strbuf *b, const char *name, const char *value);

/* The machine since its start, read below `root` ("": the system); `device`:
 * the disk of the test, or "". Omits unknown figures. */
void prometheus_machine(const struct metrics_out *o, const char *root,
                        const char *device);

int prometheus_new(struct prometheus **ret, const struct results_cfg *cfg,
                   const struct results_shared *shared, struct err *err);
void prometheus_free(struct prometheus *p);

extern const struct reporter prometheus_reporter; /* ctx: struct prometheus */

/*
 * Does an Accept header ("": none) prefer OpenMetrics 1:
 * application/openmetrics-text with a weight not below text/plain?  `*` does
 * not count.
 */
bool prometheus_wants_openmetrics(const char *accept);

#endif
