/*
 * reopen.c - a session that was to be opened again could not be.
 */
#include "db/reopen.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "db/call.h"
#include "db/verdict.h"

int reopen_failed(struct conn *c, enum transport_rc rc)
{
  struct strbuf reason = { 0 };

  if (verdict_is_cut(&c->out, conn_is_dead(c)) ||
      verdict_not_connected(env_phase(c->env, clock_now_ns()),
                            rc == TRANSPORT_PERMANENT) == VERDICT_ABANDON) {
    call_abandon(c);
    return 1;
  }
  transport_reason(c, &reason);
  c->owed &= ~(unsigned)CONN_OWES_FAILURE; /* this failure is worse */
  c->fail = (struct failure){ .code = c->out.code, .lost = true };
  memcpy(c->fail.state, c->out.state, sizeof(c->fail.state));
  conn_fail_text(c, strbuf_str(&reason));
  strbuf_done(&reason);
  c->pub.error = DB_ERROR_FATAL;
  c->pub.sql_errno = c->fail.code;
  c->pub.sql_state = c->fail.state[0] ? c->fail.state : NULL;
  c->pub.sql_errmsg = c->fail.text;
  call_count(c, COUNTER_ERROR);
  return 1;
}
