/*
 * stamp.h - blocks that say where, when and by which thread they were written.
 *
 * A block is written in parts of STAMP_PART bytes; the last part has what is
 * left, up to twice as much.  Each part begins with a stamp, and the rest is
 * random.  Thus a block that was written only partly shows where each piece
 * comes from.  A block below STAMP_MIN_BLOCK bytes, at the end of a file, has
 * no room for a stamp: it is filled, and not checked.
 *
 * Numbers are in the byte order of the machine.
 */
#ifndef BENCH_TESTS_FILEIO_STAMP_H
#define BENCH_TESTS_FILEIO_STAMP_H

#include <stdint.h>

struct crc32_table;

enum {
  STAMP_PART = 512, /* no disk writes less than this at once */
  STAMP_MIN_BLOCK = 64,
};

struct stamp {
  uint64_t run;        /* number of the run that wrote the part */
  uint64_t generation; /* each write of a run has a number, from 1 */
  uint64_t offset;     /* of the part in its file, bytes */
  uint32_t file;
  uint32_t writer; /* thread, from 0 */
};

/* What a part of a block contains. */
enum stamp_kind {
  STAMP_GOOD,    /* a stamp, and the checksum is right */
  STAMP_BROKEN,  /* a stamp, and the checksum is wrong */
  STAMP_ZEROS,   /* only zeros */
  STAMP_FOREIGN, /* anything else */
};

/*
 * Number of parts of a block of n bytes; 0: it has no room for a stamp.
 */
static inline uint64_t stamp_parts(uint64_t n)
{
  if (n < STAMP_MIN_BLOCK)
    return 0;
  return n < STAMP_PART ? 1 : n / STAMP_PART;
}

/* Bytes of part `i` of them. */
static inline uint64_t stamp_part_bytes(uint64_t n, uint64_t i)
{
  return i + 1 < stamp_parts(n) ? STAMP_PART : n - i * STAMP_PART;
}

/* Fill the n bytes of a block; s->offset is that of the block. */
void stamp_fill(const struct crc32_table *crc, const struct stamp *s,
                void *block, uint64_t n);

/*
 * Look at a part of n bytes.  *ret is set if there is a stamp; that of a broken
 * part may be wrong.
 */
enum stamp_kind stamp_look(const struct crc32_table *crc, const void *part,
                           uint64_t n, struct stamp *ret);

#endif
