/*
 * minmax.h - the smaller of two numbers, such as points in time.
 */
#ifndef BENCH_BASE_MINMAX_H
#define BENCH_BASE_MINMAX_H

#include <stdint.h>

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

#endif
