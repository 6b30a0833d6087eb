/*
 * coincide_turns.c - by which distances series are turned in a circle.
 */
#include "stats/coincide_turns.h"

#define GOLDEN 0.6180339887498949 /* its multiples are spread best */

static size_t common_divisor(size_t a, size_t b)
{
  while (b > 0) {
    const size_t rest = a % b;

    a = b;
    b = rest;
  }
  return a;
}

size_t coincide_turns(size_t first, size_t last, size_t *ret)
{
  const size_t n = last - first + 1;
  const size_t count = n < COINCIDE_TURNS ? n : COINCIDE_TURNS;
  size_t step = n > count ? (size_t)((double)n * GOLDEN) : 1;

  while (common_divisor(n, step) != 1)
    step--;
  for (size_t i = 0, at = 0; i < count; i++, at = (at + step) % n)
    ret[i] = first + at;
  return count;
}
