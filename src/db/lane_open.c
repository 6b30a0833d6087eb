/*
 * lane_open.c - lanes come and go: the first one of a line opens the session,
 * and the last one closes it.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "db/lane.h"
#include "db/lane_parts.h"
#include "db/line.h"

/* ---- the session ---- */

static struct session *new_session(const struct session *of,
                                   const struct driver *driver)
{
  static const struct conn_params none = { NULL };
  struct session *s = mem_new(1, driver->session_size);

  if (!s)
    return NULL;
  s->driver = driver;
  s->cfg = of->cfg;
  s->params = &none;
  s->dialect = driver->dialect;
  return s;
}

static bool make_session(struct line *l, const struct session *of)
{
  const struct driver *real = lane_real(of);

  if (!l->session)
    l->session = new_session(of, real);
  l->driver = real;
  return l->session != NULL;
}

static void set_cuttable(struct line *l, bool yes)
{
  (void)pthread_mutex_lock(&l->lock);
  l->cuttable = yes;
  (void)pthread_mutex_unlock(&l->lock);
}

void lane_shutdown(struct session *s)
{
  struct line *l = lane_of(s)->line;

  (void)pthread_mutex_lock(&l->lock);
  if (l->cuttable)
    l->driver->shutdown(l->session);
  (void)pthread_mutex_unlock(&l->lock);
}

/* ---- statements that are not used any more ---- */

static struct line_closing *take_closing(struct line *l)
{
  struct line_closing *c;

  (void)pthread_mutex_lock(&l->lock);
  c = l->closing;
  if (c)
    l->closing = c->next;
  (void)pthread_mutex_unlock(&l->lock);
  return c;
}

static void close_statements(struct line *l, bool going)
{
  struct line_closing *c;

  while ((c = take_closing(l)) != NULL) {
    l->driver->unprepare(c->prepared,
                         going || l->broken || c->generation != l->generation);
    free(c->prepared);
    free(c);
  }
}

void lane_tidy_line(struct lane *lane)
{
  (void)lane_lend(lane);
  close_statements(lane->line, false);
}

static void close_session(struct line *l)
{
  if (!l->open)
    return;
  close_statements(l, true);
  set_cuttable(l, false);
  l->open = false;
  l->driver->disconnect(l->session);
}

void lane_clear_line(struct db_env *env)
{
  struct line *l = env->line;

  if (!l)
    return;
  if (l->open && l->broken) {
    l->session->env = env;
    close_session(l);
  }
  if (!l->open && !l->opening) /* who opens it may call this from elsewhere */
    l->opening = true;
}

void lane_leave_server(struct session *s, const struct outcome *out)
{
  struct lane *lane = lane_of(s);

  if (lane->open && !lane_is_stale(lane))
    lane_break(lane, out);
}

void lane_reject_server(struct session *s, struct outcome *out)
{
  lane_of(s)->line->broken = true;
  if (out)
    (void)lane_keep_reason(lane_of(s), out);
}

/* How many have it open now; other threads may come and go. */
static unsigned add_users(struct line *l, int n)
{
  unsigned users;

  (void)pthread_mutex_lock(&l->lock);
  l->users += (unsigned)n;
  users = l->users;
  (void)pthread_mutex_unlock(&l->lock);
  return users;
}

/* ---- open ---- */

/* The session is open, and nothing can be in flight in it. */
static int unsuitable(struct lane *lane, const char *why, struct outcome *out)
{
  close_session(lane->line);
  return lane_refuse(&lane->base, out, LANE_UNSUITABLE,
                     why ? why : "it has no server");
}

static int open_session(struct lane *lane, uint64_t until_ns,
                        struct outcome *out)
{
  struct line *l = lane->line;
  struct session *s = lane_lend(lane);
  const char *why = NULL;

  close_session(l);
  s->number = lane->base.number;
  s->attempt = lane->base.attempt;
  s->trx = TRX_NONE;
  if (l->driver->connect(s, until_ns, out) < 0) {
    lane_note_target(lane);
    return lane_keep_reason(lane, out);
  }
  l->open = true;
  l->broken = false;
  l->generation++;
  set_cuttable(l, true);
  return l->driver->pipe->possible(s, &why) ? 0 : unsuitable(lane, why, out);
}

int lane_connect(struct session *s, uint64_t until_ns, struct outcome *out)
{
  struct lane *lane = lane_of(s);
  struct line *l = s->env->line;

  lane->line = l;
  if (!make_session(l, s))
    return lane_refuse(s, out, "%s", "not enough memory for a connection");
  if ((!l->open || l->broken) && open_session(lane, until_ns, out) < 0)
    return -1;
  (void)add_users(l, 1);
  lane->open = true;
  lane->generation = l->generation;
  lane->used = false;
  s->number = l->session->number;
  s->attempt = l->session->attempt;
  s->dialect = l->session->dialect;
  s->trx = TRX_NONE;
  s->blocks = 0; /* the lane itself sees to it */
  lane_note_target(lane);
  return 0;
}

/* ---- close ---- */

/* One that others wait for stays open, or is replaced by them. */
void lane_disconnect(struct session *s)
{
  struct lane *lane = lane_of(s);
  struct line *l = lane->line;
  unsigned users;

  lane->open = false;
  lane->rows_left = 0;
  strbuf_done(&lane->rows);
  free(lane->values);
  lane->values = NULL;
  lane->values_room = 0;
  users = add_users(l, -1);
  if (users == 0 && line_is_mine(s->env)) {
    close_session(l);
  } else if (users == 0 && line_grab(s->env)) {
    (void)lane_lend(lane);
    close_session(l);
    line_let_go(s->env);
  }
}
