/*
 * lane_driver.c - the driver of lanes: what it passes on, and what it prepares.
 */
#include "db/lane.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "db/lane_parts.h"
#include "db/line.h"
#include "loop/loop.h"

/* ---- passed on, while the line is had alone ---- */

static void lane_warnings(struct session *s, struct strbuf *lines)
{
  if (lane_of(s)->open)
    lane_real(s)->warnings(lane_lend(lane_of(s)), lines);
}

static void lane_about(struct session *s,
                       void (*put)(void *ctx, const char *key,
                                   const char *value),
                       void *ctx)
{
  lane_real(s)->about(lane_lend(lane_of(s)), put, ctx);
}

static void lane_settings(struct session *s,
                          void (*put)(void *ctx, const char *key,
                                      const char *value),
                          void *ctx)
{
  lane_real(s)->server_settings(lane_lend(lane_of(s)), put, ctx);
}

static void lane_check_server(struct session *s, const struct run_facts *facts,
                              struct strbuf *lines)
{
  lane_real(s)->check_before_run(lane_lend(lane_of(s)), facts, lines);
}

static void lane_sizes(struct session *s, struct statement_sizes *ret)
{
  struct lane *lane = lane_of(s);

  if (!line_enter(s->env))
    return;
  if (!lane_is_stale(lane))
    lane_real(s)->statement_sizes(lane_lend(lane), ret);
  line_leave(s->env);
}

static void *lane_token(struct session *s)
{
  return lane_real(s)->cancel_token(lane_of(s)->line->session);
}

/* ---- at any time ---- */

static bool lane_quote(struct session *s, const char *text, size_t len,
                       struct strbuf *to, const char **ret_why)
{
  const struct lane *lane = lane_of(s);

  /* The session is another one by then: the statement will not be sent, and
   * says why. */
  if ((lane->line->opening && !line_is_mine(s->env)) || lane_is_stale(lane)) {
    strbuf_adds(to, "''");
    return true;
  }
  return lane_real(s)->quote(lane->line->session, text, len, to, ret_why);
}

static void lane_message(const struct session *s, enum call call,
                         const struct outcome *out, const char *sql,
                         struct strbuf *lines)
{
  struct session *real = lane_of(s)->line->session;
  struct db_env *const reader = real->env;

  real->env = s->env;
  lane_real(s)->message(real, call, out, sql, lines);
  real->env = reader;
}

static int lane_next_result(struct session *s, struct outcome *out)
{
  (void)s;
  out->ended = true; /* further ones were dropped */
  return 0;
}

static int lane_end_results(struct session *s, struct outcome *out)
{
  (void)out;
  lane_of(s)->rows_left = 0;
  return 0;
}

/* ---- prepared statements ---- */

/* A call of the real driver that may block in a library. */
struct preparation {
  const struct driver *driver;
  struct prepared *prepared;
  struct outcome *out;
  bool binds;
  int rc;
};

static void run(void *arg)
{
  struct preparation *p = arg;

  p->rc = p->binds ? p->driver->bind(p->prepared, p->out)
                   : p->driver->prepare(p->prepared, p->out);
}

/* The line is had alone. */
static int run_alone(struct lane *lane, struct prepared *prepared, bool binds,
                     struct outcome *out)
{
  struct line *l = lane->line;
  struct preparation p = {
    .driver = l->driver, .prepared = prepared, .out = out, .binds = binds
  };

  if (lane_is_stale(lane))
    return lane_lost(lane, out);
  lane_tidy_line(lane);
  if (lane_lend(lane)->blocks)
    loop_aside(run, &p, LOOP_ASIDE_CALL);
  else
    run(&p);
  return p.rc < 0 ? lane_failed(lane, out) : 0;
}

static int in_turn(struct lane_prepared *p, bool binds, struct outcome *out)
{
  struct lane *lane = lane_of(p->base.session);
  int rc;

  lane_hold_time(lane);
  if (!line_enter(lane->base.env))
    return lane_cannot_wait(out);
  lane_count_time(lane, 0);
  rc = run_alone(lane, p->prepared, binds, out);
  line_leave(lane->base.env);
  return rc;
}

