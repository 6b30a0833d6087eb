/*
 * turn.c - a connection waits for its turn to be opened, but not for ever.
 */
#include "db/turn.h"

#include "base/clock.h"
#include "base/minmax.h"
#include "db/conn_state.h"
#include "db/env.h"
#include "db/process.h"

enum {
  END_GRACE_MS = 500, /* an attempt may last this long after the end */
};

uint64_t turn_limit(const struct conn *c)
{
  const struct db_process *p = c->env->process;
  const uint64_t end = atomic_load_explicit(&p->end_ns, memory_order_relaxed);

  if (process_is_over(p, clock_now_ns()))
    return 0; /* the one attempt after the run */
  if (c->pool)
    return 0; /* other clients may wait for it, and finish their events */
  return end == 0 ? UINT64_MAX : end;
}

static bool is_late(const struct db_process *p, uint64_t limit_ns)
{
  return limit_ns != 0 &&
         (atomic_load(p->over) != 0 || clock_now_ns() >= limit_ns);
}

bool turn_wait(struct conn *c, uint64_t limit_ns)
{
  struct db_process *p = c->env->process;

  /* Many may have waited for one of a few threads. */
  if (!is_late(p, limit_ns) && gate_enter(&p->gate, p->over, limit_ns))
    return true;
  c->out = (struct outcome){ .lost = true,
                             .over = true,
                             .msg = "the run ended before this connection "
                                    "could be opened" };
  return false;
}

uint64_t turn_until(const struct conn *c, uint64_t asked_ns, uint64_t until_ns)
{
  const struct db_process *p = c->env->process;
  const uint64_t end = atomic_load_explicit(&p->end_ns, memory_order_relaxed);
  const uint64_t now = clock_now_ns();
  const uint64_t until = until_ns + (now - asked_ns);

  if ((c->generation == 0 && !c->visitor) || end <= asked_ns)
    return until;
  return min_u64(until, max_u64(end, now) + END_GRACE_MS * NS_PER_MS);
}
