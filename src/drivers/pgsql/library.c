/*
 * library.c - what the client library returns: rows, results, failures,
 * settings.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "db/env.h"
#include "drivers/pgsql/session.h"
#include "drivers/pgsql/wire.h"

enum {
  VALUE_HEAD = 16, /* what libpq stores for each value, in addition */
  ASK_COLUMNS = 4,
};

static bool rows_add(PGresult *all, const PGresult *one, int n_fields,
                     size_t *bytes)
{
  const int row = PQntuples(all);

  for (int i = 0; i < n_fields; i++) {
    const int len = PQgetisnull(one, 0, i) ? -1 : PQgetlength(one, 0, i);

    if (!PQsetvalue(all, row, i, len < 0 ? NULL : PQgetvalue(one, 0, i), len))
      return false;
    *bytes += VALUE_HEAD + (size_t)(len < 0 ? 0 : len + 1);
  }
  *bytes += sizeof(void *);
  return true;
}

static struct pgsql_reply rows_give_up(struct pgsql_session *p, PGresult *all,
                                       PGresult *one, bool too_large)
{
  PQclear(all);
  PQclear(one);
  p->broken = true;
  p->too_large = too_large;
  return (struct pgsql_reply){ 0 };
}

static struct pgsql_reply pgsql_rows_receive(struct pgsql_session *p,
                                             PGresult *one)
{
  const bool kept = !p->base.unread;
  const int n_fields = PQnfields(one);
  PGresult *const all = PQcopyResult(one, PG_COPYRES_ATTRS);
  uint64_t dropped = 0;
  size_t bytes = 0;
  int bare = 0;

  if (!all)
    return rows_give_up(p, NULL, one, false);
  while (one && PQresultStatus(one) == PGRES_SINGLE_TUPLE) {
    if (!kept)
      dropped++;
    else if (n_fields == 0)
      bare += bare < INT_MAX;
    else if (UNLIKELY(!rows_add(all, one, n_fields, &bytes)))
      return rows_give_up(p, all, one, false);
    PQclear(one);
    if (UNLIKELY(!env_may_keep(p->base.env, bytes)))
      return rows_give_up(p, all, NULL, true);
    one = PQgetResult(p->conn);
  }
  if (UNLIKELY(PQresultStatus(one) != PGRES_TUPLES_OK)) {
    PQclear(all);
    return (struct pgsql_reply){ .result = one };
  }
  PQclear(one); /* without rows */
  return (
    struct pgsql_reply){ .result = all, .dropped = dropped, .bare = bare };
}

static bool pgsql_reply_is_success(ExecStatusType status)
{
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ||
         status == PGRES_EMPTY_QUERY;
}

static bool reply_drop_copied_rows(struct pgsql_session *p)
{
  char *row;
  int len;

  while ((len = PQgetCopyData(p->conn, &row, 0)) > 0)
    PQfreemem(row);
  return len == -1;
}

/* The COPY's outcome is the next result.  False: endless. */
static bool reply_end_copy(struct pgsql_session *p, ExecStatusType status,
                           enum pgsql_copied *copied)
{
  if (status == PGRES_COPY_OUT) {
    *copied = COPIED_OUT;
    return reply_drop_copied_rows(p) || PQstatus(p->conn) == CONNECTION_OK;
  }
  if (status == PGRES_COPY_IN) {
    *copied = COPIED_NEVER;
    return PQputCopyEnd(p->conn, pgsql_copy_refused) > 0 ||
           PQstatus(p->conn) == CONNECTION_BAD;
  }
  return false;
}

static struct pgsql_reply reply_read_slow(struct pgsql_session *p,
                                          PGresult *result)
{
  struct pgsql_reply reply = { 0 };

  if (PQresultStatus(result) == PGRES_SINGLE_TUPLE)
    return pgsql_rows_receive(p, result);
  while (result) {
    const ExecStatusType status = PQresultStatus(result);

    if (status != PGRES_COPY_OUT && status != PGRES_COPY_IN &&
        status != PGRES_COPY_BOTH)
      break;
    PQclear(result);
    result = NULL;
    if (p->broken || !reply_end_copy(p, status, &reply.copied)) {
      p->broken = true;
      break;
    }
    result = PQgetResult(p->conn);
  }
  reply.result = result;
  return reply;
}

