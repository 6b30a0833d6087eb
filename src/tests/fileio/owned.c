/*
 * owned.c - see owned.h.
 */
#include "tests/fileio/owned.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fileio/crc32.h"
#include "tests/fileio/stamp.h"
#include "tests/fileio/validate.h"

enum {
  OWNED_WINDOW = 256 << 10, /* more zeros than any format begins with */
  OWNED_SMALLEST = 512,
};

struct owned {
  struct crc32_table crc;
  const unsigned char *data;
  uint64_t n; /* bytes */
};

/* Parts of a block may be of different runs, or not written yet. */
static bool owned_has_stamps(const struct owned *o, uint64_t at, uint64_t n)
{
  for (uint64_t i = 0; i < stamp_parts(n); i++) {
    struct stamp ignored;

    if (stamp_look(&o->crc, o->data + at + i * STAMP_PART,
                   stamp_part_bytes(n, i), &ignored) == STAMP_FOREIGN)
      return false;
  }
  return stamp_parts(n) > 0;
}

static bool owned_block(const struct owned *o, uint64_t at, uint64_t n)
{
  const unsigned char *p = o->data + at;

  return (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0) ||
         validate_is_block(&o->crc, p, n, at) || owned_has_stamps(o, at, n);
}

/* Is it a file with blocks of this size?  A disk may have damaged some. */
static bool owned_blocks(const struct owned *o, uint64_t size)
{
  const uint64_t block = size < o->n ? size : o->n;
  const uint64_t all = o->n / block;
  uint64_t good = 0;

  if (!owned_block(o, 0, block))
    return false;
  for (uint64_t i = 0; i < all; i++)
    good += owned_block(o, i * block, block);
  return good * 2 > all;
}

static bool owned_any_size(const struct owned *o, uint64_t block)
{
  if (block >= OWNED_SMALLEST && owned_blocks(o, block))
    return true;
  for (uint64_t size = OWNED_SMALLEST; size <= OWNED_WINDOW; size *= 2) {
    if (owned_blocks(o, size))
      return true;
  }
  return false;
}

bool owned_by_fileio(int fd, uint64_t bytes, uint64_t block)
{
  const uint64_t window = block > OWNED_WINDOW ? block : OWNED_WINDOW;
  const uint64_t want = bytes < window ? bytes : window;
  struct owned o = { .n = 0 };
  unsigned char *data = malloc(want > 0 ? want : 1);
  bool owned = want == 0;

  if (data && want > 0) {
    const ssize_t n = pread(fd, data, want, 0);

    crc32_table_init(&o.crc);
    o.data = data;
    o.n = n < 0 ? 0 : (uint64_t)n;
    owned = o.n == want && (owned_any_size(&o, block) ||
                            validate_finds_block(&o.crc, data, o.n));
  }
  free(data);
  return owned;
}
