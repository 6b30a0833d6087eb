/*
 * hash.c - FNV-1a, MurmurHash2 and a pseudorandom permutation.
 */
#include "sqlfile/hash.h"

#include "rand/rng.h"

int64_t hash_fnv1a(int64_t value, int64_t seed)
{
  uint64_t bytes = (uint64_t)value;
  uint64_t h = UINT64_C(0xCBF29CE484222325) ^ (uint64_t)seed;

  for (int i = 0; i < 8; i++) {
    h = (h ^ (bytes & 0xFF)) * UINT64_C(0x100000001B3);
    bytes >>= 8;
  }
  return (int64_t)h;
}

int64_t hash_murmur2(int64_t value, int64_t seed)
{
  const uint64_t m = UINT64_C(0xC6A4A7935BD1E995);
  uint64_t h = (uint64_t)seed ^ (8 * m);
  uint64_t k = (uint64_t)value * m;

  k = (k ^ (k >> 47)) * m;
  h = (h ^ k) * m;
  h = (h ^ (h >> 47)) * m;
  return (int64_t)(h ^ (h >> 47));
}

/* ---- the permutation ---- */

/* xoroshiro128** of Blackman and Vigna: the permutation is defined by it. */
struct keys {
  uint64_t a, b;
};

static struct keys keys_of(uint64_t seed)
{
  const struct keys k = { rng_mix(seed + RNG_GAMMA),
                          rng_mix(seed + 2 * RNG_GAMMA) };

  return k;
}

static uint64_t next_key(struct keys *k)
{
  const uint64_t both = k->a ^ k->b;
  const uint64_t key = rng_rotl(k->a * 5, 7) * 9;

  k->a = rng_rotl(k->a, 24) ^ both ^ (both << 16);
  k->b = rng_rotl(both, 37);
  return key;
}

/* A key of 0..last: the highest bits, drawn again if they are too large. */
static uint64_t next_key_up_to(struct keys *k, uint64_t last)
{
  uint64_t key;

  if (last == 0)
    return 0;
  do {
    key = next_key(k) >> __builtin_clzll(last);
  } while (key > last);
  return key;
}

/* A bijection of the numbers below 2^bits, whose mask is given. */
static uint64_t scramble(uint64_t v, uint64_t factor, uint64_t flip,
                         uint64_t mask, int bits)
{
  v = ((v * factor) ^ flip) & mask;
  return ((v << 1) & mask) | (v >> (bits - 1));
}

/*
 * Each round scrambles the lower numbers below a power of two, then the upper
 * ones in the same way, and shifts all of them.
 */
int64_t hash_permute(int64_t value, int64_t size, int64_t seed)
{
  enum {
    ROUNDS = 6
  };
  const uint64_t n = (uint64_t)size;
  struct keys keys = keys_of((uint64_t)seed);
  uint64_t v = (uint64_t)value % n;
  int bits;
  uint64_t mask;

  if (n == 1)
    return 0;
  bits = 63 - __builtin_clzll(n);
  mask = (UINT64_C(1) << bits) - 1;
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t factor = (next_key(&keys) & mask) | 1;
    uint64_t flip = next_key(&keys) & mask;

    if (v <= mask)
      v = scramble(v, factor, flip, mask, bits);
    factor = (next_key(&keys) & mask) | 1;
    flip = next_key(&keys) & mask;
    if (n - 1 - v <= mask)
      v = n - 1 - scramble(n - 1 - v, factor, flip, mask, bits);
    v = (v + next_key_up_to(&keys, n - 1)) % n;
  }
  return (int64_t)v;
}
