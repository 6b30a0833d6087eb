/*
 * hdr_encode.c - writes histograms in HdrHistogram's format.
 */
#include "results/hdr_encode.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/strbuf.h"
#include "stats/hist_sum.h"

/* V2, with the word size. */
#define COOKIE_PLAIN 0x1c849313u
#define COOKIE_COMPRESSED 0x1c849314u

enum {
  DIGITS = 3,
  HEADER = 40, /* bytes */
  HEADER_COMPRESSED = 8,
};

static void hdr_encode_put_u32(unsigned char *to, uint32_t value)
{
  for (int i = 0; i < 4; i++)
    to[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void hdr_encode_put_u64(unsigned char *to, uint64_t value)
{
  hdr_encode_put_u32(to, (uint32_t)(value >> 32));
  hdr_encode_put_u32(to + 4, (uint32_t)value);
}

/* The ninth byte has eight bits of value. */
static void hdr_encode_add_zigzag(struct strbuf *out, int64_t value)
{
  uint64_t v = ((uint64_t)value << 1) ^ -(uint64_t)(value < 0);
  unsigned char byte;

  for (int i = 0; i < 8 && v >= 0x80; i++) {
    byte = (unsigned char)(v | 0x80);
    strbuf_add(out, &byte, 1);
    v >>= 7;
  }
  byte = (unsigned char)v;
  strbuf_add(out, &byte, 1);
}

static void hdr_encode_add_counts(struct strbuf *out, const struct hist_sum *h)
{
  unsigned end = 0; /* behind the last count above 0 */

  for (unsigned i = hist_sum_next(h, 0); i < HIST_BUCKETS;
       i = hist_sum_next(h, i + 1)) {
    if (i - end == 1)
      hdr_encode_add_zigzag(out, 0);
    else if (i > end)
      hdr_encode_add_zigzag(out, -(int64_t)(i - end));
    hdr_encode_add_zigzag(out, (int64_t)hist_sum_at(h, i));
    end = i + 1;
  }
}

void hdr_encode(struct strbuf *out, const struct hist_sum *h)
{
  const size_t start = out->len;
  unsigned char header[HEADER];
  const double one = 1.0; /* integer to double ratio */
  uint64_t ratio;

  memset(header, 0, sizeof(header));
  strbuf_add(out, header, sizeof(header));
  hdr_encode_add_counts(out, h);
  if (out->failed)
    return;
  memcpy(&ratio, &one, sizeof(ratio));
  hdr_encode_put_u32(header, COOKIE_PLAIN);
  hdr_encode_put_u32(header + 4, (uint32_t)(out->len - start - HEADER));
  hdr_encode_put_u32(header + 12,
                     DIGITS); /* behind the normalizing offset, 0 */
  hdr_encode_put_u64(header + 16, 1);
  hdr_encode_put_u64(header + 24, HIST_MAX_NS);
  hdr_encode_put_u64(header + 32, ratio);
  memcpy(out->text + start, header, sizeof(header));
}

void hdr_encode_base64(struct strbuf *out, const void *bytes, size_t len)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *from = bytes;

  for (size_t i = 0; i < len; i += 3) {
    const size_t n = len - i < 3 ? len - i : 3;
    const uint32_t group = (uint32_t)from[i] << 16 |
                           (n > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                           (n > 2 ? from[i + 2] : 0);
    const char four[4] = { digits[group >> 18], digits[group >> 12 & 63],
                           n > 1 ? digits[group >> 6 & 63] : '=',
                           n > 2 ? digits[group & 63] : '=' };

    strbuf_add(out, four, sizeof(four));
  }
}

int hdr_encode_text(struct strbuf *out, const struct hist_sum *h)
{
  struct strbuf plain = { 0 };
  unsigned char *packed = NULL;
  uLongf len;
  int rc = -ENOMEM;

  hdr_encode(&plain, h);
  if (!plain.failed) {
    len = compressBound(plain.len);
    packed = malloc(HEADER_COMPRESSED + len);
  }
  if (packed && compress(packed + HEADER_COMPRESSED, &len,
                         (const Bytef *)plain.text, plain.len) == Z_OK) {
    hdr_encode_put_u32(packed, COOKIE_COMPRESSED);
    hdr_encode_put_u32(packed + 4, (uint32_t)len);
    hdr_encode_base64(out, packed, HEADER_COMPRESSED + len);
    rc = out->failed ? -ENOMEM : 0;
  }
  free(packed);
  strbuf_done(&plain);
  return rc;
}
