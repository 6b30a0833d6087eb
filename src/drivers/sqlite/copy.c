/*
 * copy.c - stores many rows by each execution of one statement.
 *
 * SQLite reads the buffer of rows as a table, of one connection and in no file.
 * INSERT .. SELECT takes half the time of an INSERT per row: one start, one
 * end, one table, and each place next to the previous one.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/sqlite/session.h"

#define SQLITE_SOURCE "bench_rows_of_copy"

/* ROW_HEAD: the number of columns */
enum {
  ROW_HEAD = 2,
  LENGTH = 4
};

struct source {
  sqlite3_vtab base; /* first */
  struct sqlite_session *session;
};

struct cursor {
  sqlite3_vtab_cursor base; /* first */
  const char *row;
  const char *at;
  int column;
};

static struct sqlite_session *source_session_of(const sqlite3_vtab *vtab)
{
  return ((const struct source *)(const void *)vtab)->session;
}

static struct cursor *source_cursor_of(sqlite3_vtab_cursor *base)
{
  return (struct cursor *)(void *)base;
}

static uint32_t source_length_at(const char *at)
{
  uint32_t n;

  memcpy(&n, at, sizeof(n));
  return be32toh(n);
}

static bool source_is_null(uint32_t len)
{
  return len == UINT32_MAX;
}

static int64_t source_integer_at(const char *at, uint32_t len)
{
  uint64_t n64;

  if (len == sizeof(uint32_t))
    return (int32_t)source_length_at(at);
  memcpy(&n64, at, sizeof(n64));
  return (int64_t)be64toh(n64);
}

static int source_connect(sqlite3 *db, void *arg, int argc,
                          const char *const *argv, sqlite3_vtab **ret,
                          char **ret_text)
{
  struct sqlite_session *q = arg;
  struct strbuf sql = { 0 };
  struct source *s = NULL;
  int rc = SQLITE_NOMEM;

  (void)argc, (void)argv, (void)ret_text;
  for (unsigned i = 0; i < q->copy_columns; i++)
    strbuf_addf(&sql, "%sc%u", i ? ", " : "CREATE TABLE x(", i);
  strbuf_adds(&sql, ")");
  if (!sql.failed)
    rc = sqlite3_declare_vtab(db, sql.text);
  strbuf_done(&sql);
  if (rc == SQLITE_OK && !(s = calloc(1, sizeof(*s))))
    rc = SQLITE_NOMEM;
  if (rc != SQLITE_OK)
    return rc;
  s->session = q;
  *ret = &s->base;
  return SQLITE_OK;
}

static int source_disconnect(sqlite3_vtab *vtab)
{
  free(vtab);
  return SQLITE_OK;
}

static int source_plan(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
  (void)vtab, (void)info;
  return SQLITE_OK;
}

static int source_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **ret)
{
  struct cursor *c = calloc(1, sizeof(*c));

  (void)vtab;
  if (!c)
    return SQLITE_NOMEM;
  *ret = &c->base;
  return SQLITE_OK;
}

static int source_close(sqlite3_vtab_cursor *base)
{
  free(base);
  return SQLITE_OK;
}

static void source_start_row(struct cursor *c, const char *row)
{
  c->row = row;
  c->at = row + ROW_HEAD;
  c->column = 0;
}

static int source_first(sqlite3_vtab_cursor *base, int plan, const char *text,
                        int argc, sqlite3_value **argv)
{
  (void)plan, (void)text, (void)argc, (void)argv;
  source_start_row(source_cursor_of(base),
                   source_session_of(base->pVtab)->copy_rows);
  return SQLITE_OK;
}

static void source_find_column(struct cursor *c, int column)
{
  if (column < c->column)
    source_start_row(c, c->row);
  for (; c->column < column; c->column++) {
    const uint32_t len = source_length_at(c->at);

    c->at += LENGTH + (source_is_null(len) ? 0 : len);
  }
}

static int source_next(sqlite3_vtab_cursor *base)
{
  struct cursor *c = source_cursor_of(base);

  source_find_column(c, (int)source_session_of(base->pVtab)->copy_columns);
  source_start_row(c, c->at);
  return SQLITE_OK;
}

static int source_at_end(sqlite3_vtab_cursor *base)
{
  return source_cursor_of(base)->row >=
         source_session_of(base->pVtab)->copy_rows_end;
}

