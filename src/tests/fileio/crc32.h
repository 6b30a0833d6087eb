/*
 * crc32.h - the checksum that zlib and PNG use, eight bytes at a time.
 */
#ifndef BENCH_TESTS_FILEIO_CRC32_H
#define BENCH_TESTS_FILEIO_CRC32_H

#include <stddef.h>
#include <stdint.h>

struct crc32_table {
  uint32_t of[8][256];
};

void crc32_table_init(struct crc32_table *t);
uint32_t crc32_of(const struct crc32_table *t, const void *data, size_t len);

#endif
