/*
 * hash.h - functions of SQL files that mix the bits of integers.  The results
 * are those of pgbench, so that the same keys are popular.
 */
#ifndef BENCH_SQLFILE_HASH_H
#define BENCH_SQLFILE_HASH_H

#include <stdint.h>

/* FNV-1a and MurmurHash2 (64A) of the eight bytes of `value`, the lowest
 * first. */
int64_t hash_fnv1a(int64_t value, int64_t seed);
int64_t hash_murmur2(int64_t value, int64_t seed);

/*
 * The place of `value` modulo `size` in a permutation of 0..size-1, which
 * depends on the seed.  size > 0.
 */
int64_t hash_permute(int64_t value, int64_t size, int64_t seed);

#endif
