#include "db/visit.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/minmax.h"
#include "db/call.h"
#include "db/conn_message.h"
#include "db/recover.h"
#include "db/role.h"
#include "db/transport.h"

/* After the end of a run. */
#define END_GRACE_NS (NS_PER_S / 2)

struct conn *visit_new(struct driver_handle *h)
{
  struct conn *c;

  if (h->env->pool) {
    log_msg(LOG_FATAL,
            "--pool: the script opens a connection for each event, and such "
            "connections cannot be shared");
    h->env->reported = true;
    return NULL;
  }
  c = conn_new(h, NULL);
  if (c)
    c->visitor = true;
  return c;
}

static void visit_record(const struct conn *c, const char *name,
                         uint64_t took_ns, bool failed)
{
  const struct stmt_sample sample = { .failed = failed };
  const struct db_env *env = c->env;

  if (env->on_statement)
    env->on_statement(env->on_statement_ctx, NULL, name, strlen(name), took_ns,
                      &sample);
}

static void visit_record_steps(const struct conn *c, const struct visit *v,
                               const char *login, uint64_t start_ns,
                               bool failed)
{
  const char *const names[VISIT_STEPS] = {
    [VISIT_RESOLVE] = "resolve", [VISIT_CONNECT] = "connect",
    [VISIT_TLS] = "TLS",         [VISIT_TLS_RESUMED] = "TLS, resumed",
    [VISIT_LOGIN] = login,       [VISIT_QUERY] = "first query",
    [VISIT_CLOSE] = "close",
  };
  uint64_t at_ns = start_ns;

  for (unsigned i = 0; i < VISIT_STEPS; i++) {
    if (v->took_ns[i] > 0)
      visit_record(c, names[i], v->took_ns[i], false);
    at_ns += v->took_ns[i];
  }
  if (failed) {
    const uint64_t now = clock_now_ns();

    visit_record(c, names[v->failed], now > at_ns ? now - at_ns : 0, true);
  }
}

struct own_visit {
  struct conn *c;
  struct visit *v;
  uint64_t asked_ns, limit_ns, start_ns;
  enum visit_rc rc;
};

static void visit_in_turn(void *arg)
{
  struct own_visit *o = arg;
  struct conn *c = o->c;

  if (!transport_enter(c, o->limit_ns))
    return;
  o->start_ns = clock_now_ns();
  o->v->until_ns = transport_until(c, o->asked_ns, o->v->until_ns);
  o->rc = c->driver->visit(c->session, o->v, &c->out);
  limiter_leave(&c->env->process->limiter);
}

static enum visit_rc visit_by_driver(struct conn *c, struct visit *v)
{
  struct own_visit o = {
    .c = c,
    .v = v,
    .asked_ns = clock_now_ns(),
    .limit_ns = transport_deadline(c),
    .rc = VISIT_FAILED,
  };

  c->out = (struct outcome){ 0 };
  if (limiter_suits_fibers(&c->env->process->limiter))
    visit_in_turn(&o);
  else
    transport_aside(c, visit_in_turn, &o);
  if (o.rc != VISIT_CANNOT && !c->out.over)
    visit_record_steps(c, v, "login", o.start_ns, o.rc == VISIT_FAILED);
  return o.rc;
}

static enum visit_rc visit_by_library(struct conn *c, struct visit *v)
{
  uint64_t turn_ns = 0, at_ns = clock_now_ns();
  const uint64_t start_ns = at_ns;
  int rc = transport_open(c, v->until_ns, &turn_ns);
  uint64_t now = clock_now_ns();

  v->failed = VISIT_LOGIN;
  c->out.lost |= rc < 0;
  if (rc == 0) {
    v->took_ns[VISIT_LOGIN] = now - at_ns > turn_ns ? now - at_ns - turn_ns : 1;
    v->failed = VISIT_QUERY;
    at_ns = now;
    (void)call_start(c);
    rc = call_query(c, v->sql, v->len);
    call_stop(c);
    now = clock_now_ns();
  }
  if (rc == 0) {
    v->took_ns[VISIT_QUERY] = now > at_ns ? now - at_ns : 1;
    transport_drop(c);
    v->took_ns[VISIT_CLOSE] = clock_now_ns() - now;
  }
  if (!c->out.over)
    visit_record_steps(c, v, "connect and login", start_ns + turn_ns, rc < 0);
  return rc < 0 ? VISIT_FAILED : VISIT_DONE;
}

static const char *visit_why_library(const struct conn *c)
{
  if (!c->driver->visit)
    return "the driver has no login of its own";
  return role_matters(c) ? "--server-role asks for a role" : NULL;
}

static void visit_tell(struct conn *c, const char *why)
{
  c->left_to_library = true;
  if (c->driver->visit && !atomic_flag_test_and_set(&c->env->process->told))
    log_msg(LOG_WARNING, "the client library opens the connections: %s", why);
}

/* Not counted: no error of a server. */
static enum visit_rc visit_refuse(struct conn *c, const char *why)
{
  struct failure *f = &c->fail;
  char text[FAILURE_TEXT];

  *f = (struct failure){ .state = "08001", .lost = true };
  (void)snprintf(text, sizeof(text), "the driver cannot log in by itself: %s",
                 why);
  conn_fail_text(c, text);
  c->pub.error = DB_ERROR_FATAL;
  conn_show_failure(c);
  strbuf_clear(&c->message);
  strbuf_addf(&c->message, "Connection to database failed: %s", f->text);
  (void)snprintf(c->message_code, sizeof(c->message_code), "%s", f->state);
  c->owed |= CONN_OWES_MESSAGE;
  return VISIT_CANNOT;
}

static enum visit_rc visit(struct conn *c, enum visit_way way, struct visit *v)
{
  const char *why = visit_why_library(c);
  enum visit_rc rc;

  if (way == VISIT_LIBRARY || (c->left_to_library && way == VISIT_AUTO))
    return visit_by_library(c, v);
  if (!why) {
    rc = visit_by_driver(c, v);
    if (rc != VISIT_CANNOT)
      return rc;
    why = v->why_not;
  }
  if (way == VISIT_OWN)
    return visit_refuse(c, why);
  visit_tell(c, why);
  memset(v->took_ns, 0, sizeof(v->took_ns));
  return visit_by_library(c, v);
}

static uint64_t limit_of(const struct conn *c)
{
  const uint64_t end = atomic_load_explicit(&c->env->process->end_ns,
                                            memory_order_relaxed);
  const uint64_t limit = transport_limit(c);

  return end > clock_now_ns() ? min_u64(limit, end + END_GRACE_NS) : limit;
}

bool visit_make(struct conn *c, enum visit_way way, const char *sql, size_t len,
                struct visit *v)
{
  enum visit_rc rc;

  if (c->owed & CONN_OWES_MESSAGE)
    conn_say(c);
  if (conn_is_dead(c)) {
    call_abandon(c);
    return false;
  }
  c->session->number = atomic_fetch_add_explicit(&c->env->process->next_number,
                                                 1, memory_order_relaxed);
  *v = (struct visit){ .sql = sql, .len = len, .until_ns = limit_of(c) };
  rc = visit(c, way, v);
  if (rc == VISIT_DONE) {
    call_count(c, c->out.counter);
    call_no_error(c);
  } else if (rc == VISIT_FAILED) {
    recover_life_failed(c, v->failed == VISIT_QUERY ? sql : NULL, len);
    transport_drop(c);
  }
  c->state = CONN_CLOSED;
  return rc == VISIT_DONE;
}
