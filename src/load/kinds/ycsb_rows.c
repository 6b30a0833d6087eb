/*
 * ycsb_rows.c - keys and fields of the rows of the ycsb script.
 */
#include <string.h>

#include "load/kind.h"
#include "load/kinds/ycsb.h"
#include "rand/rng.h"
#include "rand/text.h"

const char *const ycsb_fault_text[YCSB_FAULTS] = {
  [YCSB_FINE] = "it is fine",
  [YCSB_NULL] = "it is NULL",
  [YCSB_SIZE] = "its length is wrong",
  [YCSB_FORM] = "it has no version",
  [YCSB_CHECK] = "its check word is wrong",
  [YCSB_TEXT] = "its text is not that of its version",
  [YCSB_TORN] = ("the row is torn: it has fields of different writes of the "
                 "whole row"),
};

/* Scripts know seeds as numbers of 53 bits. */
#define SEED_MASK ((UINT64_C(1) << 53) - 1)
#define VERSION_MASK ((UINT64_C(1) << YCSB_VERSION_BITS) - 1)

enum {
  PLACE_BITS = 62,
  VERSION_DIGITS = 11,
  CHECK_DIGITS = 8,
};

/* What a random key is for; the first words of its stream. */
enum {
  FOR_LOADED = 1,
  FOR_IN_BETWEEN,
  FOR_FIELD,
};

void ycsb_init(struct ycsb *y, const struct kind_args *args)
{
  const uint64_t *v = args->value;
  unsigned bits = 1;

  *y = (struct ycsb){
    .seed = args->seed & SEED_MASK,
    .records = v[YCSB_RECORDS],
    .fields = (unsigned)v[YCSB_FIELDS],
    .length = (unsigned)v[YCSB_LENGTH],
    .int_keys = v[YCSB_INT_KEYS] != 0,
    .ordered = v[YCSB_ORDERED] != 0,
    .gap = 1,
  };
  if (y->ordered)
    return;
  while (UINT64_C(1) << bits <= y->records)
    bits++;
  y->gap = UINT64_C(1) << (PLACE_BITS - bits);
  scramble_init(&y->loaded, rng_key(y->seed, RNG_ROWS, FOR_LOADED), y->records);
  scramble_init(&y->in_between, rng_key(y->seed, RNG_ROWS, FOR_IN_BETWEEN),
                y->records * (y->gap - 1));
}

/* ---- keys ---- */

uint64_t ycsb_place(const struct ycsb *y, uint64_t number)
{
  uint64_t at;

  if (y->ordered)
    return number;
  if (number <= y->records)
    return (scramble(&y->loaded, number - 1) + 1) * y->gap;
  number -= y->records + 1;
  if (number >= y->in_between.n)
    return 0;
  at = scramble(&y->in_between, number);
  return (at % y->records + 1) * y->gap + 1 + at / y->records;
}

uint64_t ycsb_number(const struct ycsb *y, uint64_t place)
{
  const uint64_t block = place / y->gap, rest = place % y->gap;

  if (y->ordered)
    return place;
  if (block < 1 || block > y->records)
    return 0;
  if (rest == 0)
    return scramble_back(&y->loaded, block - 1) + 1;
  return y->records + 1 +
         scramble_back(&y->in_between, (rest - 1) * y->records + block - 1);
}

void ycsb_key(uint64_t place, char to[YCSB_KEY])
{
  memcpy(to, YCSB_PREFIX, sizeof(YCSB_PREFIX) - 1);
  for (unsigned i = YCSB_KEY; i-- > sizeof(YCSB_PREFIX) - 1; place /= 10)
    to[i] = (char)('0' + place % 10);
}

