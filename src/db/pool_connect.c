/*
 * pool_connect.c - the clients of a pool come and go: the first and the last.
 */
#include <stdlib.h>

#include "base/log.h"
#include "db/opening.h"
#include "db/pool.h"
#include "db/pool_queue.h"
#include "db/pool_stmts.h"

/* The first client of the thread has come, or one more. */
static bool join(struct pool *p, struct driver_handle *h)
{
  const struct watch *w = &h->env->process->watch;

  if (!p->nobody) {
    p->nobody = pool_new_session(h);
    if (!p->nobody)
      return false;
    p->driver = h->driver;
    p->watched_nobody.driver = h->driver;
    p->watched_nobody.session = p->nobody;
    p->watched_nobody.deadline = watch_deadline_of(w, true);
  }
  if (!h->env->in_pool) {
    h->env->in_pool = true;
    p->users++;
  }
  return true;
}

/* A client of a pool has one connection, without parameters of its own. */
static const char *why_not(const struct driver_handle *h,
                           const struct conn_params *params)
{
  for (const struct conn *c = h->env->first; c; c = c->next) {
    if (c->pool && !conn_is_closed(c))
      return "a second connection, and a client that shares one can have no "
             "other";
  }
  return params && (params->host || params->port || params->socket ||
                    params->user || params->password || params->db)
           ? "a connection with parameters of its own, and those that are "
             "shared are all the same"
           : NULL;
}

/* False after a FATAL line. */
static bool is_possible(const struct driver_handle *h,
                        const struct conn_params *params)
{
  const struct pool *p = h->env->pool;
  const char *why = why_not(h, params);

  if (why) {
    log_msg(LOG_FATAL, "--pool: the script opens %s", why);
    return false;
  }
  if (p->driver && p->driver != h->driver) {
    log_msg(LOG_FATAL,
            "--pool: the script uses the drivers %s and %s, and the "
            "connections of a pool have one",
            p->driver->name, h->driver->name);
    return false;
  }
  return true;
}

struct conn *pool_connect(struct driver_handle *h,
                          const struct conn_params *params)
{
  struct db_env *env = h->env;
  struct conn *c;

  if (!is_possible(h, params)) {
    env->reported = true;
    return NULL;
  }
  c = join(env->pool, h) ? conn_new_pooled(h) : NULL;
  if (!c) {
    log_msg(LOG_FATAL, "not enough memory for a connection");
    return NULL;
  }
  if (!pool_take_any(c, true)) {
    log_msg(LOG_FATAL, "%s", c->fail.api_error);
    conn_unref(c);
    return NULL;
  }
  if (c->state == CONN_IDLE)
    return c;
  c->state = CONN_CLOSED;
  if (opening_try(c) == 0)
    return c;
  pool_detach(c);
  conn_unref(c);
  return NULL;
}

static void close_session(struct pool *p, struct pool_session *s,
                          struct db_env *env)
{
  s->session->env = env;
  if (s->open) {
    watch_closing(&s->watched);
    pool_stmts_clear(&s->stmts, p->driver);
    p->driver->disconnect(s->session);
  }
  pool_stmts_clear(&s->stmts, p->driver);
  watch_remove(&env->process->watch, &s->watched);
  session_free(s->session);
  *s = (struct pool_session){ NULL };
}

void pool_leave(struct db_env *env)
{
  struct pool *p = env->pool;

  if (!env->in_pool)
    return;
  env->in_pool = false;
  if (--p->users > 0)
    return;
  for (unsigned i = 0; i < p->made; i++)
    close_session(p, &p->of[i], env);
  p->made = 0;
  p->free = NULL;
  p->free_end = &p->free;
  free(p->nobody);
  p->nobody = NULL;
  p->driver = NULL;
}
