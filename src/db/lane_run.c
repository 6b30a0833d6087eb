/*
 * lane_run.c - statements of lanes: in flight, or alone.
 */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "db/lane_parts.h"
#include "db/line.h"
#include "loop/fiber.h"

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

static int failed(const struct lane_call *call)
{
  return lane_failed(call->lane, call->out);
}

static int no_memory(const struct lane_call *call)
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
    return failed(call);
  more = out->more || !out->settled;
  if (out->counter == COUNTER_READ && !lane_keep_rows(call->lane, out))
    rc = no_memory(call);
  if (more && d->end_results(s, &rest) < 0) {
    *out = rest;
    lane_forget_rows(call->lane);
    return failed(call);
  }
  return rc;
}

/* ---- in flight ---- */

static bool is_counted(const struct lane_call *call)
{
  const struct db_env *env = call->lane->base.env;

  return env->counted && *env->counted && env->recorder;
}

/* The driver sends by itself, too. */
static void count_sends(const struct lane_call *call)
{
  struct line *l = call->lane->line;
  const uint64_t sends = l->driver->pipe->sends(l->session);

  if (is_counted(call))
    line_figure(&l->figures.sends, sends - l->sends);
  l->sends = sends;
}

/* The session may have become one that a library serves. */
static int begin(const struct lane_call *call)
{
  struct line *l = call->lane->line;
  const struct driver_pipe *d = l->driver->pipe;
  const char *why = NULL;

  (void)lane_lend(call->lane); /* nobody reads */
  if (!d->possible(l->session, &why)) {
    (void)snprintf(call->lane->text, sizeof(call->lane->text), LANE_UNSUITABLE,
                   why ? why : "it has no server");
    call->out->api_error = call->lane->text;
    return -1;
  }
  l->begun = d->begin(l->session, call->out) == 0;
  l->sends = d->sends(l->session);
  return l->begun ? 0 : -1;
}

/* The session stays lent to who reads from it. */
static int add(const struct lane_call *call)
{
  struct line *l = call->lane->line;
  const struct driver_pipe *d = l->driver->pipe;
  struct session *s = l->session;
  int rc = 0;

  if (!l->begun)
    rc = begin(call);
  if (rc == 0)
    rc = call->prepared ? d->execute(call->prepared->prepared, call->out)
                        : d->query(s, call->sql, call->len, call->out);
  if (rc < 0)
    return failed(call);
  if (!d->mark_apart(s)) {
    *call->out = (struct outcome){ .lost = true, .msg = "not enough memory" };
    return failed(call);
  }
  if (is_counted(call))
    line_figure(&l->figures.statements, 1);
  return 0;
}

/*
 * The reader sends before it waits, so that requests of clients whose answers
 * have come together are sent together.  One that waits already has to be
 * helped, after others had time to add theirs.
 */
static void help_reader(const struct lane_call *call)
{
  struct line *l = call->lane->line;

  if (!l->reading)
    return;
  fiber_yield();
  if (!l->reading || l->broken)
    return;
  (void)l->driver->pipe->push(l->session, false);
  count_sends(call);
}

static int read_answer(const struct lane_call *call)
{
  struct line *l = call->lane->line;
  const struct driver_pipe *d = l->driver->pipe;
  struct lane_prepared *p = call->prepared;
  struct outcome *out = call->out;
  struct outcome late = { 0 };
  struct session *s = lane_lend(call->lane);
  bool more;
  int rc;

  s->unread = call->lane->base.unread; /* for the reader only */
  rc = d->receive(s, p ? p->prepared : NULL, call->sql, call->len, out);
  more = out->more;
  if (UNLIKELY(rc < 0))
    (void)failed(call);
  else if (out->counter == COUNTER_READ && !lane_keep_rows(call->lane, out))
    rc = no_memory(call);
  if (UNLIKELY(more) && d->rest(s, &late) < 0)
    rc = -1;
  if (!late.lost && !out->lost) {
    struct outcome end = { 0 };

    if (d->end_apart(s, &end) < 0) {
      rc = -1;
      late = end;
    }
  }
  if (UNLIKELY(late.state[0] || late.lost || late.code != 0)) {
    lane_forget_rows(call->lane);
    *out = late;
    return failed(call);
  }
  return rc;
}

static int receive(const struct lane_call *call)
{
  struct line *l = call->lane->line;
  int rc;

  (void)lane_lend(call->lane);
  l->reading = true;
  if (!l->driver->pipe->has_arrived(l->session))
    (void)l->driver->pipe->push(l->session, true);
  rc = read_answer(call);
  l->reading = false;
  count_sends(call);
  call->lane->base.dialect = l->session->dialect;
  return lane_check_after(call, rc);
}

static int execute_in_flight(const struct lane_call *call)
{
  struct lane *lane = call->lane;
  struct db_env *env = lane->base.env;
  struct line *l = lane->line;
  int rc;

  if (!line_join(env))
    return lane_cannot_wait(call->out);
  if (UNLIKELY(lane_is_stale(lane))) {
    rc = lane_lost(lane, call->out);
  } else if ((rc = add(call)) == 0) {
    line_added(env);
    help_reader(call);
    line_await(env);
    rc = UNLIKELY(l->broken) ? lane_lost(lane, call->out) : receive(call);
  }
  line_quit(env);
  return rc;
}

/* ---- either ---- */

static int execute_alone(const struct lane_call *call)
{
  struct db_env *env = call->lane->base.env;
  int rc;

  if (!line_enter(env))
    return lane_cannot_wait(call->out);
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
  if (env_in_event(lane->base.env))
    rc = execute_in_flight(call);
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
