/*
 * params.h - parameters of prepared statements, as they are sent.
 */
#ifndef BENCH_DRIVERS_MYSQL_PARAMS_H
#define BENCH_DRIVERS_MYSQL_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"

uint8_t mysqld_params_type(sql_bind_type_t type);
bool mysqld_params_is_wide(sql_bind_type_t type);

struct params_form {
  bool types;
  bool named; /* with the number of parameters, and empty names */
};

/* Upper bound of what mysqld_params_put() writes. */
size_t mysqld_params_size(const sql_bind *binds, unsigned n,
                          struct params_form form);

/* NULL flags, types and values.  Returns the end. */
uint8_t *mysqld_params_put(const sql_bind *binds, unsigned n,
                           struct params_form form, uint8_t *to);

/* Not NULL.  Returns the end. */
uint8_t *mysqld_params_put_value(const sql_bind *b, uint8_t *to);

static inline bool param_is_null(const sql_bind *b)
{
  return !b->buffer || b->type == SQL_TYPE_NONE || (b->is_null && *b->is_null);
}

/* Scripts may write data_len themselves. */
static inline size_t param_length(const sql_bind *b)
{
  const size_t len = b->data_len ? *b->data_len : 0;

  return b->max_len > 0 && len > b->max_len ? b->max_len : len;
}

/* Compilers make one store of these. */
static inline void put_le16(uint8_t *to, uint16_t v)
{
  to[0] = (uint8_t)v;
  to[1] = (uint8_t)(v >> 8);
}
static inline void put_le32(uint8_t *to, uint32_t v)
{
  to[0] = (uint8_t)v;
  to[1] = (uint8_t)(v >> 8);
  to[2] = (uint8_t)(v >> 16);
  to[3] = (uint8_t)(v >> 24);
}
static inline void put_le64(uint8_t *to, uint64_t v)
{
  put_le32(to, (uint32_t)v);
  put_le32(to + 4, (uint32_t)(v >> 32));
}

#endif
