/*
 * kernel_sha256.h - the hash SHA-256 of bytes, for each path of the kernel
 * sha256.
 */
#ifndef BENCH_TESTS_CPU_KERNEL_SHA256_H
#define BENCH_TESTS_CPU_KERNEL_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum {
  SHA_BYTES = 1 << 14,
  SHA_TIMES = 16, /* per round: one long text */
  SHA_BLOCK = 64,
};

struct sha_data {
  unsigned char bytes[SHA_BYTES];
};

extern const uint32_t cpu_sha256_constants[64] CACHE_ALIGNED;

/* Do a round with a function that adds `n` blocks to a state. */
uint64_t cpu_sha256_round(const struct sha_data *d,
                          void (*add)(uint32_t state[8],
                                      const unsigned char *block, size_t n));

extern const struct cpu_path cpu_sha256_fast;

#endif
