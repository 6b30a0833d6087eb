/*
 * abi_ack.c - sysbench.ack() and sysbench.ack_query().  The texts that are
 * returned last until the next call.
 */
#include <errno.h>

#include "ack/log.h"
#include "base/err.h"
#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/acknowledge.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"

static const char *keep(struct state *s, const char *text)
{
  strbuf_clear(&s->quoted);
  strbuf_adds(&s->quoted, text);
  return strbuf_str(&s->quoted);
}

/* NULL: all is well, or there is no log. */
const char *bench_ack(double id)
{
  struct state *s = state_current();
  char text[128];
  int rc;

  if (!s || !s->env.ack)
    return NULL;
  rc = acknowledge_next(&s->env, (uint64_t)id);
  if (rc == 0)
    return NULL;
  if (rc == -E2BIG)
    return "a transaction can have at most 256 numbers";
  return keep(s, err_text(-rc, text, sizeof(text)));
}

const char *bench_ack_query(int total, int others, double before,
                            const char *query)
{
  struct state *s = state_current();
  struct err err = { "" };

  if (!s || !s->script->setup.ack || !*s->script->setup.ack)
    return NULL;
  if (s->worker)
    return "it has to be called in init()";
  if (ack_log_describe(*s->script->setup.ack, total ? ACK_TOTAL : ACK_NUMBERS,
                       others ? ACK_OTHERS : 0, before, query, &err) < 0)
    return keep(s, err.text);
  return NULL;
}
