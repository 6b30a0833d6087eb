/*
 * least.h - the lesser of two numbers, such as moments.
 */
#ifndef BENCH_BASE_LEAST_H
#define BENCH_BASE_LEAST_H

#include <stdint.h>

static inline uint64_t least(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

#endif
