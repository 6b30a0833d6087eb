/*
 * uniq.c - squares modulo a prime p with p mod 4 = 3.
 *
 * -1 is no square modulo p, so the squares of 0..(p-1)/2 differ from the
 * negative squares of the other numbers below p: together they are a
 * permutation of 0..p-1. Numbers from p up stay where they are.
 */
#include "stats/rand/uniq.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "stats/rand/rng.h"

static uint64_t prime_mul_mod(uint64_t x, uint64_t y, uint64_t n)
{
  return (uint64_t)((unsigned __int128)x * y % n);
}

static uint64_t prime_pow_mod(uint64_t x, uint64_t exponent, uint64_t n)
{
  uint64_t power = 1;

  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1)
      power = prime_mul_mod(power, x, n);
    x = prime_mul_mod(x, x, n);
  }
  return power;
}

/* n - 1 = odd * 2^twos. True: n is composite. */
static bool prime_is_witness(uint64_t base, uint64_t n, uint64_t odd, int twos)
{
  uint64_t x = prime_pow_mod(base, odd, n);

  if (x == 1 || x == n - 1)
    return false;
  for (int i = 1; i < twos; i++) {
    x = prime_mul_mod(x, x, n);
    if (x == n - 1)
      return false;
  }
  return true;
}

bool uniq_is_prime(uint64_t n)
{
  static const uint64_t bases[] = {
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37
  };
  uint64_t odd;
  int twos;

  if (n < 2)
    return false;
  for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
    if (n % bases[i] == 0)
      return n == bases[i];
  }
  twos = __builtin_ctzll(n - 1);
  odd = (n - 1) >> twos;
  for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
    if (prime_is_witness(bases[i], n, odd, twos))
      return false;
  }
  return true;
}

uint64_t uniq_prime_up_to(uint64_t limit)
{
  uint64_t p;

  if (limit < 3)
    return 0;
  p = limit - (limit + 1) % 4; /* limit + 1 may overflow to 0, which is right */
  while (!uniq_is_prime(p))
    p -= 4; /* ends at 3 at the latest */
  return p;
}

enum {
  UNIQ_MASK = 0x6A09E667,
  OTHERS = UNIQ_RANGES - 1
};

#define PRIME32 UINT64_C(4294967291) /* 2^32 - 5 */

static uint32_t uniq_permute32(uint32_t x)
{
  const uint32_t square = (uint32_t)((uint64_t)x * x % PRIME32);

  if (UNLIKELY(x >= PRIME32))
    return x;
  return x <= PRIME32 / 2 ? square : (uint32_t)PRIME32 - square;
}

void uniq_done(struct uniq *u)
{
  free(u->others);
  u->others = NULL;
}

void uniq_init(struct uniq *u, uint64_t seed, enum uniq_from from,
               uint64_t slot, uint64_t slots)
{
  struct rng rng;

  rng_seed(&rng, seed, RNG_UNIQUE, 0);
  *u = (struct uniq){
    .from = from,
    .slot = slot,
    .slots = slots,
    .step = (uint32_t)slots,
  };
  u->next = (uint32_t)(rng_next(&rng) >> 32);
  if (from == UNIQ_END) {
    u->next += UINT32_MAX - (uint32_t)slot;
    u->step = 0 - u->step;
  } else {
    u->next += (from == UNIQ_MIDDLE ? UINT32_C(1) << 31 : 0) + (uint32_t)slot;
  }
  u->offset = (uint32_t)(rng_next(&rng) >> 32);
  u->key = rng_next(&rng);
}

uint32_t uniq_next(struct uniq *u)
{
  const uint32_t i = u->next;

  u->next = i + u->step;
  return uniq_permute32((uniq_permute32(i) + u->offset) ^ UNIQ_MASK);
}

static uint64_t uniq_permute(uint64_t x, uint64_t prime)
{
  uint64_t square;

  if (x >= prime)
    return x;
  if (prime <= UINT32_MAX)
    square = x * x % prime;
  else
    square = (uint64_t)((unsigned __int128)x * x % prime);
  return x <= prime / 2 ? square : prime - square;
}

