/*
 * primes.h - the primes that permutations by squaring need.
 */
#ifndef BENCH_RAND_PRIMES_H
#define BENCH_RAND_PRIMES_H

#include <stdbool.h>
#include <stdint.h>

bool prime_is(uint64_t n);

/* The greatest prime p <= limit with p mod 4 = 3, or 0 if limit < 3. */
uint64_t prime_3mod4_up_to(uint64_t limit);

#endif
