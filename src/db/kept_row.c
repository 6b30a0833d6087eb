/*
 * kept_row.c - rows that are copied.
 */
#include "db/kept_row.h"

#include <string.h>

#include "base/strbuf.h"

void kept_row_add(struct strbuf *to, const sql_value *values, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t len = values[i].ptr ? values[i].len : UINT32_MAX;

    strbuf_add(to, &len, sizeof(len));
    if (values[i].ptr)
      strbuf_add(to, values[i].ptr, len);
  }
}

size_t kept_row_get(const char *from, sql_value *values, uint32_t n)
{
  const char *at = from;

  for (uint32_t i = 0; i < n; i++) {
    uint32_t len;

    memcpy(&len, at, sizeof(len));
    at += sizeof(len);
    values[i] = len == UINT32_MAX ? (sql_value){ 0 } : (sql_value){ len, at };
    at += len == UINT32_MAX ? 0 : len;
  }
  return (size_t)(at - from);
}
