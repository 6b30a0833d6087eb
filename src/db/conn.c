/*
 * conn.c - connections, direct statements and their results.
 */
#include "db/conn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "db/call.h"
#include "db/message.h"
#include "db/opening.h"
#include "db/policy.h"
#include "db/stmt.h"
#include "db/transport.h"

static const struct {
  size_t off;
} param_field[] = {
  { offsetof(struct conn_params, host) },
  { offsetof(struct conn_params, port) },
  { offsetof(struct conn_params, socket) },
  { offsetof(struct conn_params, user) },
  { offsetof(struct conn_params, password) },
  { offsetof(struct conn_params, db) },
};

static const char **param(const struct conn_params *p, size_t i)
{
  return (const char **)(void *)((char *)(uintptr_t)p + param_field[i].off);
}

static bool copy_params(struct conn_params *to, const struct conn_params *from)
{
  for (size_t i = 0; from && i < ARRAY_SIZE(param_field); i++) {
    const char *text = *param(from, i);

    if (text && !(*param(to, i) = mem_strdup(text)))
      return false;
  }
  return true;
}

/* Frees the memory; nothing is open any more. */
static void destroy(struct conn *c)
{
  struct db_env *env = c->env;

  watch_remove(&env->process->watch, &c->watched);
  if (c->prev)
    c->prev->next = c->next;
  else
    env->first = c->next;
  if (c->next)
    c->next->prev = c->prev;
  for (size_t i = 0; i < ARRAY_SIZE(param_field); i++)
    free((void *)(uintptr_t)*param(&c->params, i));
  strbuf_done(&c->message);
  strbuf_done(&c->text);
  strbuf_done(&c->bulk.text);
  free(c->values);
  free(c->session);
  free(c);
}

static struct conn *new_conn(struct driver_handle *h,
                             const struct conn_params *params)
{
  struct db_env *env = h->env;
  struct conn *c = calloc(1, sizeof(*c));
  struct session *s = calloc(1, h->driver->session_size);

  if (!c || !s) {
    free(c);
    free(s);
    return NULL;
  }
  c->env = env;
  c->handle = h;
  c->driver = h->driver;
  c->session = s;
  c->pub.driver = (sql_driver *)(void *)h;
  c->rs.ptr = c;
  c->refs = 1;
  c->attention = CONN_NOT_OPEN;
  s->driver = h->driver;
  s->cfg = h->cfg;
  s->env = env;
  s->params = &c->params;
  c->next = env->first;
  if (c->next)
    c->next->prev = c;
  env->first = c;
  c->watched.driver = c->driver;
  c->watched.session = c->session;
  c->watched.under_deadline = env->under_deadline;
  c->watched.limited = env->process->watch.limit_ns > 0;
  watch_add(&env->process->watch, &c->watched);
  if (!copy_params(&c->params, params)) {
    destroy(c);
    return NULL;
  }
  return c;
}

struct conn *conn_open(struct driver_handle *h,
                       const struct conn_params *params)
{
  struct db_process *p = h->env->process;
  struct conn *c = new_conn(h, params);

  if (!c) {
    log_msg(LOG_FATAL, "not enough memory for a connection");
    return NULL;
  }
  /* A connection to a server of its own takes no turn in the lists. */
  if (!c->params.host && !c->params.socket)
    c->session->number = atomic_fetch_add_explicit(&p->next_number, 1,
                                                   memory_order_relaxed);
  if (opening_try(c) < 0) {
    destroy(c);
    return NULL;
  }
  return c;
}

/* Closes whatever is open, without a word. */
static void close_quietly(struct conn *c)
{
  if (c->attention & CONN_MESSAGE)
    conn_say(c);
  transport_drop(c);
  c->state = CONN_CLOSED;
  c->attention = CONN_NOT_OPEN | (c->attention & (unsigned)CONN_LATE);
  c->bulk.active = false;
}

int conn_close(struct conn *c)
{
  if (c->state == CONN_CLOSED) {
    log_msg(LOG_ALERT, "attempt to close an already closed connection");
    return 0;
  }
  if (c->more && !env_is_dead(c->env))
    (void)call_end_results(c);
  close_quietly(c);
  c->pub.error = DB_ERROR_NONE;
  return 0;
}

void conn_close_tidy(struct conn *c, struct strbuf *line)
{
  if (c->state == CONN_CLOSED)
    return;
  (void)conn_close(c);
  if (c->driver->tidy)
    c->driver->tidy(c->session, line);
}

/* Memory goes when nobody points to it any more. */
void conn_unref(struct conn *c)
{
  if (--c->refs == 0)
    destroy(c);
}

void conn_free(struct conn *c)
{
  if (!c || c->freed)
    return;
  close_quietly(c);
  c->freed = true;
  conn_unref(c);
}

