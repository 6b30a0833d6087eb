/*
 * rng.h - random streams: xoroshiro128++ of Blackman and Vigna (period 2^128 -
 * 1). SplitMix64 fills the state from a key of seed, purpose and index in about
 * ten nanoseconds, so every row can have a stream. One thread at a time.
 */
#ifndef BENCH_RAND_RNG_H
#define BENCH_RAND_RNG_H

#include <stdint.h>

#include "base/compiler.h"

struct rng {
  uint64_t s[2]; /* never both zero */
};

/* Parts of the keys: a new purpose in the middle would change the meaning of
 * every seed. */
enum rng_purpose {
  RNG_WORKLOAD = 1, /* index: worker; its draws during the run */
  RNG_COMMAND,      /* index: worker; the same in parallel commands */
  RNG_MAIN,         /* index: rank; the main script state */
  RNG_ROWS,         /* indexes: table, row; generated rows */
  RNG_UNIQUE,       /* index: 0; the sequence of unique numbers */
  RNG_ARRIVALS,     /* index: rank; due times of events */
  RNG_HOOKS,        /* index: 0, 1; script states of report threads */
  RNG_INTERNAL,     /* index: any; draws of the program itself */
  RNG_THINK,        /* index: worker; its pauses between events */
  RNG_CHURN,        /* index: worker; how long its connections live */
  RNG_MIX,          /* index: worker; the members of a mix */
};

/* Without --rand-seed, except for a run. */
#define RNG_SEED_FIXED UINT64_C(42)

#define RNG_GAMMA UINT64_C(0x9E3779B97F4A7C15)

/* A permutation; every bit depends on all bits. */
static inline uint64_t rng_mix(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* Different for all indexes of a seed and purpose, and for all seeds of a
 * purpose and index. */
static inline uint64_t rng_key(uint64_t seed, enum rng_purpose purpose,
                               uint64_t index)
{
  const uint64_t base = seed + (uint64_t)purpose * UINT64_C(0xD1342543DE82EF95);

  return rng_mix(rng_mix(base) + index * RNG_GAMMA);
}

/* rng_mix() is a permutation, so at most one word is zero. */
static inline void rng_seed_key(struct rng *rng, uint64_t key)
{
  rng->s[0] = rng_mix(key + RNG_GAMMA);
  rng->s[1] = rng_mix(key + 2 * RNG_GAMMA);
}

static inline void rng_seed(struct rng *rng, uint64_t seed,
                            enum rng_purpose purpose, uint64_t index)
{
  rng_seed_key(rng, rng_key(seed, purpose, index));
}

/* The stream (purpose, (major, minor)), such as the rows of table `major`,
 * whose minors have different keys. */
static inline void rng_seed2(struct rng *rng, uint64_t seed,
                             enum rng_purpose purpose, uint64_t major,
                             uint64_t minor)
{
  const uint64_t base = rng_key(seed, purpose, major);

  rng_seed_key(rng, rng_mix(base + minor * RNG_GAMMA));
}

static inline uint64_t rng_rotl(uint64_t x, int by)
{
  return (x << by) | (x >> (64 - by));
}

static inline uint64_t rng_next(struct rng *rng)
{
  const uint64_t s0 = rng->s[0];
  const uint64_t s1 = rng->s[1] ^ s0;
  const uint64_t x = rng_rotl(s0 + rng->s[1], 17) + s0;

  rng->s[0] = rng_rotl(s0, 49) ^ s1 ^ (s1 << 21);
  rng->s[1] = rng_rotl(s1, 28);
  return x;
}

/* Uniform among the multiples of 2^-53 in [0, 1). */
static inline double rng_double(struct rng *rng)
{
  return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

/* floor(x * y / 2^64); *ret_low gets the lower 64 bits. */
static inline uint64_t rng_mulhi(uint64_t x, uint64_t y, uint64_t *ret_low)
{
  const unsigned __int128 product = (unsigned __int128)x * y;

  *ret_low = (uint64_t)product;
  return (uint64_t)(product >> 64);
}

/* Uniform over 0..n-1 without bias; n = 0: 2^64. */
static inline uint64_t rng_below(struct rng *rng, uint64_t n)
{
  const uint64_t x = rng_next(rng);
  uint64_t low, value;

  if (UNLIKELY(n == 0))
    return x;
  value = rng_mulhi(x, n, &low);
  if (UNLIKELY(low < n)) {
    const uint64_t surplus = -n % n; /* 2^64 mod n: draws to reject */

    while (UNLIKELY(low < surplus))
      value = rng_mulhi(rng_next(rng), n, &low);
  }
  return value;
}

/* With mean 1: the gap of a Poisson process. */
double rng_exponential(struct rng *rng);

/* Different for each process and nanosecond, in 1..2^53-1, which JSON readers
 * read exactly. */
int64_t rand_seed_from_clock(void);

#endif
