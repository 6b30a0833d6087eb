/*
 * scramble.h - a keyed permutation of the numbers 0..n-1, for any n.
 *
 * A Feistel network permutes the numbers below the next power of two.  It is
 * applied again while the result is n or more, less than once on average.
 */
#ifndef BENCH_RAND_SCRAMBLE_H
#define BENCH_RAND_SCRAMBLE_H

#include <stdint.h>

enum {
  SCRAMBLE_ROUNDS = 6
};

struct scramble {
  uint64_t n;
  unsigned low_bits;             /* of the lower half */
  uint64_t low_mask, high_mask;  /* of both halves */
  uint64_t key[SCRAMBLE_ROUNDS]; /* of the rounds */
};

/* `n` is from 1 to 2^62. */
void scramble_init(struct scramble *s, uint64_t key, uint64_t n);

/* x < n; the two functions are the inverse of each other. */
uint64_t scramble(const struct scramble *s, uint64_t x);
uint64_t scramble_back(const struct scramble *s, uint64_t x);

#endif
