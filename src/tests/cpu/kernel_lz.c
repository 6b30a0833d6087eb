/*
 * kernel_lz.c - lz: compresses a text by references to earlier text, and
 * restores it. A byte n below 128: n + 1 literal bytes follow. Others are
 * matches: the length, and two bytes of distance.
 */
#include <string.h>

#include "tests/cpu/kernel.h"

enum {
  TEXT = 1 << 15,
  PLACES_BITS = 12,
  MATCH_MIN = 4,
  MATCH_MAX = MATCH_MIN + 127,
  LITERALS_MAX = 128,
  WORDS = 512,
  LETTERS_MIN = 2,
  LETTERS_SPREAD = 8,
};

struct texts {
  unsigned char from[TEXT], back[TEXT];
  unsigned char packed[TEXT + TEXT / LITERALS_MAX + 8];
  uint16_t place[1 << PLACES_BITS]; /* where the bytes were seen last */
};

/* The number gives length and letters. */
static size_t kernel_lz_put_word(unsigned char *to, size_t room,
                                 unsigned number)
{
  uint64_t letters = cpu_scatter(number + 1);
  const size_t n = LETTERS_MIN + letters % LETTERS_SPREAD;
  size_t i = 0;

  for (letters >>= 8; i < n && i < room; i++, letters /= 26)
    to[i] = (unsigned char)('a' + letters % 26);
  if (i < room)
    to[i++] = ' ';
  return i;
}

/* The lower of two random words, because words of a language are not equally
 * frequent. */
static int kernel_lz_prepare(void *mem, struct err *err)
{
  struct texts *t = mem;
  uint64_t state = 19;
  size_t at = 0;

  (void)err;
  while (at < TEXT) {
    const unsigned a = (unsigned)(cpu_noise(&state) % WORDS);
    const unsigned b = (unsigned)(cpu_noise(&state) % (a + 1));

    at += kernel_lz_put_word(t->from + at, TEXT - at, b);
  }
  return 0;
}

static unsigned place_of(const unsigned char *p)
{
  return (cpu_load_be32(p) * UINT32_C(2654435761)) >> (32 - PLACES_BITS);
}

static size_t kernel_lz_put_literals(unsigned char *to,
                                     const unsigned char *from, size_t n)
{
  size_t at = 0;

  while (n > 0) {
    const size_t some = n < LITERALS_MAX ? n : LITERALS_MAX;

    to[at++] = (unsigned char)(some - 1);
    memcpy(to + at, from, some);
    at += some;
    from += some;
    n -= some;
  }
  return at;
}

static size_t kernel_lz_match_length(const unsigned char *a,
                                     const unsigned char *b, size_t room)
{
  size_t n = 0;

  room = room < MATCH_MAX ? room : MATCH_MAX;
  while (n < room && a[n] == b[n])
    n++;
  return n;
}

static size_t kernel_lz_pack(struct texts *t)
{
  size_t at = 0, literals = 0, out = 0;

  memset(t->place, 0, sizeof(t->place));
  while (at + MATCH_MIN <= TEXT) {
    uint16_t *place = &t->place[place_of(t->from + at)];
    const size_t seen = *place;
    const size_t n = seen < at ? kernel_lz_match_length(t->from + seen,
                                                        t->from + at, TEXT - at)
                               : 0;

    *place = (uint16_t)at;
    if (n < MATCH_MIN) {
      at++;
      continue;
    }
    out += kernel_lz_put_literals(t->packed + out, t->from + literals,
                                  at - literals);
    t->packed[out++] = (unsigned char)(128 + n - MATCH_MIN);
    t->packed[out++] = (unsigned char)(at - seen);
    t->packed[out++] = (unsigned char)((at - seen) >> 8);
    at += n;
    literals = at;
  }
  return out + kernel_lz_put_literals(t->packed + out, t->from + literals,
                                      TEXT - literals);
}

static void kernel_lz_unpack(struct texts *t, size_t packed)
{
  const unsigned char *in = t->packed, *end = in + packed;
  unsigned char *out = t->back;

  while (in < end) {
    const unsigned n = *in++;
    size_t distance;

    if (n < 128) {
      memcpy(out, in, n + 1);
      in += n + 1;
      out += n + 1;
      continue;
    }
    distance = in[0] + ((size_t)in[1] << 8);
    in += 2;
    for (unsigned i = 0; i < n - 128 + MATCH_MIN; i++, out++)
      *out = out[-(ptrdiff_t)distance];
  }
}

/* Zeros make the packed length a multiple of 8. */
static uint64_t kernel_lz_run(void *mem)
{
  struct texts *t = mem;
  const size_t packed = kernel_lz_pack(t);

  memset(t->packed + packed, 0, 8);
  memset(t->back, 0, sizeof(t->back));
  kernel_lz_unpack(t, packed);
  if (memcmp(t->from, t->back, TEXT) != 0)
    return 0;
  return cpu_sum_bytes(packed, t->packed, (packed + 7) / 8 * 8);
}

const struct cpu_kernel cpu_kernel_lz = {
  .name = "lz",
  .unit = "byte",
  .operations = TEXT,
  .result = UINT64_C(0x8c9d31cdcbfdcea6),
  .bytes = sizeof(struct texts),
  .prepare = kernel_lz_prepare,
  .portable = { .name = "portable", .run = kernel_lz_run },
};
