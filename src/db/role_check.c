/*
 * role_check.c - whether a server has the role that --target asks for.
 */
#include "db/role_check.h"

#include <string.h>

#include "db/conn_state.h"
#include "db/look.h"
#include "db/role.h"

bool role_matters(const struct conn *c)
{
  return c->env->process->set.target != ROLE_ANY && !c->params.host &&
         !c->params.socket;
}

int role_check(struct conn *c)
{
  const bool replica = c->env->process->set.target == ROLE_REPLICA;
  uint64_t read_only = 0;

  if (!look_at_number(c, c->driver->role_query, &read_only)) {
    /* What a server cannot answer now it cannot answer later. */
    c->out.permanent = !c->out.lost;
    if (!c->out.msg)
      c->out.msg = "the server does not say whether it is read-only";
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
