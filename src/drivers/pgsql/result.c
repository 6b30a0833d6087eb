/*
 * result.c - results and failures of what the library has sent.
 *
 * libpq hands out one result after the other and NULL at the end.  The layer
 * has to know whether another one is pending, so one result is read ahead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "db/env.h"
#include "drivers/pgsql/session.h"

const char pgsql_copy_refused[] = "COPY FROM STDIN is not possible here";
static const char aborted[] = "the transaction was aborted, COMMIT has rolled "
                              "it back";

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

/* ---- reading ---- */

static bool is_success(ExecStatusType status)
{
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ||
         status == PGRES_EMPTY_QUERY;
}

static bool drop_copied_rows(struct pgsql_session *p)
{
  char *row;
  int len;

  while ((len = PQgetCopyData(p->conn, &row, 0)) > 0)
    PQfreemem(row);
  return len == -1;
}

/* End a COPY; its outcome is the next result.  False: it will not end. */
static bool end_copy(struct pgsql_session *p, ExecStatusType status,
                     enum pgsql_copied *copied)
{
  if (status == PGRES_COPY_OUT) {
    *copied = COPIED_OUT;
    return drop_copied_rows(p) || PQstatus(p->conn) == CONNECTION_OK;
  }
  if (status == PGRES_COPY_IN) {
    *copied = COPIED_NEVER;
    return PQputCopyEnd(p->conn, pgsql_copy_refused) > 0 ||
           PQstatus(p->conn) == CONNECTION_BAD;
  }
  return false; /* replication, which has no end of its own */
}

static struct pgsql_reply read_slow(struct pgsql_session *p, PGresult *result)
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
    if (p->broken || !end_copy(p, status, &reply.copied)) {
      p->broken = true;
      break;
    }
    result = PQgetResult(p->conn);
  }
  reply.result = result;
  return reply;
}

static inline struct pgsql_reply read_reply(struct pgsql_session *p)
{
  PGresult *result = PQgetResult(p->conn);

  if (LIKELY(!result || is_success(PQresultStatus(result))))
    return (struct pgsql_reply){ result, COPIED_NOTHING };
  return read_slow(p, result);
}

/* ---- failure ---- */

static bool is_connection_class(const char *state)
{
  return strncmp(state, "08", 2) == 0;
}

static bool is_end_of_service(const char *state)
{
  return strcmp(state, "57P01") == 0 || strcmp(state, "57P02") == 0 ||
         strcmp(state, "57P03") == 0;
}

bool pgsql_is_goodbye(const char *state, const char *severity)
{
  const bool final = strcmp(severity, "FATAL") == 0 ||
                     strcmp(severity, "PANIC") == 0;

  return is_end_of_service(state) || (final && is_connection_class(state));
}

/* Before 9.6 servers told the severity in their language only. */
static const char *severity_of(const PGresult *result)
{
  const char *text = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);

  if (!text)
    text = PQresultErrorField(result, PG_DIAG_SEVERITY);
  return text ? text : "";
}

void pgsql_note_last_words(struct pgsql_session *p, const char *state,
                           const char *text)
{
  if (!state || !(is_end_of_service(state) || is_connection_class(state)))
    return;
  (void)snprintf(p->last_state, sizeof(p->last_state), "%s", state);
  (void)snprintf(p->last_text, sizeof(p->last_text), "%s", text ? text : "");
}

/*
 * A result nobody will see.  Why a server ended the session is kept: it is
 * said when the broken connection is noticed.
 */
static void forget(struct pgsql_session *p, PGresult *result)
{
  const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

  if (!p->goodbye && state && pgsql_is_goodbye(state, severity_of(result)))
    p->goodbye = result;
  else
    PQclear(result);
}

void pgsql_keep_goodbye(struct pgsql_session *p)
{
  PGresult *failed = p->failed;

  p->failed = NULL;
  forget(p, failed);
}

