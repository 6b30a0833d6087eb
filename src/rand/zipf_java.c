/*
 * zipf_java.c - the "scrambled zipfian" numbers of YCSB, bit for bit.
 *
 * The order of the floating-point operations is part of the definition.
 */
#include "rand/zipf_java.h"

#include <math.h>

#define THETA 0.99
#define ZETA_N 26.46902820178302 /* of 10^10 items */
#define ITEMS UINT64_C(10000000001)

void zipf_java_init(struct zipf_java *z)
{
  const double zeta_2 = 1 + 1 / pow(2, THETA);

  z->alpha = 1 / (1 - THETA);
  z->eta = (1 - pow(2.0 / (double)ITEMS, 1 - THETA)) / (1 - zeta_2 / ZETA_N);
  z->second = 1 + pow(0.5, THETA);
}

uint64_t zipf_java_rank(const struct zipf_java *z, double u)
{
  const double scaled = u * ZETA_N;

  if (scaled < 1)
    return 0;
  if (scaled < z->second)
    return 1;
  return (uint64_t)((double)ITEMS * pow(z->eta * u - z->eta + 1, z->alpha));
}

uint64_t zipf_java_hash(uint64_t rank)
{
  uint64_t hash = UINT64_C(0xCBF29CE484222325);

  for (int i = 0; i < 8; i++) {
    hash ^= rank & 0xFF;
    hash *= UINT64_C(1099511628211);
    rank >>= 8;
  }
  return hash >> 63 ? 0 - hash : hash;
}

uint64_t zipf_java_item(const struct zipf_java *z, double u, uint64_t items)
{
  return zipf_java_hash(zipf_java_rank(z, u)) % items;
}
