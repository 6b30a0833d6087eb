/*
 * crc32.c - the checksum that zlib and PNG use, eight bytes at a time.
 */
#include "tests/fileio/crc32.h"

#include <endian.h>
#include <string.h>

#define POLYNOMIAL UINT32_C(0xEDB88320) /* reflected */

void crc32_table_init(struct crc32_table *t)
{
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;

    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    t->of[0][i] = crc;
  }
  /* In table k, k zero bytes follow the byte. */
  for (uint32_t i = 0; i < 256; i++) {
    for (int k = 1; k < 8; k++)
      t->of[k][i] = t->of[k - 1][i] >> 8 ^ t->of[0][t->of[k - 1][i] & 255];
  }
}

uint32_t crc32_of(const struct crc32_table *t, const void *data, size_t len)
{
  const unsigned char *p = data;
  uint32_t crc = UINT32_MAX;

  for (; len >= 8; len -= 8, p += 8) {
    uint64_t word;

    memcpy(&word, p, sizeof(word));
    word = le64toh(word) ^ crc;
    crc = t->of[7][word & 255] ^ t->of[6][word >> 8 & 255] ^
          t->of[5][word >> 16 & 255] ^ t->of[4][word >> 24 & 255] ^
          t->of[3][word >> 32 & 255] ^ t->of[2][word >> 40 & 255] ^
          t->of[1][word >> 48 & 255] ^ t->of[0][word >> 56];
  }
  for (; len > 0; len--, p++)
    crc = crc >> 8 ^ t->of[0][(crc ^ *p) & 255];
  return ~crc;
}
