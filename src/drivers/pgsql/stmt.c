/*
 * stmt.c - statements, direct and prepared, through the wire or the library.
 *
 * Placeholders: prepared at bind(), because types belong to the statement.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/fnv.h"
#include "base/mem.h"
#include "db/emul.h"
#include "db/env.h"
#include "drivers/pgsql/session.h"
#include "drivers/pgsql/wire.h"

static int stmt_query_by_library(struct pgsql_session *p, const char *sql,
                                 size_t len, struct outcome *out)
{
  bool sent;
  int rc;

  if (UNLIKELY(p->listens))
    pgsql_drop_notifications(p);
  pgsql_wire_lend(p);
  sent = PQsendQuery(p->conn, sql) != 0;
  if (LIKELY(sent))
    (void)PQsetSingleRowMode(p->conn);
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
  return stmt_query_by_library(p, sql, len, out);
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

static inline void stmt_query_drop_rows(struct pgsql_session *p)
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

  stmt_query_drop_rows(p);
  if (p->wire.more)
    return pgsql_wire_next(p, out);
  pgsql_wire_end(&p->wire);
  if (!p->ahead.result) {
    out->ended = true;
    return 0;
  }
  return pgsql_receive(p, true, false, NULL, 0, out);
}

static int stmt_query_drop_ahead(struct pgsql_session *p, struct outcome *out)
{
  int rc = 0;

  while (p->ahead.result) {
    *out = (struct outcome){ 0 };
    rc = pgsql_receive(p, true, false, NULL, 0, out);
    stmt_query_drop_rows(p);
  }
  if (rc == 0)
    pgsql_note_dialect(p);
  return rc;
}

int pgsql_end_results(struct session *s, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);

  stmt_query_drop_rows(p);
  if (UNLIKELY(p->wire.more) && pgsql_wire_drain(p, out) < 0)
    return -1;
  pgsql_wire_end(&p->wire);
  return UNLIKELY(p->ahead.result != NULL) ? stmt_query_drop_ahead(p, out) : 0;
}

enum {
  OID_ANY = 0, /* the server infers the type */
  OID_INT8 = 20,
  OID_INT2 = 21,
  OID_INT4 = 23,
  OID_FLOAT4 = 700,
  OID_FLOAT8 = 701,
  OID_VARCHAR = 1043
};

enum {
  FORMAT_TEXT = 0,
  FORMAT_BINARY = 1
};

static const struct {
  Oid oid;
  int format;
  int length; /* of numbers */
} wire_type[] = {
  [SQL_TYPE_NONE] = { OID_ANY, FORMAT_TEXT, 0 },
  [SQL_TYPE_TINYINT] = { OID_ANY, FORMAT_TEXT, 0 },
  [SQL_TYPE_SMALLINT] = { OID_INT2, FORMAT_BINARY, 2 },
  [SQL_TYPE_INT] = { OID_INT4, FORMAT_BINARY, 4 },
  [SQL_TYPE_BIGINT] = { OID_INT8, FORMAT_BINARY, 8 },
  [SQL_TYPE_FLOAT] = { OID_FLOAT4, FORMAT_BINARY, 4 },
  [SQL_TYPE_DOUBLE] = { OID_FLOAT8, FORMAT_BINARY, 8 },
  [SQL_TYPE_CHAR] = { OID_VARCHAR, FORMAT_BINARY, 0 },
  [SQL_TYPE_VARCHAR] = { OID_VARCHAR, FORMAT_BINARY, 0 },
};

static struct pgsql_prepared *stmt_prepared_of(struct prepared *p)
{
  return (struct pgsql_prepared *)p;
}

/* Errors do not matter. */
static bool stmt_run_quietly(struct pgsql_session *p, const char *sql)
{
  struct outcome out = { 0 };
  bool sent;

  if (pgsql_is_raw(p))
    return pgsql_wire_run(p, sql);
  pgsql_wire_lend(p);
  sent = PQsendQuery(p->conn, sql) != 0;
  do {
    out = (struct outcome){ 0 };
    if (pgsql_receive(p, sent, false, NULL, 0, &out) < 0) {
      pgsql_keep_goodbye(p);
      pgsql_note_loss(p);
      return false;
    }
  } while (out.more);
  return true;
}

/* In one round trip, but not inside a transaction: freeing a statement that the
 * script has freed would abort it. */
void pgsql_close_pending(struct pgsql_session *p)
{
  char *one = p->closing.text;

  if (p->base.trx != TRX_NONE || p->closing.failed)
    return;
  if (!stmt_run_quietly(p, p->closing.text)) {
    for (char *end; (end = strchr(one, ';')) != NULL; one = end + 1) {
      *end = '\0';
      (void)stmt_run_quietly(p, one);
    }
  }
  strbuf_clear(&p->closing);
}

static void stmt_close_later(struct pgsql_prepared *st)
{
  struct pgsql_session *p = pgsql_of(st->base.session);

  if (st->there)
    strbuf_addf(&p->closing, "DEALLOCATE %s;", st->name);
  st->there = false;
}

/* The meaning of names in EXECUTE and others may change. */
static bool stmt_varies(const struct pgsql_session *p, const char *sql)
{
  size_t n;
  const char *word = emul_first_word(sql, strlen(sql), p->base.dialect, &n);

  return emul_word_is(word, n, "EXECUTE") || emul_word_is(word, n, "FETCH") ||
         emul_word_is(word, n, "CALL");
}

/* A pooler hands out the server's sessions with statements that others
 * prepared.  A session that is `apart` must never execute those of the run. */
