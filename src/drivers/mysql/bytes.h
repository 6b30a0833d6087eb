/*
 * bytes.h - reads a packet without ever passing its end.
 */
#ifndef BENCH_DRIVERS_MYSQL_BYTES_H
#define BENCH_DRIVERS_MYSQL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"

/* What is left of a packet. */
struct bytes {
  const uint8_t *at, *end;
};

/* Take the next `n` bytes; NULL: there are fewer. */
static inline const uint8_t *bytes_take(struct bytes *b, uint64_t n)
{
  const uint8_t *p = b->at;

  if (n > (uint64_t)(b->end - b->at))
    return NULL;
  b->at += n;
  return p;
}

/* Read n <= 8 bytes as a number, lowest byte first. */
static inline uint64_t bytes_le(const uint8_t *p, size_t n)
{
  uint64_t v = 0;

  for (size_t i = 0; i < n; i++)
    v |= (uint64_t)p[i] << (8 * i);
  return v;
}

enum {
  BYTES_NULL = 0xfb, /* SQL NULL, instead of a length */
};

/*
 * Read a number whose first byte gives its size; false: there is none, or it is
 * BYTES_NULL.
 */
static inline bool bytes_number(struct bytes *b, uint64_t *ret)
{
  const uint8_t *p = bytes_take(b, 1);
  size_t n;

  if (!p)
    return false;
  if (*p < BYTES_NULL) {
    *ret = *p;
    return true;
  }
  if (*p < 0xfc || *p > 0xfe)
    return false;
  n = *p == 0xfc ? 2 : *p == 0xfd ? 3 : 8;
  p = bytes_take(b, n);
  if (!p)
    return false;
  *ret = bytes_le(p, n);
  return true;
}

/* Read a length and that many bytes, borrowed. */
static inline bool bytes_string(struct bytes *b, sql_value *ret)
{
  const uint8_t *p;
  uint64_t n;

  if (!bytes_number(b, &n) || n > UINT32_MAX)
    return false;
  p = bytes_take(b, n);
  if (!p)
    return false;
  *ret = (sql_value){ (uint32_t)n, (const char *)p };
  return true;
}

#endif
