/*
 * env_conns.c - what concerns all connections of a thread.
 */
#include "db/env_conns.h"

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
