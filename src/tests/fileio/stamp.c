/*
 * stamp.c - blocks that say where, when and by which thread they were written.
 */
#include "tests/fileio/stamp.h"

#include <stdbool.h>
#include <string.h>

#include "rand/rng.h"
#include "tests/fileio/crc32.h"

struct header {
  uint32_t crc; /* of all bytes after it */
  uint32_t writer;
  uint64_t magic;
  uint64_t run, generation, offset;
  uint32_t file, bytes; /* bytes of the part */
};

/* One of 2^64 random parts has this number by chance. */
#define MAGIC UINT64_C(0x6b1de7c4095af283)

_Static_assert(sizeof(struct header) <= STAMP_MIN_BLOCK,
               "the smallest block has room for it");

static void fill_part(const struct crc32_table *crc, const struct stamp *s,
                      unsigned char *part, uint64_t n)
{
  struct header h = {
    .writer = s->writer,
    .magic = MAGIC,
    .run = s->run,
    .generation = s->generation,
    .offset = s->offset,
    .file = s->file,
    .bytes = (uint32_t)n,
  };
  uint64_t random = rng_mix(s->run ^ rng_mix(s->generation + s->offset));

  for (uint64_t at = sizeof(h); at < n; at += sizeof(random)) {
    const uint64_t word = rng_mix(random += RNG_GAMMA);
    const uint64_t left = n - at;

    memcpy(part + at, &word, left < sizeof(word) ? left : sizeof(word));
  }
  memcpy(part, &h, sizeof(h));
  h.crc = crc32_of(crc, part + sizeof(h.crc), n - sizeof(h.crc));
  memcpy(part, &h.crc, sizeof(h.crc));
}

void stamp_fill(const struct crc32_table *crc, const struct stamp *s,
                void *block, uint64_t n)
{
  const uint64_t parts = stamp_parts(n);
  struct stamp part = *s;

  if (parts == 0)
    memset(block, (int)(s->generation & 255), n);
  for (uint64_t i = 0; i < parts; i++) {
    part.offset = s->offset + i * STAMP_PART;
    fill_part(crc, &part, (unsigned char *)block + i * STAMP_PART,
              stamp_part_bytes(n, i));
  }
}

static bool is_zero(const unsigned char *p, uint64_t n)
{
  return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

enum stamp_kind stamp_look(const struct crc32_table *crc, const void *part,
                           uint64_t n, struct stamp *ret)
{
  struct header h;

  memcpy(&h, part, sizeof(h));
  if (h.magic != MAGIC)
    return is_zero(part, n) ? STAMP_ZEROS : STAMP_FOREIGN;
  *ret = (struct stamp){
    .run = h.run,
    .generation = h.generation,
    .offset = h.offset,
    .file = h.file,
    .writer = h.writer,
  };
  return h.bytes == n &&
             h.crc == crc32_of(crc, (const char *)part + sizeof(h.crc),
                               n - sizeof(h.crc))
           ? STAMP_GOOD
           : STAMP_BROKEN;
}
