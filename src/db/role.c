#include "db/role.h"

#include <string.h>

#include "base/clock.h"
#include "db/error_policy.h"
#include "db/look.h"
#include "db/options.h"

static bool role_is_dry_run(const struct conn *c)
{
  const struct driver *d = c->driver;

  return d->is_dry_run && d->is_dry_run(c->handle->cfg);
}

bool role_matters(const struct conn *c)
{
  return c->env->process->set.target != ROLE_ANY && conn_is_listed(c) &&
         !role_is_dry_run(c);
}

/* The server's text ends with the session. */
static void role_keep_reason(struct conn *c, bool silent)
{
  const char *text = c->out.msg && !silent ? c->out.msg : "";

  strbuf_clear(&c->no_answer);
  strbuf_adds(&c->no_answer,
              silent ? "it lets clients in, and does not answer whether it is "
                       "read-only"
                     : "it does not say whether it is read-only");
  if (*text) {
    strbuf_adds(&c->no_answer, ": ");
    strbuf_add(&c->no_answer, text, strcspn(text, "\n"));
  }
  c->out.msg = strbuf_str(&c->no_answer);
}

/* Also if the lost statement reads no rows. */
static bool role_asked(struct conn *c, const char *query, uint64_t until_ns,
                       uint64_t *ret)
{
  struct db_process *p = c->env->process;
  const bool unread = c->session->unread;
  bool told;

  c->session->unread = false;
  watch_until(&p->watch, c->watched, until_ns);
  told = look_at_number(c, query, ret);
  watch_until(&p->watch, c->watched, 0);
  c->session->unread = unread;
  return told;
}

/* c->out.lost: the session is gone. */
static int role_ask(struct conn *c, uint64_t until_ns)
{
  const bool replica = c->env->process->set.target == ROLE_REPLICA;
  uint64_t read_only = 0;

  if (!role_asked(c, c->driver->role_query, until_ns, &read_only) ||
      c->out.lost) {
    role_keep_reason(c, clock_now_ns() >= until_ns);
    return -1;
  }
  c->out = (struct outcome){ 0 };
  if ((read_only != 0) == replica)
    return 0;
  c->out.other_role = true;
  c->out.msg = replica ? "it is a primary" : "it is a replica";
  memcpy(c->out.state, "HY000", sizeof("HY000"));
  return -1;
}

int role_check(struct conn *c, uint64_t until_ns)
{
  const int rc = role_ask(c, until_ns);

  c->out.lost = false;
  return rc;
}

bool role_takes_writes(struct conn *c, uint64_t until_ns)
{
  if (!c->driver->role_query || role_is_dry_run(c) ||
      role_ask(c, until_ns) == 0)
    return true;
  return !c->out.other_role && !c->out.lost &&
         !error_refusal(c->driver, &c->out) && clock_now_ns() < until_ns;
}

bool role_may_be_behind(struct conn *c, uint64_t until_ns)
{
  struct outcome before = c->out;
  uint64_t standby = 0;
  bool known;

  if (!c->driver->standby_query)
    return true;
  known = role_asked(c, c->driver->standby_query, until_ns, &standby);
  before.lost = c->out.lost;
  known = known && !c->out.lost;
  c->out = before;
  if (!known || standby != 0)
    return true;
  c->out.msg = "it is read-only";
  return false;
}
