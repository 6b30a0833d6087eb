/*
 * groups.c - random digits in groups, three digits at a time.
 *
 * The digits are looked up, which takes one load and one store for three of
 * them. The tables stay in the first-level cache beside the data of the
 * database driver.
 */
#include "load/groups.h"

#include <string.h>

#include "base/compiler.h"
#include "rand/rng.h"

/* The digits of 0..99, and of 0..999 with what follows the last digit of a
 * group.  Entries have four bytes, because four bytes are moved at once. */
#define PAIR(a, b) \
  {                \
    a, b           \
  }
#define PAIRS(a)                                                        \
  PAIR(a, '0'), PAIR(a, '1'), PAIR(a, '2'), PAIR(a, '3'), PAIR(a, '4'), \
    PAIR(a, '5'), PAIR(a, '6'), PAIR(a, '7'), PAIR(a, '8'), PAIR(a, '9')
#define TRIPLE(a, b, c) \
  {                     \
    a, b, c, '-'        \
  }
#define TRIPLES(a, b)                                                         \
  TRIPLE(a, b, '0'), TRIPLE(a, b, '1'), TRIPLE(a, b, '2'), TRIPLE(a, b, '3'), \
    TRIPLE(a, b, '4'), TRIPLE(a, b, '5'), TRIPLE(a, b, '6'),                  \
    TRIPLE(a, b, '7'), TRIPLE(a, b, '8'), TRIPLE(a, b, '9')
#define HUNDRED(a)                                                      \
  TRIPLES(a, '0'), TRIPLES(a, '1'), TRIPLES(a, '2'), TRIPLES(a, '3'),   \
    TRIPLES(a, '4'), TRIPLES(a, '5'), TRIPLES(a, '6'), TRIPLES(a, '7'), \
    TRIPLES(a, '8'), TRIPLES(a, '9')

static const char pairs[100][2] = {
  PAIRS('0'), PAIRS('1'), PAIRS('2'), PAIRS('3'), PAIRS('4'),
  PAIRS('5'), PAIRS('6'), PAIRS('7'), PAIRS('8'), PAIRS('9'),
};

static const char triples[1000][4] = {
  HUNDRED('0'), HUNDRED('1'), HUNDRED('2'), HUNDRED('3'), HUNDRED('4'),
  HUNDRED('5'), HUNDRED('6'), HUNDRED('7'), HUNDRED('8'), HUNDRED('9'),
};

/*
 * One draw x is enough for a group: the integer part of x * 10^11 / 2^64, two
 * or three digits at a time.  One draw in 10^8 is rejected, because some digits
 * would be more likely than others.
 */
static inline void fill(struct rng *rng, char *to)
{
  const uint64_t e11 = UINT64_C(100000000000);
  const uint64_t surplus = -e11 % e11;
  uint64_t part[4], rest;

  do {
    part[0] = rng_mulhi(rng_next(rng), 100, &rest);
    part[1] = rng_mulhi(rest, 1000, &rest);
    part[2] = rng_mulhi(rest, 1000, &rest);
    part[3] = rng_mulhi(rest, 1000, &rest);
  } while (UNLIKELY(rest < surplus));
  memcpy(to, pairs[part[0]], 2);
  memcpy(to + 2, triples[part[1]], 4);
  memcpy(to + 5, triples[part[2]], 4);
  memcpy(to + 8, triples[part[3]], 4);
}

void groups_fill(struct rng *rng, unsigned n, char *to)
{
  struct rng local = *rng; /* a copy can live in registers */

  for (unsigned i = 0; i < n; i++)
    fill(&local, to + (size_t)i * GROUP);
  *rng = local;
}
