/*
 * prometheus.h - live metrics for a Prometheus server.
 */
#ifndef BENCH_RESULTS_PROMETHEUS_H
#define BENCH_RESULTS_PROMETHEUS_H

#include <stdbool.h>

#include "report/reporter.h"

struct err;
struct prometheus;
struct results_cfg;
struct results_shared;

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
