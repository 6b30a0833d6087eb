/*
 * figure.h - samples of a run, and figures for comparisons.
 */
#ifndef BENCH_TESTS_FIGURE_H
#define BENCH_TESTS_FIGURE_H

#include <stddef.h>
#include <stdio.h>

#include "base/compiler.h"

struct facts;

void figure_sort(double *of, size_t n);

/* `q` is 0 to 1. NAN: no numbers. */
double figure_quantile(const double *sorted, size_t n, double q);

/* The median distance from the median; `scratch` has room for n. */
double figure_mad(const double *sorted, size_t n, double *scratch);

#define FIGURE_BYTES_PER_S "bytes_per_s"
#define FIGURE_NS "ns"

#define FIGURE_KEY(array, ...) \
  ((void)snprintf(array, sizeof(array), __VA_ARGS__), (array))

/* Adds `test.figures.NAME`, where NAME has no dot. Infinity and NaN are left
 * out. */
void figure_add(struct facts *to, const char *unit, double value,
                const char *name, ...) PRINTF_LIKE(4, 5);

#endif
