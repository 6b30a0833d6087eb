#include "db/connect_limiter.h"

#include "base/clock.h"
#include "base/minmax.h"
#include "base/wait.h"
#include "loop/loop.h"

/* Longer than any run. */
#define GAP_MAX_NS (1e6 * (double)NS_PER_S)

enum {
  END_GRACE_MS = 500,
};

void limiter_init(struct limiter *l, double rate, uint64_t places)
{
  const double gap_ns = rate > 0 ? (double)NS_PER_S / rate : 0;

  l->gap_ns = gap_ns < GAP_MAX_NS ? (uint64_t)gap_ns : (uint64_t)GAP_MAX_NS;
  atomic_store(&l->next_ns, 0);
  l->counted = places > 0;
  atomic_store(&l->free, (uint32_t)places);
}

/* Unused time is lost. */
static uint64_t limiter_take_moment(struct limiter *l, uint64_t now)
{
  uint64_t next = atomic_load_explicit(&l->next_ns, memory_order_relaxed);
  uint64_t at;

  do
    at = next > now ? next : now;
  while (!atomic_compare_exchange_weak_explicit(
    &l->next_ns, &next, at + l->gap_ns, memory_order_relaxed,
    memory_order_relaxed));
  return at;
}

static bool limiter_is_late(const struct limiter *l, uint64_t end_ns)
{
  return end_ns != 0 && (atomic_load(l->over) != 0 || clock_now_ns() >= end_ns);
}

/* Attempts have limits, so places become free soon after the run. */
static void limiter_take_place(struct limiter *l)
{
  uint32_t free = atomic_load(&l->free);

  for (;;) {
    if (free > 0) {
      if (atomic_compare_exchange_weak(&l->free, &free, free - 1))
        return;
    } else {
      wait_while(&l->free, 0, WAIT_FOREVER);
      free = atomic_load(&l->free);
    }
  }
}

static bool limiter_wait(struct limiter *l, uint64_t end_ns)
{
  if (l->gap_ns > 0) {
    const uint64_t at = limiter_take_moment(l, clock_now_ns());
    const uint64_t until = end_ns != 0 ? min_u64(at, end_ns) : at;

    while (clock_now_ns() < until && atomic_load(l->over) == 0)
      loop_wait_while(l->over, 0, until);
    if (clock_now_ns() < at && limiter_is_late(l, end_ns))
      return false;
  }
  if (!l->counted)
    return true;
  limiter_take_place(l);
  if (!limiter_is_late(l, end_ns))
    return true;
  limiter_leave(l);
  return false;
}

bool limiter_enter(struct limiter *l, uint64_t deadline_ns)
{
  return !limiter_is_late(l, deadline_ns) &&
         (limiter_is_open(l) || limiter_wait(l, deadline_ns));
}

void limiter_leave(struct limiter *l)
{
  if (!l->counted)
    return;
  (void)atomic_fetch_add(&l->free, 1);
  wait_wake_all(&l->free);
}

uint64_t limiter_deadline(const struct limiter *l, bool shared)
{
  const uint64_t end = atomic_load_explicit(l->end_ns, memory_order_relaxed);

  if ((end != 0 && clock_now_ns() >= end) ||
      atomic_load_explicit(l->over, memory_order_relaxed) != 0)
    return 0;
  if (shared)
    return 0;
  return end == 0 ? UINT64_MAX : end;
}

uint64_t limiter_until(const struct limiter *l, bool again, uint64_t asked_ns,
                       uint64_t until_ns)
{
  const uint64_t end = atomic_load_explicit(l->end_ns, memory_order_relaxed);
  const uint64_t now = clock_now_ns();
  const uint64_t until = until_ns + (now - asked_ns);

  if (!again || end <= asked_ns)
    return until;
  return min_u64(until, max_u64(end, now) + END_GRACE_MS * NS_PER_MS);
}
