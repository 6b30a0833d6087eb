/*
 * bytes.h - reads a packet, never past its end.
 */
#ifndef BENCH_DRIVERS_MYSQL_BYTES_H
#define BENCH_DRIVERS_MYSQL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"

struct bytes {
  const uint8_t *at, *end;
};

/* NULL: fewer than `n` bytes are left. */
static inline const uint8_t *bytes_take(struct bytes *b, uint64_t n)
{
  const uint8_t *p = b->at;

  if (n > (uint64_t)(b->end - b->at))
    return NULL;
  b->at += n;
  return p;
}

static inline uint64_t bytes_le(const uint8_t *p, size_t n)
{
  uint64_t v = 0;

  for (size_t i = 0; i < n; i++)
    v |= (uint64_t)p[i] << (8 * i);
  return v;
}

enum {
  BYTES_NULL = 0xfb,
};

/* A number whose first byte gives the size.  False: none, or BYTES_NULL. */
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

/* Borrowed. */
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

enum {
  FIRST_OK = 0x00,
  FIRST_FILE = 0xfb,
  FIRST_END = 0xfe, /* of columns or rows, in END_LENGTH bytes */
  FIRST_ERROR = 0xff,
  END_LENGTH = 5,
};

/* A packet with FIRST_OK; false: malformed. */
static inline bool bytes_ok(const uint8_t *packet, size_t len,
                            uint64_t *ret_affected, unsigned *ret_status)
{
  struct bytes b = { packet + 1, packet + len };
  const uint8_t *status;
  uint64_t id;

  if (!bytes_number(&b, ret_affected) || !bytes_number(&b, &id) ||
      !(status = bytes_take(&b, 2)))
    return false;
  *ret_status = (unsigned)bytes_le(status, 2);
  return true;
}

/* A packet with FIRST_ERROR: code, SQLSTATE (NULL: none), and text (`ret`).
 * False: malformed. */
static inline bool bytes_error(const uint8_t *packet, size_t len, int *ret_code,
                               const char **ret_state, struct bytes *ret)
{
  const uint8_t *code;

  *ret = (struct bytes){ packet + 1, packet + len };
  code = bytes_take(ret, 2);
  if (!code || bytes_le(code, 2) == 0)
    return false;
  *ret_code = (int)bytes_le(code, 2);
  *ret_state = NULL;
  if (ret->end - ret->at >= 6 && *ret->at == '#') {
    *ret_state = (const char *)ret->at + 1;
    ret->at += 6;
  }
  return true;
}

#endif
