/*
 * copy.c - sends rows by COPY FROM STDIN: single values in text form, which the
 * server checks as literals; generated rows in whole buffers, also in binary
 * form.
 */
#include <string.h>

#include "drivers/pgsql/session.h"
#include "drivers/pgsql/wire.h"

enum {
  CHUNK_BYTES = 256 * 1024
};

static int copy_fail(struct pgsql_session *p, struct outcome *out)
{
  return pgsql_failed(p, (struct pgsql_reply){ 0 }, out);
}

static void copy_add_head(struct strbuf *to)
{
  static const char head[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0";

  strbuf_add(to, head, 19);
}

static int copy_begin(struct session *s, const struct copy_spec *spec,
                      struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  struct pgsql_reply reply = { 0 };
  struct strbuf sql = { 0 };
  int rc = 0;

  if (p->closing.len > 0)
    pgsql_close_pending(p);
  p->copy_columns = spec->n;
  p->copy_binary = spec->form == COPY_BINARY;
  strbuf_clear(&p->copy);
  strbuf_addf(&sql, "COPY %s (", spec->table);
  for (unsigned i = 0; i < spec->n; i++)
    strbuf_addf(&sql, "%s%s", i ? ", " : "", spec->columns[i]);
  strbuf_adds(&sql, ") FROM STDIN");
  if (p->copy_binary) {
    strbuf_adds(&sql, " (FORMAT binary)");
    copy_add_head(&p->copy);
  }
  if (sql.failed) {
    rc = pgsql_no_memory(out);
  } else {
    pgsql_wire_lend(p);
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

/* The letter after a backslash for a byte that needs one; or 0. */
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

static void copy_add_value(struct strbuf *to, const sql_value *v)
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
    return copy_fail(p, out);
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
    copy_add_value(&p->copy, &values[i]);
  }
  strbuf_add(&p->copy, "\n", 1);
  return p->copy.len < CHUNK_BYTES && !p->copy.failed ? 0 : send_rows(p, out);
}

static int copy_rows(struct session *s, const char *rows, size_t len,
                     struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);

  if (p->copy.len > 0 && send_rows(p, out) < 0)
    return -1;
  return PQputCopyData(p->conn, rows, (int)len) > 0 ? 0 : copy_fail(p, out);
}

static int copy_end(struct session *s, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  int rc;

  if (p->copy_binary)
    strbuf_add(&p->copy, "\377\377", 2);
  rc = send_rows(p, out);
  if (rc < 0)
    return rc;
  if (PQputCopyEnd(p->conn, NULL) <= 0)
    return copy_fail(p, out);
  rc = pgsql_receive(p, true, true, NULL, 0, out);
  if (rc < 0 && strcmp(out->state, "08P01") == 0)
    out->lost = p->broken || PQstatus(p->conn) == CONNECTION_BAD;
  return rc;
}

static void copy_abort(struct session *s)
{
  struct pgsql_session *p = pgsql_of(s);

  strbuf_clear(&p->copy);
  pgsql_drain(p); /* refuses the rest of a running COPY */
  pgsql_note_trx(p);
}

/* Then rows are sent as text: the server, or a column's type, does not have
 * this form. */
static const char *const not_binary[] = {
  "08P01", /* protocol violation */
  "0A000", /* not supported */
  "22023", /* invalid value */
  "22P03", /* invalid form */
  "42601", /* syntax error */
  "42883", /* undefined function */
  NULL,
};

static bool possible(struct session *s, const char **ret_why)
{
  *ret_why = "a session without libpq has no COPY";
  return !pgsql_is_raw(pgsql_of(s));
}

const struct driver_copy pgsql_copy = {
  .possible = possible,
  .form = COPY_BINARY,
  .plain_after = not_binary,
  .checked = true,
  .begin = copy_begin,
  .row = copy_row,
  .rows = copy_rows,
  .end = copy_end,
  .abort = copy_abort,
};
