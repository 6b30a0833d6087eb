/*
 * meet.c - makes workers go through the steps of a test together.
 */
#include "tests/memory/meet.h"

#include "base/clock.h"
#include "base/wait.h"
#include "run/worker.h"

enum {
  SPINS = 2000, /* before the worker sleeps */
};

/* Time between checks whether the run is over. */
#define LOOK_NS (10 * NS_PER_MS)

void meet_init(struct meet *m, unsigned threads)
{
  m->threads = threads;
  atomic_init(&m->arrived, 0);
  atomic_init(&m->turn, 0);
}

bool meet_others(struct meet *m, struct worker *w, void (*between)(void *arg),
                 void *arg)
{
  const uint32_t turn = atomic_load(&m->turn);

  if (atomic_fetch_add(&m->arrived, 1) + 1 == m->threads) {
    atomic_store(&m->arrived, 0);
    between(arg);
    atomic_store(&m->turn, turn + 1);
    wait_wake_all(&m->turn);
    return !worker_is_over(w);
  }
  for (int i = 0; i < SPINS && atomic_load(&m->turn) == turn; i++)
    meet_pause();
  while (atomic_load(&m->turn) == turn) {
    if (worker_is_over(w))
      return false;
    wait_while(&m->turn, turn, clock_now_ns() + LOOK_NS);
  }
  return true;
}
