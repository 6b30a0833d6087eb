/*
 * library_rows.c - rows that the client library has received one by one.
 */
#include "drivers/mysql/library_rows.h"

#include <string.h>

#include "base/compiler.h"

enum {
  KEPT = 1024 * 1024, /* a larger buffer is freed after use */
};

/* SQL NULL, instead of a length. */
#define NO_VALUE UINT32_MAX

void mysqld_library_rows_add(struct library_rows *r, const char *text,
                             uint32_t len)
{
  const uint32_t head = text ? len : NO_VALUE;

  strbuf_add(&r->bytes, &head, sizeof(head));
  if (text)
    strbuf_add(&r->bytes, text, len);
}

char *mysqld_library_rows_room(struct library_rows *r, uint32_t most)
{
  const size_t begin = r->bytes.len;
  const uint32_t head = 0;

  strbuf_add(&r->bytes, &head, sizeof(head));
  if (!strbuf_reserve(&r->bytes, most))
    return NULL;
  return r->bytes.text + begin + sizeof(head);
}

void mysqld_library_rows_added(struct library_rows *r, uint32_t len)
{
  memcpy(r->bytes.text + r->bytes.len - sizeof(len), &len, sizeof(len));
  r->bytes.len += len;
}

int mysqld_library_rows_take(struct library_rows *r, uint32_t n,
                             sql_value *values)
{
  const char *p = r->bytes.text + r->at;

  if (r->left == 0)
    return 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t len;

    memcpy(&len, p, sizeof(len));
    p += sizeof(len);
    if (len == NO_VALUE) {
      values[i] = (sql_value){ 0, NULL };
    } else {
      values[i] = (sql_value){ len, p };
      p += len;
    }
  }
  r->at = (size_t)(p - r->bytes.text);
  r->left--;
  return 1;
}

void mysqld_library_rows_clear(struct library_rows *r)
{
  if (UNLIKELY(r->bytes.room > KEPT || r->bytes.failed))
    strbuf_done(&r->bytes);
  strbuf_clear(&r->bytes);
  r->at = 0;
  r->left = 0;
}

void mysqld_library_rows_done(struct library_rows *r)
{
  strbuf_done(&r->bytes);
  r->at = 0;
  r->left = 0;
}
