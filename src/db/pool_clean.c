/*
 * pool_clean.c - what a client leaves in a session that others get.
 */
#include <string.h>

#include "base/log.h"
#include "db/call.h"
#include "db/leftover.h"
#include "db/pool.h"
#include "db/recover.h"
#include "db/transport.h"

static bool roll_back(struct conn *c)
{
  struct db_process *p = c->env->process;
  const bool marked = c->owed & CONN_OWES_ROLLBACK;

  if (call_rollback(c) < 0)
    return false;
  c->owed &= ~(unsigned)CONN_OWES_ROLLBACK;
  if (marked) /* a failure has left it, not the script */
    return true;
  pool_figure(&c->pool->figures.rolled_back, 1);
  if (!atomic_flag_test_and_set(&p->pool_told))
    log_msg(LOG_WARNING,
            "a transaction that was open at the end of an event was rolled "
            "back: its connection goes to another client (--pool)");
  return true;
}

static bool make_clean(struct conn *c)
{
  if (call_drain(c) < 0 && c->out.lost)
    return false;
  if (c->owed & CONN_OWES_CANCEL && !call_pass_cancel(c) && c->out.lost)
    return false;
  return (c->session->trx == TRX_NONE && !(c->owed & CONN_OWES_ROLLBACK)) ||
         roll_back(c);
}

static void clean(struct db_env *env, struct conn *c)
{
  (void)env;
  if (!conn_is_open(c))
    return;
  if (conn_is_dead(c) || c->copies) {
    transport_drop(c); /* it may be in the middle of anything */
    return;
  }
  if (make_clean(c))
    return;
  if (c->out.lost || recover_refused(c))
    recover_failed_late(c, CALL_ROLLBACK, "ROLLBACK", strlen("ROLLBACK"));
  else
    transport_drop(c);
}

void pool_clean(struct db_env *env)
{
  if (env->leased)
    env_as_in_event(env, env->leased, clean);
}

void pool_look(struct conn *c, const char *sql, size_t len)
{
  enum {
    SHOWN = 60
  };
  struct db_process *p = c->env->process;
  const char *what;
  const int kind = leftover_of(sql, len, c->session->dialect, &what);
  const unsigned bit = kind < 0 ? 0 : 1U << kind;

  if (kind < 0 ||
      atomic_fetch_or_explicit(&p->pool_leftovers, bit, memory_order_relaxed) &
        bit)
    return;
  log_msg(LOG_WARNING,
          "a statement leaves %s in one of the connections that the clients "
          "share (--pool), and the others do not have it: %.*s%s",
          what, len < SHOWN ? (int)len : SHOWN, sql, len < SHOWN ? "" : "...");
}
