#include "db/load/rows.h"

#include <string.h>

#include "base/compiler.h"
#include "base/fmt.h"
#include "stats/rand/rng.h"

/* Digits of 0..99, and of 0..999 with the end of a group: one copy moves four
 * bytes. */
#define PAIR(a, b) \
  {                \
    a, b           \
  }
#define PAIRS(a)                                                        \
  PAIR(a, '0'), PAIR(a, '1'), PAIR(a, '2'), PAIR(a, '3'), PAIR(a, '4'), \
    PAIR(a, '5'), PAIR(a, '6'), PAIR(a, '7'), PAIR(a, '8'), PAIR(a, '9')
#define TRIPLE(a, b, c) \
  {                     \
    a, b, c, '-'        \
  }
#define TRIPLES(a, b)                                                         \
  TRIPLE(a, b, '0'), TRIPLE(a, b, '1'), TRIPLE(a, b, '2'), TRIPLE(a, b, '3'), \
    TRIPLE(a, b, '4'), TRIPLE(a, b, '5'), TRIPLE(a, b, '6'),                  \
    TRIPLE(a, b, '7'), TRIPLE(a, b, '8'), TRIPLE(a, b, '9')
#define HUNDRED(a)                                                      \
  TRIPLES(a, '0'), TRIPLES(a, '1'), TRIPLES(a, '2'), TRIPLES(a, '3'),   \
    TRIPLES(a, '4'), TRIPLES(a, '5'), TRIPLES(a, '6'), TRIPLES(a, '7'), \
    TRIPLES(a, '8'), TRIPLES(a, '9')

static const char pairs[100][2] = {
  PAIRS('0'), PAIRS('1'), PAIRS('2'), PAIRS('3'), PAIRS('4'),
  PAIRS('5'), PAIRS('6'), PAIRS('7'), PAIRS('8'), PAIRS('9'),
};

static const char triples[1000][4] = {
  HUNDRED('0'), HUNDRED('1'), HUNDRED('2'), HUNDRED('3'), HUNDRED('4'),
  HUNDRED('5'), HUNDRED('6'), HUNDRED('7'), HUNDRED('8'), HUNDRED('9'),
};

/* One draw x makes a group: the integer part of x * 10^11 / 2^64.  One draw in
 * 10^8 would favour some digits, and is rejected. */
static inline void rows_fill(struct rng *rng, char *to)
{
  const uint64_t e11 = UINT64_C(100000000000);
  const uint64_t surplus = -e11 % e11;
  uint64_t part[4], rest;

  do {
    part[0] = rng_mulhi(rng_next(rng), 100, &rest);
    part[1] = rng_mulhi(rest, 1000, &rest);
    part[2] = rng_mulhi(rest, 1000, &rest);
    part[3] = rng_mulhi(rest, 1000, &rest);
  } while (UNLIKELY(rest < surplus));
  memcpy(to, pairs[part[0]], 2);
  memcpy(to + 2, triples[part[1]], 4);
  memcpy(to + 5, triples[part[2]], 4);
  memcpy(to + 8, triples[part[3]], 4);
}

/* n * GROUP bytes. */
static void rows_fill_groups(struct rng *rng, unsigned n, char *to)
{
  struct rng local = *rng; /* for registers */

  for (unsigned i = 0; i < n; i++)
    rows_fill(&local, to + (size_t)i * GROUP);
  *rng = local;
}

static char *rows_put_bytes(char *to, uint64_t value, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    to[i] = (char)(value >> 8 * (n - 1 - i));
  return to + n;
}

void row_begin(struct row *r, enum rows_form form, unsigned columns, char *to)
{
  *r = (struct row){ .form = form, .at = to };
  if (form == ROWS_BINARY)
    r->at = rows_put_bytes(to, columns, 2);
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

/* Before a value without a length. */
static void rows_next(struct row *r)
{
  if (r->form == ROWS_SQL)
    *r->at++ = r->column ? ',' : '(';
  else if (r->column)
    *r->at++ = '\t';
  r->column++;
}

static void row_put_integer(struct row *r, int64_t value, unsigned bytes)
{
  if (r->form == ROWS_BINARY) {
    r->at = rows_put_bytes(r->at, bytes, 4);
    r->at = rows_put_bytes(r->at, (uint64_t)value, bytes);
    return;
  }
  rows_next(r);
  r->at += fmt_int(r->at, value);
}

void row_int(struct row *r, int64_t value)
{
  row_put_integer(r, value, 4);
}

void row_long(struct row *r, int64_t value)
{
  row_put_integer(r, value, 8);
}

void row_text(struct row *r, const char *text, size_t len)
{
  if (r->form == ROWS_BINARY)
    r->at = rows_put_bytes(r->at, len, 4);
  else
    rows_next(r);
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
    r->at = rows_put_bytes(r->at, UINT32_MAX, 4);
    return;
  }
  rows_next(r);
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

enum {
  C_GROUPS = 10,
  PAD_GROUPS = 5,
  PAD = C_GROUPS * GROUP, /* its position in the text of a row */
  TEXT = PAD + PAD_GROUPS * GROUP
};

/* The last group of a column has no `-`. */
_Static_assert(ROWS_C + 1 == PAD, "length of c");
_Static_assert(ROWS_PAD + 1 == TEXT - PAD, "length of pad");

void rows_init(struct rows *r, const struct rand_params *params, uint64_t seed,
               uint64_t table, uint64_t size)
{
  *r = (struct rows){
    .seed = seed,
    .table = table,
    .size = size,
    .params = params,
    .wide = size > INT32_MAX,
  };
}

/* Returns k; `text` gets c, a byte, pad, a byte. */
static uint64_t rows_make(struct rows *r, uint64_t id, char text[TEXT])
{
  struct rng rng;

  rng_seed2(&rng, r->seed, RNG_ROWS, r->table, id);
  rows_fill_groups(&rng, C_GROUPS + PAD_GROUPS, text);
  return (uint64_t)dist_default(r->params, &rng, &r->zipf, 1, (int64_t)r->size);
}

uint64_t rows_values(struct rows *r, uint64_t id, char c[ROWS_C],
                     char pad[ROWS_PAD])
{
  char text[TEXT];
  const uint64_t k = rows_make(r, id, text);

  memcpy(c, text, ROWS_C);
  memcpy(pad, text + PAD, ROWS_PAD);
  return k;
}

static void rows_put_key(const struct rows *r, struct row *row, uint64_t n)
{
  if (r->wide)
    row_long(row, (int64_t)n);
  else
    row_int(row, (int64_t)n);
}

size_t rows_put(struct rows *r, enum rows_form form, uint64_t id, char *to)
{
  char text[TEXT];
  const uint64_t k = rows_make(r, id, text);
  struct row row;

  row_begin(&row, form, 4, to);
  rows_put_key(r, &row, id);
  rows_put_key(r, &row, k);
  row_text(&row, text, ROWS_C);
  row_text(&row, text + PAD, ROWS_PAD);
  return (size_t)(row_end(&row) - to);
}
