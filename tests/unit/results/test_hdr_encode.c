/*
 * test_hdr_encode.c - histograms in HdrHistogram's format: the bytes that its
 * own library writes for the same values, and decoding them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/strbuf.h"
#include "results/hdr_log.h"
#include "stats/hist_sum.h"
#include "tests/unit/tap.h"

static const char *hex(const struct strbuf *b)
{
  static char text[4096];

  text[0] = '\0';
  for (size_t i = 0; i < b->len && 2 * i + 2 < sizeof(text); i++)
    (void)snprintf(text + 2 * i, 3, "%02x", (unsigned char)b->text[i]);
  return text;
}

static void add(struct hist_sum *h, uint64_t value, uint64_t n)
{
  hist_sum_put(h, hist_index(value), n);
}

static void test_base64(void)
{
  static const char *const pairs[][2] = {
    { "", "" },
    { "f", "Zg==" },
    { "fo", "Zm8=" },
    { "foo", "Zm9v" },
    { "foob", "Zm9vYg==" },
    { "fooba", "Zm9vYmE=" },
    { "foobar", "Zm9vYmFy" },
    { "\xff\xfe\xfd", "//79" },
  };

  for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
    struct strbuf b = { 0 };

    hdr_encode_base64(&b, pairs[i][0], strlen(pairs[i][0]));
    OK_STR(strbuf_str(&b), pairs[i][1], "base64");
    strbuf_done(&b);
  }
}

/* What the library's encoder writes for these, before compression. */
static void test_plain(struct hist_sum *h)
{
  struct strbuf b = { 0 };

  hdr_encode(&b, h);
  OK_STR(hex(&b),
         "1c8493130000000000000000000000030000000000000001000003ffffffffff"
         "3ff0000000000000",
         "an empty histogram");
  strbuf_done(&b);

  add(h, 1, 1);
  add(h, 2047, 3);
  add(h, 2048, 2);
  add(h, 5000, 200);
  add(h, 1000000, 70000);
  add(h, HIST_MAX_NS, 1);
  hdr_encode(&b, h);
  OK_STR(hex(&b),
         "1c8493130000001300000000000000030000000000000001000003ffffffffff"
         "3ff000000000000000"
         "02f91f0604c1139003fb7ae0c508b9e10202",
         "single zeros, runs of zeros, counts of several bytes, both ends");
  strbuf_done(&b);
}

static int digit(char c)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = strchr(digits, c);

  return at ? (int)(at - digits) : 0;
}

static size_t unbase64(const char *text, unsigned char *to)
{
  size_t n = 0;

  for (; text[0] && text[3]; text += 4) {
    const unsigned group = (unsigned)(digit(text[0]) << 18 |
                                      digit(text[1]) << 12 |
                                      digit(text[2]) << 6 | digit(text[3]));

    to[n++] = (unsigned char)(group >> 16);
    if (text[2] != '=')
      to[n++] = (unsigned char)(group >> 8);
    if (text[3] != '=')
      to[n++] = (unsigned char)group;
  }
  return n;
}

static void test_text(const struct hist_sum *h)
{
  struct strbuf plain = { 0 }, text = { 0 };
  unsigned char packed[4096], again[4096];
  uLongf len = sizeof(again);
  size_t n;

  hdr_encode(&plain, h);
  OK(hdr_encode_text(&text, h) == 0, "encodes");
  OK(strncmp(strbuf_str(&text), "HISTFAAAA", 9) == 0,
     "begins like all histograms of this kind");
  n = unbase64(strbuf_str(&text), packed);
  OK(n > 8 && memcmp(packed, "\x1c\x84\x93\x14", 4) == 0, "cookie");
  OK((size_t)(packed[6] << 8 | packed[7]) == n - 8, "length");
  OK(uncompress(again, &len, packed + 8, n - 8) == Z_OK, "uncompresses");
  OK(len == plain.len && memcmp(again, plain.text, len) == 0,
     "to the plain form");
  strbuf_done(&plain);
  strbuf_done(&text);
}

/* A second implementation of the reader of the plain form. */
static uint64_t sum_of_counts(const struct strbuf *b, uint64_t *ret_places)
{
  const unsigned char *p = (const unsigned char *)b->text + 40;
  const unsigned char *end = (const unsigned char *)b->text + b->len;
  uint64_t sum = 0, places = 0;

  while (p < end) {
    uint64_t v = 0;
    int64_t value;

    for (unsigned i = 0;; i++) {
      v |= (uint64_t)(i < 8 ? *p & 0x7f : *p) << (7 * i);
      if (i == 8 || !(*p++ & 0x80))
        break;
    }
    value = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
    if (value < 0) {
      places += (uint64_t)-value;
    } else {
      places++;
      sum += (uint64_t)value;
    }
  }
  *ret_places = places;
  return sum;
}

static void test_many(struct hist_sum *h)
{
  struct strbuf b = { 0 };
  uint64_t value = 1, places;

  hist_sum_clear(h);
  for (int i = 0; i < 100000; i++) {
    value = value * UINT64_C(6364136223846793005) + 1442695040888963407u;
    add(h, value >> (22 + i % 42), 1 + (value >> 60));
  }
  hdr_encode(&b, h);
  OK(sum_of_counts(&b, &places) == h->total, "no count is lost");
  OK(places <= HIST_BUCKETS, "and no bucket is invented");
  strbuf_done(&b);
}

int main(void)
{
  struct hist_sum *h = hist_sum_new();

  test_base64();
  test_plain(h);
  test_text(h);
  test_many(h);
  hist_sum_free(h);
  return TAP_EXIT();
}
