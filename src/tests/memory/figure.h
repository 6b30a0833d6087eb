/*
 * figure.h - named figures of a run, for comparisons of runs.
 */
#ifndef BENCH_TESTS_MEMORY_FIGURE_H
#define BENCH_TESTS_MEMORY_FIGURE_H

#include <stdio.h>

#include "base/compiler.h"

struct facts;

#define FIGURE_BYTES_PER_S "bytes_per_s" /* more is better */
#define FIGURE_NS "ns"                   /* less is better */

/* A key for the facts, printed into an array. */
#define FIGURE_KEY(array, ...) \
  ((void)snprintf(array, sizeof(array), __VA_ARGS__), (array))

/*
 * Add the figure with this name, which has no dot, to `test.figures` of the
 * document.  Infinity and NaN are left out.
 */
void figure_add(struct facts *to, const char *unit, double value,
                const char *name, ...) PRINTF_LIKE(4, 5);

#endif
