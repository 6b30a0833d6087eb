/*
 * scramble.c - the halves may differ by a bit. A round changes one half by a
 * function of the other, so it can be undone.
 */
#include "stats/rand/scramble.h"

#include <assert.h>

#include "stats/rand/rng.h"

void scramble_init(struct scramble *s, uint64_t key, uint64_t n)
{
  unsigned bits = 0;

  assert(n >= 1 && n <= UINT64_C(1) << 62);
  while (UINT64_C(1) << bits < n)
    bits++;
  *s = (struct scramble){ .n = n, .low_bits = bits / 2 };
  s->low_mask = (UINT64_C(1) << s->low_bits) - 1;
  s->high_mask = (UINT64_C(1) << (bits - s->low_bits)) - 1;
  for (unsigned i = 0; i < SCRAMBLE_ROUNDS; i++)
    s->key[i] = rng_mix(key + (i + 1) * RNG_GAMMA);
}

uint64_t scramble(const struct scramble *s, uint64_t x)
{
  do {
    uint64_t low = x & s->low_mask, high = x >> s->low_bits;

    for (unsigned i = 0; i < SCRAMBLE_ROUNDS; i += 2) {
      high ^= rng_mix(low + s->key[i]) & s->high_mask;
      low ^= rng_mix(high + s->key[i + 1]) & s->low_mask;
    }
    x = high << s->low_bits | low;
  } while (x >= s->n);
  return x;
}

uint64_t scramble_back(const struct scramble *s, uint64_t x)
{
  do {
    uint64_t low = x & s->low_mask, high = x >> s->low_bits;

    for (unsigned i = SCRAMBLE_ROUNDS; i > 0; i -= 2) {
      low ^= rng_mix(high + s->key[i - 1]) & s->low_mask;
      high ^= rng_mix(low + s->key[i - 2]) & s->high_mask;
    }
    x = high << s->low_bits | low;
  } while (x >= s->n);
  return x;
}
