#include "db/acknowledge.h"

#include <stdbool.h>
#include <string.h>

#include "ack/log.h"
#include "base/compiler.h"
#include "db/conn_state.h"
#include "db/error_policy.h"

static bool acknowledge_in_failed_transaction(const struct db_env *env)
{
  for (const struct conn *c = env->first; c; c = c->next) {
    if (conn_is_open(c) && c->session->trx == TRX_ABORTED)
      return true;
  }
  return false;
}

int acknowledge_next(struct db_env *env, uint64_t id)
{
  const uint64_t event = env->event_number ? *env->event_number : 0;
  int rc;

  if (env->ack->event != event)
    acknowledge_nothing(env);
  env->ack->event = event;
  rc = ack_intent(env->ack, id);
  if (rc < 0)
    return rc;
  if (acknowledge_in_failed_transaction(env))
    ack_settle(env->ack, ACK_ABORTED);
  env->ack_due = ack_is_pending(env->ack);
  return 0;
}

/* The transaction may be committed nevertheless. */
static bool acknowledge_is_doubtful(const struct outcome *out)
{
  static const char *const states[] = { "08", "57", "58", "XX", "40003" };
  static const int codes[] = { 1053, 1180, 1317, 2006, 2013, 2055 };

  for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
    if (out->code == codes[i])
      return true;
  }
  for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
    if (strncmp(out->state, states[i], strlen(states[i])) == 0)
      return true;
  }
  return false;
}

static enum ack_state state_of(const struct conn *c, int rc)
{
  const struct outcome *out = &c->out;

  if (rc >= 0)
    return ACK_ACKED;
  if (out->api_error)
    return ACK_ABORTED; /* not sent */
  if (out->lost || out->over || out->during_results ||
      verdict_is_cut(out, conn_is_dead(c)) || acknowledge_is_doubtful(out))
    return ACK_UNKNOWN;
  return ACK_ABORTED;
}

void acknowledge(struct conn *c, enum call call, int rc)
{
  const uint64_t *event = c->env->event_number;

  if (call != CALL_QUERY && call != CALL_EXECUTE)
    return;
  if (c->env->ack->event != (event ? *event : 0)) {
    acknowledge_nothing(c->env);
    return;
  }
  ack_settle(c->env->ack, state_of(c, rc));
  c->env->ack_due = false;
}

void acknowledge_nothing(struct db_env *env)
{
  if (!env->ack_due)
    return;
  ack_settle(env->ack, ACK_UNKNOWN);
  env->ack_due = false;
}

void acknowledge_loss(const struct conn *c)
{
  if (c->env->ack)
    ack_lost(c->env->ack);
}
