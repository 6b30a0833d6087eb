#include "monitor/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "db/env_conns.h"

enum {
  FIELDS = 32 /* columns of a query */
};

void link_init(struct link *l, struct db_process *db,
               const struct conn_params *params, uint64_t number)
{
  const struct driver_handle *h;

  memset(l, 0, sizeof(*l));
  (void)pthread_mutex_init(&l->lock, NULL);
  l->env.process = db;
  l->env.rng = number + 1;
  l->params = *params;
  h = env_driver(&l->env, NULL);
  if (!h)
    return;
  l->session = calloc(1, h->driver->session_size);
  if (!l->session)
    return;
  l->driver = h->driver;
  *l->session = (struct session){
    .driver = h->driver,
    .cfg = h->cfg,
    .env = &l->env,
    .params = &l->params,
    .number = number,
    .apart = true,
    .blocks = 0,
    .dialect = h->driver->dialect,
  };
}

void link_done(struct link *l)
{
  link_close(l);
  session_free(l->session);
  l->session = NULL;
  env_done(&l->env);
  (void)pthread_mutex_destroy(&l->lock);
}

static bool link_fail(struct link *l, const char *why, bool lost)
{
  (void)snprintf(l->why, sizeof(l->why), "%.*s", (int)strcspn(why, "\n"), why);
  l->lost = lost;
  return false;
}

bool link_open(struct link *l, uint64_t until_ns)
{
  struct outcome out = { 0 };
  struct strbuf why = { 0 };
  bool over;

  if (!l->driver)
    return link_fail(l, "the driver is not available", true);
  if (password_connect(&l->env.process->password, l->session,
                       &l->env.process->limiter, false, until_ns, &out) < 0) {
    l->permanent = out.permanent;
    l->slow = clock_now_ns() >= until_ns;
    l->driver->connect_reason(l->session, &out, &why);
    (void)link_fail(l, strbuf_str(&why), true);
    strbuf_done(&why);
    return false;
  }
  (void)pthread_mutex_lock(&l->lock);
  over = l->over;
  l->open = !over;
  (void)pthread_mutex_unlock(&l->lock);
  if (over)
    l->driver->disconnect(l->session);
  return over ? link_fail(l, "the run has ended", true) : true;
}

static void link_drop_plans(struct link *l)
{
  for (int i = 0; i < LINK_PLANS; i++) {
    struct link_plan *plan = &l->plans[i];

    if (plan->p)
      l->driver->unprepare(plan->p, true);
    free(plan->p);
    free(plan->sql);
    *plan = (struct link_plan){ 0 };
  }
}

void link_close(struct link *l)
{
  bool open;

  link_drop_plans(l);
  (void)pthread_mutex_lock(&l->lock);
  open = l->open;
  l->open = false;
  (void)pthread_mutex_unlock(&l->lock);
  if (open)
    l->driver->disconnect(l->session);
}

void link_target(const struct link *l, struct strbuf *line)
{
  l->driver->target(l->session, line);
}

int link_socket(const struct link *l)
{
  return l->driver->socket ? l->driver->socket(l->session) : -1;
}

/* The rows of a call that has returned `rc`. */
static bool link_take_rows(struct link *l, int rc, const struct outcome *out,
                           void (*row)(void *ctx, const sql_value *v,
                                       unsigned n),
                           void *ctx)
{
  const struct driver *d = l->driver;
  struct outcome end = { 0 };
  sql_value v[FIELDS];

  if (rc < 0) {
    (void)link_fail(l, out->msg ? out->msg : "no answer", out->lost);
    if (!out->lost)
      (void)d->end_results(l->session, &end);
    return false;
  }
  if (out->nfields > 0 && out->nfields <= FIELDS) {
    while (d->fetch(l->session, v) == 1)
      row(ctx, v, out->nfields);
  }
  if (out->settled || d->end_results(l->session, &end) == 0)
    return true;
  return link_fail(l, end.msg ? end.msg : "the answer broke off", end.lost);
}

bool link_query(struct link *l, const char *sql,
                void (*row)(void *ctx, const sql_value *v, unsigned n),
                void *ctx)
{
  struct outcome out = { 0 };

  return link_take_rows(l, l->driver->query(l->session, sql, strlen(sql), &out),
                        &out, row, ctx);
}

/* False: the connection is lost. */
static bool link_prepare(struct link *l, struct link_plan *plan)
{
  struct prepared *p = calloc(1, l->driver->prepared_size);
  struct outcome out = { 0 };

  if (!p)
    return true;
  p->session = l->session;
  p->sql = plan->sql;
  p->len = strlen(plan->sql);
  if (l->driver->prepare(p, &out) == 0 && p->n_params == 0) {
    plan->p = p;
    return true;
  }
  l->driver->unprepare(p, out.lost);
  free(p);
  return !out.lost || link_fail(l, out.msg ? out.msg : "no answer", true);
}

/* *ret NULL: send the text. False: the connection is lost. */
static bool link_find_plan(struct link *l, const char *sql,
                           struct link_plan **ret)
{
  *ret = NULL;
  if (!l->keeps_plans || !ps_mode_keeps(l->env.process->set.ps_mode))
    return true;
  for (int i = 0; i < LINK_PLANS; i++) {
    struct link_plan *plan = &l->plans[i];

    if (!plan->sql) {
      plan->sql = strdup(sql);
      if (plan->sql && !link_prepare(l, plan))
        return false;
    }
    if (plan->sql && strcmp(plan->sql, sql) == 0) {
      *ret = plan->p ? plan : NULL;
      return true;
    }
  }
  return true;
}

bool link_query_often(struct link *l, const char *sql,
                      void (*row)(void *ctx, const sql_value *v, unsigned n),
                      void *ctx)
{
  struct outcome out = { 0 }, end = { 0 };
  struct link_plan *plan;
  int rc;

  if (!link_find_plan(l, sql, &plan))
    return false;
  if (!plan)
    return link_query(l, sql, row, ctx);
  rc = l->driver->execute(plan->p, &out);
  if (rc == 0 || out.lost)
    return link_take_rows(l, rc, &out, row, ctx);
  /* A pooler can change the server's session. */
  (void)l->driver->end_results(l->session, &end);
  l->driver->unprepare(plan->p, false);
  free(plan->p);
  plan->p = NULL;
  return link_query(l, sql, row, ctx);
}

void link_interrupt(struct link *l)
{
  (void)pthread_mutex_lock(&l->lock);
  l->over = true;
  if (l->open && l->driver->shutdown)
    l->driver->shutdown(l->session);
  (void)pthread_mutex_unlock(&l->lock);
}
