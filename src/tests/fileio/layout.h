/*
 * layout.h - the number and size of files, and how requests divide them.
 */
#ifndef BENCH_TESTS_FILEIO_LAYOUT_H
#define BENCH_TESTS_FILEIO_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/fileio/options.h"

struct err;
struct strbuf;

/* "Block size 16KiB", or "Block sizes 4KiB (70%), 64KiB (30%)". */
void layout_describe_blocks(const struct blocks *b, struct strbuf *out);

/* The system's largest request. */
#define LAYOUT_MAX_BYTES ((UINT64_C(2) << 30) - 4096)

/* for checksums */
enum {
  LAYOUT_MIN_CHECKED = 16
};

struct layout {
  uint64_t files;
  uint64_t file_bytes; /* used part of each */
  struct blocks blocks;
  uint64_t block;    /* the largest */
  uint64_t request;  /* bytes; the smallest */
  uint64_t per_file; /* requests */
  uint64_t places;
};

/* device_bytes: 0 for files. mode: enum file_mode, or -1 (prepare, cleanup).
 * Errors name the option. */
int layout_init(struct layout *l, const struct fileio_cfg *cfg,
                uint64_t device_bytes, int mode, bool validate,
                struct err *err);

/* For O_DIRECT. */
int layout_check_direct(const struct layout *l, uint64_t align,
                        struct err *err);

/* Up to the end of the file. */
static inline uint64_t layout_length(const struct layout *l, uint64_t offset)
{
  const uint64_t left = l->file_bytes - offset;

  return left < l->request ? left : l->request;
}

static inline uint64_t layout_largest(const struct layout *l)
{
  return l->request > l->block ? l->request : l->block;
}

/* Five digits and Ki, Mi, Gi or Ti; the caller adds "B". */
const char *layout_size_text(uint64_t bytes, char *buf, size_t room);

#endif
