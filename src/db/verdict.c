/*
 * verdict.c - what has to become of a failure.
 */
#include "db/verdict.h"

#include "db/ignore.h"

bool verdict_is_cut(const struct outcome *out, bool dead)
{
  return out->over || dead;
}

bool verdict_ignorable(const struct verdict_case *v)
{
  if (v->refused || (v->always_ignorable && v->always_ignorable(v->out)))
    return true;
  return ignore_has(v->ignore, v->out);
}

/* The transaction that an ignored failure has left. */
static struct verdict undo(const struct verdict_case *v, struct verdict to)
{
  to.rollback = v->in_trx && v->at_once;
  to.mark = v->in_trx && !v->at_once;
  return to;
}

struct verdict verdict_failed(const struct verdict_case *v)
{
  const struct outcome *out = v->out;
  /* Not sent by the script.  A server that refuses everything for a while
   * refuses the ROLLBACK, too: it is repeated, and no error of the script. */
  const bool own = v->call == CALL_ROLLBACK;

  if (out->api_error)
    return (struct verdict){ .class = VERDICT_MISUSE };
  if (verdict_is_cut(out, v->phase == VERDICT_DEAD))
    return (struct verdict){ .class = VERDICT_ABANDON,
                             .drop = out->lost,
                             .mark = !out->lost && v->in_trx };
  if (!verdict_ignorable(v))
    return (struct verdict){
      .class = VERDICT_FATAL, .count = !own, .drop = out->lost, .message = true
    };
  if (out->lost)
    return (struct verdict){ .class = VERDICT_REPLACE };
  if (v->refused)
    return (struct verdict){ .class = VERDICT_REPLACE, .count = !own };
  if (own)
    return (struct verdict){ .class = VERDICT_IGNORE, .mark = true };
  return undo(v, (struct verdict){ .class = VERDICT_IGNORE, .count = true });
}

struct verdict verdict_forgiven(const struct verdict_case *v, bool lost)
{
  if (v->phase == VERDICT_DEAD)
    return (struct verdict){ .class = VERDICT_ABANDON };
  if (lost)
    return (struct verdict){ .class = VERDICT_REPLACE };
  return undo(v, (struct verdict){ .class = VERDICT_IGNORE });
}

bool verdict_may_connect(enum verdict_phase phase, unsigned attempt,
                         bool limited)
{
  switch (phase) {
  case VERDICT_AFTER:
    return attempt == 0;
  case VERDICT_LEAVE:
    return attempt == 0 && limited;
  case VERDICT_DEAD:
    return false;
  case VERDICT_OUTSIDE:
  case VERDICT_EVENT:
    break;
  }
  return true;
}

enum verdict_class verdict_not_connected(enum verdict_phase phase,
                                         bool permanent)
{
  return !permanent && phase >= VERDICT_LEAVE ? VERDICT_ABANDON : VERDICT_FATAL;
}
