/*
 * knee.h - the best step of a sweep, and the knee: the smallest value that
 * reaches KNEE_SHARE of the best throughput.
 */
#ifndef BENCH_TOOLS_KNEE_H
#define BENCH_TOOLS_KNEE_H

#include <stddef.h>

#define KNEE_SHARE 0.95
#define KNEE_NONE ((size_t)-1)

/* A step: throughput (NAN: failed) and the values of its options, not NULL. */
struct knee_step {
  double throughput;
  const char *const *values;
};

/*
 * "Smallest" compares the first option, then the next: as numbers (with
 * suffixes K, M, G and T) if all values are, otherwise by the order of steps.
 * KNEE_NONE: no throughput is above 0.
 */
size_t knee_best(const struct knee_step *steps, size_t n);
size_t knee_find(const struct knee_step *steps, size_t n, size_t n_options);

#endif
