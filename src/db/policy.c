/*
 * policy.c - what becomes of a failed call: its class, what is counted, said
 * and done about it.
 */
#include "db/policy.h"

#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/log.h"
#include "db/call.h"
#include "db/message.h"
#include "db/transport.h"

/* "1213", or the SQLSTATE where errors have no numbers of their own. */
static void name_of(const struct conn *c, char *to, size_t size)
{
  if (c->driver->caps & DRIVER_BY_NUMBER)
    (void)snprintf(to, size, "%d", c->fail.code);
  else
    (void)snprintf(to, size, "%s", c->fail.state);
}

/* Keep the details: the driver's texts last only until its next call. */
static void save(struct conn *c)
{
  const struct outcome *out = &c->out;

  memset(&c->fail, 0, sizeof(c->fail));
  c->fail.code = out->code;
  memcpy(c->fail.state, out->state, sizeof(c->fail.state));
  c->fail.lost = out->lost;
  (void)snprintf(c->fail.text, sizeof(c->fail.text), "%s",
                 out->msg ? out->msg : "");
  c->pub.sql_errno = out->code;
  c->pub.sql_state = c->fail.state[0] ? c->fail.state : NULL;
  c->pub.sql_errmsg = c->fail.text;
}

static void count_error(struct conn *c)
{
  if (!c->env->recorder)
    return;
  call_count(c, COUNTER_ERROR);
  errtab_count(&c->env->process->errors, c->driver->name, c->fail.code,
               c->fail.state, c->fail.text);
}

bool policy_ignorable(const struct conn *c)
{
  if (c->driver->always_ignorable && c->driver->always_ignorable(&c->out))
    return true;
  return ignore_has(&c->handle->state->ignore, &c->out);
}

void policy_abandon(struct conn *c)
{
  call_misuse(c, "the run is over");
  c->fail.abandoned = true;
}

/* From here on the size of a statement may be why it failed. */
enum {
  LARGE_STATEMENT = 1000 * 1000
};

static bool hint_applies(const struct driver_hint *h, const struct conn *c,
                         size_t len)
{
  return (h->code == 0 || h->code == c->fail.code) &&
         (!h->state || strcmp(h->state, c->fail.state) == 0) &&
         (!h->bundled || c->env->process->facts.bundled) &&
         (!h->large || len >= LARGE_STATEMENT);
}

/* `len`: of the statement. */
static void add_hints(struct conn *c, size_t len)
{
  const struct driver_hint *h = c->driver->hints;

  for (; h && h->text; h++) {
    if (!hint_applies(h, c, len))
      continue;
    strbuf_adds(&c->message, h->text);
    if (h->large)
      strbuf_addf(&c->message, " (%zu bytes)", len);
    strbuf_adds(&c->message, "\n");
  }
}

/* The server does not know who cancelled the statement. */
static void add_limit(struct conn *c)
{
  char text[FMT_DOUBLE_SIZE];

  if (c->attention & CONN_CANCELLED) /* by nothing else: see policy_is_cut() */
    strbuf_addf(&c->message,
                "the statement took longer than --db-query-timeout=%s\n",
                fmt_shortest(text, c->env->process->set.query_timeout_s));
}

/* The message waits until the script's hook was asked. */
static void keep_message(struct conn *c, enum call call, const char *sql,
                         size_t len)
{
  const bool unread = call == CALL_UNREAD;
  struct strbuf cut = { 0 };

  message_sql(&cut, sql, len);
  strbuf_clear(&c->message);
  c->driver->message(c->session, unread ? CALL_NEXT : call, &c->out,
                     strbuf_str(&cut), &c->message);
  if (c->message.len > 0 && c->message.text[c->message.len - 1] != '\n')
    strbuf_adds(&c->message, "\n");
  if (unread)
    strbuf_adds(
      &c->message,
      "it is an error among unread results of the previous statement\n");
  add_hints(c, len);
  add_limit(c);
  strbuf_done(&cut);
  name_of(c, c->message_code, sizeof(c->message_code));
  c->attention |= CONN_MESSAGE;
}