static int source_column(sqlite3_vtab_cursor *base, sqlite3_context *to,
                         int column)
{
  const struct sqlite_session *q = source_session_of(base->pVtab);
  struct cursor *c = source_cursor_of(base);
  uint32_t len;

  source_find_column(c, column);
  len = source_length_at(c->at);
  if (source_is_null(len))
    sqlite3_result_null(to);
  else if (q->copy_kinds[column] == 'i')
    sqlite3_result_int64(to, source_integer_at(c->at + LENGTH, len));
  else
    sqlite3_result_text(to, c->at + LENGTH, (int)len, SQLITE_STATIC);
  return SQLITE_OK;
}

static int source_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
  const struct cursor *c = source_cursor_of(base);

  *ret = c->row - source_session_of(base->pVtab)->copy_rows;
  return SQLITE_OK;
}

static const sqlite3_module module = {
  .xConnect = source_connect,
  .xBestIndex = source_plan,
  .xDisconnect = source_disconnect,
  .xOpen = source_open,
  .xClose = source_close,
  .xFilter = source_first,
  .xNext = source_next,
  .xEof = source_at_end,
  .xColumn = source_column,
  .xRowid = source_rowid,
};

static int sqlite_source(struct sqlite_session *q)
{
  return sqlite3_create_module(q->db, SQLITE_SOURCE, &module, q);
}

static void copy_done(struct sqlite_session *q)
{
  (void)sqlite3_finalize(q->copy);
  q->copy = NULL;
}

/* Rows before a failure may stay, because the caller rolls back: SQLite need
 * not remember how to undo. */
static void copy_add_statement(struct strbuf *sql, const struct copy_spec *spec)
{
  strbuf_addf(sql, "INSERT OR FAIL INTO %s (", spec->table);
  for (unsigned i = 0; i < spec->n; i++)
    strbuf_addf(sql, "%s%s", i ? ", " : "", spec->columns[i]);
  strbuf_adds(sql, ") SELECT ");
  for (unsigned i = 0; i < spec->n; i++)
    strbuf_addf(sql, "%sc%u", i ? ", " : "", i);
  strbuf_adds(sql, " FROM " SQLITE_SOURCE);
}

static int copy_begin(struct session *s, const struct copy_spec *spec,
                      struct outcome *out)
{
  struct sqlite_session *q = sqlite_of(s);
  struct strbuf sql = { 0 };
  int rc = SQLITE_NOMEM;

  copy_add_statement(&sql, spec);
  q->copy_kinds = spec->kinds;
  q->copy_columns = spec->n;
  q->copied = 0;
  if (!sql.failed)
    rc = sqlite_source(q);
  if (rc == SQLITE_OK)
    rc = sqlite3_prepare_v3(q->db, sql.text, (int)sql.len + 1,
                            SQLITE_PREPARE_PERSISTENT, &q->copy, NULL);
  strbuf_done(&sql);
  if (rc == SQLITE_NOMEM)
    return sqlite_failed_with(SQLITE_NOMEM, "out of memory", out);
  return rc == SQLITE_OK ? 0 : sqlite_failed(q, out);
}

static int copy_rows(struct session *s, const char *rows, size_t len,
                     struct outcome *out)
{
  struct sqlite_session *q = sqlite_of(s);

  atomic_store_explicit(&q->woken, 0, memory_order_relaxed);
  q->copy_rows = rows;
  q->copy_rows_end = rows + len;
  if (UNLIKELY(sqlite3_step(q->copy) != SQLITE_DONE))
    return sqlite_failed(q, out);
  q->copied += (uint64_t)sqlite3_changes(q->db);
  if (UNLIKELY(sqlite3_reset(q->copy) != SQLITE_OK))
    return sqlite_failed(q, out);
  return 0;
}

static int copy_end(struct session *s, struct outcome *out)
{
  struct sqlite_session *q = sqlite_of(s);

  copy_done(q);
  out->counter = COUNTER_WRITE;
  out->taken = q->copied;
  return 0;
}

static void copy_abort(struct session *s)
{
  struct sqlite_session *q = sqlite_of(s);

  copy_done(q);
  q->base.trx = sqlite3_get_autocommit(q->db) ? TRX_NONE : TRX_OPEN;
}

const struct driver_copy sqlite_copy = {
  .form = COPY_BINARY,
  .begin = copy_begin,
  .rows = copy_rows,
  .end = copy_end,
  .abort = copy_abort,
};
