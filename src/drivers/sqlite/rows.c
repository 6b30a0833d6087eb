/*
 * rows.c - keeps the rows of a result until they are fetched.
 */
#include <stdlib.h>
#include <string.h>

#include "drivers/sqlite/session.h"

static const uint32_t null_length = UINT32_MAX;

static bool rows_reserve(struct sqlite_rows *r, size_t more)
{
  size_t room = r->room ? r->room : 4096;
  char *bytes;

  if (r->room - r->len >= more)
    return true;
  while (room - r->len < more)
    room *= 2;
  bytes = realloc(r->bytes, room);
  if (!bytes)
    return false;
  r->bytes = bytes;
  r->room = room;
  return true;
}

bool sqlite_rows_add(struct sqlite_rows *r, sqlite3_stmt *stmt)
{
  for (uint32_t i = 0; i < r->fields; i++) {
    /* Unprotected, for connections of one thread; cheaper than two calls by
     * column. */
    sqlite3_value *v = sqlite3_column_value(stmt, (int)i);
    const int type = sqlite3_value_type(v);
    const void *bytes = NULL;
    uint32_t len = null_length;
    size_t n = 0;

    if (type == SQLITE_BLOB)
      bytes = sqlite3_value_blob(v);
    else if (type != SQLITE_NULL)
      bytes = sqlite3_value_text(v);
    if (type != SQLITE_NULL) {
      len = (uint32_t)sqlite3_value_bytes(v);
      n = len;
      if (!bytes && (n > 0 || type != SQLITE_BLOB))
        return false;
    }
    if (!rows_reserve(r, sizeof(len) + n))
      return false;
    memcpy(r->bytes + r->len, &len, sizeof(len));
    r->len += sizeof(len);
    if (n > 0)
      memcpy(r->bytes + r->len, bytes, n);
    r->len += n;
  }
  r->left++;
  return true;
}

void sqlite_rows_clear(struct sqlite_rows *r, uint32_t fields)
{
  r->len = 0;
  r->at = 0;
  r->left = 0;
  r->fields = fields;
}

void sqlite_rows_done(struct sqlite_rows *r)
{
  free(r->bytes);
  memset(r, 0, sizeof(*r));
}

int sqlite_fetch(struct session *s, sql_value *values)
{
  struct sqlite_rows *r = &sqlite_of(s)->rows;

  if (r->left == 0)
    return 0;
  r->left--;
  for (uint32_t i = 0; i < r->fields; i++) {
    uint32_t len;

    memcpy(&len, r->bytes + r->at, sizeof(len));
    r->at += sizeof(len);
    values[i].len = len == null_length ? 0 : len;
    values[i].ptr = len == null_length ? NULL : r->bytes + r->at;
    r->at += values[i].len;
  }
  return 1;
}
