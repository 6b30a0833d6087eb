/*
 * source.c - rows of a buffer that SQLite reads as a table.
 *
 * One INSERT .. SELECT from it stores as many rows as the buffer has.  That
 * takes half the time of one INSERT per row: the statement starts and ends,
 * opens the table and finds its last number only once, and it finds the place
 * of each row next to the previous one.
 *
 * The table exists for one connection and in no file.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/sqlite/session.h"

/* A row begins after the number of its columns. */
enum {
  ROW_HEAD = 2,
  LENGTH = 4
};

struct source {
  sqlite3_vtab base; /* first */
  struct sqlite_session *session;
};

/*
 * The columns of a row are asked for in order, so reading a row from first to
 * last looks at each value twice at most.
 */
struct cursor {
  sqlite3_vtab_cursor base; /* first */
  const char *row;
  const char *at; /* the place of column `column` */
  int column;
};

static struct sqlite_session *session_of(const sqlite3_vtab *vtab)
{
  return ((const struct source *)(const void *)vtab)->session;
}

static struct cursor *cursor_of(sqlite3_vtab_cursor *base)
{
  return (struct cursor *)(void *)base;
}

static uint32_t length_at(const char *at)
{
  uint32_t n;

  memcpy(&n, at, sizeof(n));
  return be32toh(n);
}

/* The length of NULL is -1. */
static bool is_null(uint32_t len)
{
  return len == UINT32_MAX;
}

static int64_t integer_at(const char *at, uint32_t len)
{
  uint64_t n64;

  if (len == sizeof(uint32_t))
    return (int32_t)length_at(at);
  memcpy(&n64, at, sizeof(n64));
  return (int64_t)be64toh(n64);
}

/* ---- the table ---- */

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
  (void)vtab, (void)info; /* the scan goes from the first row to the last */
  return SQLITE_OK;
}

/* ---- the rows ---- */

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

static void start_row(struct cursor *c, const char *row)
{
  c->row = row;
  c->at = row + ROW_HEAD;
  c->column = 0;
}

static int source_first(sqlite3_vtab_cursor *base, int plan, const char *text,
                        int argc, sqlite3_value **argv)
{
  (void)plan, (void)text, (void)argc, (void)argv;
  start_row(cursor_of(base), session_of(base->pVtab)->copy_rows);
  return SQLITE_OK;
}

static void find_column(struct cursor *c, int column)
{
  if (column < c->column)
    start_row(c, c->row);
  for (; c->column < column; c->column++) {
    const uint32_t len = length_at(c->at);

    c->at += LENGTH + (is_null(len) ? 0 : len);
  }
}

static int source_next(sqlite3_vtab_cursor *base)
{
  struct cursor *c = cursor_of(base);

  find_column(c, (int)session_of(base->pVtab)->copy_columns);
  start_row(c, c->at);
  return SQLITE_OK;
}

static int source_at_end(sqlite3_vtab_cursor *base)
{
  return cursor_of(base)->row >= session_of(base->pVtab)->copy_rows_end;
}

static int source_column(sqlite3_vtab_cursor *base, sqlite3_context *to,
                         int column)
{
  const struct sqlite_session *q = session_of(base->pVtab);
  struct cursor *c = cursor_of(base);
  uint32_t len;

  find_column(c, column);
  len = length_at(c->at);
  if (is_null(len))
    sqlite3_result_null(to);
  else if (q->copy_kinds[column] == 'i')
    sqlite3_result_int64(to, integer_at(c->at + LENGTH, len));
  else
    sqlite3_result_text(to, c->at + LENGTH, (int)len, SQLITE_STATIC);
  return SQLITE_OK;
}

static int source_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
  const struct cursor *c = cursor_of(base);

  *ret = c->row - session_of(base->pVtab)->copy_rows;
  return SQLITE_OK;
}

/*
 * Without xCreate, the table has the name of the module, and no statement can
 * create it.
 */
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

int sqlite_source(struct sqlite_session *q)
{
  return sqlite3_create_module(q->db, SQLITE_SOURCE, &module, q);
}
