/*
 * env_conns.c - what concerns all connections of a thread.
 */
#include "db/env_conns.h"

#include "base/clock.h"
#include "db/bulk.h"
#include "db/conn.h"
#include "db/recover.h"
#include "db/stmt.h"

void env_undo_attempt(struct db_env *env)
{
  for (struct conn *c = env->first; c; c = c->next)
    bulk_undo(c);
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

void env_undo_event(struct db_env *env)
{
  env_undo_attempt(env);
  for (struct conn *c = env->first; c; c = c->next)
    conn_give_up(c);
}

bool env_start_churn(struct db_env *env, uint64_t seed, uint64_t index)
{
  const struct db_process *p = env->process;

  if (!churn_is_wanted(&p->churn))
    return false;
  churn_init(&env->churn, &p->churn, seed, index, clock_now_ns());
  return true;
}

static bool is_in_use(const struct conn *c)
{
  return conn_is_open(c) &&
         (c->session->trx != TRX_NONE || c->bulk.active ||
          (c->owed & (CONN_OWES_FAILURE | CONN_OWES_ROLLBACK)));
}

void env_churn(struct db_env *env)
{
  if (!churn_is_due(&env->churn, clock_now_ns()))
    return;
  for (const struct conn *c = env->first; c; c = c->next) {
    if (is_in_use(c)) /* after the next event, then */
      return;
  }
  for (struct conn *c = env->first; c; c = c->next) {
    if (conn_is_open(c))
      conn_renew(c);
  }
  churn_begin(&env->churn, clock_now_ns());
}

void env_done(struct db_env *env)
{
  while (env->first) {
    struct conn *c = env->first;

    c->refs++; /* it must outlive its statements here */
    conn_free(c);
    while (c->stmts)
      stmt_free(stmt_listed(c->stmts));
    conn_unref(c);
  }
  env_done_drivers(env);
}
