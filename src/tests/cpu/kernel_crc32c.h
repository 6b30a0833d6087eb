/*
 * kernel_crc32c.h - the checksum CRC-32C of bytes, for each path of the kernel
 * crc32c.
 */
#ifndef BENCH_TESTS_CPU_KERNEL_CRC32C_H
#define BENCH_TESTS_CPU_KERNEL_CRC32C_H

#include <stdint.h>

enum {
  CRC_BYTES = 1 << 16,
  CRC_TIMES = 8, /* per round; each starts with the last result */
};

struct crc_data {
  unsigned char bytes[CRC_BYTES];
  uint32_t table[8][256]; /* used by the portable path */
};

extern const struct cpu_path cpu_crc32c_fast;

#endif