static void stmt_make_name(struct pgsql_prepared *st, const char *sql)
{
  struct pgsql_session *p = pgsql_of(st->base.session);

  if (p->base.apart)
    (void)snprintf(st->name, sizeof(st->name), "bench_apart_%016" PRIx64,
                   fnv_hash(sql, strlen(sql)));
  else
    (void)snprintf(st->name, sizeof(st->name), "bench_%d_%" PRIu64 "_%" PRIu64,
                   (int)getpid(), p->base.number, ++p->names);
}

static int stmt_prepare_by_library(struct pgsql_prepared *st, const char *sql,
                                   struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(st->base.session);

  pgsql_wire_lend(p);
  return pgsql_receive(p,
                       PQsendPrepare(p->conn, st->name, sql,
                                     (int)st->base.n_params, st->types) != 0,
                       true, NULL, 0, out);
}

static int stmt_send_prepare(struct pgsql_prepared *st, const char *sql,
                             struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  int rc;

  if (p->unnamed) {
    free(st->text);
    st->text = mem_strdup(sql);
    st->varies = true; /* described each time, as libraries do */
    return st->text ? 0 : pgsql_no_memory(out);
  }
  if (UNLIKELY(p->closing.len > 0))
    pgsql_close_pending(p);
  stmt_make_name(st, sql);
  rc = pgsql_is_raw(p) ? pgsql_wire_prepare(st, sql, out)
                       : stmt_prepare_by_library(st, sql, out);
  st->there = rc == 0;
  st->shape = SHAPE_UNKNOWN;
  pgsql_wire_forget(st);
  st->varies = stmt_varies(p, sql);
  return rc;
}

/* Parses placeholders; sends the text with numbers in their places. */
static int stmt_scan(struct pgsql_prepared *st, bool send, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(st->base.session);
  struct emul_scan marks = { 0 };
  struct strbuf sql = { 0 };
  int rc = 0;

  pgsql_note_dialect(p);
  if (emul_scan(&marks, st->base.sql, st->base.len, p->base.dialect) < 0)
    return pgsql_no_memory(out);
  st->base.n_params = (unsigned)marks.n_params;
  if (send || marks.n_params == 0) {
    emul_number(&marks, st->base.sql, st->base.len, &sql);
    rc = sql.failed ? pgsql_no_memory(out)
                    : stmt_send_prepare(st, strbuf_str(&sql), out);
    strbuf_done(&sql);
  }
  emul_scan_done(&marks);
  return rc;
}

int pgsql_prepare(struct prepared *prepared, struct outcome *out)
{
  return stmt_scan(stmt_prepared_of(prepared), false, out);
}

static bool stmt_make_room(struct pgsql_prepared *st, unsigned n)
{
  const size_t each = sizeof(*st->values) + sizeof(*st->bytes) +
                      sizeof(*st->types) + sizeof(*st->lengths) +
                      sizeof(*st->formats);
  char *block;

  if (st->block && st->n == n)
    return true;
  block = mem_new(n ? n : 1, each);
  if (!block)
    return false;
  free(st->block);
  st->block = block;
  st->n = n;
  st->values = (const char **)(void *)block;
  st->bytes = (char(*)[8])(void *)(st->values + n);
  st->types = (Oid *)(void *)(st->bytes + n);
  st->lengths = (int *)(void *)(st->types + n);
  st->formats = st->lengths + n;
  return true;
}

static bool stmt_same_types(const struct pgsql_prepared *st)
{
  for (unsigned i = 0; i < st->n; i++) {
    if (st->types[i] != wire_type[st->base.binds[i].type].oid)
      return false;
  }
  return true;
}

int pgsql_bind(struct prepared *prepared, struct outcome *out)
{
  struct pgsql_prepared *st = stmt_prepared_of(prepared);
  const bool fits = st->block && st->n == prepared->n_binds &&
                    stmt_same_types(st);

  if (!stmt_make_room(st, prepared->n_binds))
    return pgsql_no_memory(out);
  for (unsigned i = 0; i < st->n; i++) {
    st->types[i] = wire_type[prepared->binds[i].type].oid;
    st->formats[i] = wire_type[prepared->binds[i].type].format;
    st->lengths[i] = wire_type[prepared->binds[i].type].length;
  }
  if (st->text || (st->there && (fits || st->n == 0)))
    return 0;
  stmt_close_later(st);
  return stmt_scan(st, true, out);
}

int pgsql_execute(struct prepared *prepared, struct outcome *out)
{
  struct pgsql_prepared *st = stmt_prepared_of(prepared);
  struct pgsql_session *p = pgsql_of(prepared->session);
  bool sent;

  if (UNLIKELY(p->closing.len > 0))
    pgsql_close_pending(p);
  if (LIKELY(p->plain))
    return pgsql_wire_execute(st, out);
  if (UNLIKELY(p->listens))
    pgsql_drop_notifications(p);
  pgsql_wire_lend(p);
  pgsql_put_values(st);
  sent = st->text
           ? PQsendQueryParams(p->conn, st->text, (int)st->base.n_params,
                               st->types, st->values, st->lengths, st->formats,
                               0) != 0
           : PQsendQueryPrepared(p->conn, st->name, (int)st->base.n_params,
                                 st->values, st->lengths, st->formats, 0) != 0;
  if (LIKELY(sent))
    (void)PQsetSingleRowMode(p->conn);
  return pgsql_receive(p, sent, true, prepared->sql, prepared->len, out);
}

void pgsql_unprepare(struct prepared *prepared, bool going)
{
  struct pgsql_prepared *st = stmt_prepared_of(prepared);

  if (!going)
    stmt_close_later(st);
  st->there = false;
  free(st->text);
  st->text = NULL;
  free(st->block);
  st->block = NULL;
  st->n = 0;
  pgsql_wire_forget(st);
}
