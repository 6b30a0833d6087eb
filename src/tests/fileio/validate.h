/*
 * validate.h - blocks that show whether they were corrupted.
 *
 * A block of n bytes at offset o of its file: n - 12 random bytes, their CRC-32
 * (4), o (8, signed), in the byte order of the machine. Blocks below
 * LAYOUT_MIN_CHECKED bytes, at the end of a file, are not checked.
 *
 * With room, the last 16 random bytes are a mark: a constant (8), the number of
 * the file (4), and a generation (4) that each prepare changes, which shows
 * replaced files. Blocks of older versions and of sysbench have no mark;
 * sysbench takes marks for random bytes.
 */
#ifndef BENCH_TESTS_FILEIO_VALIDATE_H
#define BENCH_TESTS_FILEIO_VALIDATE_H

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

struct err;

static inline uint32_t validate_crc(const void *p, size_t n)
{
  return (uint32_t)crc32_z(0, p, n);
}

/*
 * Stamps: where, when and by which thread blocks were written. Byte order of
 * the machine.
 *
 * Each part of STAMP_PART bytes (the last one has up to twice as many) begins
 * with a stamp; the rest is random. So the pieces of a partly written block
 * show their origin. Blocks below STAMP_MIN_BLOCK bytes are not checked.
 */

enum {
  STAMP_PART = 512, /* disks write no less at once */
  STAMP_MIN_BLOCK = 64,
};

struct stamp {
  uint64_t run;
  uint64_t generation; /* number of the write, from 1 */
  uint64_t offset;     /* of the part, in the file */
  uint32_t file;
  uint32_t writer; /* thread */
};

enum stamp_kind {
  STAMP_GOOD,   /* right checksum */
  STAMP_BROKEN, /* wrong checksum */
  STAMP_ZEROS,
  STAMP_FOREIGN,
};

/* 0: no room for a stamp. */
static inline uint64_t stamp_parts(uint64_t n)
{
  if (n < STAMP_MIN_BLOCK)
    return 0;
  return n < STAMP_PART ? 1 : n / STAMP_PART;
}

static inline uint64_t stamp_part_bytes(uint64_t n, uint64_t i)
{
  return i + 1 < stamp_parts(n) ? STAMP_PART : n - i * STAMP_PART;
}

/* s->offset is that of the block. */
void stamp_fill(const struct stamp *s, void *block, uint64_t n);

/* Sets *ret if there is a stamp, which can be wrong in a broken part. */
enum stamp_kind stamp_look(const void *part, uint64_t n, struct stamp *ret);

/* Constant after validate_init(), but for the generation. */
struct validate {
  uint64_t block;
  uint64_t file_bytes; /* end of the last block */
  uint32_t generation;
};

enum {
  VALIDATE_TAIL = 28,  /* mark and checksum */
  VALIDATE_MARKED = 32 /* smallest block with a mark */
};

uint32_t validate_new_generation(uint64_t seed, uint64_t moment);

enum validate_kind {
  VALIDATE_NONE, /* or unknown */
  VALIDATE_UNMARKED,
  VALIDATE_MARK, /* *ret_generation is set */
};

/* By the tail of a file's first block. */
enum validate_kind validate_look(const void *tail, uint32_t *ret_generation);

void validate_init(struct validate *v, uint64_t block, uint64_t file_bytes);

/* A transfer from a block boundary; *random is of the thread, any number at
 * first. Bytes beyond the used part become zero. */
void validate_fill(const struct validate *v, uint64_t *random, void *data,
                   uint64_t length, uint64_t file, uint64_t offset);

int validate_check(const struct validate *v, const void *data, uint64_t length,
                   uint64_t file, uint64_t offset, const char *name,
                   struct err *err);

/*
 * Reads the begin of a file. True: the first and most blocks are zeros, or have
 * checksums or stamps; or there is one with either. `block`: probable size;
 * others are tried, too. False also if reading fails.
 */
bool owned_by_fileio(int fd, uint64_t bytes, uint64_t block);

#endif
