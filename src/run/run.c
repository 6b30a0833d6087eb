#include "run/run.h"

#include "base/wait.h"
#include "loop/loop.h"
#include "run/peers.h"
#include "run/plan.h"

void run_tell_peers(struct run *run, int signal)
{
  const struct peers *peers = run->plan->peers;

  if (peers)
    peers->stop(peers->ctx, signal);
}

static void run_set_and_wake(_Atomic uint32_t *word)
{
  if (atomic_exchange(word, 1) == 0)
    loop_wake_all(word);
}

void run_let_close(struct run *run)
{
  run_set_and_wake(&run->may_close);
}

void run_end_load(struct run *run)
{
  run_set_and_wake(&run->load_over);
  run_let_close(run);
}

bool run_stop(struct run *run, enum stop_reason why)
{
  uint32_t none = STOP_NO;
  const bool first = atomic_compare_exchange_strong(&run->stop, &none,
                                                    (uint32_t)why);

  if (first) {
    loop_wake_all(&run->stop);
    loop_wake_all(&run->warm);
    run_end_load(run);
  }
  /* Rank 0 passes on reports of others. */
  if (first && (why == STOP_ERROR || why == STOP_OVERLOAD || why == STOP_PEER))
    run_tell_peers(run, 0);
  return first;
}

void run_news(struct run *run)
{
  (void)atomic_fetch_add(&run->news, 1);
  wait_wake_all(&run->news);
}

/* In place of a signal number. */
enum {
  SIGNAL_TOO_LATE = INT32_MAX,
};

int run_signal(const struct run *run)
{
  const int number = (int)atomic_load(&run->signal);

  return number == SIGNAL_TOO_LATE ? 0 : number;
}

void run_no_more_signals(struct run *run)
{
  uint32_t none = 0;

  (void)atomic_compare_exchange_strong(&run->signal, &none, SIGNAL_TOO_LATE);
}

static bool run_is_aside(const struct worker *w)
{
  return atomic_load_explicit(&w->recorder->aside, memory_order_relaxed);
}

uint64_t run_last_left(const struct run *run, uint64_t from_ns)
{
  uint64_t last = from_ns;

  for (unsigned i = 0; i < run->plan->threads; i++) {
    const uint64_t left = atomic_load(&run->workers[i].left_ns);

    if (left > last && !run_is_aside(&run->workers[i]))
      last = left;
  }
  return last;
}

unsigned run_count_running(const struct run *run, uint64_t when_ns)
{
  unsigned n = 0;

  for (unsigned i = 0; i < run->plan->threads; i++) {
    const uint64_t left = atomic_load(&run->workers[i].left_ns);

    n += (left == 0 || left > when_ns) && !run_is_aside(&run->workers[i]);
  }
  return n;
}

unsigned run_count_aside(const struct run *run)
{
  unsigned n = 0;

  for (unsigned i = 0; i < run->plan->threads; i++)
    n += run_is_aside(&run->workers[i]) &&
         atomic_load(&run->workers[i].left_ns) == 0;
  return n;
}

unsigned run_count_phase(const struct run *run, enum worker_phase phase)
{
  unsigned n = 0;

  for (unsigned i = 0; i < run->plan->threads; i++)
    n += atomic_load(&run->workers[i].phase) == (uint32_t)phase;
  return n;
}

struct run_totals run_totals(const struct run *run)
{
  struct run_totals c = { 0 };

  for (unsigned i = 0; i < run->recorders.n; i++) {
    const struct recorder *r = &run->recorders.of[i];
    uint64_t events, sum_ns;

    recorder_peek(r, &events, &sum_ns);
    c.events += events;
    c.sum_ns += sum_ns;
    c.errors += atomic_load_explicit(&r->counter[COUNTER_ERROR],
                                     memory_order_relaxed);
    for (int k = COUNTER_OTHER; k <= COUNTER_WRITE; k++)
      c.queries += atomic_load_explicit(&r->counter[k], memory_order_relaxed);
  }
  return c;
}
