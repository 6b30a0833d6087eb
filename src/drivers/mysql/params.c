/*
 * params.c - parameters of prepared statements, as they are sent.
 */
#include "drivers/mysql/params.h"

#include <string.h>

#include <mysql.h>

#include "base/compiler.h"

enum {
  VALUE_HEAD = 9,
};

static const struct {
  uint8_t type, size; /* size 0: length and bytes */
} wire_type[] = {
  [SQL_TYPE_NONE] = { MYSQL_TYPE_NULL, 0 },
  [SQL_TYPE_TINYINT] = { MYSQL_TYPE_TINY, 1 },
  [SQL_TYPE_SMALLINT] = { MYSQL_TYPE_SHORT, 2 },
  [SQL_TYPE_INT] = { MYSQL_TYPE_LONG, 4 },
  [SQL_TYPE_BIGINT] = { MYSQL_TYPE_LONGLONG, 8 },
  [SQL_TYPE_FLOAT] = { MYSQL_TYPE_FLOAT, 4 },
  [SQL_TYPE_DOUBLE] = { MYSQL_TYPE_DOUBLE, 8 },
  [SQL_TYPE_CHAR] = { (uint8_t)MYSQL_TYPE_STRING, 0 },
  [SQL_TYPE_VARCHAR] = { (uint8_t)MYSQL_TYPE_VAR_STRING, 0 },
};

uint8_t mysqld_params_type(sql_bind_type_t type)
{
  return wire_type[type].type;
}

bool mysqld_params_is_wide(sql_bind_type_t type)
{
  return wire_type[type].size == sizeof(uint64_t);
}

size_t mysqld_params_size(const sql_bind *binds, unsigned n,
                          struct params_form form)
{
  size_t size = VALUE_HEAD + (n + 7) / 8 + 1 + (form.types ? 3 * (size_t)n : 0);

  for (unsigned i = 0; i < n; i++) {
    size += VALUE_HEAD;
    if (wire_type[binds[i].type].size == 0)
      size += param_length(&binds[i]);
  }
  return size;
}

static uint8_t *params_put_length(uint8_t *to, uint64_t n)
{
  if (n < 0xfb) {
    *to = (uint8_t)n;
    return to + 1;
  }
  if (n <= 0xffff) {
    *to = 0xfc;
    put_le16(to + 1, (uint16_t)n);
    return to + 3;
  }
  if (n <= 0xffffff) {
    *to = 0xfd;
    put_le16(to + 1, (uint16_t)n);
    to[3] = (uint8_t)(n >> 16);
    return to + 4;
  }
  *to = 0xfe;
  put_le64(to + 1, n);
  return to + 9;
}

uint8_t *mysqld_params_put_value(const sql_bind *b, uint8_t *to)
{
  const size_t size = wire_type[b->type].size;
  size_t len;

  switch (size) {
  case 8: {
    uint64_t v;

    memcpy(&v, b->buffer, sizeof(v));
    put_le64(to, v);
    return to + 8;
  }
  case 4: {
    uint32_t v;

    memcpy(&v, b->buffer, sizeof(v));
    put_le32(to, v);
    return to + 4;
  }
  case 2: {
    uint16_t v;

    memcpy(&v, b->buffer, sizeof(v));
    put_le16(to, v);
    return to + 2;
  }
  case 1:
    *to = *(const uint8_t *)b->buffer;
    return to + 1;
  default:
    len = param_length(b);
    to = params_put_length(to, len);
    memcpy(to, b->buffer, len);
    return to + len;
  }
}

uint8_t *mysqld_params_put(const sql_bind *binds, unsigned n,
                           struct params_form form, uint8_t *to)
{
  uint8_t *nulls;

  if (n == 0)
    return to;
  if (form.named)
    to = params_put_length(to, n);
  nulls = to;
  memset(nulls, 0, (n + 7) / 8);
  to += (n + 7) / 8;
  *to++ = form.types;
  for (unsigned i = 0; form.types && i < n; i++) {
    *to++ = wire_type[binds[i].type].type;
    *to++ = 0; /* signed */
    if (form.named)
      *to++ = 0; /* no name */
  }
  for (unsigned i = 0; i < n; i++) {
    if (UNLIKELY(param_is_null(&binds[i])))
      nulls[i / 8] |= (uint8_t)(1u << i % 8);
    else
      to = mysqld_params_put_value(&binds[i], to);
  }
  return to;
}
