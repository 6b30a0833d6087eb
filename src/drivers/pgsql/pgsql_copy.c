/*
 * pgsql_copy.c - rows sent by COPY FROM STDIN, in text form: values arrive as
 * text, and the server then checks them as it checks literals.
 */
#include <string.h>

#include "drivers/pgsql/pgsql_internal.h"

enum {
  CHUNK_BYTES = 256 * 1024 /* rows are collected up to this */
};

static int fail(struct pgsql_session *p, struct outcome *out)
{
  return pgsql_failed(p, (struct pgsql_reply){ 0 }, out);
}

static int copy_begin(struct session *s, const char *table,
                      const char *const *columns, unsigned n,
                      struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  struct pgsql_reply reply = { 0 };
  struct strbuf sql = { 0 };
  int rc = 0;

  if (p->closing.len > 0)
    pgsql_close_pending(p);
  p->copy_columns = n;
  strbuf_clear(&p->copy);
  strbuf_addf(&sql, "COPY %s (", table);
  for (unsigned i = 0; i < n; i++)
    strbuf_addf(&sql, "%s%s", i ? ", " : "", columns[i]);
  strbuf_adds(&sql, ") FROM STDIN");
  if (sql.failed) {
    rc = pgsql_no_memory(out);
  } else {
    if (PQsendQuery(p->conn, strbuf_str(&sql)))
      reply.result = PQgetResult(p->conn);
    if (PQresultStatus(reply.result) == PGRES_COPY_IN)
      PQclear(reply.result);
    else
      rc = pgsql_failed(p, reply, out);
  }
  strbuf_done(&sql);
  return rc;
}

/* A byte that cannot stand for itself: the letter behind a backslash. */
static char escape_of(char c)
{
  switch (c) {
  case '\\':
    return '\\';
  case '\n':
    return 'n';
  case '\r':
    return 'r';
  case '\t':
    return 't';
  default:
    return '\0';
  }
}

static void add_value(struct strbuf *to, const sql_value *v)
{
  size_t from = 0;

  if (!v->ptr) {
    strbuf_add(to, "\\N", 2);
    return;
  }
  for (size_t i = 0; i < v->len; i++) {
    const char c = escape_of(v->ptr[i]);

    if (!c)
      continue;
    strbuf_add(to, v->ptr + from, i - from);
    strbuf_add(to, (const char[]){ '\\', c }, 2);
    from = i + 1;
  }
  strbuf_add(to, v->ptr + from, v->len - from);
}

static int send_rows(struct pgsql_session *p, struct outcome *out)
{
  if (p->copy.failed)
    return pgsql_no_memory(out);
  if (p->copy.len > 0 &&
      PQputCopyData(p->conn, p->copy.text, (int)p->copy.len) <= 0)
    return fail(p, out);
  strbuf_clear(&p->copy);
  return 0;
}

static int copy_row(struct session *s, const sql_value *values,
                    struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);

  for (unsigned i = 0; i < p->copy_columns; i++) {
    if (i > 0)
      strbuf_add(&p->copy, "\t", 1);
    add_value(&p->copy, &values[i]);
  }
  strbuf_add(&p->copy, "\n", 1);
  return p->copy.len < CHUNK_BYTES && !p->copy.failed ? 0 : send_rows(p, out);
}

static int copy_end(struct session *s, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  int rc = send_rows(p, out);

  if (rc < 0)
    return rc;
  if (PQputCopyEnd(p->conn, NULL) <= 0)
    return fail(p, out);
  return pgsql_receive(p, true, true, NULL, 0, out);
}

static void copy_abort(struct session *s)
{
  struct pgsql_session *p = pgsql_of(s);

  strbuf_clear(&p->copy);
  pgsql_drain(p); /* refuses the rest of a COPY that still runs */
  pgsql_note_trx(p);
}

const struct driver_copy pgsql_copy = {
  .begin = copy_begin,
  .row = copy_row,
  .end = copy_end,
  .abort = copy_abort,
};
