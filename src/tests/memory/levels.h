/*
 * levels.h - plateaus of a staircase of latencies: caches, as they show.
 */
#ifndef BENCH_TESTS_MEMORY_LEVELS_H
#define BENCH_TESTS_MEMORY_LEVELS_H

#include <stddef.h>

enum {
  LEVELS_MAX = 8,
  LEVELS_POINTS_MAX = 512,
};

struct level {
  size_t first, last; /* points of the plateau */
  size_t edge;        /* where the cache ends: the last point below twice this
                       * latency, or nearer to it than to the next plateau */
  double ns;          /* the median of its points */
};

/*
 * Find the plateaus of `n` latencies, those of ascending sizes in even steps of
 * the logarithm.  Constant pieces are fitted to the logarithms (penalised least
 * squares, the penalty from the noise of the points); those that are long
 * enough and clearly above the one before are plateaus.  Returns how many: at
 * least 1 if there are points.
 */
size_t levels_find(const double *ns, size_t n, struct level ret[LEVELS_MAX]);

#endif
