/*
 * levels.h - finds the plateaus of a staircase of latencies, which are the
 * caches.
 */
#ifndef BENCH_TESTS_MEMORY_LEVELS_H
#define BENCH_TESTS_MEMORY_LEVELS_H

#include <stddef.h>

enum {
  LEVELS_MAX = 8,
  LEVELS_POINTS_MAX = 512,
};

struct level {
  size_t first, last; /* first and last point */
  size_t edge;        /* the end of the cache: the last point below twice
                       * this latency, or nearer to it than to the next
                       * plateau */
  double past;        /* and this part of the way to the next point, 0 to 1 */
  double ns;          /* median of its points */
};

/*
 * Find the plateaus of `n` latencies.  Their sizes must ascend in even steps of
 * the logarithm.  Constant pieces are fitted to the logarithms (penalised least
 * squares; the penalty follows from the noise of the points).  Pieces that are
 * long enough and clearly above the previous one are plateaus.  Returns how
 * many: at least 1 if there are points.
 */
size_t levels_find(const double *ns, size_t n, struct level ret[LEVELS_MAX]);

#endif
