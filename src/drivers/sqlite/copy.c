/*
 * copy.c - stores many rows by each execution of one statement.
 */
#include "drivers/sqlite/session.h"

static void done(struct sqlite_session *q)
{
  (void)sqlite3_finalize(q->copy); /* repeats an error that was reported */
  q->copy = NULL;
}

/*
 * Rows stored before a failure may stay, because the caller rolls back.  Thus
 * SQLite need not remember how to undo one statement.
 */
static void add_statement(struct strbuf *sql, const struct copy_spec *spec)
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

  add_statement(&sql, spec);
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
  .form = COPY_BINARY,
  .begin = copy_begin,
  .rows = copy_rows,
  .end = copy_end,
  .abort = copy_abort,
};
