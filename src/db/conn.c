#include "db/conn.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "db/broker.h"
#include "db/call.h"
#include "db/dialect.h"
#include "db/exec.h"
#include "db/find_primary.h"
#include "db/opening.h"
#include "db/recover.h"
#include "db/role.h"
#include "db/transport.h"
/* After the run, where clients were served last. */
static uint64_t conn_take_number(const struct conn *c)
{
  struct db_process *p = c->env->process;

  if (c->env->awaited || (p->in_run && env_is_over(c->env, clock_now_ns())))
    return find_served(c);
  return atomic_fetch_add_explicit(&p->next_number, 1, memory_order_relaxed);
}

struct conn *conn_open(struct driver_handle *h,
                       const struct conn_params *params)
{
  struct conn *c;

  if (h->env->pool)
    return broker_open(h, params);
  c = conn_new(h, params);
  if (!c) {
    log_msg(LOG_FATAL, "not enough memory for a connection");
    return NULL;
  }
  if (conn_is_listed(c))
    c->session->number = conn_take_number(c);
  if (opening_try(c) < 0) {
    conn_unref(c);
    return NULL;
  }
  return c;
}

static void conn_close_quietly(struct conn *c)
{
  if (c->owed & CONN_OWES_MESSAGE)
    conn_say(c);
  broker_close(c);
  c->state = CONN_CLOSED;
  c->owed &= CONN_OWES_FAILURE;
  c->bulk.active = false;
}

int conn_close(struct conn *c)
{
  if (conn_is_closed(c)) {
    log_msg(LOG_ALERT, "attempt to close an already closed connection");
    return 0;
  }
  if (call_disturbs(c))
    return 1;
  if (conn_has_more(c) && !conn_is_dead(c))
    (void)recover_drain(c);
  conn_close_quietly(c);
  c->pub.error = DB_ERROR_NONE;
  return 0;
}

void conn_close_tidy(struct conn *c, struct strbuf *line)
{
  if (conn_is_closed(c))
    return;
  (void)conn_close(c);
  if (c->driver->tidy)
    c->driver->tidy(c->session, line);
}

void conn_shut(struct conn *c)
{
  if (c->state != CONN_FREED)
    conn_close_quietly(c);
}

void conn_free(struct conn *c)
{
  if (!c || c->state == CONN_FREED)
    return;
  conn_close_quietly(c);
  c->state = CONN_FREED;
  conn_unref(c);
}

int conn_reconnect(struct conn *c)
{
  if (call_disturbs(c))
    return 1;
  if (c->owed & CONN_OWES_MESSAGE)
    conn_say(c);
  if (c->state == CONN_FREED) {
    log_msg(LOG_ALERT, "attempt to use an already closed connection");
    call_misuse(c, "SQL API error");
    return 1;
  }
  if (conn_is_dead(c)) {
    call_abandon(c);
    return 1;
  }
  if (broker_take(c) && recover_again(c, true))
    return 0;
  c->owed &= ~(unsigned)CONN_OWES_MESSAGE;
  return 1;
}

void conn_renew(struct conn *c)
{
  static const char name[] = "reconnect";
  const struct stmt_sample sample = { .failed = false };
  const uint64_t start = clock_now_ns();
  struct db_env *env = c->env;

  if (!recover_again(c, false))
    recover_owe(c);
  else if (env->on_statement)
    env->on_statement(env->on_statement_ctx, NULL, name, strlen(name),
                      clock_now_ns() - start, &sample);
}

/* ---- statements and results ---- */

static sql_result *conn_query_as_is(struct conn *c, const char *sql, size_t len)
{
  struct exec info = { .call = CALL_QUERY, .sql = sql, .len = len };
  int rc;

  if (exec_needs_care(c) && !exec_take_care(c, sql, len, false))
    return NULL;
  if (!(c->driver->caps & DRIVER_NUL_IN_SQL) && memchr(sql, '\0', len)) {
    call_idle(c);
    call_misuse(c, "statement contains a NUL byte");
    return NULL;
  }
  broker_look(c, sql, len);
  info.cls = c->cls;
  c->cls = NULL;
  info.start_ns = call_start(c);
  rc = call_query(c, sql, len);
  call_stop(c);
  if (exec_is_plain(c, rc, info.start_ns))
    return exec_end_plain(c, NULL);
  return exec_end(c, rc, &info);
}

static sql_result *conn_query_in(const struct dialect *d, struct conn *c,
                                 const char *sql, size_t len)
{
  struct strbuf own = { 0 };
  const enum dialect_verdict verdict = dialect_rewrite(d, sql, len, &own);
  sql_result *rs = NULL;

  if (verdict == DIALECT_SAME) {
    rs = conn_query_as_is(c, sql, len);
  } else if (own.failed) {
    call_misuse(c, "not enough memory");
  } else if (verdict == DIALECT_CHANGED) {
    rs = conn_query_as_is(c, own.text, own.len);
  } else {
    c->cls = NULL;
    call_no_error(c);
  }
  strbuf_done(&own);
  return rs;
}

