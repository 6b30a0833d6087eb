/*
 * crowd.c - may loops sleep until several answers have come?
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

static bool give_up(struct crowd *c)
{
  c->rest = c->rest == 0 ? 1 : (unsigned)min_u64(2 * c->rest, CROWD_REST_MAX);
  c->left = c->rest;
  return false;
}

/* A period without it is over, and no processor was idle. */
static bool after_without(struct crowd *c, uint64_t answers)
{
  c->without = answers;
  if (c->left > 0) {
    c->left--;
    return false;
  }
  return c->tried = true;
}

/* The same for a period with it. */
static bool after_with(struct crowd *c, uint64_t answers)
{
  if (!c->tried)
    return --c->keep > 0;
  c->tried = false;
  if (answers < c->without - c->without / CROWD_LOSS)
    return give_up(c);
  c->rest = 0;
  c->keep = CROWD_KEEP;
  return true;
}

/* A period is over: is it allowed in the next one? */
static bool judge(struct crowd *c, bool idle, uint64_t answers)
{
  if (idle && c->allowed)
    return give_up(c);
  if (idle)
    return false;
  return c->allowed ? after_with(c, answers) : after_without(c, answers);
}

static void read_now(struct crowd *c, const char *root, uint64_t answers)
{
  struct machine_counts now;

  machine_read_times(root, &now);
  c->allowed = now.known && c->begun &&
               judge(c, is_idle(c, &now), answers - c->answers);
  c->begun = now.known;
  c->idle_ns = now.idle_ns;
  c->busy_ns = now.busy_ns + now.steal_ns;
  c->answers = answers;
}

static bool is_due(const struct crowd *c, uint64_t now_ns)
{
  return now_ns >= atomic_load_explicit(&c->due_ns, memory_order_relaxed);
}

bool crowd_look(struct crowd *c, const char *root, uint64_t now_ns,
                uint64_t (*answers)(const void *ctx), const void *ctx)
{
  if (is_due(c, now_ns) &&
      !atomic_flag_test_and_set_explicit(&c->reading, memory_order_acquire)) {
    if (is_due(c, now_ns)) { /* no other thread has been quicker */
      read_now(c, root, answers(ctx));
      atomic_store_explicit(&c->due_ns, now_ns + CROWD_PERIOD_NS,
                            memory_order_relaxed);
    }
    atomic_flag_clear_explicit(&c->reading, memory_order_release);
  }
  return atomic_load_explicit(&c->allowed, memory_order_relaxed);
}
