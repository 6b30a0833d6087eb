/*
 * call.h - calls of the driver, and what they leave in the connection (for
 * src/db only).
 *
 * A call of the driver stands between call_start() and call_stop(), so that the
 * watching thread can end it.  These places in src/db WAIT:
 *
 *   for an answer          conn_query(), conn_next_result(),
 *                          stmt_prepare(), stmt_bind(), stmt_execute(),
 *                          copy.h, look.h, call_drain(), call_own(),
 *                          call_pass_cancel(), call_ask() to call_asked()
 *   for a session          transport_open(), broker_take(), opening_try()
 *   for a turn to open it  limiter_enter()
 *   between two attempts   call_pause(), bulk_next(), bulk_done()
 *   at the end             watch_stop()
 *
 * Everything else decides and returns, or is made of these.
 */
#ifndef BENCH_DB_CALL_H
#define BENCH_DB_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "db/conn_state.h"

enum {
  CALL_NOT_TIMED = 1,
};

/* Returns the time if needed, CALL_NOT_TIMED if only the outcome is, else 0. */
static inline uint64_t call_start(struct conn *c)
{
  uint64_t now = 0;

  if (UNLIKELY(c->watched->limited || c->env->timed))
    now = clock_now_ns();
  else if (UNLIKELY(c->env->ack_due))
    now = CALL_NOT_TIMED;
  atomic_store_explicit(&c->watched->busy,
                        (now & ~(uint64_t)WATCH_CANCELLED) | WATCH_BUSY,
                        memory_order_relaxed);
  c->out = (struct outcome){ 0 };
  return now;
}

static inline void call_stop(struct conn *c)
{
  if (LIKELY(!c->watched->limited))
    atomic_store_explicit(&c->watched->busy, 0, memory_order_relaxed);
  else if (atomic_exchange_explicit(&c->watched->busy, 0,
                                    memory_order_acquire) &
           WATCH_CANCELLED)
    c->owed |= CONN_OWES_CANCEL;
}

static inline void call_count(const struct conn *c, enum counter counter)
{
  struct recorder *r = c->env->recorder;

  if (r)
    recorder_count(r, counter, 1);
}

/* If the driver would block (session->blocks), another thread makes the call;
 * the client is parked. */
int call_query_aside(struct conn *c, const char *sql, size_t len);
int call_execute_aside(struct conn *c, struct prepared *p);
int call_prepare(struct conn *c, struct prepared *p);
int call_bind(struct conn *c, struct prepared *p);
int call_next_result(struct conn *c);
int call_end_results(struct conn *c);

static inline int call_query(struct conn *c, const char *sql, size_t len)
{
  if (UNLIKELY(c->session->blocks & SESSION_BLOCKS_ALL))
    return call_query_aside(c, sql, len);
  return c->driver->query(c->session, sql, len, &c->out);
}

static inline int call_execute(struct conn *c, struct prepared *p)
{
  if (UNLIKELY(c->session->blocks & SESSION_BLOCKS_ALL))
    return call_execute_aside(c, p);
  return c->driver->execute(p, &c->out);
}

/*
 * Put questions of the layer between these two.  Together they take at most
 * --db-query-timeout, or else the limit of an opening.  False: no answer in
 * time; the session is broken.
 */
uint64_t call_ask(struct conn *c);
double call_patience_s(const struct db_process *p);
bool call_asked(struct conn *c, uint64_t until_ns);

/* The text is static. */
void call_misuse(struct conn *c, const char *api_error);

/* A finalizer uses the connection while its rows are read: the call fails. */
bool call_disturbs(struct conn *c);

static inline void call_no_error(struct conn *c)
{
  c->pub.error = DB_ERROR_NONE;
  c->pub.sql_errno = 0;
  c->pub.sql_state = NULL;
  c->pub.sql_errmsg = NULL;
}

void call_abandon(struct conn *c);

/* The driver has no answer to end. */
static inline void call_idle(struct conn *c)
{
  c->state = CONN_IDLE;
  c->rs.nrows = 0;
  c->rs.nfields = 0;
  c->rs.statement = NULL;
}

void call_end_rows_slow(struct conn *c);
static inline void call_end_rows(struct conn *c)
{
  if (LIKELY(c->state <= CONN_ROWS))
    call_idle(c);
  else
    call_end_rows_slow(c);
}

/* Ends the rows, and drops further results. */
void call_end_answer(struct conn *c);

#define CALL_AFTER_CANCEL "SELECT 1 /* after a cancel */"

/* Reads and drops all results. -1: c->out has the first failure. */
int call_drain(struct conn *c);

/* Uncounted; drops results. 0; or -1 and c->out. */
int call_own(struct conn *c, const char *sql);

/* Lets a late cancel hit a statement of the layer.  False: the transaction is
 * aborted, or the connection lost; c->out. */
bool call_pass_cancel(struct conn *c);

/* WAITS until then, or the end of the run. */
void call_pause(const struct conn *c, uint64_t until_ns);

#endif