/* A connection that cannot be had again: whatever is tried, or outside of an
 * event when the run is over. */
static sql_error_t fail_for_good(struct conn *c)
{
  save(c);
  c->fail.lost = true;
  strbuf_clear(&c->message);
  c->driver->connect_message(c->session, &c->out, &c->message);
  name_of(c, c->message_code, sizeof(c->message_code));
  c->attention |= CONN_MESSAGE;
  count_error(c);
  c->pub.error = DB_ERROR_FATAL;
  return DB_ERROR_FATAL;
}

static void outage_begin(struct conn *c)
{
  struct strbuf target = { 0 }, reason = { 0 };
  char name[16];

  name_of(c, name, sizeof(name));
  c->driver->target(c->session, &target);
  strbuf_addf(&reason, "%s: %s", name, c->fail.text);
  outage_lost(&c->env->process->outage, strbuf_str(&target),
              strbuf_str(&reason));
  strbuf_done(&target);
  strbuf_done(&reason);
  log_msg(LOG_DEBUG, "Reconnecting");
}

sql_error_t policy_replace(struct conn *c)
{
  struct outage *o = &c->env->process->outage;
  const struct failure before = c->fail;
  enum transport_rc rc;
  bool over;

  transport_drop(c);
  outage_begin(c);
  rc = transport_retry(c, UINT64_MAX);
  if (rc == TRANSPORT_BACK) {
    outage_back(o);
    log_msg(LOG_DEBUG, "Reconnected");
    call_count(c, COUNTER_RECONNECT);
    c->fail.reconnected = true;
    c->pub.error = DB_ERROR_IGNORABLE;
    return DB_ERROR_IGNORABLE;
  }
  over = rc == TRANSPORT_OVER && env_has_to_leave(c->env, clock_now_ns());
  outage_gave_up(o, over);
  if (!over)
    return fail_for_good(c);
  policy_abandon(c);
  /* By which it is judged whether the connection is replaced later. */
  c->fail.code = before.code;
  memcpy(c->fail.state, before.state, sizeof(before.state));
  memcpy(c->fail.text, before.text, sizeof(before.text));
  return DB_ERROR_FATAL;
}

static void ignore_error(struct conn *c)
{
  char name[16];

  count_error(c);
  name_of(c, name, sizeof(name));
  log_msg(LOG_DEBUG, "Ignoring error %s %s", name, c->fail.text);
  c->pub.error = DB_ERROR_IGNORABLE;
  if (c->session->trx == TRX_NONE)
    return;
  if (c->driver->caps & DRIVER_ROLLBACK_AT_ONCE)
    (void)policy_rollback(c, true);
  else
    c->attention |= CONN_MARKED;
}

/*
 * A server that refuses everything for a while refuses the ROLLBACK, too: the
 * transaction is still there, and must be gone before the event's next attempt.
 */
static void still_marked(struct conn *c)
{
  log_msg(LOG_DEBUG, "ROLLBACK failed, to be repeated: %s", c->fail.text);
  c->attention |= CONN_MARKED;
  c->pub.error = DB_ERROR_IGNORABLE;
}

bool policy_is_cut(const struct conn *c)
{
  return c->out.over || env_is_dead(c->env);
}

void policy_failed(struct conn *c, enum call call, const char *sql, size_t len)
{
  const bool own = call == CALL_ROLLBACK; /* nothing that the script sent */

  c->cls = NULL;
  c->more = false;
  call_end_rows(c);
  if (c->out.api_error) {
    call_misuse(c, c->out.api_error);
    return;
  }
  if (policy_is_cut(c)) {
    if (c->out.lost)
      transport_drop(c);
    else if (c->state == CONN_OPEN && c->session->trx != TRX_NONE)
      c->attention |= CONN_MARKED;
    policy_abandon(c);
    return;
  }
  save(c);
  if (policy_ignorable(c)) {
    if (c->out.lost)
      (void)policy_replace(c);
    else if (own)
      still_marked(c);
    else
      ignore_error(c);
    return;
  }
  if (!own)
    count_error(c);
  c->pub.error = DB_ERROR_FATAL;
  keep_message(c, call, sql, len);
  if (c->out.lost)
    transport_drop(c);
}

