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

/* Opens the port of --prometheus. */
int prometheus_new(struct prometheus **ret, const struct results_cfg *cfg,
                   const struct results_shared *shared, struct err *err);
void prometheus_free(struct prometheus *p);

extern const struct reporter prometheus_reporter; /* ctx: struct prometheus */

/*
 * Does the value of an Accept header ask for OpenMetrics 1?  It must name
 * application/openmetrics-text, with a weight ("q") that is not below that of
 * text/plain.  `*` does not count.  "": there is no header.
 */
bool prometheus_wants_openmetrics(const char *accept);

#endif
