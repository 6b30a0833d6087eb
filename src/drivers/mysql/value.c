/*
 * value.c - values of the binary protocol as texts.
 */
#include "drivers/mysql/value.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <mysql.h>

#include "base/fmt.h"
#include "drivers/mysql/bytes.h"
#include "drivers/mysql/real.h"

enum {
  DECIMALS_OPEN = REAL_DECIMALS + 1, /* from here on: open */
  DECIMALS_TIME = 6,                 /* at most */
};

enum value_kind value_kind(uint8_t type)
{
  switch (type) {
  case MYSQL_TYPE_TINY:
  case MYSQL_TYPE_SHORT:
  case MYSQL_TYPE_YEAR:
  case MYSQL_TYPE_INT24:
  case MYSQL_TYPE_LONG:
  case MYSQL_TYPE_LONGLONG:
    return VALUE_INT;
  case MYSQL_TYPE_FLOAT:
    return VALUE_FLOAT;
  case MYSQL_TYPE_DOUBLE:
    return VALUE_DOUBLE;
  case MYSQL_TYPE_DATE:
  case MYSQL_TYPE_DATETIME:
  case MYSQL_TYPE_TIMESTAMP:
    return VALUE_DATE;
  case MYSQL_TYPE_TIME:
    return VALUE_TIME;
  case MYSQL_TYPE_NULL:
    return VALUE_NULL;
  default:
    return VALUE_BYTES;
  }
}

/* Zeros in front, up to the column's width. */
static size_t value_pad(const struct column *c, char *to, size_t len)
{
  size_t width = c->length;

  if (!(c->flags & ZEROFILL_FLAG) || width <= len || width > UINT8_MAX)
    return len;
  memmove(to + width - len, to, len);
  memset(to, '0', width - len);
  return width;
}

size_t mysqld_value_int(const struct column *c, uint64_t bits, char *to)
{
  size_t len;

  if (!(c->flags & UNSIGNED_FLAG) && (int64_t)bits < 0) {
    *to = '-';
    return 1 + fmt_uint(to + 1, -bits);
  }
  len = fmt_uint(to, bits);
  return value_pad(c, to, len);
}

size_t mysqld_value_double(const struct column *c, double v, bool single,
                           char *to)
{
  static_assert((int)REAL_ROOM <= (int)VALUE_ROOM, "any text fits");

  return value_pad(c, to,
                   c->decimals < DECIMALS_OPEN
                     ? mysqld_real_fixed_text(v, c->decimals, to)
                     : mysqld_real_text(v, single, to));
}

static char *value_two(char *to, uint32_t v)
{
  to[0] = (char)('0' + v / 10 % 10);
  to[1] = (char)('0' + v % 10);
  return to + 2;
}

static char *value_fraction(const struct column *c, uint32_t us, char *to)
{
  unsigned n = c->decimals;
  char digits[16];

  if (n > DECIMALS_TIME)
    n = us ? DECIMALS_TIME : 0;
  if (n == 0)
    return to;
  (void)snprintf(digits, sizeof(digits), "%06u", us % 1000000);
  *to++ = '.';
  memcpy(to, digits, n);
  return to + n;
}

size_t mysqld_value_date(const struct column *c, const struct moment *m,
                         char *to)
{
  char *p = value_two(value_two(to, m->year / 100), m->year % 100);

  *p++ = '-';
  p = value_two(p, m->month);
  *p++ = '-';
  p = value_two(p, m->day);
  if (c->type == MYSQL_TYPE_DATE)
    return (size_t)(p - to);
  *p++ = ' ';
  p = value_two(p, m->hour);
  *p++ = ':';
  p = value_two(p, m->minute);
  *p++ = ':';
  p = value_two(p, m->second);
  return (size_t)(value_fraction(c, m->us, p) - to);
}

size_t mysqld_value_time(const struct column *c, const struct moment *m,
                         char *to)
{
  const uint64_t hours = (uint64_t)m->day * 24 + m->hour;
  char *p = to;

  if (m->negative)
    *p++ = '-';
  if (hours < 10)
    *p++ = '0';
  p += fmt_uint(p, hours);
  *p++ = ':';
  p = value_two(p, m->minute);
  *p++ = ':';
  p = value_two(p, m->second);
  return (size_t)(value_fraction(c, m->us, p) - to);
}

