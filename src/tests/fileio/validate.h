/*
 * validate.h - blocks that can be told from corrupted ones.
 *
 * A block of n bytes at offset o of its file: n - 12 random bytes, their CRC-32
 * (4 bytes), o (8 bytes, signed); numbers in the byte order of the machine.  A
 * block below LAYOUT_LEAST_CHECKED bytes, at the end of a file, has no room for
 * that: it is filled, and not checked.
 */
#ifndef BENCH_TESTS_FILEIO_VALIDATE_H
#define BENCH_TESTS_FILEIO_VALIDATE_H

#include <stdint.h>

#include "tests/fileio/crc32.h"

struct err;

/* Constant after validate_init(). */
struct validate {
  struct crc32_table crc;
  uint64_t block;      /* bytes */
  uint64_t file_bytes; /* where the last block of a file ends */
};

void validate_init(struct validate *v, uint64_t block, uint64_t file_bytes);

/*
 * Fill the blocks of a transfer that begins at a block; *random is the state
 * of the caller's thread, any number at first.  What lies beyond the end of the
 * used part of the file becomes zero bytes.
 */
void validate_fill(const struct validate *v, uint64_t *random, void *data,
                   uint64_t length, uint64_t offset);

/* Check the blocks that were read; `name` is the file's, for the message. */
int validate_check(const struct validate *v, const void *data, uint64_t length,
                   uint64_t offset, const char *name, struct err *err);

#endif
