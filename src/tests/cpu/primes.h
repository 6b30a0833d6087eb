/*
 * primes.h - the work of the cpu test without kernels.
 */
#ifndef BENCH_TESTS_CPU_PRIMES_H
#define BENCH_TESTS_CPU_PRIMES_H

#include <math.h>
#include <stdint.h>

/*
 * The number of primes from 3 up to, but not including, `limit`.  Trial
 * division up to a square root in floating point, slow on purpose: a better
 * algorithm, or only other arithmetic, would make the results incomparable with
 * published ones.
 */
static inline uint64_t primes_count(uint64_t limit)
{
  uint64_t found = 0;

  for (uint64_t n = 3; n < limit; n++) {
    const double root = sqrt((double)n);
    uint64_t d = 2;

    while ((double)d <= root && n % d != 0)
      d++;
    found += (double)d > root;
  }
  return found;
}

#endif
