#include "nodes/pack.h"

#include <string.h>

#include "base/strbuf.h"
#include "stats/hist_sum.h"

void pack_u64(struct strbuf *b, uint64_t value)
{
  unsigned char bytes[10];
  size_t n = 0;

  do {
    bytes[n] = (unsigned char)(value & 0x7f);
    value >>= 7;
    if (value > 0)
      bytes[n] |= 0x80;
    n++;
  } while (value > 0);
  strbuf_add(b, bytes, n);
}

void pack_real(struct strbuf *b, double value)
{
  strbuf_add(b, &value, sizeof(value));
}

void pack_bytes(struct strbuf *b, const void *bytes, size_t len)
{
  pack_u64(b, len);
  if (len > 0)
    strbuf_add(b, bytes, len);
}

void pack_text(struct strbuf *b, const char *text)
{
  pack_bytes(b, text, strlen(text));
}

/* Sets *at (at most i) to i + 1. */
static void pack_count(struct strbuf *b, size_t *at, size_t i, uint64_t count)
{
  pack_u64(b, i + 1 - *at);
  pack_u64(b, count);
  *at = i + 1;
}

void pack_counts(struct strbuf *b, const uint64_t *count, size_t n)
{
  size_t at = 0;

  for (size_t i = 0; i < n; i++) {
    if (count[i] > 0)
      pack_count(b, &at, i, count[i]);
  }
  pack_u64(b, 0);
}

/* Like pack_counts(). */
static void pack_sum(struct strbuf *b, const struct hist_sum *h)
{
  size_t at = 0;

  for (unsigned i = hist_sum_next(h, 0); i < HIST_BUCKETS;
       i = hist_sum_next(h, i + 1))
    pack_count(b, &at, i, hist_sum_at(h, i));
  pack_u64(b, 0);
}

void pack_hist(struct strbuf *b, const struct hist_sum *h)
{
  pack_u64(b, h != NULL);
  if (h)
    pack_sum(b, h);
}

struct unpack unpack_start(const void *bytes, size_t len)
{
  const unsigned char *p = bytes;

  return (struct unpack){ .at = p, .end = p + len };
}

static void pack_fail(struct unpack *u)
{
  u->failed = true;
  u->at = u->end;
}

uint64_t unpack_u64(struct unpack *u)
{
  uint64_t value = 0;

  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (u->at == u->end)
      break;
    value |= (uint64_t)(*u->at & 0x7f) << shift;
    if ((*u->at++ & 0x80) == 0)
      return value;
  }
  pack_fail(u);
  return 0;
}

double unpack_real(struct unpack *u)
{
  double value;

  if ((size_t)(u->end - u->at) < sizeof(value)) {
    pack_fail(u);
    return 0.0;
  }
  memcpy(&value, u->at, sizeof(value));
  u->at += sizeof(value);
  return value;
}

const void *unpack_bytes(struct unpack *u, size_t *ret_len)
{
  const uint64_t len = unpack_u64(u);
  const void *at = u->at;

  *ret_len = 0;
  if (len > (size_t)(u->end - u->at)) {
    pack_fail(u);
    return at;
  }
  u->at += len;
  *ret_len = (size_t)len;
  return at;
}

void unpack_text(struct unpack *u, char *buf, size_t size)
{
  size_t len;
  const void *at = unpack_bytes(u, &len);

  if (len >= size)
    len = size - 1;
  memcpy(buf, at, len);
  buf[len] = '\0';
}

/* *at becomes the index behind the count; false: at the end. */
static bool pack_next_count(struct unpack *u, uint64_t *at, size_t n,
                            uint64_t *ret_count)
{
  const uint64_t step = unpack_u64(u);

  if (step == 0)
    return false;
  *ret_count = unpack_u64(u);
  if (step > n - *at) {
    pack_fail(u);
    return false;
  }
  *at += step;
  return true;
}

void unpack_counts_add(struct unpack *u, uint64_t *count, size_t n)
{
  uint64_t at = 0, more;

  while (pack_next_count(u, &at, n, &more))
    count[at - 1] += more;
}

bool unpack_hist_add(struct unpack *u, struct hist_sum *sum)
{
  uint64_t at = 0, more;

  if (unpack_u64(u) == 0)
    return false;
  while (pack_next_count(u, &at, HIST_BUCKETS, &more)) {
    if (sum)
      hist_sum_put(sum, (unsigned)at - 1, more);
  }
  return true;
}