static struct pgsql_reply pgsql_reply_read(struct pgsql_session *p)
{
  PGresult *result = PQgetResult(p->conn);

  if (LIKELY(!result || pgsql_reply_is_success(PQresultStatus(result))))
    return (struct pgsql_reply){ result, COPIED_NOTHING };
  return reply_read_slow(p, result);
}

/* Before 9.6, servers sent the severity only translated. */
static const char *pgsql_severity_of(const PGresult *result)
{
  const char *text = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);

  if (!text)
    text = PQresultErrorField(result, PG_DIAG_SEVERITY);
  return text ? text : "";
}

/* The reason for the end of a session is kept for the next statement. */
static void reply_forget(struct pgsql_session *p, PGresult *result)
{
  const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

  if (!p->goodbye && state &&
      pgsql_is_goodbye(state, pgsql_severity_of(result)))
    p->goodbye = result;
  else
    PQclear(result);
}

void pgsql_keep_goodbye(struct pgsql_session *p)
{
  PGresult *failed = p->failed;

  p->failed = NULL;
  reply_forget(p, failed);
}

void pgsql_note_loss(struct pgsql_session *p)
{
  if (LIKELY(PQstatus(p->conn) != CONNECTION_BAD))
    return;
  p->broken = true;
  p->link.fd = -1;
  atomic_store_explicit(&p->fd_to_cut, -1, memory_order_relaxed);
  pgsql_note_last_words(
    p, PQresultErrorField(p->goodbye, PG_DIAG_SQLSTATE),
    PQresultErrorField(p->goodbye, PG_DIAG_MESSAGE_PRIMARY));
}

void pgsql_drain(struct pgsql_session *p)
{
  struct pgsql_reply reply;

  if (p->ahead.result)
    reply_forget(p, p->ahead.result);
  p->ahead = (struct pgsql_reply){ 0 };
  while (!p->broken && (reply = pgsql_reply_read(p)).result)
    reply_forget(p, reply.result);
  pgsql_note_loss(p);
}

/* As libpq would make it. */
static PGresult *library_ask_by_wire(struct pgsql_session *p, const char *sql)
{
  PGresAttDesc columns[ASK_COLUMNS] = { { NULL } };
  sql_value values[ASK_COLUMNS];
  struct outcome out = { 0 };
  PGresult *answer = NULL;

  if (pgsql_wire_query(p, sql, strlen(sql), &out) == 0 && out.nfields > 0 &&
      out.nfields <= ASK_COLUMNS) {
    answer = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    (void)PQsetResultAttrs(answer, (int)out.nfields, columns);
    for (int row = 0; p->wire.rows_left > 0; row++) {
      (void)pgsql_wire_fetch(&p->wire, values);
      for (int i = 0; i < (int)out.nfields; i++)
        (void)PQsetvalue(answer, row, i, (char *)(uintptr_t)values[i].ptr,
                         (int)values[i].len);
    }
  }
  (void)pgsql_wire_drain(p, &out);
  pgsql_wire_end(&p->wire);
  return answer;
}

PGresult *pgsql_ask(struct pgsql_session *p, const char *sql)
{
  PGresult *answer = NULL, *result;

  if (pgsql_is_raw(p))
    return library_ask_by_wire(p, sql);
  pgsql_wire_lend(p);
  if (PQsendQuery(p->conn, sql)) {
    while ((result = PQgetResult(p->conn)) != NULL) {
      if (!answer && PQresultStatus(result) == PGRES_TUPLES_OK)
        answer = result;
      else
        reply_forget(p, result);
    }
  }
  pgsql_note_loss(p);
  return answer;
}

/* One result is read ahead, to set out->more. */

void pgsql_note_trx(struct pgsql_session *p)
{
  switch (PQtransactionStatus(p->conn)) {
  case PQTRANS_INTRANS:
    p->base.trx = TRX_OPEN;
    break;
  case PQTRANS_INERROR:
    p->base.trx = TRX_ABORTED;
    break;
  default:
    p->base.trx = TRX_NONE;
  }
}

