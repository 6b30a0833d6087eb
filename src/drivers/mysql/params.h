/*
 * params.h - parameters of prepared statements as the protocol sends them.
 */
#ifndef BENCH_DRIVERS_MYSQL_PARAMS_H
#define BENCH_DRIVERS_MYSQL_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"

/* The type on the wire for a parameter of an allowed type. */
uint8_t mysqld_params_type(sql_bind_type_t type);
/* Is it a number of 8 bytes? */
bool mysqld_params_is_wide(sql_bind_type_t type);

struct params_form {
  bool types; /* send the types */
  bool named; /* send the number of parameters, and empty names */
};

/* An upper bound of the bytes that mysqld_params_put() writes. */
size_t mysqld_params_size(const sql_bind *binds, unsigned n,
                          struct params_form form);

/* Write NULL flags, types and values.  Returns the end. */
uint8_t *mysqld_params_put(const sql_bind *binds, unsigned n,
                           struct params_form form, uint8_t *to);

/* Write one value that is not NULL.  Returns the end. */
uint8_t *mysqld_params_put_value(const sql_bind *b, uint8_t *to);

static inline bool param_is_null(const sql_bind *b)
{
  return !b->buffer || b->type == SQL_TYPE_NONE || (b->is_null && *b->is_null);
}

/* The length of a string; scripts may write data_len themselves. */
static inline size_t param_length(const sql_bind *b)
{
  const size_t len = b->data_len ? *b->data_len : 0;

  return b->max_len > 0 && len > b->max_len ? b->max_len : len;
}

/*
 * Store the lowest byte first.  Compilers turn this into one store if possible.
 */
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
