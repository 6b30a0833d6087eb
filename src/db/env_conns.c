#include "db/env_conns.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "db/broker.h"
#include "db/bulk.h"
#include "db/conn.h"
#include "db/counts.h"
#include "db/error_policy.h"
#include "db/look.h"
#include "db/recover.h"
#include "db/stmt.h"

void env_undo_attempt(struct db_env *env)
{
  for (struct conn *c = env->first; c; c = c->next)
    bulk_undo(c);
  env->attempts++;
}

struct conn *env_settle_slow(struct db_env *env)
{
  for (struct conn *c = env->first; c && !env_is_dead(env); c = c->next) {
    if (conn_has_more(c))
      (void)recover_drain(c);
    if (c->owed & CONN_OWES_FAILURE) {
      recover_take_late(c);
      return c;
    }
  }
  env_note_unread(env, false);
  return NULL;
}

static bool env_conns_has_trx(const struct conn *c)
{
  return conn_is_open(c) && c->session->trx != TRX_NONE;
}

void env_work_ended(struct db_env *env, bool well)
{
  struct conn *c = env->leased;

  if (!c)
    return;
  if (!well && env_conns_has_trx(c))
    c->owed |= CONN_OWES_ROLLBACK;
  broker_release(env);
}

void env_undo_event(struct db_env *env)
{
  env_undo_attempt(env);
  for (struct conn *c = env->first; c; c = c->next)
    conn_give_up(c);
  env_work_ended(env, false);
}

bool env_start_between(struct db_env *env, uint64_t seed, uint64_t index)
{
  const struct db_process *p = env->process;
  const uint64_t every = p->set.backend_sample;

  if (churn_is_wanted(&p->churn))
    churn_init(&env->churn, &p->churn, seed, index, clock_now_ns());
  if (env->pool)
    env->pool->seed = seed;
  if (every > 0) /* not all workers at once */
    env->unsampled = 1 + index % every;
  env->between = churn_is_wanted(&p->churn) || every > 0;
  return env->between;
}

static bool env_conns_is_in_use(const struct conn *c)
{
  return conn_is_open(c) &&
         (c->session->trx != TRX_NONE || c->bulk.active ||
          (c->owed & (CONN_OWES_FAILURE | CONN_OWES_ROLLBACK)));
}

static void env_conns_ask_backend(struct db_env *env, struct conn *c)
{
  struct backends *seen = &env->process->backends;
  const char *const sql = c->driver->backend_query;
  struct strbuf target = { 0 };
  uint64_t id = 0;

  if (!recover_drain(c))
    return;
  if (look_at_backend(c, &id)) {
    c->driver->target(c->session, &target);
    backends_add(seen, strbuf_str(&target), id, !env->sampled);
    strbuf_done(&target);
    env->sampled = true;
  } else if (!verdict_is_cut(&c->out, conn_is_dead(c))) {
    backends_fail(seen);
  }
  if (c->out.lost)
    recover_failed_late(c, CALL_QUERY, sql, strlen(sql));
}

static void env_conns_ask_as_in_event(struct db_env *env, struct conn *c,
                                      void (*ask)(struct db_env *env,
                                                  struct conn *c))
{
  if (!env_is_over(env, clock_now_ns()))
    env_as_in_event(env, c, ask);
}

static void env_conns_sample(struct db_env *env)
{
  for (struct conn *c = env->first; c; c = c->next) {
    if (!conn_is_open(c) || env_conns_is_in_use(c) || !c->driver->backend_query)
      continue;
    env_conns_ask_as_in_event(env, c, env_conns_ask_backend);
    env->unsampled = env->process->set.backend_sample;
    return;
  }
}

static void env_conns_churn(struct db_env *env)
{
  const uint64_t now = clock_now_ns();

  if (!churn_is_due(&env->churn, now) || env_is_over(env, now))
    return;
  for (const struct conn *c = env->first; c; c = c->next) {
    if (env_conns_is_in_use(c))
      return;
  }
  for (struct conn *c = env->first; c; c = c->next) {
    if (conn_is_open(c))
      conn_renew(c);
  }
  churn_begin(&env->churn, clock_now_ns());
}