static const char *result_own_text(struct pgsql_session *p,
                                   const PGresult *result, bool lost)
{
  const char *text = result ? PQresultErrorMessage(result) : "";
  size_t len;

  if (p->too_large)
    text = RESULT_TOO_LARGE;
  else if (!*text)
    text = PQerrorMessage(p->conn);
  len = strcspn(text, "\n");
  if (len == 0) {
    text = lost ? "connection to server lost" : "no result from the library";
    len = strlen(text);
  }
  strbuf_clear(&p->text);
  strbuf_add(&p->text, text, len < PGSQL_TEXT ? len : PGSQL_TEXT - 1);
  return strbuf_str(&p->text);
}

static void result_keep_failed(struct pgsql_session *p, PGresult *result)
{
  if (p->failed != result)
    PQclear(p->failed);
  p->failed = result;
}

int pgsql_failed(struct pgsql_session *p, struct pgsql_reply reply,
                 struct outcome *out)
{
  const char *state;

  pgsql_drain(p);
  out->lost = p->broken || PQstatus(p->conn) == CONNECTION_BAD;
  state = PQresultErrorField(reply.result, PG_DIAG_SQLSTATE);
  if (!state && out->lost && p->goodbye) {
    PQclear(reply.result);
    reply.result = p->goodbye;
    p->goodbye = NULL;
    state = PQresultErrorField(reply.result, PG_DIAG_SQLSTATE);
  }
  result_keep_failed(p, reply.result);
  if (state) {
    (void)snprintf(out->state, sizeof(out->state), "%s", state);
    out->lost |= pgsql_is_goodbye(state, pgsql_severity_of(reply.result));
    out->msg = PQresultErrorField(reply.result, PG_DIAG_MESSAGE_PRIMARY);
    if (reply.copied == COPIED_NEVER)
      out->msg = pgsql_copy_refused;
  } else if (out->lost && p->last_state[0]) {
    memcpy(out->state, p->last_state, sizeof(out->state));
    out->msg = strbuf_str(&p->last_text);
  } else {
    memcpy(out->state, out->lost ? "08006" : "HY000", 6);
  }
  if (!out->msg)
    out->msg = result_own_text(p, reply.result, out->lost);
  pgsql_note_trx(p);
  pgsql_note_dialect(p);
  return -1;
}

static int result_refuse_commit(struct pgsql_session *p, PGresult *result,
                                struct outcome *out)
{
  PQclear(result);
  pgsql_drain(p);
  pgsql_note_trx(p);
  pgsql_note_dialect(p);
  return pgsql_refused_commit(out);
}

static bool result_has_rows(const char *count)
{
  return *count != '\0' && *count != '0';
}

static void result_take_command(struct pgsql_session *p,
                                struct pgsql_reply reply, struct outcome *out)
{
  if (reply.copied == COPIED_NOTHING &&
      result_has_rows(PQcmdTuples(reply.result)))
    out->counter = COUNTER_WRITE;
  else
    out->counter = COUNTER_OTHER;
  out->taken = strtoull(PQcmdTuples(reply.result), NULL, 10);
  pgsql_hear_tag(p, PQcmdStatus(reply.result));
  PQclear(reply.result);
}

static void result_take_rows(struct pgsql_session *p, struct pgsql_reply reply,
                             struct outcome *out)
{
  PGresult *const result = reply.result;

  out->counter = COUNTER_READ;
  p->n_fields = PQnfields(result);
  p->wire.rows_left = 0; /* of an earlier execution that was `settled` */
  p->rows = result;
  p->row = 0;
  p->n_rows = PQntuples(result) + reply.bare;
  out->nfields = (uint32_t)p->n_fields;
  out->nrows = (uint64_t)p->n_rows + reply.dropped;
}

