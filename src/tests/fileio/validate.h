/*
 * validate.h - blocks that show whether they were corrupted.
 *
 * A block of n bytes at offset o of its file has n - 12 random bytes, their
 * CRC-32 (4 bytes), and o (8 bytes, signed).  Numbers are in the byte order of
 * the machine.  A block below LAYOUT_MIN_CHECKED bytes, at the end of a file,
 * has no room for that: it is filled, and not checked.
 *
 * The last 16 of the random bytes are a mark, if there is room: a constant (8
 * bytes), the number of the file (4), and the generation of the files (4),
 * which changes with each prepare.  Thus a file that replaced another is
 * noticed.  Blocks without a mark, which older versions and sysbench write, are
 * still accepted, and sysbench takes the mark for random bytes.
 */
#ifndef BENCH_TESTS_FILEIO_VALIDATE_H
#define BENCH_TESTS_FILEIO_VALIDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/fileio/crc32.h"

struct err;

/* Constant after validate_init(). */
struct validate {
  struct crc32_table crc;
  uint64_t block;      /* bytes */
  uint64_t file_bytes; /* where the last block of a file ends */
  uint32_t generation; /* of the files; set by the caller */
};

enum {
  VALIDATE_TAIL = 28,  /* bytes of mark and checksum at the end of a block */
  VALIDATE_MARKED = 32 /* blocks of this size have a mark */
};

/* Make a new generation from any two numbers. */
uint32_t validate_new_generation(uint64_t seed, uint64_t moment);

enum validate_kind {
  VALIDATE_NONE,     /* no checksum, or unknown */
  VALIDATE_UNMARKED, /* a checksum without a mark */
  VALIDATE_MARK,     /* *ret_generation is set */
};

/* Classify the tail of the first block of a file. */
enum validate_kind validate_look(const void *tail, uint32_t *ret_generation);

void validate_init(struct validate *v, uint64_t block, uint64_t file_bytes);

/*
 * Fill the blocks of a transfer that begins at a block boundary; *random is the
 * state of the caller's thread, any number at first.  Bytes after the used part
 * of the file become zero.
 */
void validate_fill(const struct validate *v, uint64_t *random, void *data,
                   uint64_t length, uint64_t file, uint64_t offset);

/* Is it a whole block of n bytes at this offset, with its checksum? */
bool validate_is_block(const struct crc32_table *crc, const void *block,
                       uint64_t n, uint64_t offset);

/* Is there such a block with a mark, wherever and however large? */
bool validate_finds_block(const struct crc32_table *crc, const void *data,
                          uint64_t n);

/* Check the blocks that were read; `name` is the file's, for the message. */
int validate_check(const struct validate *v, const void *data, uint64_t length,
                   uint64_t file, uint64_t offset, const char *name,
                   struct err *err);

#endif
