#include "results/hdr_log.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "results/jobj.h"
#include "results/outfile.h"
#include "results/shared.h"
#include "stats/hist_sum.h"
#include "stats/report.h"

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

/* The largest value in ms, as HdrHistogram writes. */
#define NS_PER_SHOWN 1e6

static int hdr_log_put(struct hdr_log *l, struct strbuf *b, struct err *err)
{
  int rc = b->failed ? results_no_memory(err)
                     : outfile_put(&l->file, b->text, b->len, err);

  strbuf_done(b);
  return rc;
}

static int hdr_log_on_start(void *ctx, const struct run_start *start,
                            struct err *err)
{
  struct strbuf b = { 0 };
  const double wall_s = jobj_seconds(start->wall_ns);
  const time_t s = (time_t)(start->wall_ns / NS_PER_S);
  char date[64] = "";
  struct tm tm;

  if (gmtime_r(&s, &tm))
    (void)strftime(date, sizeof(date), "%a %b %d %H:%M:%S UTC %Y", &tm);
  strbuf_addf(&b,
              "#[Histogram log format version 1.3]\n"
              "#[StartTime: %.3f (seconds since epoch), %s]\n"
              "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
              "\"Interval_Compressed_Histogram\"\n",
              wall_s, date);
  return hdr_log_put(ctx, &b, err);
}

/* Other characters become `_`. */
static void hdr_log_tag(struct strbuf *out, const char *name)
{
  for (; *name; name++) {
    const char c = isspace((unsigned char)*name) || *name == ',' ? '_' : *name;

    strbuf_add(out, &c, 1);
  }
}

static int hdr_log_add_line(struct strbuf *b, const char *tag, double start_s,
                            double length_s, uint64_t max_ns,
                            const struct hist_sum *hist)
{
  if (tag) {
    strbuf_adds(b, "Tag=");
    hdr_log_tag(b, tag);
    strbuf_adds(b, ",");
  }
  strbuf_addf(b, "%.3f,%.3f,%.6f,", start_s, length_s,
              (double)max_ns / NS_PER_SHOWN);
  if (hdr_encode_text(b, hist) < 0)
    return -1;
  strbuf_adds(b, "\n");
  return 0;
}

static int hdr_log_on_interval(void *ctx, const struct report_setup *setup,
                               const struct report *r, struct err *err)
{
  struct hdr_log *l = ctx;
  const uint64_t begin_ns = r->end_ns - r->period_ns;
  const uint64_t zero_ns = l->shared->start.start_ns;
  const double start_s = begin_ns > zero_ns ? jobj_seconds(begin_ns - zero_ns)
                                            : 0.0;
  const double length_s = jobj_seconds(r->period_ns);
  struct strbuf b = { 0 };
  int rc = 0;

  (void)setup;
  if (r->hist)
    rc = hdr_log_add_line(&b, NULL, start_s, length_s, r->max_ns, r->hist);
  for (unsigned i = 0; rc == 0 && i < r->classes.n; i++) {
    const struct class_report *c = &r->classes.of[i];

    if (c->count > 0)
      rc = hdr_log_add_line(&b, c->name, start_s, length_s, c->max_ns, c->hist);
  }
  if (rc < 0)
    b.failed = true;
  return hdr_log_put(l, &b, err);
}

static int hdr_log_on_end(void *ctx, struct err *err)
{
  return outfile_close(&((struct hdr_log *)ctx)->file, err);
}

const struct reporter hdr_log_reporter = {
  .name = "hdr-log",
  .start = hdr_log_on_start,
  .interval = hdr_log_on_interval,
  .end = hdr_log_on_end,
};