int pgsql_receive(struct pgsql_session *p, bool sent, bool single,
                  const char *sql, size_t len, struct outcome *out)
{
  struct pgsql_reply reply = p->ahead;
  ExecStatusType status;

  if (UNLIKELY(!sent)) {
    const enum trx_state trx = p->base.trx;

    (void)pgsql_failed(p, (struct pgsql_reply){ 0 }, out);
    if (!out->lost)
      p->base.trx = trx;
    return -1;
  }
  if (LIKELY(!reply.result))
    reply = pgsql_reply_read(p);
  status = PQresultStatus(reply.result);
  p->ahead = (struct pgsql_reply){ 0 };
  if (UNLIKELY(!pgsql_reply_is_success(status)))
    return pgsql_failed(p, reply, out);
  p->ahead = pgsql_reply_read(p);
  if (UNLIKELY(p->broken))
    return pgsql_failed(p, reply, out);
  /* The server answers COMMIT of an aborted transaction with ROLLBACK. */
  if (UNLIKELY(p->base.trx == TRX_ABORTED) && sql &&
      strcmp(PQcmdStatus(reply.result), "ROLLBACK") == 0 &&
      pgsql_is_commit(p, sql, len))
    return result_refuse_commit(p, reply.result, out);
  if (LIKELY(!p->ahead.result)) {
    pgsql_note_trx(p);
  } else if (single) {
    PQclear(reply.result);
    reply = p->ahead;
    p->ahead = (struct pgsql_reply){ 0 };
    return pgsql_failed(p, reply, out);
  } else {
    out->more = true;
  }
  if (status == PGRES_TUPLES_OK)
    result_take_rows(p, reply, out);
  else
    result_take_command(p, reply, out);
  return 0;
}

/* Not in an aborted transaction: the server would refuse. */
static void library_settings_ask_server(struct pgsql_session *p)
{
  PGresult *result;

  if (p->base.trx == TRX_ABORTED || p->broken ||
      PQstatus(p->conn) != CONNECTION_OK)
    return;
  result = pgsql_ask(p, "SELECT "
                        "current_setting('standard_conforming_strings'), "
                        "current_setting('client_encoding')");
  if (PQntuples(result) == 1) {
    pgsql_set_dialect(p, PQgetvalue(result, 0, 0));
    p->encoding = pg_char_to_encoding(PQgetvalue(result, 0, 1));
  }
  PQclear(result);
}

void pgsql_note_dialect(struct pgsql_session *p)
{
  if (pgsql_is_raw(p))
    return;
  if (UNLIKELY(p->settings_moved))
    library_settings_ask_server(p);
  else
    pgsql_set_dialect(
      p, PQparameterStatus(p->conn, "standard_conforming_strings"));
}

/* As PQescapeStringConn(), but with the settings known here.  False: half a
 * character. */
static bool library_settings_escape(const struct pgsql_session *p,
                                    const char *text, size_t len, char *to,
                                    size_t *ret_len)
{
  const bool backslash = p->base.dialect & EMUL_BACKSLASH;
  char *const start = to;

  while (len > 0) {
    const char two[2] = { text[0], len > 1 ? text[1] : '\0' };
    size_t n = 1;

    if (*text & 0x80) /* two bytes tell the length of any character */
      n = (size_t)PQmblen(two, p->encoding);
    else if (*text == '\'' || (*text == '\\' && backslash))
      *to++ = *text;
    if (n > len)
      return false;
    memcpy(to, text, n);
    to += n;
    text += n;
    len -= n;
  }
  *ret_len = (size_t)(to - start);
  return true;
}

bool pgsql_quote(struct session *s, const char *text, size_t len,
                 struct strbuf *to, const char **ret_why)
{
  struct pgsql_session *p = pgsql_of(s);
  int failed = 0;
  size_t n = 0;

  if (memchr(text, '\0', len)) {
    *ret_why = "value contains a NUL byte";
    return false;
  }
  if (2 * len + 1 > p->scratch_room) {
    char *more = realloc(p->scratch, 2 * len + 1);

    if (!more) {
      *ret_why = "not enough memory";
      return false;
    }
    p->scratch = more;
    p->scratch_room = 2 * len + 1;
  }
  if (UNLIKELY(p->settings_moved))
    failed = !library_settings_escape(p, text, len, p->scratch, &n);
  else
    n = PQescapeStringConn(p->conn, p->scratch, text, len, &failed);
  if (failed) {
    *ret_why = "value is not valid in the client's encoding";
    return false;
  }
  strbuf_add(to, "'", 1);
  strbuf_add(to, p->scratch, n);
  strbuf_add(to, "'", 1);
  return true;
}
