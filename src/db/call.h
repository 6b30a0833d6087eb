/*
 * call.h - the steps that all calls on a connection share (for src/db only).
 */
#ifndef BENCH_DB_CALL_H
#define BENCH_DB_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "db/conn.h"
#include "db/env.h"

struct stmt;

/* ---- around a call of the driver ---- */

/* The driver is about to be called.  Returns the time if it is wanted, or 0. */
static inline uint64_t call_start(struct conn *c)
{
  uint64_t now = 0;

  if (UNLIKELY(c->watched.limited || c->env->timed))
    now = clock_now_ns();
  atomic_store_explicit(&c->watched.busy,
                        (now & ~(uint64_t)WATCH_CANCELLED) | WATCH_BUSY,
                        memory_order_relaxed);
  c->out = (struct outcome){ 0 };
  return now;
}

static inline void call_stop(struct conn *c)
{
  if (LIKELY(!c->watched.limited))
    atomic_store_explicit(&c->watched.busy, 0, memory_order_relaxed);
  else if (atomic_exchange_explicit(&c->watched.busy, 0, memory_order_acquire) &
           WATCH_CANCELLED)
    c->attention |= CONN_CANCELLED;
}

/* A statement may not be sent just so. */
static inline bool call_needs_care(const struct conn *c)
{
  return UNLIKELY(c->attention != 0 || env_is_dead(c->env));
}

/*
 * The care: prints a message that is due, refuses closed connections, replaces
 * lost ones, rolls back before `sql` begins a transaction, lets a cancel that
 * came too late pass, and ends results (pending ones only when `keep_rows`),
 * whose failure is that of the call. False: the call has failed already.
 */
bool call_take_care(struct conn *c, const char *sql, size_t len,
                    bool keep_rows);

/* What is being executed, for counters, messages and classes. */
struct call_info {
  enum call call;
  struct stmt *stmt; /* NULL: direct */
  void *cls;
  const char *sql;
  size_t len;
  uint64_t start_ns; /* 0: not timed */
};

/* After the driver returned `rc`: count, and make the result or the failure. */
sql_result *call_end(struct conn *c, int rc, const struct call_info *info);

/* The call fails without a server error; the text is static. */
void call_misuse(struct conn *c, const char *api_error);

static inline void call_no_error(struct conn *c)
{
  c->pub.error = DB_ERROR_NONE;
  c->pub.sql_errno = 0;
  c->pub.sql_state = NULL;
  c->pub.sql_errmsg = NULL;
}

/* conn_next_result() and stmt_next_result(). */
sql_result *call_next(struct conn *c, enum call call, struct stmt *st);

/* The result set ends: fields of the result are zero from now on. */
static inline void call_end_rows(struct conn *c)
{
  c->rs_open = false;
  c->rs.nrows = 0;
  c->rs.nfields = 0;
  c->rs.statement = NULL;
}
/*
 * ... and what is pending is read and dropped.  False: a failure was among it,
 * and was treated as that of a call.  It is the present failure; and unless the
 * caller clears CONN_LATE, that of the next call, too.
 */
bool call_end_results(struct conn *c);
/*
 * A cancel was sent for the call before, which may have ended by itself: the
 * cancel hits a statement of our own, and not the next one.  False: that has
 * aborted the transaction, or the connection is lost; c->out says why.
 */
bool call_pass_cancel(struct conn *c);

/* The failure of CONN_LATE is the present one, and told thereby. */
void call_take_late(struct conn *c);

static inline void call_count(const struct conn *c, enum counter counter)
{
  struct recorder *r = c->env->recorder;

  if (r)
    recorder_count(r, counter, 1);
}

/* ---- the quick way ---- */

/* c->out has a result set, and there is room for its rows: open it. */
static inline sql_result *call_open_rows(struct conn *c, sql_statement *stmt)
{
  const struct outcome *out = &c->out;

  if (UNLIKELY(out->nrows == 0))
    call_count(c, COUNTER_READ_EMPTY);
  c->rs_open = true;
  c->rs.counter = (sb_counter_type)out->counter;
  c->rs.nrows = out->nrows > UINT32_MAX ? UINT32_MAX : (uint32_t)out->nrows;
  c->rs.nfields = out->nfields;
  c->rs.statement = stmt;
  return &c->rs;
}

/* The call succeeded, call_start() gave `start_ns`, and there is nothing that
 * call_end() would have to look at. */
static inline bool call_is_plain(const struct conn *c, int rc,
                                 uint64_t start_ns)
{
  const struct outcome *out = &c->out;

  return LIKELY(rc == 0 && start_ns == 0 && c->attention == 0 && !out->more &&
                (out->counter != COUNTER_READ ||
                 (out->settled && out->nfields <= c->values_room)));
}

/* What call_end() does then; `stmt` is NULL for direct statements. */
static inline sql_result *call_end_plain(struct conn *c, sql_statement *stmt)
{
  call_count(c, c->out.counter);
  call_no_error(c);
  c->more = false;
  return c->out.counter == COUNTER_READ ? call_open_rows(c, stmt) : NULL;
}

#endif
