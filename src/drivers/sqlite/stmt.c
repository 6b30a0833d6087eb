/*
 * stmt.c - direct and prepared statements.
 */
#include <limits.h>

#include "db/emul.h"
#include "drivers/sqlite/session.h"

static void stmt_note_trx(struct sqlite_session *q, bool reads)
{
  q->base.trx = sqlite3_get_autocommit(q->db) ? TRX_NONE : TRX_OPEN;
  if (q->base.trx != TRX_NONE ||
      LIKELY(!counts_are_wanted(&q->base.env->process->counts)))
    return;
  if (!reads)
    sqlite_note_pages(q);
  else if (++q->unnoted == SQLITE_NOTE_EACH)
    sqlite_note_reads(q);
}

static void stmt_start(struct sqlite_session *q)
{
  atomic_store_explicit(&q->woken, 0, memory_order_relaxed);
  q->gave_up = false;
}

/* Before writes; in a run also before transactions and events, which are
 * measured in the user's mode. */
static int settle_mode(struct sqlite_session *q, bool writes)
{
  if (LIKELY(!q->mode_due) || !sqlite3_get_autocommit(q->db))
    return SQLITE_OK;
  return sqlite_settle_mode(q, writes);
}

static bool stmt_reads_or_writes(sqlite3_stmt *stmt)
{
  return sqlite3_column_count(stmt) > 0 || !sqlite3_stmt_readonly(stmt);
}

static bool stmt_is_measured(const struct sqlite_session *q, int columns)
{
  return q->base.env->process->in_run &&
         (columns == 0 || env_in_event(q->base.env));
}

static int run(struct sqlite_session *q, sqlite3_stmt *stmt,
               struct outcome *out)
{
  int columns = sqlite3_column_count(stmt);
  const int changes = columns > 0 ? 0 : sqlite3_total_changes(q->db);
  const bool unread = q->base.unread;
  uint64_t rows = 0;
  int rc = settle_mode(q, !sqlite3_stmt_readonly(stmt) ||
                            stmt_is_measured(q, columns));

  if (rc != SQLITE_OK)
    return sqlite_failed(q, out);
  rc = sqlite3_step(stmt);
  if (columns > 0)
    columns = sqlite3_column_count(stmt);
  sqlite_rows_clear(&q->rows, (uint32_t)columns);
  for (; rc == SQLITE_ROW; rc = sqlite3_step(stmt), rows++) {
    if (!unread && !sqlite_rows_add(&q->rows, stmt))
      return sqlite_failed_with(SQLITE_NOMEM, "out of memory", out);
    if (UNLIKELY(!env_may_keep(q->base.env, q->rows.len)))
      return sqlite_failed_with(SQLITE_TOOBIG, RESULT_TOO_LARGE, out);
  }
  if (rc != SQLITE_DONE)
    return sqlite_failed(q, out);
  stmt_note_trx(q, columns > 0 && sqlite3_stmt_readonly(stmt));
  if (columns > 0) {
    out->counter = COUNTER_READ;
    out->nfields = (uint32_t)columns;
    out->nrows = rows;
  } else {
    out->counter = sqlite3_total_changes(q->db) != changes ? COUNTER_WRITE
                                                           : COUNTER_OTHER;
    if (out->counter == COUNTER_WRITE)
      out->taken = (uint64_t)sqlite3_changes(q->db);
  }
  return 0;
}

static bool stmt_has_more(const char *sql, size_t len)
{
  size_t n;
  const char *word = emul_first_word(sql, len, EMUL_SQLITE, &n);

  return n > 0 || word < sql + len;
}

static bool stmt_keep_rest(struct sqlite_session *q, const char *tail,
                           size_t len)
{
  strbuf_clear(&q->rest);
  strbuf_add(&q->rest, tail, len);
  q->rest_at = 0;
  q->more = !q->rest.failed;
  return q->more;
}

static int stmt_first_of(struct sqlite_session *q, const char *sql, size_t len,
                         const char **ret_tail, struct outcome *out)
{
  sqlite3_stmt *stmt = NULL;
  int rc;

  *ret_tail = sql + len;
  if (len >= INT_MAX)
    return sqlite_failed_with(SQLITE_TOOBIG, "string or blob too big", out);
  /* With its zero byte, SQLite need not copy the text. */
  if (sqlite3_prepare_v2(q->db, sql, (int)len + 1, &stmt, ret_tail) !=
      SQLITE_OK)
    return sqlite_failed(q, out);
  if (!stmt) {
    out->counter = COUNTER_OTHER;
    return 0;
  }
  rc = run(q, stmt, out);
  /* The message must outlive sqlite3_finalize(). */
  if (rc < 0) {
    (void)sqlite3_snprintf(sizeof(q->why), q->why, "%s", out->msg);
    out->msg = q->why;
  }
  (void)sqlite3_finalize(stmt);
  if (rc < 0)
    stmt_note_trx(q, false);
  return rc;
}

int sqlite_query(struct session *s, const char *sql, size_t len,
                 struct outcome *out)
{
  struct sqlite_session *q = sqlite_of(s);
  const char *tail;
  size_t left;