static const char rollback[] = "ROLLBACK";

static int send_rollback(struct conn *c)
{
  int rc;

  (void)call_start(c);
  rc = c->driver->query(c->session, rollback, sizeof(rollback) - 1, &c->out);
  if (rc == 0 && (c->out.counter == COUNTER_READ || c->out.more))
    rc = c->driver->end_results(c->session, &c->out);
  call_stop(c);
  return rc;
}

sql_error_t policy_rollback(struct conn *c, bool keep_details)
{
  const struct failure before = c->fail;
  const struct conn_pub pub = c->pub;
  int rc;

  if (!call_end_results(c)) {
    c->attention &= ~(unsigned)CONN_LATE;
    if (c->pub.error == DB_ERROR_FATAL || c->fail.reconnected)
      return c->pub.error;
  }
  c->attention &= ~(unsigned)CONN_MARKED;
  if (c->attention & CONN_CANCELLED && !call_pass_cancel(c) && c->out.lost)
    rc = -1;
  else
    rc = send_rollback(c);
  if (rc == 0)
    return DB_ERROR_NONE;
  policy_failed(c, CALL_ROLLBACK, rollback, sizeof(rollback) - 1);
  if (c->pub.error == DB_ERROR_IGNORABLE && keep_details) {
    /* The script hears of its own error, and whether the connection is new. */
    const bool replaced = c->fail.reconnected;

    c->fail = before;
    c->fail.reconnected = replaced;
    c->pub = pub;
    c->pub.error = DB_ERROR_IGNORABLE;
  }
  return c->pub.error;
}

sql_error_t conn_forgive(struct conn *c, bool *ret_reconnected)
{
  *ret_reconnected = false;
  if (env_is_dead(c->env)) {
    policy_abandon(c);
    return DB_ERROR_FATAL;
  }
  if (c->state == CONN_LOST) {
    const sql_error_t class = policy_replace(c);

    *ret_reconnected = class == DB_ERROR_IGNORABLE;
    return class;
  }
  if (c->state == CONN_OPEN && c->session->trx != TRX_NONE) {
    if (!(c->driver->caps & DRIVER_ROLLBACK_AT_ONCE)) {
      c->attention |= CONN_MARKED;
    } else {
      const sql_error_t class = policy_rollback(c, false);

      *ret_reconnected = class == DB_ERROR_IGNORABLE && c->fail.reconnected;
      if (class == DB_ERROR_FATAL)
        return class;
    }
  }
  return DB_ERROR_IGNORABLE;
}

sql_error_t conn_restart(struct conn *c)
{
  sql_error_t class;

  if (!(c->attention & CONN_MARKED) || c->state != CONN_OPEN)
    return DB_ERROR_NONE;
  if (env_is_dead(c->env)) {
    policy_abandon(c);
    return DB_ERROR_FATAL;
  }
  class = policy_rollback(c, false);
  /* One more attempt of the event has failed, before its first statement. */
  if (class == DB_ERROR_IGNORABLE && !c->fail.reconnected)
    count_error(c);
  return class;
}

void conn_give_up(struct conn *c)
{
  if (c->state != CONN_OPEN || env_is_dead(c->env))
    return;
  if (c->more)
    (void)call_end_results(c);
  if (c->late == DB_ERROR_IGNORABLE)
    c->attention &= ~(unsigned)CONN_LATE; /* no event will hear of it */
  if (c->attention & CONN_MARKED)
    (void)policy_rollback(c, false); /* its failure is no event's any more */
}
