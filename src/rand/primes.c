/*
 * primes.c - primality of 64-bit numbers by the test of Miller and Rabin.  With
 * the first twelve primes as bases, the test is exact below 2^64.
 */
#include "rand/primes.h"

#include <stddef.h>

#include "base/compiler.h"

static uint64_t mul_mod(uint64_t x, uint64_t y, uint64_t n)
{
  return (uint64_t)((unsigned __int128)x * y % n);
}

static uint64_t pow_mod(uint64_t x, uint64_t exponent, uint64_t n)
{
  uint64_t power = 1;

  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1)
      power = mul_mod(power, x, n);
    x = mul_mod(x, x, n);
  }
  return power;
}

/* Does the base prove that n, with n - 1 = odd * 2^twos, is composite? */
static bool is_witness(uint64_t base, uint64_t n, uint64_t odd, int twos)
{
  uint64_t x = pow_mod(base, odd, n);

  if (x == 1 || x == n - 1)
    return false;
  for (int i = 1; i < twos; i++) {
    x = mul_mod(x, x, n);
    if (x == n - 1)
      return false;
  }
  return true;
}

bool prime_is(uint64_t n)
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
    if (is_witness(bases[i], n, odd, twos))
      return false;
  }
  return true;
}

uint64_t prime_3mod4_up_to(uint64_t limit)
{
  uint64_t p;

  if (limit < 3)
    return 0;
  p = limit - (limit + 1) % 4; /* limit + 1 may overflow to 0, which is right */
  while (!prime_is(p))
    p -= 4; /* ends at 3 at the latest */
  return p;
}
