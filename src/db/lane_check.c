/*
 * lane_check.c - what a lane does not allow.
 */
#include <stdio.h>

#include "db/emul.h"
#include "db/lane_parts.h"

#define FOR_EVENTS "--pipeline is for events of one statement, and "
#define NO_TRX                                                                 \
  "with --pipeline no transaction can be on a connection that clients share, " \
  "and "

static int misuse(const struct lane_call *call, const char *what)
{
  enum {
    SHOWN = 200
  };
  struct lane *lane = call->lane;

  (void)snprintf(lane->text, sizeof(lane->text), "%s: %.*s%s", what,
                 call->len < SHOWN ? (int)call->len : SHOWN, call->sql,
                 call->len < SHOWN ? "" : "...");
  *call->out = (struct outcome){ .api_error = lane->text };
  return -1;
}

static bool begins_transaction(const struct lane_call *call)
{
  const unsigned dialect = call->lane->base.dialect;
  size_t n;
  const char *word = emul_first_word(call->sql, call->len, dialect, &n);

  if (emul_word_is(word, n, "BEGIN"))
    return true;
  if (!emul_word_is(word, n, "START"))
    return false;
  word += n;
  word = emul_first_word(word, call->len - (size_t)(word - call->sql), dialect,
                         &n);
  return emul_word_is(word, n, "TRANSACTION");
}

/* The first statement of an event, or its next attempt.  The answer is looked
 * at as well: see lane_check_after(). */
int lane_check(const struct lane_call *call)
{
  struct lane *lane = call->lane;
  const struct db_env *env = lane->base.env;
  const bool in_event = env_in_event(env);

  if (begins_transaction(call))
    return misuse(call, in_event ? FOR_EVENTS "this one begins a transaction"
                                 : NO_TRX "this statement begins one");
  if (!in_event)
    return 0;
  if (lane->used && lane->event == *env->event_number &&
      lane->attempts == env->attempts)
    return misuse(call, FOR_EVENTS "this is the second one of an event");
  lane->event = *env->event_number;
  lane->attempts = env->attempts;
  lane->used = true;
  return 0;
}

/* A failure has ended the statement, and what it began.  After a success there
 * is none, unless the session is set up for it. */
int lane_check_after(const struct lane_call *call, int rc)
{
  struct session *s = call->lane->line->session;
  const bool open = rc == 0 && s->trx != TRX_NONE;

  if (!open) {
    s->trx = TRX_NONE;
    return rc;
  }
  lane_forget_rows(call->lane);
  return misuse(call, NO_TRX "this statement leaves one open");
}
