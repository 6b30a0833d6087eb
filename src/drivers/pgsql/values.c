/*
 * values.c - the values of parameters, as they are sent with an execution.
 */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "db/emul.h"
#include "drivers/pgsql/session.h"

/* Writes the digits of a TINYINT, which is sent as text. */
static int put_digits(char to[8], int value)
{
  return snprintf(to, 8, "%d", value);
}

static void put_value(struct pgsql_prepared *st, unsigned i)
{
  const sql_bind *b = &st->base.binds[i];
  char *to = st->bytes[i];
  uint64_t u64;
  uint32_t u32;
  uint16_t u16;
  size_t len;

  st->values[i] = to;
  if (b->is_null && *b->is_null) {
    st->values[i] = NULL;
    return;
  }
  switch (b->type) {
  case SQL_TYPE_BIGINT:
  case SQL_TYPE_DOUBLE:
    memcpy(&u64, b->buffer, sizeof(u64));
    u64 = htobe64(u64);
    memcpy(to, &u64, sizeof(u64));
    break;
  case SQL_TYPE_INT:
  case SQL_TYPE_FLOAT:
    memcpy(&u32, b->buffer, sizeof(u32));
    u32 = htobe32(u32);
    memcpy(to, &u32, sizeof(u32));
    break;
  case SQL_TYPE_SMALLINT:
    memcpy(&u16, b->buffer, sizeof(u16));
    u16 = htobe16(u16);
    memcpy(to, &u16, sizeof(u16));
    break;
  case SQL_TYPE_TINYINT:
    st->lengths[i] = put_digits(to, (int)emul_bind_int(b));
    break;
  case SQL_TYPE_CHAR:
  case SQL_TYPE_VARCHAR:
    st->values[i] = emul_bind_text(b, &len);
    st->lengths[i] = (int)len;
    break;
  default:
    st->values[i] = NULL;
  }
}

void pgsql_put_values(struct pgsql_prepared *st)
{
  for (unsigned i = 0; i < st->base.n_params; i++)
    put_value(st, i);
}
