/*
 * turn.c - a connection waits for its turn to be opened, but not for ever.
 */
#include "db/turn.h"

#include "base/clock.h"
#include "db/conn_state.h"
#include "db/env.h"
#include "db/process.h"

uint64_t turn_limit(const struct conn *c)
{
  const struct db_process *p = c->env->process;
  const uint64_t end = atomic_load_explicit(&p->end_ns, memory_order_relaxed);

  if (c->generation == 0 && !c->visitor)
    return 0; /* the script cannot do without its first one */
  if (c->pool)
    return 0; /* other clients may wait for it, and finish their events */
  if (end == 0)
    return UINT64_MAX;
  return end > clock_now_ns() ? end : 0;
}

bool turn_wait(struct conn *c, uint64_t limit_ns)
{
  struct db_process *p = c->env->process;

  if (gate_enter(&p->gate, p->over, limit_ns))
    return true;
  c->out = (struct outcome){ .lost = true,
                             .over = true,
                             .msg = "the run was over before its turn" };
  return false;
}
