/*
 * scramble.h - a keyed permutation of 0..n-1, for any n: a Feistel network on
 * the numbers below the next power of two, repeated while the result is n or
 * more, less than once on average.
 */
#ifndef BENCH_RAND_SCRAMBLE_H
#define BENCH_RAND_SCRAMBLE_H

#include <stdint.h>

enum {
  SCRAMBLE_ROUNDS = 6
};

struct scramble {
  uint64_t n;
  unsigned low_bits;
  uint64_t low_mask, high_mask;
  uint64_t key[SCRAMBLE_ROUNDS];
};

/* n: 1 to 2^62. */
void scramble_init(struct scramble *s, uint64_t key, uint64_t n);

/* Inverse of each other; x < n. */
uint64_t scramble(const struct scramble *s, uint64_t x);
uint64_t scramble_back(const struct scramble *s, uint64_t x);

#endif
