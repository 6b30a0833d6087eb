/*
 * crowd.c - are all processors of this machine at work?
 */
#include "run/crowd.h"

#include "base/minmax.h"
#include "run/machine.h"

enum {
  IDLE_PART = 20, /* less than that part of the time is not idle */
};

static bool is_idle(const struct crowd *c, const struct machine_counts *now)
{
  const uint64_t idle = grown_u64(now->idle_ns, c->idle_ns);
  const uint64_t busy = grown_u64(now->busy_ns + now->steal_ns, c->busy_ns);

  return idle * IDLE_PART >= idle + busy;
}

/* A period is over. */
static bool judge(struct crowd *c, bool idle)
{
  if (idle) {
    if (c->wait < CROWD_WAIT_MAX && (c->wait == 0 || c->crowded))
      c->wait = c->wait == 0 ? 1 : 2 * c->wait;
    c->left = c->wait;
  } else if (c->left > 0) {
    c->left--;
  }
  return !idle && c->left == 0;
}

static void read_now(struct crowd *c, const char *root)
{
  struct machine_counts now;

  machine_read_times(root, &now);
  c->crowded = now.known && c->begun && judge(c, is_idle(c, &now));
  c->begun = now.known;
  c->idle_ns = now.idle_ns;
  c->busy_ns = now.busy_ns + now.steal_ns;
}

static bool is_due(const struct crowd *c, uint64_t now_ns)
{
  return now_ns >= atomic_load_explicit(&c->due_ns, memory_order_relaxed);
}

bool crowd_look(struct crowd *c, const char *root, uint64_t now_ns)
{
  if (is_due(c, now_ns) &&
      !atomic_flag_test_and_set_explicit(&c->reading, memory_order_acquire)) {
    if (is_due(c, now_ns)) { /* no other thread has been quicker */
      read_now(c, root);
      atomic_store_explicit(&c->due_ns, now_ns + CROWD_PERIOD_NS,
                            memory_order_relaxed);
    }
    atomic_flag_clear_explicit(&c->reading, memory_order_release);
  }
  return atomic_load_explicit(&c->crowded, memory_order_relaxed);
}
