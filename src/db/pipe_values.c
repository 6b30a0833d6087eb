/*
 * pipe_values.c - values of parameters that wait.  Each has a byte that says
 * whether it is NULL, and then a number as it is in memory, or a length and
 * bytes.
 */
#include "db/pipe_values.h"

#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"

enum {
  TAKEN_VALUE = 0,
  TAKEN_NULL = 1,
  VALUE_MAX = 1 + sizeof(uint64_t), /* of a number, or before a text */
};

/* Bytes of a number; 0: it is a text. */
static size_t size_of(sql_bind_type_t type)
{
  switch (type) {
  case SQL_TYPE_TINYINT:
    return 1;
  case SQL_TYPE_SMALLINT:
    return 2;
  case SQL_TYPE_INT:
  case SQL_TYPE_FLOAT:
    return 4;
  case SQL_TYPE_CHAR:
  case SQL_TYPE_VARCHAR:
    return 0;
  default:
    return 8;
  }
}

static void take(struct strbuf *to, const sql_bind *b)
{
  char *at = to->text + to->len;
  const char *text;
  size_t len;

  if (UNLIKELY(emul_bind_null(b))) {
    *at = TAKEN_NULL;
    to->len++;
    return;
  }
  *at++ = TAKEN_VALUE;
  len = size_of(b->type);
  if (LIKELY(len > 0)) {
    memcpy(at, b->buffer, len);
    to->len += 1 + len;
    return;
  }
  text = emul_bind_text(b, &len);
  memcpy(at, &len, sizeof(len));
  to->len += 1 + sizeof(len);
  strbuf_add(to, text, len);
}

void pipe_values_take(struct strbuf *to, const sql_bind *binds, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (UNLIKELY(!strbuf_reserve(to, VALUE_MAX)))
      return;
    take(to, &binds[i]);
  }
}

static const char *put(const char *from, const sql_bind *b)
{
  const char taken = *from++;
  size_t len;

  if (b->is_null)
    *b->is_null = taken;
  if (UNLIKELY(taken == TAKEN_NULL))
    return from;
  len = size_of(b->type);
  if (UNLIKELY(len == 0)) {
    memcpy(&len, from, sizeof(len));
    from += sizeof(len);
    if (b->data_len)
      *b->data_len = len;
  }
  memcpy(b->buffer, from, len);
  return from + len;
}

void pipe_values_put(const char *from, const sql_bind *binds, size_t n)
{
  for (size_t i = 0; i < n; i++)
    from = put(from, &binds[i]);
}