  stmt_start(q);
  if (stmt_first_of(q, sql, len, &tail, out) < 0)
    return -1;
  left = (size_t)(sql + len - tail);
  if (UNLIKELY(left > 0 && stmt_has_more(tail, left))) {
    if (!stmt_keep_rest(q, tail, left))
      return sqlite_failed_with(SQLITE_NOMEM, "out of memory", out);
    out->more = true;
  }
  out->settled = !out->more; /* the next execution drops the rows */
  return 0;
}

int sqlite_next_result(struct session *s, struct outcome *out)
{
  struct sqlite_session *q = sqlite_of(s);
  const char *sql = strbuf_str(&q->rest) + q->rest_at;
  const size_t len = q->rest.len - q->rest_at;
  const char *tail;

  sqlite_rows_clear(&q->rows, 0);
  if (!q->more) {
    out->ended = true;
    return 0;
  }
  stmt_start(q);
  q->more = false;
  if (stmt_first_of(q, sql, len, &tail, out) < 0)
    return -1; /* the rest is not executed */
  q->rest_at += (size_t)(tail - sql);
  q->more = stmt_has_more(tail, q->rest.len - q->rest_at);
  out->more = q->more;
  return 0;
}

int sqlite_end_results(struct session *s, struct outcome *out)
{
  struct sqlite_session *q = sqlite_of(s);
  int rc = 0;

  /* A server would have executed the whole text. */
  while (q->more) {
    *out = (struct outcome){ 0 };
    rc = sqlite_next_result(s, out);
  }
  sqlite_rows_clear(&q->rows, 0);
  return rc;
}

static struct sqlite_prepared *stmt_prepared_of(struct prepared *p)
{
  return (struct sqlite_prepared *)(void *)p;
}

int sqlite_prepare(struct prepared *p, struct outcome *out)
{
  struct sqlite_prepared *sp = stmt_prepared_of(p);
  struct sqlite_session *q = sqlite_of(p->session);
  const char *tail = NULL;

  stmt_start(q);
  if (p->len >= INT_MAX)
    return sqlite_failed_with(SQLITE_TOOBIG, "string or blob too big", out);
  if (sqlite3_prepare_v3(q->db, p->sql, (int)p->len + 1,
                         SQLITE_PREPARE_PERSISTENT, &sp->stmt,
                         &tail) != SQLITE_OK)
    return sqlite_failed(q, out);
  if (stmt_has_more(tail, p->len - (size_t)(tail - p->sql)))
    return sqlite_failed_with(
      SQLITE_ERROR, "cannot prepare more than one statement at once", out);
  /* BEGIN and COMMIT need no tables of the test. */
  if (q->base.env->process->in_run && stmt_reads_or_writes(sp->stmt) &&
      settle_mode(q, true) != SQLITE_OK)
    return sqlite_failed(q, out);
  p->n_params = sp->stmt ? (unsigned)sqlite3_bind_parameter_count(sp->stmt) : 0;
  return 0;
}

static int stmt_bind_one(sqlite3_stmt *stmt, int i, const sql_bind *b)
{
  const char *text;
  size_t len;

  if (LIKELY(b->type == SQL_TYPE_BIGINT && !(b->is_null && *b->is_null)))
    return sqlite3_bind_int64(stmt, i, *(const int64_t *)b->buffer);
  if (emul_bind_null(b))
    return sqlite3_bind_null(stmt, i);
  switch (b->type) {
  case SQL_TYPE_FLOAT:
  case SQL_TYPE_DOUBLE:
    return sqlite3_bind_double(stmt, i, emul_bind_double(b));
  case SQL_TYPE_CHAR:
  case SQL_TYPE_VARCHAR:
    text = emul_bind_text(b, &len);
    return sqlite3_bind_text64(stmt, i, text, len, SQLITE_STATIC, SQLITE_UTF8);
  default:
    return sqlite3_bind_int64(stmt, i, emul_bind_int(b));
  }
}

int sqlite_execute(struct prepared *p, struct outcome *out)
{
  struct sqlite_prepared *sp = stmt_prepared_of(p);
  struct sqlite_session *q = sqlite_of(p->session);
  int rc;

  stmt_start(q);
  if (!sp->stmt) {
    out->counter = COUNTER_OTHER;
    return 0;
  }
  for (unsigned i = 0; i < p->n_binds; i++) {
    if (stmt_bind_one(sp->stmt, (int)i + 1, &p->binds[i]) != SQLITE_OK)
      return sqlite_failed(q, out);
  }
  rc = run(q, sp->stmt, out);
  /* sqlite3_reset() repeats the error; its message stays. */
  (void)sqlite3_reset(sp->stmt);
  if (rc < 0)
    stmt_note_trx(q, false);
  out->settled = rc == 0;
  return rc;
}

void sqlite_unprepare(struct prepared *p, bool going)
{
  struct sqlite_prepared *sp = stmt_prepared_of(p);

  (void)going;
  (void)sqlite3_finalize(sp->stmt);
  sp->stmt = NULL;
}
