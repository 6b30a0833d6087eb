/*
 * rows.c - generated rows, in the forms that databases accept.
 */
#include "load/rows.h"

#include <string.h>

#include "base/fmt.h"
#include "load/groups.h"
#include "rand/rng.h"

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
static uint64_t make(struct rows *r, uint64_t id, char text[TEXT])
{
  struct rng rng;

  rng_seed2(&rng, r->seed, RNG_ROWS, r->table, id);
  groups_fill(&rng, C_GROUPS + PAD_GROUPS, text);
  return (uint64_t)dist_default(r->params, &rng, &r->zipf, 1, (int64_t)r->size);
}

uint64_t rows_values(struct rows *r, uint64_t id, char c[ROWS_C],
                     char pad[ROWS_PAD])
{
  char text[TEXT];
  const uint64_t k = make(r, id, text);

  memcpy(c, text, ROWS_C);
  memcpy(pad, text + PAD, ROWS_PAD);
  return k;
}

static char *put_text(char *to, const char *text, size_t len)
{
  memcpy(to, text, len);
  return to + len;
}

/* Write `n` bytes, the highest first. */
static char *put_bytes(char *to, uint64_t value, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    to[i] = (char)(value >> 8 * (n - 1 - i));
  return to + n;
}

static char *put_integer(char *to, uint64_t value, bool wide)
{
  const unsigned n = wide ? 8 : 4;

  to = put_bytes(to, n, 4);
  return put_bytes(to, value, n);
}

static char *put_binary(char *to, const struct rows *r, uint64_t id, uint64_t k,
                        const char *text)
{
  to = put_bytes(to, 4, 2); /* the number of columns */
  to = put_integer(to, id, r->wide);
  to = put_integer(to, k, r->wide);
  to = put_text(put_bytes(to, ROWS_C, 4), text, ROWS_C);
  return put_text(put_bytes(to, ROWS_PAD, 4), text + PAD, ROWS_PAD);
}

static char *put_between(char *to, const char *const part[5], uint64_t id,
                         uint64_t k, const char *text)
{
  to = put_text(to, part[0], strlen(part[0]));
  to += fmt_uint(to, id);
  to = put_text(to, part[1], strlen(part[1]));
  to += fmt_uint(to, k);
  to = put_text(to, part[2], strlen(part[2]));
  to = put_text(to, text, ROWS_C);
  to = put_text(to, part[3], strlen(part[3]));
  to = put_text(to, text + PAD, ROWS_PAD);
  return put_text(to, part[4], strlen(part[4]));
}

size_t rows_put(struct rows *r, enum rows_form form, uint64_t id, char *to)
{
  static const char *const plain[] = { "", "\t", "\t", "\t", "\n" };
  static const char *const sql[] = { "(", ",", ",'", "','", "')," };
  char text[TEXT];
  const uint64_t k = make(r, id, text);
  char *end;

  switch (form) {
  case ROWS_BINARY:
    end = put_binary(to, r, id, k, text);
    break;
  case ROWS_SQL:
    end = put_between(to, sql, id, k, text);
    break;
  default:
    end = put_between(to, plain, id, k, text);
  }
  return (size_t)(end - to);
}
