/*
 * prometheus.h - live metrics for a Prometheus server.
 */
#ifndef BENCH_RESULTS_PROMETHEUS_H
#define BENCH_RESULTS_PROMETHEUS_H

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

#endif
