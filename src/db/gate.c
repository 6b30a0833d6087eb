/*
 * gate.c - how many connections are opened at a time, and how many per second.
 */
#include "db/gate.h"

#include "base/clock.h"
#include "base/minmax.h"
#include "base/wait.h"
#include "loop/loop.h"

/* Longer than any run; millions of them are no overflow. */
#define GAP_MAX_NS (1e6 * (double)NS_PER_S)

void gate_init(struct gate *g, double rate, uint64_t places)
{
  const double gap_ns = rate > 0 ? (double)NS_PER_S / rate : 0;

  g->gap_ns = gap_ns < GAP_MAX_NS ? (uint64_t)gap_ns : (uint64_t)GAP_MAX_NS;
  atomic_store(&g->next_ns, 0);
  g->counted = places > 0;
  atomic_store(&g->free, (uint32_t)places);
}

/* The moment at which this opening may begin.  What was not used in the past
 * is not made up for. */
static uint64_t take_moment(struct gate *g, uint64_t now)
{
  uint64_t next = atomic_load_explicit(&g->next_ns, memory_order_relaxed);
  uint64_t at;

  do
    at = next > now ? next : now;
  while (!atomic_compare_exchange_weak_explicit(
    &g->next_ns, &next, at + g->gap_ns, memory_order_relaxed,
    memory_order_relaxed));
  return at;
}

static bool is_late(_Atomic uint32_t *over, uint64_t end_ns)
{
  return end_ns != 0 && (atomic_load(over) != 0 || clock_now_ns() >= end_ns);
}

/* Places become free soon after the end of a run: attempts have limits. */
static void take_place(struct gate *g)
{
  uint32_t free = atomic_load(&g->free);

  for (;;) {
    if (free > 0) {
      if (atomic_compare_exchange_weak(&g->free, &free, free - 1))
        return;
    } else {
      wait_while(&g->free, 0, WAIT_FOREVER);
      free = atomic_load(&g->free);
    }
  }
}

static bool wait_for_turn(struct gate *g, _Atomic uint32_t *over,
                          uint64_t start, uint64_t end_ns)
{
  if (g->gap_ns > 0) {
    const uint64_t at = take_moment(g, start);
    const uint64_t until = end_ns != 0 ? min_u64(at, end_ns) : at;

    while (clock_now_ns() < until && atomic_load(over) == 0)
      loop_wait_while(over, 0, until);
    if (clock_now_ns() < at && is_late(over, end_ns))
      return false;
  }
  if (!g->counted)
    return true;
  take_place(g);
  if (!is_late(over, end_ns))
    return true;
  gate_leave(g);
  return false;
}

bool gate_enter(struct gate *g, _Atomic uint32_t *over, uint64_t end_ns)
{
  return gate_is_open(g) || wait_for_turn(g, over, clock_now_ns(), end_ns);
}

void gate_leave(struct gate *g)
{
  if (!g->counted)
    return;
  (void)atomic_fetch_add(&g->free, 1);
  wait_wake_all(&g->free);
}