static int reconnect_failed(struct conn *c, enum transport_rc rc)
{
  struct strbuf reason = { 0 };

  if (rc == TRANSPORT_OVER && env_has_to_leave(c->env, clock_now_ns())) {
    policy_abandon(c);
    return 1;
  }
  c->driver->connect_reason(c->session, &c->out, &reason);
  c->attention &= ~(unsigned)CONN_LATE; /* there is something worse to tell */
  memset(&c->fail, 0, sizeof(c->fail));
  c->fail.code = c->out.code;
  memcpy(c->fail.state, c->out.state, sizeof(c->fail.state));
  c->fail.lost = true;
  (void)snprintf(c->fail.text, sizeof(c->fail.text), "%s", strbuf_str(&reason));
  strbuf_done(&reason);
  c->pub.error = DB_ERROR_FATAL;
  c->pub.sql_errno = c->fail.code;
  c->pub.sql_state = c->fail.state[0] ? c->fail.state : NULL;
  c->pub.sql_errmsg = c->fail.text;
  call_count(c, COUNTER_ERROR);
  return 1;
}

int conn_reconnect(struct conn *c)
{
  enum transport_rc rc;

  if (c->attention & CONN_MESSAGE)
    conn_say(c);
  if (env_is_dead(c->env)) {
    policy_abandon(c);
    return 1;
  }
  transport_drop(c);
  c->state = CONN_LOST;
  rc = transport_retry(c, transport_limit(c));
  if (rc != TRANSPORT_BACK)
    return reconnect_failed(c, rc);
  call_count(c, COUNTER_RECONNECT);
  call_no_error(c);
  return 0;
}

/* ---- statements and results ---- */

sql_result *conn_query(struct conn *c, const char *sql, size_t len)
{
  struct call_info info = { .call = CALL_QUERY, .sql = sql, .len = len };
  int rc;

  if (call_needs_care(c) && !call_take_care(c, sql, len, false))
    return NULL;
  call_end_rows(c);
  if (!(c->driver->caps & DRIVER_NUL_IN_SQL) && memchr(sql, '\0', len)) {
    call_misuse(c, "statement contains a NUL byte");
    return NULL;
  }
  info.cls = c->cls;
  c->cls = NULL;
  info.start_ns = call_start(c);
  rc = c->driver->query(c->session, sql, len, &c->out);
  call_stop(c);
  if (call_is_plain(c, rc, info.start_ns))
    return call_end_plain(c, NULL);
  return call_end(c, rc, &info);
}

sql_result *call_next(struct conn *c, enum call call, struct stmt *st)
{
  struct call_info info = { .call = call, .stmt = st, .sql = "" };
  int rc;

  if (c->state != CONN_OPEN || env_is_dead(c->env) ||
      c->attention & (CONN_MESSAGE | CONN_LATE)) {
    if (!call_take_care(c, "", 0, true))
      return NULL;
  }
  call_end_rows(c);
  if (!c->more) {
    (void)call_end_results(c); /* rows at most */
    call_no_error(c);
    return NULL;
  }
  info.start_ns = call_start(c);
  rc = c->driver->next_result(c->session, &c->out);
  call_stop(c);
  if (rc == 0 && c->out.ended) {
    c->more = false;
    call_no_error(c);
    return NULL;
  }
  return call_end(c, rc, &info);
}

sql_result *conn_next_result(struct conn *c)
{
  return call_next(c, CALL_NEXT, NULL);
}

bool conn_more_results(struct conn *c)
{
  if (c->state == CONN_CLOSED) {
    log_msg(LOG_ALERT, "attempt to use an already closed connection");
    return false;
  }
  return c->more;
}

static sql_row *no_row(const struct conn *c)
{
  if (!c || !c->rs_open)
    log_msg(LOG_ALERT, "attempt to fetch row from an invalid result set");
  else
    log_msg(LOG_ALERT, "attempt to fetch row from an empty result set");
  return NULL;
}

static int fetch_timed(struct conn *c)
{
  const uint64_t start = clock_now_ns();
  const int rc = c->driver->fetch(c->session, c->values);

  times_add(&c->env->process->fetching, clock_now_ns() - start);
  return rc;
}

sql_row *conn_fetch_row(sql_result *rs)
{
  struct conn *c = rs ? rs->ptr : NULL;
  int rc;

  if (UNLIKELY(!c || !c->rs_open || rs->nrows == 0))
    return no_row(c);
  if (UNLIKELY(c->env->process->set.debug && c->env->recorder))
    rc = fetch_timed(c);
  else
    rc = c->driver->fetch(c->session, c->values);
  return rc > 0 ? &rs->row : NULL;
}

int conn_free_results(sql_result *rs)
{
  struct conn *c = rs ? rs->ptr : NULL;

  if (!c || !c->rs_open) {
    log_msg(LOG_ALERT, "attempt to free an invalid result set");
    return 1;
  }
  /* Further results may still be asked for; they end with the next call. */
  call_end_rows(c);
  if (!c->more)
    (void)call_end_results(c); /* rows at most */
  return 0;
}

void conn_describe(struct conn *c,
                   void (*put)(void *ctx, const char *key, const char *value),
                   void *ctx)
{
  if (c->state != CONN_OPEN || !call_end_results(c))
    return;
  (void)call_start(c);
  if (c->driver->about)
    c->driver->about(c->session, put, ctx);
  if (c->driver->server_settings)
    c->driver->server_settings(c->session, put, ctx);
  call_stop(c);
}

void conn_mode_line(struct driver_handle *h, struct strbuf *line)
{
  struct conn *c = h->driver->mode_line ? new_conn(h, NULL) : NULL;

  if (!c)
    return;
  if (transport_open(c, transport_limit(c)) < 0) {
    destroy(c);
    return;
  }
  h->driver->mode_line(c->session, line);
  conn_free(c);
}
