/*
 * layout.h - the number and size of files, and how requests divide them.
 */
#ifndef BENCH_TESTS_FILEIO_LAYOUT_H
#define BENCH_TESTS_FILEIO_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct fileio_cfg;
struct strbuf;

/* ---- the sizes of requests: one, or several with weights ---- */

#define BLOCKS_MAX 16

struct blocks {
  unsigned n;
  uint64_t size[BLOCKS_MAX];  /* bytes, in the order in which they were given */
  double percent[BLOCKS_MAX]; /* share of the requests */
  uint64_t below[BLOCKS_MAX]; /* draws below it choose the size */
  uint64_t smallest, largest;
};

/*
 * Parse "SIZE", or "SIZE@WEIGHT,SIZE@WEIGHT,...".  -EINVAL: the text has
 * another form; *ret is unchanged.
 */
int blocks_parse(const char *text, struct blocks *ret);

/* Can the text be parsed?  Used by the row of the option. */
bool blocks_good(const char *text);

/* Choose the size of a request with 64 random bits. */
static inline uint64_t blocks_draw(const struct blocks *b, uint64_t random)
{
  unsigned i = 0;

  while (i + 1 < b->n && random >= b->below[i])
    i++;
  return b->size[i];
}

/* Add "Block size 16KiB", or "Block sizes 4KiB (70%), 64KiB (30%)". */
void blocks_describe(const struct blocks *b, struct strbuf *out);

/* The largest single request of the system. */
#define LAYOUT_MAX_BYTES ((UINT64_C(2) << 30) - 4096)

/* With checksums, a block must have room for them. */
enum {
  LAYOUT_MIN_CHECKED = 16
};

struct layout {
  uint64_t files;
  uint64_t file_bytes; /* used part of each; the rest is never touched */
  struct blocks blocks;
  uint64_t block;    /* the largest of `blocks` */
  uint64_t request;  /* bytes; the smallest, if there are several sizes */
  uint64_t per_file; /* requests that cover a file */
  uint64_t places;   /* requests that cover all files */
};

/*
 * Compute the layout from the options.  device_bytes: size of a block device
 * that replaces the files, or 0.  mode: enum file_mode, or -1 if none is needed
 * (prepare and cleanup).  A refused value is reported like that of any option.
 */
int layout_init(struct layout *l, const struct fileio_cfg *cfg,
                uint64_t device_bytes, int mode, bool validate,
                struct err *err);

/*
 * Check the requirements of O_DIRECT: the block size and the size of the files
 * must be multiples of `align`, which the file system needs.
 */
int layout_check_direct(const struct layout *l, uint64_t align,
                        struct err *err);

/*
 * Length of the request at this offset; it is cut off at the end of the file.
 */
static inline uint64_t layout_length(const struct layout *l, uint64_t offset)
{
  const uint64_t left = l->file_bytes - offset;

  return left < l->request ? left : l->request;
}

/* Bytes of the largest request. */
static inline uint64_t layout_largest(const struct layout *l)
{
  return l->request > l->block ? l->request : l->block;
}

/*
 * Write a size for people: "512B" is layout_size_text(512) and a "B": five
 * digits and Ki, Mi, Gi or Ti.
 */
const char *layout_size_text(uint64_t bytes, char *buf, size_t room);

#endif
