/*
 * levels.h - finds the plateaus of latencies: the caches.
 */
#ifndef BENCH_TESTS_MEMORY_LEVELS_H
#define BENCH_TESTS_MEMORY_LEVELS_H

#include <stddef.h>

enum {
  LEVELS_MAX = 8,
  LEVELS_POINTS_MAX = 512,
};

struct level {
  size_t first, last; /* points */
  size_t edge; /* the end of the cache: the last point below twice this latency,
                  or nearer to it than to the next plateau */
  double past; /* part of the way to the next point, 0 to 1 */
  double ns;
};

/*
 * The sizes ascend in even steps of the logarithm. Constant pieces are fitted
 * to the logarithms (penalised least squares; the penalty follows from the
 * noise). Long pieces clearly above the last one are plateaus. Returns their
 * number: at least 1 if there are points.
 */
size_t levels_find(const double *ns, size_t n, struct level ret[LEVELS_MAX]);

#endif
