/*
 * accept.h - which of the two formats of metrics a reader prefers.
 */
#ifndef BENCH_RESULTS_ACCEPT_H
#define BENCH_RESULTS_ACCEPT_H

#include <stdbool.h>

/*
 * Does the value of an Accept header ask for OpenMetrics 1?  It has to name
 * application/openmetrics-text, and to like it no less than text/plain ("q");
 * `*` is no such wish.  "": there is no header.
 */
bool accept_openmetrics(const char *accept);

#endif
