/*
 * sqlite_copy.c - rows that are inserted by one prepared statement.
 */
#include <string.h>

#include "drivers/sqlite/sqlite_internal.h"

static void done(struct sqlite_session *q)
{
  (void)sqlite3_finalize(q->copy); /* repeats an error that was reported */
  q->copy = NULL;
}

static int copy_begin(struct session *s, const struct copy_spec *spec,
                      struct outcome *out)
{
  struct sqlite_session *q = sqlite_of(s);
  struct strbuf sql = { 0 };
  int rc = SQLITE_NOMEM;

  strbuf_addf(&sql, "INSERT INTO %s (", spec->table);
  for (unsigned i = 0; i < spec->n; i++)
    strbuf_addf(&sql, "%s%s", i ? ", " : "", spec->columns[i]);
  strbuf_adds(&sql, ") VALUES (");
  for (unsigned i = 0; i < spec->n; i++)
    strbuf_adds(&sql, i ? ", ?" : "?");
  strbuf_adds(&sql, ")");
  q->copy_kinds = spec->kinds;
  q->copy_columns = spec->n;
  q->copied = 0;
  if (!sql.failed)
    rc = sqlite3_prepare_v3(q->db, sql.text, (int)sql.len + 1,
                            SQLITE_PREPARE_PERSISTENT, &q->copy, NULL);
  strbuf_done(&sql);
  if (rc == SQLITE_NOMEM)
    return sqlite_failed_with(SQLITE_NOMEM, "out of memory", out);
  return rc == SQLITE_OK ? 0 : sqlite_failed(q, out);
}

static int insert(struct sqlite_session *q, struct outcome *out)
{
  if (UNLIKELY(sqlite3_step(q->copy) != SQLITE_DONE))
    return sqlite_failed(q, out);
  if (UNLIKELY(sqlite3_reset(q->copy) != SQLITE_OK))
    return sqlite_failed(q, out);
  q->copied++;
  return 0;
}

static int copy_row(struct session *s, const sql_value *values,
                    struct outcome *out)
{
  struct sqlite_session *q = sqlite_of(s);

  for (unsigned i = 0; i < q->copy_columns; i++) {
    const int at = (int)i + 1;
    const int rc = values[i].ptr
                     ? sqlite3_bind_text64(q->copy, at, values[i].ptr,
                                           values[i].len, SQLITE_STATIC,
                                           SQLITE_UTF8)
                     : sqlite3_bind_null(q->copy, at);

    if (rc != SQLITE_OK)
      return sqlite_failed(q, out);
  }
  return insert(q, out);
}

static int64_t integer(const char *text, const char *end)
{
  uint64_t n = 0;
  const bool minus = text < end && *text == '-';

  for (text += minus; text < end; text++)
    n = n * 10 + (uint64_t)(*text - '0');
  return (int64_t)(minus ? 0 - n : n);
}

/* Bind column i of the row at `from`; where the next one begins, or NULL. */
static const char *bind_next(struct sqlite_session *q, unsigned i,
                             const char *from, const char *end)
{
  const bool last = i + 1 == q->copy_columns;
  const char *to = memchr(from, last ? '\n' : '\t', (size_t)(end - from));
  int rc;

  if (!to)
    to = end;
  if (q->copy_kinds && q->copy_kinds[i] == 'i')
    rc = sqlite3_bind_int64(q->copy, (int)i + 1, integer(from, to));
  else
    rc = sqlite3_bind_text64(q->copy, (int)i + 1, from, (uint64_t)(to - from),
                             SQLITE_STATIC, SQLITE_UTF8);
  if (rc != SQLITE_OK)
    return NULL;
  return to < end ? to + 1 : end;
}

static int copy_rows(struct session *s, const char *rows, size_t len,
                     struct outcome *out)
{
  struct sqlite_session *q = sqlite_of(s);
  const char *end = rows + len;

  atomic_store_explicit(&q->woken, 0, memory_order_relaxed);
  while (rows < end) {
    for (unsigned i = 0; i < q->copy_columns; i++) {
      rows = bind_next(q, i, rows, end);
      if (UNLIKELY(!rows))
        return sqlite_failed(q, out);
    }
    if (insert(q, out) < 0)
      return -1;
  }
  return 0;
}

static int copy_end(struct session *s, struct outcome *out)
{
  struct sqlite_session *q = sqlite_of(s);

  done(q);
  out->counter = COUNTER_WRITE;
  out->taken = q->copied;
  return 0;
}

static void copy_abort(struct session *s)
{
  struct sqlite_session *q = sqlite_of(s);

  done(q);
  q->base.trx = sqlite3_get_autocommit(q->db) ? TRX_NONE : TRX_OPEN;
}

const struct driver_copy sqlite_copy = {
  .form = COPY_PLAIN,
  .begin = copy_begin,
  .row = copy_row,
  .rows = copy_rows,
  .end = copy_end,
  .abort = copy_abort,
};
