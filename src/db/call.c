/*
 * call.c - calls of the driver.
 */
#include "db/call.h"

#include <string.h>

#include "base/wait.h"

_Static_assert((int)SB_CNT_READ == (int)COUNTER_READ &&
                 (int)SB_CNT_WRITE == (int)COUNTER_WRITE &&
                 (int)SB_CNT_OTHER == (int)COUNTER_OTHER,
               "scripts see our counters");

void call_misuse(struct conn *c, const char *api_error)
{
  memset(&c->fail, 0, sizeof(c->fail));
  c->fail.api_error = api_error;
  c->pub.error = DB_ERROR_FATAL;
  c->pub.sql_errno = 0;
  c->pub.sql_state = NULL;
  c->pub.sql_errmsg = NULL;
  c->cls = NULL;
}

void call_abandon(struct conn *c)
{
  call_misuse(c, "the run is over");
  c->fail.abandoned = true;
}

/* ---- calls that wait ---- */

int call_drain(struct conn *c)
{
  int rc;

  call_end_rows(c);
  c->more = false;
  if (!(c->attention & CONN_RESULT))
    return 0;
  c->attention &= ~(unsigned)CONN_RESULT;
  if (c->state != CONN_OPEN)
    return 0;
  (void)call_start(c);
  rc = c->driver->end_results(c->session, &c->out);
  call_stop(c);
  return rc;
}

int call_rollback(struct conn *c)
{
  int rc;

  (void)call_start(c);
  rc = c->driver->query(c->session, "ROLLBACK", sizeof("ROLLBACK") - 1,
                        &c->out);
  if (rc == 0 && (c->out.counter == COUNTER_READ || c->out.more))
    rc = c->driver->end_results(c->session, &c->out);
  call_stop(c);
  return rc;
}

bool call_pass_cancel(struct conn *c)
{
  const enum trx_state before = c->session->trx;
  int rc;

  c->attention &= ~(unsigned)CONN_CANCELLED;
  if (c->state != CONN_OPEN || !watch_await(&c->watched))
    return true;
  (void)call_start(c);
  rc = c->driver->query(c->session, CALL_AFTER_CANCEL,
                        sizeof(CALL_AFTER_CANCEL) - 1, &c->out);
  if (rc == 0 && !c->out.settled)
    rc = c->driver->end_results(c->session, &c->out);
  call_stop(c);
  return rc == 0 || (!c->out.lost && (c->session->trx != TRX_ABORTED ||
                                      c->session->trx == before));
}

void call_pause(const struct conn *c, uint64_t until_ns)
{
  const struct db_process *p = c->env->process;
  const uint64_t end = atomic_load_explicit(&p->end_ns, memory_order_relaxed);

  if (end != 0 && end < until_ns)
    until_ns = end;
  while (clock_now_ns() < until_ns &&
         atomic_load_explicit(p->over, memory_order_relaxed) == 0)
    wait_while(p->over, 0, until_ns);
}
