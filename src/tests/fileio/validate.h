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
#include <zlib.h>

struct err;

/* The checksum of blocks and stamps: CRC-32. */
static inline uint32_t validate_crc(const void *p, size_t n)
{
  return (uint32_t)crc32_z(0, p, n);
}

/* ---- stamp ---- */

/*
 * Blocks that say where, when and by which thread they were written.
 *
 * A block is written in parts of STAMP_PART bytes; the last part has what is
 * left, up to twice as much.  Each part begins with a stamp, and the rest is
 * random.  Thus a block that was written only partly shows where each piece
 * comes from.  A block below STAMP_MIN_BLOCK bytes, at the end of a file, has
 * no room for a stamp: it is filled, and not checked.
 *
 * Numbers are in the byte order of the machine.
 */

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
void stamp_fill(const struct stamp *s, void *block, uint64_t n);

/*
 * Look at a part of n bytes.  *ret is set if there is a stamp; that of a broken
 * part may be wrong.
 */
enum stamp_kind stamp_look(const void *part, uint64_t n, struct stamp *ret);

/* Constant after validate_init(). */
struct validate {
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

/* Check the blocks that were read; `name` is the file's, for the message. */
int validate_check(const struct validate *v, const void *data, uint64_t length,
                   uint64_t file, uint64_t offset, const char *name,
                   struct err *err);

/* ---- did fileio write this file?  Its blocks answer that ---- */

/*
 * Look at the beginning of a file of `bytes` bytes.  True: the first block and
 * most of the others are zeros, as those of prepare and run are, or have the
 * checksums of --validate or --file-io-verify; or there is a block with the
 * mark of --validate.  `block` is the block size that is likely; others are
 * tried, too.  False also if the file cannot be read.
 */
bool owned_by_fileio(int fd, uint64_t bytes, uint64_t block);

#endif