static void churn_leased(struct db_env *env)
{
  const struct db_process *p = env->process;
  struct conn *c = env->leased;
  struct pool_session *s = c ? c->lease : NULL;

  if (!s)
    return;
  if (!s->churns)
    churn_init(&s->churn, &p->churn, c->pool->seed, s->session->number,
               clock_now_ns());
  s->churns = true;
  if (!churn_is_due(&s->churn, clock_now_ns()) || !conn_is_open(c) ||
      env_is_over(env, clock_now_ns()))
    return;
  conn_renew(c);
  churn_begin(&s->churn, clock_now_ns());
}

void env_between(struct db_env *env)
{
  broker_clean(env);
  if (env->unsampled > 1)
    env->unsampled--;
  else if (env->unsampled == 1)
    env_conns_sample(env);
  if (churn_is_wanted(&env->process->churn)) {
    if (env->pool)
      churn_leased(env);
    else
      env_conns_churn(env);
  }
  broker_release(env);
}

static void env_conns_ping(struct db_env *env, struct conn *c)
{
  static const char sql[] = "SELECT 1";
  struct db_process *p = env->process;
  uint64_t one;

  if (!recover_drain(c))
    return;
  if (look_at_number(c, sql, &one)) {
    (void)atomic_fetch_add(&p->pings, 1);
    return;
  }
  if (!verdict_is_cut(&c->out, conn_is_dead(c)))
    (void)atomic_fetch_add(&p->pings_failed, 1);
  recover_failed_late(c, CALL_QUERY, sql, sizeof(sql) - 1);
}

static bool env_conns_has_server(const struct conn *c)
{
  return (c->driver->caps & DRIVER_SERVER) &&
         !(c->driver->is_dry_run && c->driver->is_dry_run(c->handle->cfg));
}

int env_ping(struct db_env *env, struct err *err)
{
  struct conn *failed;
  int rc = 0;

  for (struct conn *c = env->first; c; c = c->next) {
    if (conn_is_open(c) && !env_conns_is_in_use(c) && env_conns_has_server(c))
      env_conns_ask_as_in_event(env, c, env_conns_ping);
  }
  while ((failed = env_settle(env)) != NULL) {
    const struct failure *f = &failed->fail;

    if (failed->pub.error == DB_ERROR_IGNORABLE)
      continue; /* already counted */
    conn_say(failed);
    rc = err_set(err, -EIO,
                 "a ping of an idle client has failed: SQL error, errno = %d, "
                 "state = '%s': %s",
                 f->code, f->state, f->text);
  }
  return rc;
}

int env_arrive(struct db_env *env, int (*init)(void *ctx, struct err *err),
               void *ctx, struct err *err)
{
  struct strbuf refused = { 0 };
  int rc;

  env->refused = &refused;
  rc = init(ctx, err);
  env->refused = NULL;
  if (rc < 0 && env->too_late)
    rc = -ECANCELED;
  else if (rc < 0 && refused.len > 0)
    (void)err_set(err, rc, "%s", strbuf_str(&refused));
  strbuf_done(&refused);
  return rc;
}

void env_abandon(struct db_env *env)
{
  for (struct conn *c = env->first; c; c = c->next)
    for (struct conn_stmt *n = c->stmts; n; n = n->next)
      stmt_unbind(stmt_listed(n));
}

void env_close(struct db_env *env)
{
  for (struct conn *c = env->first; c; c = c->next) {
    if (!conn_is_closed(c))
      (void)conn_close(c);
  }
}

bool env_has_trx(const struct db_env *env)
{
  for (const struct conn *c = env->first; c; c = c->next) {
    if (env_conns_has_trx(c))
      return true;
  }
  return false;
}

void env_shut(struct db_env *env)
{
  for (struct conn *c = env->first; c; c = c->next)
    conn_shut(c);
}

void env_done(struct db_env *env)
{
  broker_release(env);
  while (env->first) {
    struct conn *c = env->first;

    c->refs++;
    conn_free(c);
    while (c->stmts)
      stmt_free(stmt_listed(c->stmts));
    conn_unref(c);
  }
  broker_leave(env);
  env_done_drivers(env);
}
