/*
 * result.c - interprets results and failures that the library returns.
 *
 * libpq hands out one result after another and NULL at the end.  The layer has
 * to know whether another one is pending, so one result is read ahead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "db/env.h"
#include "drivers/pgsql/session.h"

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

/* ---- failure ---- */

/* Returns the first line of the library's own text. */
static const char *own_text(struct pgsql_session *p, const PGresult *result,
                            bool lost)
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

static void keep_failed(struct pgsql_session *p, PGresult *result)
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
  keep_failed(p, reply.result);
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
    out->msg = own_text(p, reply.result, out->lost);
  pgsql_note_trx(p);
  pgsql_note_dialect(p);
  return -1;
}

static int refuse_commit(struct pgsql_session *p, PGresult *result,
                         struct outcome *out)
{
  PQclear(result);
  pgsql_drain(p);
  pgsql_note_trx(p);
  pgsql_note_dialect(p);
  return pgsql_refused_commit(out);
}

/* ---- success ---- */

static bool has_rows(const char *count)
{
  return *count != '\0' && *count != '0';
}

/* Takes a result without columns. */
static void take_command(struct pgsql_session *p, struct pgsql_reply reply,
                         struct outcome *out)
{
  if (reply.copied == COPIED_NOTHING && has_rows(PQcmdTuples(reply.result)))
    out->counter = COUNTER_WRITE;
  else
    out->counter = COUNTER_OTHER;
  out->taken = strtoull(PQcmdTuples(reply.result), NULL, 10);
  pgsql_hear_tag(p, PQcmdStatus(reply.result));
  PQclear(reply.result);
}

static void take_rows(struct pgsql_session *p, struct pgsql_reply reply,
                      struct outcome *out)
{
  PGresult *const result = reply.result;

  out->counter = COUNTER_READ;
  p->n_fields = PQnfields(result);
  p->wire.rows_left = 0; /* rows of an earlier execution that was settled */
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
    if (!out->lost) /* nothing has happened, whatever the library says */
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
  /* The server answers COMMIT of an aborted transaction with a rollback. */
  if (UNLIKELY(p->base.trx == TRX_ABORTED) && sql &&
      strcmp(PQcmdStatus(reply.result), "ROLLBACK") == 0 &&
      pgsql_is_commit(p, sql, len))
    return refuse_commit(p, reply.result, out);
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
    take_rows(p, reply, out);
  else
    take_command(p, reply, out);
  return 0;
}
