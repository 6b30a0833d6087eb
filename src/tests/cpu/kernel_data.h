/*
 * kernel_data.h - helpers that kernels share: numbers that look random and are
 * the same everywhere, bytes in a fixed order, and a checksum.  For kernels
 * only.
 */
#ifndef BENCH_TESTS_CPU_KERNEL_DATA_H
#define BENCH_TESTS_CPU_KERNEL_DATA_H

#include <stdint.h>
#include <string.h>

/*
 * Scatter the bits of a number over all 64.  Different numbers stay different.
 */
static inline uint64_t cpu_scatter(uint64_t x)
{
  x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
  x = (x ^ (x >> 29)) * UINT64_C(0xa0761d6478bd642f);
  return x ^ (x >> 32);
}

/* Return the next number of a sequence that begins with *state. */
static inline uint64_t cpu_noise(uint64_t *state)
{
  *state += UINT64_C(0x9e3779b97f4a7c15);
  return cpu_scatter(*state);
}

/* Add `x` to a checksum `sum`; the order matters. */
static inline uint64_t cpu_sum(uint64_t sum, uint64_t x)
{
  sum = (sum ^ x) * UINT64_C(0x9fb21c651e98df25);
  return sum ^ (sum >> 31);
}

/* Load with the first byte lowest, on all machines. */
static inline uint64_t cpu_load_le64(const void *p)
{
  uint64_t x;

  memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  x = __builtin_bswap64(x);
#endif
  return x;
}

static inline void cpu_store_le64(void *p, uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  x = __builtin_bswap64(x);
#endif
  memcpy(p, &x, sizeof(x));
}

/* Load with the first byte highest. */
static inline uint32_t cpu_load_be32(const void *p)
{
  uint32_t x;

  memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  x = __builtin_bswap32(x);
#endif
  return x;
}

static inline void cpu_store_be32(void *p, uint32_t x)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  x = __builtin_bswap32(x);
#endif
  memcpy(p, &x, sizeof(x));
}

/* Sum bytes, whose number is a multiple of 8. */
static inline uint64_t cpu_sum_bytes(uint64_t sum, const void *p, size_t bytes)
{
  const unsigned char *at = p;

  for (size_t i = 0; i < bytes; i += 8)
    sum = cpu_sum(sum, cpu_load_le64(at + i));
  return sum;
}

#endif
