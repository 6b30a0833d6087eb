/*
 * tell.c - what the sender of a log has to say.
 */
#include "ack/tell.h"

#include "base/log.h"

static void lost(void *arg, const char *why)
{
  const struct ack_teller *t = arg;

  log_msg(LOG_WARNING,
          "%s=tcp:%s: %s; the run goes on, and the log waits for the listener",
          t->option, t->address, why);
}

static void back(void *arg)
{
  const struct ack_teller *t = arg;

  log_msg(LOG_WARNING, "%s=tcp:%s: the listener has all of the log again",
          t->option, t->address);
}

static void full(void *arg)
{
  const struct ack_teller *t = arg;

  log_msg(LOG_WARNING,
          "%s=tcp:%s: the listener is too slow; the run goes on, and what it "
          "does now is not in the log",
          t->option, t->address);
}

struct ack_notices ack_tell(struct ack_teller *t)
{
  return (
    struct ack_notices){ .arg = t, .lost = lost, .back = back, .full = full };
}