static void conn_hint_at_dialect(struct conn *c)
{
  struct db_process *p = c->env->process;
  struct strbuf target = { 0 };
  const char *name;

  c->driver->target(c->session, &target);
  name = dialect_hint(c->driver->name, c->fail.text, strbuf_str(&target));
  if (name && !atomic_flag_test_and_set(&p->hinted))
    log_advise("the server refuses a statement; try --dialect=%s", name);
  strbuf_done(&target);
}

sql_result *conn_query(struct conn *c, const char *sql, size_t len)
{
  const struct dialect *d = process_dialect(c->env->process);
  sql_result *rs;

  if (UNLIKELY(d && d->rewrites))
    return conn_query_in(d, c, sql, len);
  rs = conn_query_as_is(c, sql, len);
  if (UNLIKELY(c->pub.error == DB_ERROR_FATAL && d && !c->env->process->in_run))
    conn_hint_at_dialect(c);
  return rs;
}

sql_result *conn_next_result(struct conn *c)
{
  return exec_next(c, CALL_NEXT, NULL);
}

bool conn_more_results(struct conn *c)
{
  if (conn_is_closed(c)) {
    log_msg(LOG_ALERT, "attempt to use an already closed connection");
    return false;
  }
  return conn_has_more(c);
}

static sql_row *conn_no_row(const struct conn *c)
{
  if (!c || !conn_has_rows(c))
    log_msg(LOG_ALERT, "attempt to fetch row from an invalid result set");
  else
    log_msg(LOG_ALERT, "attempt to fetch row from an empty result set");
  return NULL;
}

static int conn_fetch_timed(struct conn *c)
{
  const uint64_t start = clock_now_ns();
  const int rc = c->driver->fetch(c->session, c->values);

  db_times_add(&c->env->process->fetching, clock_now_ns() - start);
  return rc;
}

sql_row *conn_fetch_row(sql_result *rs)
{
  struct conn *c = rs ? rs->ptr : NULL;
  int rc;

  if (UNLIKELY(!c || !conn_has_rows(c) || rs->nrows == 0))
    return conn_no_row(c);
  if (UNLIKELY(c->env->process->set.debug && c->env->recorder))
    rc = conn_fetch_timed(c);
  else
    rc = c->driver->fetch(c->session, c->values);
  if (c->env->in_finalizer)
    c->owed |= CONN_OWES_LOOK;
  return rc > 0 ? &rs->row : NULL;
}

int conn_free_results(sql_result *rs)
{
  struct conn *c = rs ? rs->ptr : NULL;

  if (!c || !conn_has_rows(c)) {
    log_msg(LOG_ALERT, "attempt to free an invalid result set");
    return 1;
  }
  if (call_disturbs(c))
    return 1;
  call_end_rows(c);
  if (!conn_has_more(c))
    (void)recover_drain(c); /* at most rows */
  return 0;
}

/* ---- after a failure ---- */

sql_error_t conn_forgive(struct conn *c, bool *ret_reconnected)
{
  const sql_error_t class = recover_forgiven(c);

  *ret_reconnected = class == DB_ERROR_IGNORABLE && c->fail.reconnected;
  return class;
}

sql_error_t conn_restart(struct conn *c)
{
  sql_error_t class;

  if (!(c->owed & CONN_OWES_ROLLBACK) || !conn_is_open(c))
    return DB_ERROR_NONE;
  if (conn_is_dead(c)) {
    call_abandon(c);
    return DB_ERROR_FATAL;
  }
  class = recover_rollback(c, false);
  if (class == DB_ERROR_IGNORABLE && !c->fail.reconnected)
    recover_count_error(c);
  return class;
}

void conn_give_up(struct conn *c)
{
  if (!conn_is_open(c) || conn_is_dead(c))
    return;
  if (conn_has_more(c))
    (void)recover_drain(c);
  c->owed &= ~(unsigned)CONN_OWES_RESTART;
  if (c->owed & CONN_OWES_ROLLBACK)
    (void)recover_rollback(c, false);
}

/* ---- about ---- */

bool conn_is_current(struct conn *c)
{
  bool current;

  if (!conn_is_open(c) || !recover_drain(c))
    return true;
  current = role_takes_writes(c, transport_limit(c)) || !c->out.other_role ||
            !role_may_be_behind(c, transport_limit(c));
  if (c->out.lost)
    transport_drop(c);
  return current;
}

uint64_t conn_ask(struct conn *c)
{
  return call_ask(c);
}

bool conn_asked(struct conn *c, uint64_t until_ns)
{
  return call_asked(c, until_ns);
}

void conn_mode_line(struct driver_handle *h, struct strbuf *line)
{
  struct conn *c = h->driver->mode_line ? conn_new(h, NULL) : NULL;
  struct strbuf seen = { 0 };
  const double rtt_s = h->env->process->set.rtt_s;
  int rc;

  if (rtt_s > 0)
    strbuf_addf(line, "Added round trip: %g ms", 1e3 * rtt_s);
  if (!c)
    return;
  rc = find_server(c, transport_limit(c), &seen);
  strbuf_done(&seen);
  if (rc < 0) {
    conn_unref(c);
    return;
  }
  h->driver->mode_line(c->session, line);
  conn_free(c);
}
