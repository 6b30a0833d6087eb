/*
 * abi_team.c - how the threads of a parallel command meet.
 */
#include <errno.h>

#include "base/ffi_api.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "lua/engine/team.h"
#include "run/plan.h"

/* The threads of this process that execute the command; 1: it is not executed
 * by threads at the same time. */
int bench_team_size(void)
{
  const struct state *s = state_current();

  return s && s != s->script->main ? (int)s->script->setup.plan->threads : 1;
}

/* The clients of this process that run the script: in a mix, those of the
 * member if it has its own. */
int bench_clients(void)
{
  const struct state *s = state_current();

  if (!s)
    return 1;
  return s->script->setup.workers > 0
           ? (int)s->script->setup.workers
           : (int)plan_clients(s->script->setup.plan);
}

/* Those of all clients of this process that begin no events. */
int bench_idle_clients(void)
{
  const struct state *s = state_current();

  return s ? (int)s->script->setup.plan->idle : 0;
}

/* The number of this thread among them, from 0. */
int bench_team_number(void)
{
  const struct state *s = state_current();

  return s && s != s->script->main
           ? (int)(s->tid - s->script->setup.plan->first_thread)
           : 0;
}

/* False: there is no memory, or the name is taken. */
bool bench_team_give(const char *name, const char *text, size_t len)
{
  struct state *s = state_current();

  return s && team_give(&s->script->team, name, text, len) == 0;
}

const char *bench_team_await(const char *name, size_t *ret_len)
{
  struct state *s = state_current();

  return s ? team_await(&s->script->team, name, ret_len) : NULL;
}
