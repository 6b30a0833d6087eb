/*
 * isolation.c - the isolation level that --isolation gives to the sessions of a
 * run.
 */
#include "db/isolation.h"

#include <stdio.h>
#include <string.h>

#include "db/conn_state.h"
#include "db/look.h"
#include "db/options.h"

/* The server's own text would end with the session. */
static void keep_reason(struct conn *c)
{
  const char *text = c->out.msg ? c->out.msg : "the server does not answer";

  strbuf_clear(&c->no_answer);
  strbuf_adds(&c->no_answer, "--isolation is refused: ");
  strbuf_add(&c->no_answer, text, strcspn(text, "\n"));
  c->out.msg = strbuf_str(&c->no_answer);
}

int isolation_set(struct conn *c, uint64_t until_ns)
{
  static const char *const names[] = {
    [ISOLATION_READ_UNCOMMITTED] = "READ UNCOMMITTED",
    [ISOLATION_READ_COMMITTED] = "READ COMMITTED",
    [ISOLATION_REPEATABLE_READ] = "REPEATABLE READ",
    [ISOLATION_SERIALIZABLE] = "SERIALIZABLE",
  };
  struct db_process *p = c->env->process;
  const int level = p->set.isolation;
  char sql[128];
  bool done;

  if (!p->in_run || level == ISOLATION_DEFAULT ||
      !c->driver->isolation_statement)
    return 0;
  (void)snprintf(sql, sizeof(sql), "%s %s", c->driver->isolation_statement,
                 names[level]);
  watch_until(&p->watch, c->watched, until_ns);
  done = look_executes(c, sql);
  watch_until(&p->watch, c->watched, 0);
  if (!done)
    keep_reason(c);
  c->out.lost = false;
  return done ? 0 : -1;
}
