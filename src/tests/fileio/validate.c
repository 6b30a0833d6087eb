#include "tests/fileio/validate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "stats/rand/rng.h"
#include "tests/fileio/layout.h"

/* ---- stamps ---- */

struct header {
  uint32_t crc; /* of the bytes after it */
  uint32_t writer;
  uint64_t magic;
  uint64_t run, generation, offset;
  uint32_t file, bytes;
};

/* One of 2^64 random parts has this number. */
#define STAMP_MAGIC UINT64_C(0x6b1de7c4095af283)

_Static_assert(sizeof(struct header) <= STAMP_MIN_BLOCK,
               "the smallest block has room for it");

static void validate_stamp_fill_part(const struct stamp *s, unsigned char *part,
                                     uint64_t n)
{
  struct header h = {
    .writer = s->writer,
    .magic = STAMP_MAGIC,
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
  h.crc = validate_crc((const char *)part + sizeof(h.crc), n - sizeof(h.crc));
  memcpy(part, &h.crc, sizeof(h.crc));
}

void stamp_fill(const struct stamp *s, void *block, uint64_t n)
{
  const uint64_t parts = stamp_parts(n);
  struct stamp part = *s;

  if (parts == 0)
    memset(block, (int)(s->generation & 255), n);
  for (uint64_t i = 0; i < parts; i++) {
    part.offset = s->offset + i * STAMP_PART;
    validate_stamp_fill_part(&part, (unsigned char *)block + i * STAMP_PART,
                             stamp_part_bytes(n, i));
  }
}

static bool validate_stamp_is_zero(const unsigned char *p, uint64_t n)
{
  return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

enum stamp_kind stamp_look(const void *part, uint64_t n, struct stamp *ret)
{
  struct header h;

  memcpy(&h, part, sizeof(h));
  if (h.magic != STAMP_MAGIC)
    return validate_stamp_is_zero(part, n) ? STAMP_ZEROS : STAMP_FOREIGN;
  *ret = (struct stamp){
    .run = h.run,
    .generation = h.generation,
    .offset = h.offset,
    .file = h.file,
    .writer = h.writer,
  };
  return h.bytes == n &&
             h.crc == validate_crc((const char *)part + sizeof(h.crc),
                                   n - sizeof(h.crc))
           ? STAMP_GOOD
           : STAMP_BROKEN;
}

/* ---- checksums ---- */

struct trailer {
  uint32_t crc;
  int64_t offset;
} __attribute__((packed));

struct mark {
  uint64_t magic;
  uint32_t file;
  uint32_t generation;
} __attribute__((packed));

#define MAGIC UINT64_C(0x9f3c6e1db2a74805)

_Static_assert(sizeof(struct mark) + sizeof(struct trailer) == VALIDATE_TAIL,
               "what the header says");

uint32_t validate_new_generation(uint64_t seed, uint64_t moment)
{
  return (uint32_t)(rng_mix(seed ^ rng_mix(moment)) >> 32);
}

enum validate_kind validate_look(const void *tail, uint32_t *ret_generation)
{
  struct trailer t;
  struct mark m;

  memcpy(&m, tail, sizeof(m));
  memcpy(&t, (const char *)tail + sizeof(m), sizeof(t));
  if (t.offset != 0 || t.crc == 0)
    return VALIDATE_NONE;
  if (m.magic != MAGIC)
    return VALIDATE_UNMARKED;
  *ret_generation = m.generation;
  return VALIDATE_MARK;
}

void validate_init(struct validate *v, uint64_t block, uint64_t file_bytes)
{
  v->block = block;
  v->file_bytes = file_bytes;
  v->generation = 0;
}

/* `length` bytes of the block are there. */
static uint64_t validate_used_bytes(const struct validate *v, uint64_t offset,
                                    uint64_t length)
{
  const uint64_t left = offset < v->file_bytes ? v->file_bytes - offset : 0;
  const uint64_t block = length < v->block ? length : v->block;

  return left < block ? left : block;
}

static void validate_fill_random(uint64_t *random, unsigned char *p, uint64_t n)
{
  while (n > 0) {
    const uint64_t word = rng_mix(*random += RNG_GAMMA);
    const uint64_t part = n < sizeof(word) ? n : sizeof(word);

    memcpy(p, &word, part);
    p += part;
    n -= part;
  }
}

void validate_fill(const struct validate *v, uint64_t *random, void *data,
                   uint64_t length, uint64_t file, uint64_t offset)
{
  const struct mark m = { MAGIC, (uint32_t)file, v->generation };
  unsigned char *p = data;

  while (length > 0) {
    const uint64_t block = length < v->block ? length : v->block;
    const uint64_t n = validate_used_bytes(v, offset, length);

    if (n < LAYOUT_MIN_CHECKED) {
      validate_fill_random(random, p, n);
    } else {
      const uint64_t body = n - sizeof(struct trailer);
      struct trailer t = { .offset = (int64_t)offset };

      validate_fill_random(random, p, body);
      if (n >= VALIDATE_MARKED)
        memcpy(p + body - sizeof(m), &m, sizeof(m));
      t.crc = validate_crc(p, body);
      memcpy(p + body, &t, sizeof(t));
    }
    memset(p + n, 0, block - n);
    p += block;
    offset += block;
    length -= block;
  }
}

static int validate_check_mark(const struct validate *v, const unsigned char *p,
                               uint64_t n, uint64_t file, uint64_t offset,
                               const char *name, struct err *err)
{
  struct mark m;

  if (n < VALIDATE_MARKED)
    return 0;
  memcpy(&m, p + n - VALIDATE_TAIL, sizeof(m));
  if (m.magic != MAGIC)
    return 0;
  if (m.file != (uint32_t)file)
    return err_set(err, -EBADMSG,
                   "Validation failed in file '%s' at offset %" PRIu64
                   ": the data is that of file number %" PRIu32
                   ". Was the file replaced by another one?",
                   name, offset, m.file);
  if (m.generation != v->generation)
    return err_set(err, -EBADMSG,
                   "Validation failed in file '%s' at offset %" PRIu64
                   ": the data comes from another prepare than that of file "
                   "number 0. Was one of the files replaced by an older copy?",
                   name, offset);
  return 0;
}

static bool validate_is_block(const void *block, uint64_t n, uint64_t offset)
{
  const unsigned char *p = block;
  struct trailer t;

  if (n < LAYOUT_MIN_CHECKED)
    return false;
  memcpy(&t, p + n - sizeof(t), sizeof(t));
  return t.offset == (int64_t)offset && t.crc == validate_crc(p, n - sizeof(t));
}

int validate_check(const struct validate *v, const void *data, uint64_t length,
                   uint64_t file, uint64_t offset, const char *name,
                   struct err *err)
{
  const unsigned char *p = data;

  for (uint64_t n; length > 0; p += n, offset += n, length -= n) {
    struct trailer t;
    uint32_t crc;
    int rc;

    n = length < v->block ? length : v->block;
    if (n < LAYOUT_MIN_CHECKED)
      continue;
    memcpy(&t, p + n - sizeof(t), sizeof(t));
    crc = validate_crc(p, n - sizeof(t));
    if (crc == t.crc && t.offset == (int64_t)offset) {
      rc = validate_check_mark(v, p, n, file, offset, name, err);
      if (rc < 0)
        return rc;
      continue;
    }
    return err_set(err, -EBADMSG,
                   "Validation failed in file '%s' at offset %" PRIu64
                   ": the checksum is 0x%08" PRIx32
                   " and should be 0x%08" PRIx32
                   ", the offset stored is %" PRId64
                   ". Files must be prepared with --validate and the same "
                   "--file-block-size",
                   name, offset, t.crc, crc, t.offset);
  }
  return 0;
}

enum {
  OWNED_WINDOW = 256 << 10, /* no format begins with as many zeros */
  OWNED_SMALLEST = 512,
};

struct owned {
  const unsigned char *data;
  uint64_t n;
};

/* Parts can be of several runs, or zeros. */
static bool owned_has_stamps(const struct owned *o, uint64_t at, uint64_t n)
{
  for (uint64_t i = 0; i < stamp_parts(n); i++) {
    struct stamp ignored;

    if (stamp_look(o->data + at + i * STAMP_PART, stamp_part_bytes(n, i),
                   &ignored) == STAMP_FOREIGN)
      return false;
  }
  return stamp_parts(n) > 0;
}

static bool owned_block(const struct owned *o, uint64_t at, uint64_t n)
{
  const unsigned char *p = o->data + at;

  return (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0) ||
         validate_is_block(p, n, at) || owned_has_stamps(o, at, n);
}

/* A disk may have damaged some blocks. */
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

/* A stamped part, or the end of a block: a marked one, or one of `block` bytes,
 * which sysbench leaves anywhere. */
static bool owned_at(const unsigned char *p, uint64_t at, uint64_t n,
                     uint64_t block)
{
  const uint64_t end = at + VALIDATE_TAIL;
  struct stamp ignored;
  struct trailer t;
  struct header h;
  uint64_t mark;

  if (at + sizeof(h) <= n) {
    memcpy(&h, p + at, sizeof(h));
    if (h.magic == STAMP_MAGIC && h.bytes >= sizeof(h) && h.bytes <= n - at &&
        stamp_look(p + at, h.bytes, &ignored) == STAMP_GOOD)
      return true;
  }
  memcpy(&mark, p + at, sizeof(mark));
  memcpy(&t, p + end - sizeof(t), sizeof(t));
  return t.offset >= 0 && (uint64_t)t.offset < end &&
         (mark == MAGIC || end - (uint64_t)t.offset == block) &&
         validate_is_block(p + t.offset, end - (uint64_t)t.offset,
                           (uint64_t)t.offset);
}

static bool owned_anywhere(const struct owned *o, uint64_t block)
{
  for (uint64_t at = 0; at + VALIDATE_TAIL <= o->n; at++) {
    if (owned_at(o->data, at, o->n, block))
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
    o.data = data;
    o.n = n < 0 ? 0 : (uint64_t)n;
    owned = o.n == want &&
            (owned_any_size(&o, block) || owned_anywhere(&o, block));
  }
  free(data);
  return owned;
}
