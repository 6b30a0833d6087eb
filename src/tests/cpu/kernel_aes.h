/*
 * kernel_aes.h - encryption with AES-128 in counter mode, for each path of the
 * kernel aes.
 */
#ifndef BENCH_TESTS_CPU_KERNEL_AES_H
#define BENCH_TESTS_CPU_KERNEL_AES_H

#include <stdint.h>

enum {
  AES_BLOCK = 16,
  AES_ROUNDS = 10,
  AES_BYTES = 1 << 14,
  AES_TIMES = 32,  /* times that a round of the kernel goes over the bytes */
  AES_AT_ONCE = 8, /* independent blocks */
};

struct aes_data {
  unsigned char bytes[AES_BYTES];               /* the plain text */
  unsigned char out[AES_BYTES];                 /* encrypted */
  unsigned char key[AES_ROUNDS + 1][AES_BLOCK]; /* the key of each round */
  unsigned char nonce[AES_BLOCK]; /* its last four bytes are the counter */
  uint32_t table[256];            /* portable path: a column of a round */
  unsigned char box[256];
};

/*
 * Do a round of the kernel: encrypt() adds the key stream to `out`, starting
 * with the given block number.
 */
uint64_t cpu_aes_round(struct aes_data *d,
                       void (*encrypt)(struct aes_data *d, uint32_t counter));

extern const struct cpu_path cpu_aes_fast;

#endif