static size_t value_int_size(uint8_t type)
{
  switch (type) {
  case MYSQL_TYPE_TINY:
    return 1;
  case MYSQL_TYPE_SHORT:
  case MYSQL_TYPE_YEAR:
    return 2;
  case MYSQL_TYPE_LONGLONG:
    return 8;
  default:
    return 4;
  }
}

static bool value_take_int(struct bytes *b, const struct column *c, char *to,
                           sql_value *ret)
{
  const size_t size = value_int_size(c->type);
  const uint8_t *p = bytes_take(b, size);
  uint64_t bits;

  if (!p)
    return false;
  bits = bytes_le(p, size);
  if (!(c->flags & UNSIGNED_FLAG) && size < 8 && bits >> (size * 8 - 1))
    bits |= ~UINT64_C(0) << (size * 8);
  *ret = (sql_value){ (uint32_t)mysqld_value_int(c, bits, to), to };
  return true;
}

static bool value_take_real(struct bytes *b, const struct column *c,
                            bool single, char *to, sql_value *ret)
{
  const uint8_t *p = bytes_take(b, single ? sizeof(float) : sizeof(double));
  double v;
  float f;

  if (!p)
    return false;
  if (single) {
    memcpy(&f, p, sizeof(f));
    v = (double)f;
  } else {
    memcpy(&v, p, sizeof(v));
  }
  *ret = (sql_value){ (uint32_t)mysqld_value_double(c, v, single, to), to };
  return true;
}

/* A length and that many bytes: 0, 4, 7 or 11 of a date, 0, 8 or 12 of a time.
 */
static bool value_take_moment(struct bytes *b, const struct column *c,
                              bool is_date, char *to, sql_value *ret)
{
  const uint8_t *head = bytes_take(b, 1);
  const size_t n = head ? *head : 0;
  const uint8_t *p = head ? bytes_take(b, n) : NULL;
  const size_t clock = is_date ? 4 : 5, rest = clock + 3;
  struct moment m = { 0 };

  if (!p)
    return false;
  if (is_date && n >= clock) {
    m.year = (uint32_t)bytes_le(p, 2);
    m.month = p[2];
    m.day = p[3];
  } else if (!is_date && n >= rest) {
    m.negative = p[0] != 0;
    m.day = (uint32_t)bytes_le(p + 1, 4);
  }
  if (n >= rest) {
    m.hour = p[clock];
    m.minute = p[clock + 1];
    m.second = p[clock + 2];
  }
  if (n >= rest + 4)
    m.us = (uint32_t)bytes_le(p + rest, 4);
  *ret = (sql_value){ (uint32_t)(is_date ? mysqld_value_date(c, &m, to)
                                         : mysqld_value_time(c, &m, to)),
                      to };
  return true;
}

static bool value_take(struct bytes *b, const struct column *c, char *to,
                       sql_value *ret)
{
  switch (value_kind(c->type)) {
  case VALUE_INT:
    return value_take_int(b, c, to, ret);
  case VALUE_FLOAT:
    return value_take_real(b, c, true, to, ret);
  case VALUE_DOUBLE:
    return value_take_real(b, c, false, to, ret);
  case VALUE_DATE:
    return value_take_moment(b, c, true, to, ret);
  case VALUE_TIME:
    return value_take_moment(b, c, false, to, ret);
  case VALUE_NULL:
    *ret = (sql_value){ 0, NULL };
    return true;
  case VALUE_BYTES:
    break;
  }
  return bytes_string(b, ret);
}

bool mysqld_value_row(const struct column *cols, uint32_t n, const uint8_t *row,
                      size_t len, char *digits, sql_value *values)
{
  struct bytes b = { row, row + len };
  /* A bit per column, after two unused ones. */
  const uint8_t *nulls = bytes_take(&b, (n + 9) / 8);

  if (!nulls)
    return false;
  for (uint32_t i = 0; i < n; i++) {
    if (nulls[(i + 2) / 8] >> (i + 2) % 8 & 1)
      values[i] = (sql_value){ 0, NULL };
    else if (!value_take(&b, &cols[i], digits + (size_t)i * VALUE_ROOM,
                         &values[i]))
      return false;
  }
  return true;
}
