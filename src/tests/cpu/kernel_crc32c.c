/*
 * kernel_crc32c.c - crc32c: the checksum of pages of databases and file
 * systems. The portable path looks up 8 bytes at a time in 8 tables.
 */
#include "base/os/os.h"
#include "tests/cpu/kernel.h"

/* With reversed bits. */
#define POLYNOMIAL UINT32_C(0x82f63b78)

static void crc_make_tables(uint32_t table[8][256])
{
  for (unsigned i = 0; i < 256; i++) {
    uint32_t crc = i;

    for (unsigned bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    table[0][i] = crc;
  }
  for (unsigned t = 1; t < 8; t++) {
    for (unsigned i = 0; i < 256; i++)
      table[t][i] = (table[t - 1][i] >> 8) ^ table[0][table[t - 1][i] & 0xff];
  }
}

static int crc_prepare(void *mem, struct err *err)
{
  struct crc_data *d = mem;
  uint64_t state = 29;

  (void)err;
  for (unsigned i = 0; i < CRC_BYTES; i += 8)
    cpu_store_le64(d->bytes + i, cpu_noise(&state));
  crc_make_tables(d->table);
  return 0;
}

static uint32_t crc_of(const struct crc_data *d, uint32_t crc)
{
  for (unsigned i = 0; i < CRC_BYTES; i += 8) {
    const uint64_t x = cpu_load_le64(d->bytes + i) ^ crc;

    crc = d->table[7][x & 0xff] ^ d->table[6][x >> 8 & 0xff] ^
          d->table[5][x >> 16 & 0xff] ^ d->table[4][x >> 24 & 0xff] ^
          d->table[3][x >> 32 & 0xff] ^ d->table[2][x >> 40 & 0xff] ^
          d->table[1][x >> 48 & 0xff] ^ d->table[0][x >> 56];
  }
  return crc;
}

static uint64_t crc_run(void *mem)
{
  uint32_t crc = UINT32_MAX;

  for (unsigned i = 0; i < CRC_TIMES; i++)
    crc = crc_of(mem, crc);
  return ~crc;
}

#if defined(__x86_64__)

#include <nmmintrin.h>

/* Newer clang: a feature of its own. */
#if defined(__clang__) && __clang_major__ >= 15
#define TARGET __attribute__((target("sse4.2,crc32")))
#else
#define TARGET __attribute__((target("sse4.2")))
#endif
#define STEP(crc, x) ((uint32_t)_mm_crc32_u64(crc, x))
#define NAME "sse4.2"

static bool crc_fast_works(void)
{
  return __builtin_cpu_supports("sse4.2");
}

#elif defined(CPU_FAST_ON_ARM)

#define TARGET __attribute__((target("+crc")))
#ifdef __clang__
#define STEP(crc, x) __builtin_arm_crc32cd(crc, x)
#else
#define STEP(crc, x) __builtin_aarch64_crc32cx(crc, x)
#endif
#define NAME "crc"

static bool crc_fast_works(void)
{
  return os_arm_has(OS_ARM_CRC32);
}

#endif

#ifdef TARGET

TARGET static uint64_t run(void *mem)
{
  const struct crc_data *d = mem;
  uint32_t crc = UINT32_MAX;

  for (unsigned t = 0; t < CRC_TIMES; t++) {
    for (unsigned i = 0; i < CRC_BYTES; i += 8)
      crc = STEP(crc, cpu_load_le64(d->bytes + i));
  }
  return ~crc;
}

static const struct cpu_path crc_fast = { NAME, crc_fast_works, run };

#else

static const struct cpu_path crc_fast = { .name = "none" };

#endif

const struct cpu_kernel cpu_kernel_crc32c = {
  .name = "crc32c",
  .unit = "byte",
  .operations = (uint64_t)CRC_BYTES * CRC_TIMES,
  .result = UINT64_C(0x000000009b811c3a),
  .bytes = sizeof(struct crc_data),
  .prepare = crc_prepare,
  .portable = { .name = "portable", .run = crc_run },
  .fast = &crc_fast,
};
