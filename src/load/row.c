/*
 * row.c - writes one generated row in the form that a database accepts.
 */
#include "load/row.h"

#include <string.h>

#include "base/fmt.h"

/* Write `n` bytes, the highest first. */
static char *put_bytes(char *to, uint64_t value, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    to[i] = (char)(value >> 8 * (n - 1 - i));
  return to + n;
}

void row_begin(struct row *r, enum rows_form form, unsigned columns, char *to)
{
  *r = (struct row){ .form = form, .at = to };
  if (form == ROWS_BINARY)
    r->at = put_bytes(to, columns, 2);
}

char *row_end(struct row *r)
{
  if (r->form == ROWS_PLAIN) {
    *r->at++ = '\n';
  } else if (r->form == ROWS_SQL) {
    *r->at++ = ')';
    *r->at++ = ',';
  }
  return r->at;
}

/* Write what comes before a value that has no length in front of it. */
static void next(struct row *r)
{
  if (r->form == ROWS_SQL)
    *r->at++ = r->column ? ',' : '(';
  else if (r->column)
    *r->at++ = '\t';
  r->column++;
}

static void put_integer(struct row *r, int64_t value, unsigned bytes)
{
  if (r->form == ROWS_BINARY) {
    r->at = put_bytes(r->at, bytes, 4);
    r->at = put_bytes(r->at, (uint64_t)value, bytes);
    return;
  }
  next(r);
  r->at += fmt_int(r->at, value);
}

void row_int(struct row *r, int64_t value)
{
  put_integer(r, value, 4);
}

void row_long(struct row *r, int64_t value)
{
  put_integer(r, value, 8);
}

void row_text(struct row *r, const char *text, size_t len)
{
  if (r->form == ROWS_BINARY)
    r->at = put_bytes(r->at, len, 4);
  else
    next(r);
  if (r->form == ROWS_SQL)
    *r->at++ = '\'';
  memcpy(r->at, text, len);
  r->at += len;
  if (r->form == ROWS_SQL)
    *r->at++ = '\'';
}

void row_null(struct row *r)
{
  if (r->form == ROWS_BINARY) {
    r->at = put_bytes(r->at, UINT32_MAX, 4);
    return;
  }
  next(r);
  if (r->form == ROWS_SQL) {
    memcpy(r->at, "NULL", 4);
    r->at += 4;
  } else {
    memcpy(r->at, "\\N", 2);
    r->at += 2;
  }
}

void row_decimal(struct row *r, int64_t units, unsigned decimals)
{
  char digits[FMT_INT_SIZE], text[FMT_INT_SIZE + 24];
  uint64_t size = units < 0 ? -(uint64_t)units : (uint64_t)units;
  unsigned n = (unsigned)fmt_uint(digits, size);
  char *to = text;

  if (units < 0)
    *to++ = '-';
  if (n <= decimals) { /* 0.05: zeroes before the digits */
    *to++ = '0';
  } else {
    memcpy(to, digits, n - decimals);
    to += n - decimals;
  }
  if (decimals > 0) {
    *to++ = '.';
    for (unsigned i = n; i < decimals; i++)
      *to++ = '0';
    memcpy(to, digits + (n > decimals ? n - decimals : 0),
           n > decimals ? decimals : n);
    to += n > decimals ? decimals : n;
  }
  row_text(r, text, (size_t)(to - text));
}
