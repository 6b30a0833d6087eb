/*
 * lane_run.c - statements of lanes: alone, or in flight (lane_flight.c).
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "db/lane_parts.h"
#include "db/line.h"
#include "db/watch.h"

/* ---- parts ---- */

struct session *lane_lend(const struct lane *lane)
{
  struct session *s = lane->line->session;

  s->env = lane->base.env;
  return s;
}

int lane_cannot_wait(struct outcome *out)
{
  out->api_error = "this place cannot wait for the statements of the clients "
                   "that share the connection (--pipeline)";
  return -1;
}

void lane_keep_text(struct lane *lane, struct outcome *out)
{
  if (!out->msg || out->msg == lane->text)
    return;
  (void)snprintf(lane->text, sizeof(lane->text), "%s", out->msg);
  out->msg = lane->text;
}

bool lane_is_stale(const struct lane *lane)
{
  const struct line *l = lane->line;

  return !l->open || l->broken || lane->generation != l->generation;
}

int lane_lost(struct lane *lane, struct outcome *out)
{
  const struct line *l = lane->line;

  *out = l->why; /* it may be a refusal */
  out->msg = l->why_text;
  lane_keep_text(lane, out);
  return -1;
}

/* ---- the time limit of a statement ---- */

void lane_hold_time(const struct lane *lane)
{
  if (UNLIKELY(lane->base.watched->limited))
    watch_hold(lane->base.watched);
}

uint64_t lane_time(const struct lane *lane)
{
  return UNLIKELY(lane->base.watched->limited) ? clock_now_ns() : 0;
}

void lane_count_time(const struct lane *lane, uint64_t since_ns)
{
  if (UNLIKELY(lane->base.watched->limited))
    watch_count_from(lane->base.watched, since_ns ? since_ns : clock_now_ns());
}

/* ---- failures ---- */

void lane_break(const struct lane *lane, const struct outcome *out)
{
  struct line *l = lane->line;

  l->broken = true;
  l->why = (struct outcome){ .code = out->code,
                             .base_code = out->base_code,
                             .lost = out->lost };
  memcpy(l->why.state, out->state, sizeof(out->state));
  (void)snprintf(l->why_text, sizeof(l->why_text), "%s",
                 out->msg ? out->msg : "connection to server lost");
}

int lane_failed(struct lane *lane, struct outcome *out)
{
  lane_keep_text(lane, out);
  if (out->lost)
    lane_break(lane, out);
  return -1;
}

int lane_no_memory(const struct lane_call *call)
{
  lane_forget_rows(call->lane);
  *call->out = (struct outcome){
    .api_error = "not enough memory for the result"
  };
  return -1;
}

/* ---- alone ---- */

static int execute_here(const struct lane_call *call)
{
  const struct line *l = call->lane->line;
  const struct driver *d = l->driver;
  struct session *s = lane_lend(call->lane);
  struct outcome *out = call->out;
  struct outcome rest = { 0 };
  bool more;
  int rc;

  s->unread = call->lane->base.unread;
  rc = call->prepared ? d->execute(call->prepared->prepared, out)
                      : d->query(s, call->sql, call->len, out);
  if (rc < 0)
    return lane_failed(call->lane, call->out);
  more = out->more || !out->settled;
  if (out->counter == COUNTER_READ && !lane_keep_rows(call->lane, out))
    rc = lane_no_memory(call);
  if (more && d->end_results(s, &rest) < 0) {
    *out = rest;
    lane_forget_rows(call->lane);
    return lane_failed(call->lane, call->out);
  }
  return rc;
}

/* ---- either ---- */

static int execute_alone(const struct lane_call *call)
{
  struct db_env *env = call->lane->base.env;
  int rc;

  if (!line_enter(env))
    return lane_cannot_wait(call->out);
  lane_count_time(call->lane, 0);
  if (lane_is_stale(call->lane)) {
    rc = lane_lost(call->lane, call->out);
  } else {
    lane_tidy_line(call->lane);
    rc = lane_check_after(call, execute_here(call));
    call->lane->base.dialect = call->lane->line->session->dialect;
  }
  line_leave(env);
  return rc;
}

/* Success has `more` for nobody: further results were dropped. */
static int execute(const struct lane_call *call)
{
  struct lane *lane = call->lane;
  int rc;

  lane_forget_rows(lane);
  if (line_is_mine(lane->base.env)) /* the session is being opened */
    return execute_here(call);
  if (lane_check(call) < 0)
    return -1;
  lane_hold_time(lane);
  if (env_in_event(lane->base.env))
    rc = lane_execute_in_flight(call);
  else
    rc = execute_alone(call);
  if (LIKELY(rc == 0)) {
    call->out->more = false;
    call->out->settled = true;
  } else {
    lane->used = false; /* the event may start again */
  }
  return rc;
}

int lane_query(struct session *s, const char *sql, size_t len,
               struct outcome *out)
{
  return execute(&(struct lane_call){
    .lane = lane_of(s), .sql = sql, .len = len, .out = out });
}

int lane_execute(struct prepared *prepared, struct outcome *out)
{
  struct lane_prepared *p = lane_prepared_of(prepared);

  p->prepared->binds = prepared->binds;
  p->prepared->n_binds = prepared->n_binds;
  return execute(&(struct lane_call){ .lane = lane_of(prepared->session),
                                      .prepared = p,
                                      .sql = prepared->sql,
                                      .len = prepared->len,
                                      .out = out });
}
