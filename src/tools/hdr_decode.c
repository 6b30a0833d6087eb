#include "tools/hdr_decode.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "stats/hist_sum.h"

#define COOKIE_PLAIN 0x1c849303u
#define COOKIE_COMPRESSED 0x1c849304u
#define COOKIE_WORD_BITS 0xf0u /* word size, unused by V2 */

enum {
  HEADER = 40, /* bytes */
  HEADER_COMPRESSED = 8,
  /* nine bytes per count */
  PLAIN_MAX = HEADER + 9 * HIST_BUCKETS,
};

static uint32_t hdr_decode_get_u32(const unsigned char *from)
{
  return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 |
         (uint32_t)from[2] << 8 | from[3];
}

static int hdr_decode_digit_of(char c)
{
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* `out`: room for 3 / 4 of the text; false: not base64. */
static bool base64_read(const char *text, unsigned char *out, size_t *ret_len)
{
  const size_t len = strlen(text);
  size_t n = 0, digits = len;

  while (digits > 0 && len - digits < 2 && text[digits - 1] == '=')
    digits--;
  if (len % 4 != 0)
    return false;
  for (size_t i = 0; i < digits; i += 4) {
    const size_t here = digits - i < 4 ? digits - i : 4;
    uint32_t group = 0;

    for (size_t k = 0; k < 4; k++) {
      const int digit = k < here ? hdr_decode_digit_of(text[i + k]) : 0;

      if (digit < 0)
        return false;
      group = group << 6 | (uint32_t)digit;
    }
    for (size_t k = 0; k + 1 < here; k++)
      out[n++] = (unsigned char)(group >> (16 - 8 * k));
  }
  *ret_len = n;
  return true;
}

/* A count, or a negative number of zeros; returns the rest, or NULL. */
static const unsigned char *hdr_decode_get_zigzag(const unsigned char *p,
                                                  const unsigned char *end,
                                                  int64_t *ret)
{
  uint64_t v = 0;

  for (int i = 0; i < 9 && p < end; i++, p++) {
    v |= (uint64_t)(i < 8 ? *p & 0x7f : *p) << (7 * i);
    if (i == 8 || *p < 0x80) {
      *ret = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
      return p + 1;
    }
  }
  return NULL;
}

static bool hdr_decode_read_counts(struct hist_sum *sum, const unsigned char *p,
                                   const unsigned char *end)
{
  uint64_t at = 0;

  while (p < end) {
    int64_t value;

    p = hdr_decode_get_zigzag(p, end, &value);
    if (!p)
      return false;
    if (value < 0) {
      at += -(uint64_t)value;
    } else if (at < HIST_BUCKETS) {
      if ((uint64_t)value > UINT64_MAX - sum->total)
        return false;
      hist_sum_put(sum, (unsigned)at++, (uint64_t)value);
    } else if (value > 0) {
      return false;
    }
    if (at > HIST_BUCKETS)
      return false;
  }
  return true;
}

static bool hdr_decode_read_plain(struct hist_sum *sum, const unsigned char *p,
                                  size_t len)
{
  static const unsigned char one[8] = { 0, 0, 0, 0, 0, 0, 0, 1 };

  if (len < HEADER ||
      (hdr_decode_get_u32(p) & ~COOKIE_WORD_BITS) != COOKIE_PLAIN ||
      hdr_decode_get_u32(p + 4) > len - HEADER ||
      hdr_decode_get_u32(p + 8) != 0 || hdr_decode_get_u32(p + 12) != 3 ||
      memcmp(p + 16, one, sizeof(one)) != 0)
    return false;
  return hdr_decode_read_counts(sum, p + HEADER,
                                p + HEADER + hdr_decode_get_u32(p + 4));
}

static bool hdr_decode_unpack(struct hist_sum *sum, const unsigned char *packed,
                              size_t len, unsigned char *plain)
{
  uLongf plain_len = PLAIN_MAX;

  if (len < HEADER_COMPRESSED ||
      (hdr_decode_get_u32(packed) & ~COOKIE_WORD_BITS) != COOKIE_COMPRESSED ||
      hdr_decode_get_u32(packed + 4) > len - HEADER_COMPRESSED ||
      uncompress(plain, &plain_len, packed + HEADER_COMPRESSED,
                 hdr_decode_get_u32(packed + 4)) != Z_OK)
    return false;
  return hdr_decode_read_plain(sum, plain, plain_len);
}

int hdr_decode_text(struct hist_sum *ret, const char *text)
{
  unsigned char *packed = malloc(strlen(text) / 4 * 3 + 3);
  unsigned char *plain = malloc(PLAIN_MAX);
  struct hist_sum *sum = hist_sum_new();
  size_t len = 0;
  int rc = -ENOMEM;

  if (packed && plain && sum) {
    rc = -EINVAL;
    if (base64_read(text, packed, &len) &&
        hdr_decode_unpack(sum, packed, len, plain)) {
      hist_sum_copy(ret, sum);
      rc = 0;
    }
  }
  hist_sum_free(sum);
  free(plain);
  free(packed);
  return rc;
}
