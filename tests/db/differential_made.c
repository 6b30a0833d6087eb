/*
 * differential_made.c - makes statements at random, with parameters of all
 * types.
 */
#include "differential.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next(struct made *m)
{
  m->random ^= m->random << 13;
  m->random ^= m->random >> 7;
  m->random ^= m->random << 17;
  return m->random * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

static unsigned below(struct made *m, unsigned n)
{
  return (unsigned)(next(m) % n);
}

static const char *one_of(struct made *m, const char *const *list)
{
  unsigned n = 0;

  while (list[n])
    n++;
  return list[below(m, n)];
}

/* Small and large ones alike. */
static int64_t any_int(struct made *m, unsigned bits)
{
  const uint64_t v = next(m) << 16 ^ next(m);
  const unsigned used = 1 + below(m, bits);

  return (int64_t)(v << (64 - used)) >> (64 - used);
}

/* Lengths around the borders of what one byte or two can say. */
static size_t any_length(struct made *m)
{
  static const size_t length[] = { 0,   1,   2,     5,     20,    100,  249,
                                   250, 251, 252,   253,   255,   256,  1000,
                                   127, 128, 16384, 65535, 65536, 70000 };

  return length[below(m, below(m, 8) ? 14 : 20)];
}

/* ---- parameters ---- */

static void bind_text(struct made *m, size_t i)
{
  const size_t n = any_length(m);

  m->len[i] = n;
  for (size_t k = 0; k < n; k++)
    m->text[i][k] = (char)(' ' + (k * 7 + n) % 94);
  m->binds[i].buffer = m->text[i];
  m->binds[i].data_len = &m->len[i];
  m->binds[i].max_len = MADE_TEXT;
}

static double any_double(struct made *m)
{
  static const double special[] = { 0,      1,    -1,   0.1,  1e300,
                                    1e-300, 1e15, 1e22, -2.5, 16777217 };

  if (below(m, 2))
    return special[below(m, sizeof(special) / sizeof(special[0]))];
  return ldexp((double)any_int(m, 52), (int)below(m, 40) - 20);
}

static void bind_one(struct made *m, size_t i)
{
  static const sql_bind_type_t type[] = {
    SQL_TYPE_TINYINT, SQL_TYPE_SMALLINT, SQL_TYPE_INT,  SQL_TYPE_BIGINT,
    SQL_TYPE_FLOAT,   SQL_TYPE_DOUBLE,   SQL_TYPE_CHAR, SQL_TYPE_VARCHAR,
  };
  sql_bind *b = &m->binds[i];

  *b = (sql_bind){ .type = type[below(m, 8)],
                   .buffer = &m->number[i],
                   .is_null = &m->is_null[i] };
  m->is_null[i] = below(m, 5) == 0;
  switch (b->type) {
  case SQL_TYPE_TINYINT:
    m->number[i].i8 = (int8_t)any_int(m, 8);
    break;
  case SQL_TYPE_SMALLINT:
    m->number[i].i16 = (int16_t)any_int(m, 16);
    break;
  case SQL_TYPE_INT:
    m->number[i].i32 = (int32_t)any_int(m, 32);
    break;
  case SQL_TYPE_BIGINT:
    m->number[i].i64 = any_int(m, 64);
    break;
  case SQL_TYPE_FLOAT:
    m->number[i].f = (float)any_int(m, 30) / 8;
    break;
  case SQL_TYPE_DOUBLE:
    m->number[i].d = any_double(m);
    break;
  default:
    bind_text(m, i);
  }
}

/* ---- statements ---- */

static void with_params(struct made *m)
{
  m->n_binds = 1 + below(m, MADE_PARAMS);
  strbuf_adds(&m->sql, "SELECT ");
  for (size_t i = 0; i < m->n_binds; i++) {
    if (!m->text[i])
      m->text[i] = calloc(1, MADE_TEXT);
    strbuf_adds(&m->sql, i ? ", ?" : "?");
    bind_one(m, i);
  }
}

static void with_values(struct made *m, const struct dialect *d)
{
  const unsigned n = 1 + below(m, 8);

  strbuf_adds(&m->sql, "SELECT ");
  for (unsigned i = 0; i < n; i++) {
    strbuf_adds(&m->sql, i ? ", " : "");
    switch (below(m, 5)) {
    case 0:
      strbuf_addf(&m->sql, "%" PRId64, any_int(m, 63));
      break;
    case 1:
      strbuf_addf(&m->sql, "repeat('x', %zu)", any_length(m));
      break;
    default:
      strbuf_adds(&m->sql, one_of(m, d->expressions));
    }
  }
  if (below(m, 4) == 0)
    strbuf_addf(&m->sql, " FROM differential WHERE id < %u ORDER BY id",
                below(m, 100));
}

static void writing(struct made *m)
{
  const unsigned id = below(m, 60);

  switch (below(m, 5)) {
  case 0:
  case 1:
    strbuf_addf(&m->sql, "INSERT INTO differential (id, n, t) VALUES (%u, ",
                id);
    if (below(m, 4) == 0)
      strbuf_adds(&m->sql, "NULL, NULL)");
    else
      strbuf_addf(&m->sql, "%" PRId64 ", repeat('%c', %zu))", any_int(m, 31),
                  'a' + (int)below(m, 26), any_length(m));
    break;
  case 2:
    strbuf_addf(&m->sql, "UPDATE differential SET n = %u WHERE id %c %u",
                below(m, 4), below(m, 2) ? '<' : '=', id);
    break;
  case 3:
    strbuf_addf(&m->sql, "DELETE FROM differential WHERE id = %u", id);
    break;
  default:
    strbuf_addf(&m->sql, "SELECT * FROM differential WHERE id > %u ORDER BY id",
                id);
  }
}

static void make_text(struct made *m, const struct dialect *d, bool aborted)
{
  const unsigned kind = below(m, 23);
  const bool several = kind >= 18 && kind < 22;

  if (aborted && below(m, 2))
    strbuf_adds(&m->sql, "ROLLBACK");
  else if (kind < 5)
    with_params(m);
  else if (kind < 10)
    with_values(m, d);
  else if (kind < 14)
    writing(m);
  else if (kind < 18)
    strbuf_adds(&m->sql, one_of(m, d->statements));
  else
    strbuf_adds(&m->sql, one_of(m, several ? d->several : d->procedures));
  m->prepared = kind < 5 || kind == 22 || (!several && below(m, 5) > 1);
}

void make_statement(struct made *m, const struct dialect *d, bool aborted,
                    unsigned slots)
{
  strbuf_clear(&m->sql);
  m->n_binds = 0;
  m->fetch = below(m, 8) != 0;
  m->leave = below(m, 8) == 0;
  make_text(m, d, aborted);
  if (!m->prepared)
    m->n_binds = 0;
  if (!m->prepared)
    return;
  /* One that is there already is executed again. */
  m->fresh = false;
  for (m->slot = 0; m->slot < slots; m->slot++) {
    const struct strbuf *there = &m->in_slot[m->slot];

    if (there->len == m->sql.len &&
        memcmp(there->text, m->sql.text, m->sql.len) == 0)
      return;
  }
  m->fresh = true;
  m->slot = below(m, slots);
  strbuf_clear(&m->in_slot[m->slot]);
  strbuf_add(&m->in_slot[m->slot], m->sql.text, m->sql.len);
}

void made_done(struct made *m)
{
  strbuf_done(&m->sql);
  for (size_t i = 0; i < MADE_PARAMS; i++)
    free(m->text[i]);
  for (size_t i = 0; i < sizeof(m->in_slot) / sizeof(m->in_slot[0]); i++)
    strbuf_done(&m->in_slot[i]);
}