/* (x + y) mod (width + 1) for x, y <= width. */
static uint64_t uniq_add_within(uint64_t x, uint64_t y, uint64_t width)
{
  return y <= width - x ? x + y : y - (width - x) - 1;
}

static uint64_t uniq_place(const struct uniq *u, const struct uniq_range *r)
{
  switch (u->from) {
  case UNIQ_END:
    return r->width - r->pos;
  case UNIQ_MIDDLE:
    return uniq_add_within(r->pos, r->width / 2, r->width);
  default:
    return r->pos;
  }
}

/* 0..width in an order that depends on the round. */
static uint64_t uniq_permuted(const struct uniq *u, const struct uniq_range *r)
{
  struct rng rng;
  uint64_t x = uniq_place(u, r);

  rng_seed_key(&rng, rng_mix(u->key + r->round));
  for (int i = 0; i < 3; i++) {
    x = uniq_add_within(x, rng_below(&rng, r->width + 1), r->width);
    x = uniq_permute(x, r->prime);
  }
  return x;
}

static void uniq_range_seek(struct uniq_range *r, unsigned __int128 count)
{
  const unsigned __int128 n = (unsigned __int128)r->width + 1;

  r->round = (uint64_t)(count / n);
  r->pos = (uint64_t)(count % n);
}

static void uniq_range_step(struct uniq_range *r, uint64_t step)
{
  const uint64_t left = r->width - r->pos;

  if (LIKELY(step <= left)) {
    r->pos += step;
    return;
  }
  step -= left + 1; /* to the first position of the next round */
  if (step > r->width) {
    r->round += step / (r->width + 1); /* width < step, so no overflow */
    step %= r->width + 1;
  }
  r->round++;
  r->pos = step;
}

static struct uniq_range *uniq_range_oldest(struct uniq *u)
{
  struct uniq_range *r = &u->first;

  if (r->used == 0)
    return r;
  if (!u->others)
    u->others = calloc(OTHERS, sizeof(*u->others));
  for (size_t i = 0; u->others && i < OTHERS; i++) {
    if (u->others[i].used < r->used)
      r = &u->others[i];
  }
  return r;
}

static struct uniq_range *uniq_range_replace(struct uniq *u, int64_t a,
                                             uint64_t width)
{
  struct uniq_range *r = uniq_range_oldest(u);

  if (r->taken > u->forgotten)
    u->forgotten = r->taken;
  *r = (struct uniq_range){
    .a = a,
    .width = width,
    .taken = u->forgotten,
    .prime = uniq_prime_up_to(width < UINT64_MAX ? width + 1 : width),
  };
  uniq_range_seek(r, (unsigned __int128)u->forgotten * u->slots + u->slot);
  return r;
}

static bool uniq_range_is(const struct uniq_range *r, int64_t a, uint64_t width)
{
  return r->width == width && r->a == a;
}

static struct uniq_range *uniq_range_of(struct uniq *u, int64_t a,
                                        uint64_t width)
{
  if (uniq_range_is(&u->first, a, width))
    return &u->first;
  for (size_t i = 0; u->others && i < OTHERS; i++) {
    if (uniq_range_is(&u->others[i], a, width))
      return &u->others[i];
  }
  return uniq_range_replace(u, a, width);
}

int64_t uniq_in_range(struct uniq *u, int64_t a, int64_t b)
{
  const uint64_t width = b > a ? (uint64_t)b - (uint64_t)a : 0;
  struct uniq_range *r;
  uint64_t value;

  if (width == 0)
    return a;
  if (a == 0 && width == UINT32_MAX)
    return uniq_next(u);
  r = uniq_range_of(u, a, width);
  value = uniq_permuted(u, r);
  r->used = ++u->calls;
  r->taken++;
  uniq_range_step(r, u->slots);
  return (int64_t)((uint64_t)a + value);
}
