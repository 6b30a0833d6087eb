/*
 * kept_row.c - rows that are copied.
 */
#include "db/kept_row.h"

#include <string.h>

#include "base/strbuf.h"

void kept_row_add(struct strbuf *to, const sql_value *values, uint32_t n)
{
  size_t bytes = 0;
  char *at;

  for (uint32_t i = 0; i < n; i++)
    bytes += sizeof(uint32_t) + (values[i].ptr ? values[i].len : 0);
  if (!strbuf_reserve(to, bytes))
    return;
  at = to->text + to->len;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t len = values[i].ptr ? values[i].len : UINT32_MAX;

    memcpy(at, &len, sizeof(len));
    at += sizeof(len);
    if (values[i].ptr) {
      memcpy(at, values[i].ptr, len);
      at += len;
    }
  }
  to->len += bytes;
  *at = '\0';
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
