/*
 * kernel_crc32c.c - crc32c: the checksum that databases and file systems use
 * for their pages, one byte after another.
 *
 * The portable path reads 8 bytes at a time and looks them up in 8 tables.
 */
#include "tests/cpu/kernel_crc32c.h"

#include "tests/cpu/kernel.h"
#include "tests/cpu/kernel_data.h"

/* The polynomial with its bits reversed. */
#define POLYNOMIAL UINT32_C(0x82f63b78)

static void make_tables(uint32_t table[8][256])
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

static int prepare(void *mem, struct err *err)
{
  struct crc_data *d = mem;
  uint64_t state = 29;

  (void)err;
  for (unsigned i = 0; i < CRC_BYTES; i += 8)
    cpu_store_le64(d->bytes + i, cpu_noise(&state));
  make_tables(d->table);
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

static uint64_t run(void *mem)
{
  uint32_t crc = UINT32_MAX;

  for (unsigned i = 0; i < CRC_TIMES; i++)
    crc = crc_of(mem, crc);
  return ~crc;
}

const struct cpu_kernel cpu_kernel_crc32c = {
  .name = "crc32c",
  .unit = "byte",
  .operations = (uint64_t)CRC_BYTES * CRC_TIMES,
  .result = UINT64_C(0x000000009b811c3a),
  .bytes = sizeof(struct crc_data),
  .prepare = prepare,
  .portable = { .name = "portable", .run = run },
  .fast = &cpu_crc32c_fast,
};
