/*
 * knee.h - the best step of a sweep, and the knee: the smallest value that
 * reaches KNEE_SHARE of the best throughput.
 */
#ifndef BENCH_TOOLS_KNEE_H
#define BENCH_TOOLS_KNEE_H

#include <stddef.h>

#define KNEE_SHARE 0.95
#define KNEE_NONE ((size_t)-1)

/* One step: its throughput (NAN: it failed), and the values of its options,
 * in the order of the options; none is NULL. */
struct knee_step {
  double throughput;
  const char *const *values;
};

/*
 * "Smallest" compares the values of the first option, then those of the next.
 * They are compared as numbers if all values of an option are numbers (with the
 * suffixes K, M, G and T), and otherwise by the order of the steps.  KNEE_NONE:
 * there is no step with a throughput above 0.
 */
size_t knee_best(const struct knee_step *steps, size_t n);
size_t knee_find(const struct knee_step *steps, size_t n, size_t n_options);

#endif