uint64_t ycsb_number_of_key(const struct ycsb *y, const char *text, size_t len)
{
  const size_t prefix = y->int_keys ? 0 : sizeof(YCSB_PREFIX) - 1;
  char digits[KIND_DIGITS + 1];
  uint64_t place;

  if (len < prefix || memcmp(text, YCSB_PREFIX, prefix) != 0 ||
      len - prefix > KIND_DIGITS || (prefix && len != YCSB_KEY))
    return 0;
  len -= prefix;
  memcpy(digits, text + prefix, len);
  digits[len] = '\0';
  if (len == 0 || strspn(digits, "0123456789") != len)
    return 0;
  place = 0;
  for (size_t i = 0; i < len; i++)
    place = place * 10 + (uint64_t)(digits[i] - '0');
  return place > INT64_MAX ? 0 : ycsb_number(y, place);
}

/* ---- fields ---- */

static uint64_t stream_of(const struct ycsb *y, uint64_t row, unsigned field,
                          struct ycsb_version v)
{
  const uint64_t at = rng_mix(row + (uint64_t)field * RNG_GAMMA);

  return rng_mix(rng_key(y->seed, RNG_ROWS, FOR_FIELD) + at +
                 rng_mix(v.number * 2 + v.whole + RNG_GAMMA));
}

static void put_hex(char *to, uint64_t value, unsigned digits)
{
  static const char digit[] = "0123456789abcdef";

  while (digits-- > 0) {
    to[digits] = digit[value & 15];
    value >>= 4;
  }
}

/* False: there is another character. */
static bool get_hex(const char *text, unsigned digits, uint64_t *ret)
{
  uint64_t value = 0;

  for (unsigned i = 0; i < digits; i++) {
    const char c = text[i];

    if (c >= '0' && c <= '9')
      value = value << 4 | (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value << 4 | (uint64_t)(c - 'a' + 10);
    else
      return false;
  }
  *ret = value;
  return true;
}

static void put_head(struct ycsb_version v, uint64_t stream, char *to)
{
  to[0] = v.whole ? 'w' : 'f';
  put_hex(to + 1, v.number, VERSION_DIGITS);
  put_hex(to + 1 + VERSION_DIGITS, stream >> 32, CHECK_DIGITS);
}

/* What follows the head: letters that depend on the whole stream. */
static void put_text(uint64_t stream, size_t len, char *to)
{
  static const char format[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
                               "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
                               "@@@@@@@@@@@@@@@@";
  struct rng rng;

  rng_seed_key(&rng, stream);
  while (len > 0) {
    const size_t n = len < sizeof(format) - 1 ? len : sizeof(format) - 1;

    text_fill(&rng, format, n, to);
    to += n;
    len -= n;
  }
}

void ycsb_field(const struct ycsb *y, uint64_t row, unsigned field,
                struct ycsb_version version, char *to)
{
  uint64_t stream;

  version.number &= VERSION_MASK;
  stream = stream_of(y, row, field, version);
  put_head(version, stream, to);
  put_text(stream, y->length - YCSB_HEAD, to + YCSB_HEAD);
}

static bool get_version(const char *text, struct ycsb_version *ret)
{
  ret->whole = text[0] == 'w';
  return (text[0] == 'w' || text[0] == 'f') &&
         get_hex(text + 1, VERSION_DIGITS, &ret->number);
}

enum ycsb_fault ycsb_read(struct ycsb_reading *r, unsigned field,
                          const char *text, size_t len,
                          struct ycsb_version *ret_version)
{
  char expected[YCSB_LENGTH_MAX];
  struct ycsb_version v;

  if (!text)
    return YCSB_NULL;
  if (len != r->model->length)
    return YCSB_SIZE;
  if (!get_version(text, &v))
    return YCSB_FORM;
  ycsb_field(r->model, r->row, field, v, expected);
  if (memcmp(text, expected, YCSB_HEAD) != 0)
    return YCSB_CHECK;
  if (memcmp(text, expected, len) != 0)
    return YCSB_TEXT;
  *ret_version = v;
  if (!v.whole)
    return YCSB_FINE;
  if (r->seen_whole && r->whole != v.number)
    return YCSB_TORN;
  r->seen_whole = true;
  r->whole = v.number;
  return YCSB_FINE;
}