void pgsql_drain(struct pgsql_session *p)
{
  struct pgsql_reply reply;

  if (p->ahead.result)
    forget(p, p->ahead.result);
  p->ahead = (struct pgsql_reply){ 0 };
  while (!p->broken && (reply = read_reply(p)).result)
    forget(p, reply.result);
  pgsql_note_loss(p);
}

void pgsql_note_loss(struct pgsql_session *p)
{
  if (LIKELY(PQstatus(p->conn) != CONNECTION_BAD))
    return;
  p->broken = true;
  p->fd = -1;
  atomic_store_explicit(&p->fd_to_cut, -1, memory_order_relaxed);
  pgsql_note_last_words(
    p, PQresultErrorField(p->goodbye, PG_DIAG_SQLSTATE),
    PQresultErrorField(p->goodbye, PG_DIAG_MESSAGE_PRIMARY));
}

PGresult *pgsql_ask(struct pgsql_session *p, const char *sql)
{
  PGresult *answer = NULL, *result;

  pgsql_wire_lend(p);
  if (PQsendQuery(p->conn, sql)) {
    while ((result = PQgetResult(p->conn)) != NULL) {
      if (!answer && PQresultStatus(result) == PGRES_TUPLES_OK)
        answer = result;
      else
        forget(p, result);
    }
  }
  pgsql_note_loss(p);
  return answer;
}

/* The first line of the library's own words. */
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
  if (len >= sizeof(p->text))
    len = sizeof(p->text) - 1;
  memcpy(p->text, text, len);
  p->text[len] = '\0';
  return p->text;
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
    out->lost |= pgsql_is_goodbye(state, severity_of(reply.result));
    out->msg = PQresultErrorField(reply.result, PG_DIAG_MESSAGE_PRIMARY);
    if (reply.copied == COPIED_NEVER)
      out->msg = pgsql_copy_refused;
  } else if (out->lost && p->last_state[0]) {
    memcpy(out->state, p->last_state, sizeof(out->state));
    out->msg = p->last_text;
  } else {
    memcpy(out->state, out->lost ? "08006" : "HY000", 6);
  }
  if (!out->msg)
    out->msg = own_text(p, reply.result, out->lost);
  pgsql_note_trx(p);
  pgsql_note_dialect(p);
  return -1;
}

bool pgsql_is_commit(const struct pgsql_session *p, const char *sql, size_t len)
{
  size_t n;
  const char *word = emul_first_word(sql, len, p->base.dialect, &n);

  return emul_word_is(word, n, "COMMIT") || emul_word_is(word, n, "END") ||
         emul_word_is(word, n, "PREPARE");
}

int pgsql_refused_commit(struct outcome *out)
{
  memcpy(out->state, "25P02", 6);
  out->msg = aborted;
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

int pgsql_no_memory(struct outcome *out)
{
  memcpy(out->state, "HY001", 6);
  out->msg = "not enough memory";
  return -1;
}

/* ---- success ---- */

void pgsql_hear_listen(struct pgsql_session *p)
{
  p->listens = true;
  p->plain = false;
}

void pgsql_hear_tag(struct pgsql_session *p, const char *tag)
{
  if (strcmp(tag, "LISTEN") == 0)
    pgsql_hear_listen(p);
}

static bool has_rows(const char *count)
{
  return *count != '\0' && *count != '0';
}

/* A result without columns. */
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
  p->wire.rows_left = 0; /* of an execution before that was settled */
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
    if (!out->lost) /* nothing has happened, whatever the library knows */
      p->base.trx = trx;
    return -1;
  }
  if (LIKELY(!reply.result))
    reply = read_reply(p);
  status = PQresultStatus(reply.result);
  p->ahead = (struct pgsql_reply){ 0 };
  if (UNLIKELY(!is_success(status)))
    return pgsql_failed(p, reply, out);
  p->ahead = read_reply(p);
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
