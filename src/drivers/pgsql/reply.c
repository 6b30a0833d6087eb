/*
 * reply.c - reads the results that the library hands out one after another,
 * before they are interpreted.
 */
#include <string.h>

#include "base/compiler.h"
#include "drivers/pgsql/session.h"

bool pgsql_reply_is_success(ExecStatusType status)
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

/* Ends a COPY; its outcome is the next result.  False: it cannot be ended. */
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
  return false; /* replication does not end by itself */
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

struct pgsql_reply pgsql_reply_read(struct pgsql_session *p)
{
  PGresult *result = PQgetResult(p->conn);

  if (LIKELY(!result || pgsql_reply_is_success(PQresultStatus(result))))
    return (struct pgsql_reply){ result, COPIED_NOTHING };
  return read_slow(p, result);
}

/* Before 9.6, servers sent the severity only in their language. */
const char *pgsql_severity_of(const PGresult *result)
{
  const char *text = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);

  if (!text)
    text = PQresultErrorField(result, PG_DIAG_SEVERITY);
  return text ? text : "";
}

/*
 * Drops a result.  The reason why a server ended the session is kept: it is
 * reported when the broken connection is noticed.
 */
static void forget(struct pgsql_session *p, PGresult *result)
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
  forget(p, failed);
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

void pgsql_drain(struct pgsql_session *p)
{
  struct pgsql_reply reply;

  if (p->ahead.result)
    forget(p, p->ahead.result);
  p->ahead = (struct pgsql_reply){ 0 };
  while (!p->broken && (reply = pgsql_reply_read(p)).result)
    forget(p, reply.result);
  pgsql_note_loss(p);
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