static int lane_prepare(struct prepared *prepared, struct outcome *out)
{
  struct lane_prepared *p = lane_prepared_of(prepared);
  const struct line *l = lane_of(prepared->session)->line;
  int rc;

  p->prepared = mem_new(1, l->driver->prepared_size);
  if (!p->prepared) {
    out->api_error = "not enough memory";
    return -1;
  }
  p->prepared->session = l->session;
  p->prepared->sql = prepared->sql;
  p->prepared->len = prepared->len;
  rc = in_turn(p, false, out);
  prepared->n_params = p->prepared->n_params;
  return rc;
}

static int lane_bind(struct prepared *prepared, struct outcome *out)
{
  struct lane_prepared *p = lane_prepared_of(prepared);

  p->prepared->binds = prepared->binds;
  p->prepared->n_binds = prepared->n_binds;
  return in_turn(p, true, out);
}

/* It is closed by whoever has the line alone next. */
static void lane_unprepare(struct prepared *prepared, bool going)
{
  struct lane_prepared *p = lane_prepared_of(prepared);
  const struct lane *lane = lane_of(prepared->session);
  struct line *l = lane->line;
  struct line_closing *c;

  if (!p->prepared)
    return;
  c = mem_new(1, sizeof(*c));
  if (!c)
    return; /* with its memory: the session may still use it */
  *c = (struct line_closing){ .prepared = p->prepared,
                              .generation = lane->generation };
  (void)pthread_mutex_lock(&l->lock);
  c->next = l->closing;
  l->closing = c;
  (void)pthread_mutex_unlock(&l->lock);
  p->prepared = NULL;
  (void)going;
}

/* ---- the driver ---- */

const struct driver *lane_driver_new(const struct driver *real,
                                     const char **ret_why)
{
  struct lane_driver *made;
  struct driver *d;

  if (!real->pipe || !real->pipe->mark_apart) {
    *ret_why = "its statements cannot be in flight";
    return NULL;
  }
  made = malloc(sizeof(*made));
  if (!made) {
    *ret_why = "not enough memory";
    return NULL;
  }
  made->real = real;
  d = &made->driver;
  *d = *real;
  d->session_size = sizeof(struct lane);
  d->prepared_size = real->prepared_size ? sizeof(struct lane_prepared) : 0;
  d->caps &= ~(unsigned)DRIVER_NEVER_WAITS;
  d->connect = lane_connect;
  d->visit = NULL;
  d->disconnect = lane_disconnect;
  d->done = NULL; /* that of the line is freed with the line */
  d->lighten = NULL;
  d->connect_message = lane_connect_message;
  d->connect_reason = lane_connect_reason;
  d->warnings = real->warnings ? lane_warnings : NULL;
  d->target = lane_target;
  d->about = real->about ? lane_about : NULL;
  d->socket = NULL;
  d->server_settings = real->server_settings ? lane_settings : NULL;
  d->check_before_run = real->check_before_run ? lane_check_server : NULL;
  d->limits = NULL;
  d->query = lane_query;
  d->fetch = lane_fetch;
  d->next_result = lane_next_result;
  d->end_results = lane_end_results;
  d->prepare = real->prepare ? lane_prepare : NULL;
  d->bind = real->bind ? lane_bind : NULL;
  d->execute = real->execute ? lane_execute : NULL;
  d->unprepare = real->unprepare ? lane_unprepare : NULL;
  d->quote = lane_quote;
  d->statement_sizes = real->statement_sizes ? lane_sizes : NULL;
  d->copy = NULL;
  d->pipe = NULL;
  d->space = NULL;
  d->tidy = NULL;
  d->message = lane_message;
  d->wake = NULL;
  d->shutdown = real->shutdown ? lane_shutdown : NULL;
  d->cancel_token = real->cancel_token ? lane_token : NULL;
  d->mode_line = NULL;
  return d;
}
