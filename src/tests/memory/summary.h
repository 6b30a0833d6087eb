/*
 * summary.h - summarizes samples.
 */
#ifndef BENCH_TESTS_MEMORY_SUMMARY_H
#define BENCH_TESTS_MEMORY_SUMMARY_H

#include <stddef.h>

/* Sort ascending. */
void summary_sort(double *of, size_t n);

/* A quantile of sorted numbers, between 0 and 1; NAN if there are none. */
double summary_quantile(const double *sorted, size_t n, double q);

/* The median distance from the median; `scratch` holds n numbers. */
double summary_mad(const double *sorted, size_t n, double *scratch);

#endif
