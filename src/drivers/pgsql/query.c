/*
 * query.c - direct statements, through the wire or the library, and the results
 * of all statements.
 */
#include "base/compiler.h"
#include "drivers/pgsql/session.h"
#include "drivers/pgsql/wire.h"

static int query_by_library(struct pgsql_session *p, const char *sql,
                            size_t len, struct outcome *out)
{
  bool sent;
  int rc;

  if (UNLIKELY(p->listens))
    pgsql_drop_notifications(p);
  pgsql_wire_lend(p);
  sent = PQsendQuery(p->conn, sql) != 0;
  if (LIKELY(sent))
    pgsql_rows_begin(p);
  rc = pgsql_receive(p, sent, false, sql, len, out);
  if (UNLIKELY(p->emulates) && rc == 0)
    pgsql_note_dialect(p);
  return rc;
}

int pgsql_query(struct session *s, const char *sql, size_t len,
                struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);

  if (UNLIKELY(p->closing.len > 0))
    pgsql_close_pending(p);
  if (LIKELY(p->plain && len <= PGSQL_WIRE_TEXT_MAX))
    return pgsql_wire_query(p, sql, len, out);
  if (pgsql_is_raw(p))
    return pgsql_no_memory(out);
  return query_by_library(p, sql, len, out);
}

int pgsql_fetch(struct session *s, sql_value *values)
{
  struct pgsql_session *p = pgsql_of(s);
  const int row = p->row;

  if (p->wire.rows_left > 0)
    return pgsql_wire_fetch(&p->wire, values);
  if (row >= p->n_rows)
    return 0;
  for (int i = 0; i < p->n_fields; i++) {
    values[i].len = (uint32_t)PQgetlength(p->rows, row, i);
    values[i].ptr = PQgetvalue(p->rows, row, i);
    if (values[i].len == 0 && PQgetisnull(p->rows, row, i))
      values[i].ptr = NULL;
  }
  p->row = row + 1;
  return 1;
}

static inline void drop_rows(struct pgsql_session *p)
{
  if (p->rows)
    PQclear(p->rows);
  p->rows = NULL;
  p->n_rows = 0;
  p->row = 0;
}

int pgsql_next_result(struct session *s, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);

  drop_rows(p);
  if (p->wire.more)
    return pgsql_wire_next(p, out);
  pgsql_wire_end(&p->wire);
  if (!p->ahead.result) {
    out->ended = true;
    return 0;
  }
  return pgsql_receive(p, true, false, NULL, 0, out);
}

/* Does the same with results of the library. */
static int drop_ahead(struct pgsql_session *p, struct outcome *out)
{
  int rc = 0;

  while (p->ahead.result) { /* a failure ends the loop, too */
    *out = (struct outcome){ 0 };
    rc = pgsql_receive(p, true, false, NULL, 0, out);
    drop_rows(p);
  }
  if (rc == 0)
    pgsql_note_dialect(p);
  return rc;
}

int pgsql_end_results(struct session *s, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);

  drop_rows(p);
  if (UNLIKELY(p->wire.more) && pgsql_wire_drain(p, out) < 0)
    return -1; /* its text is in the buffer */
  pgsql_wire_end(&p->wire);
  return UNLIKELY(p->ahead.result != NULL) ? drop_ahead(p, out) : 0;
}
