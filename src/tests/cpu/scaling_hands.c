/*
 * scaling_hands.c - threads that work at the same time.
 */
#include "tests/cpu/scaling_hands.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/wait.h"
#include "tests/cpu/primes.h"
#include "tests/cpu/scaling.h"

struct hand {
  struct scaling_hands *all;
  unsigned index;
  pthread_t thread;
  bool started;
  void *mem[SCALING_WORKS_MAX];
  bool counted;    /* a round of prime numbers was done */
  uint64_t primes; /* that it has found */

  /* Of the last sample; read by the first hand when the others are done. */
  double per_s;
  bool wrong;
  int pinned; /* 0, or a negative errno value */
} CACHE_ALIGNED;

struct scaling_hands {
  const struct scaling *s;
  unsigned n;
  struct hand *of;

  /* A sample; the first hand writes it before it changes `turn`, when all
   * others are done with the last one. */
  unsigned work, threads;
  uint64_t end_ns;
  bool quit;

  /* Changes with every sample; waited for. */
  _Atomic uint32_t turn CACHE_ALIGNED;
  /* Hands that have done their part, which may be none; waited for. */
  _Atomic uint32_t done CACHE_ALIGNED;
};

static int pin(int cpu)
{
  const size_t size = CPU_ALLOC_SIZE(TOPOLOGY_CPUS_MAX);
  cpu_set_t *set = CPU_ALLOC(TOPOLOGY_CPUS_MAX);
  int rc = 0;

  if (!set)
    return -ENOMEM;
  CPU_ZERO_S(size, set);
  CPU_SET_S((size_t)cpu, size, set);
  if (sched_setaffinity(0, size, set) < 0)
    rc = -errno;
  CPU_FREE(set);
  return rc;
}

/* Does a round; false: its result is wrong. */
static bool do_round(struct hand *h, unsigned work)
{
  const struct scaling_work *w = &h->all->s->work[work];
  uint64_t limit = h->all->s->max_prime, found;

  if (w->kernel)
    return w->path->run(h->mem[work]) == w->kernel->result;
  OPAQUE(limit); /* otherwise one count could serve all rounds */
  found = primes_count(limit);
  OPAQUE(found);
  if (!h->counted) {
    h->counted = true;
    h->primes = found;
  }
  return found == h->primes;
}

/* Its part of a sample.  The first round fetches memory into the caches. */
static void work(struct hand *h)
{
  const unsigned what = h->all->work;
  uint64_t rounds = 0, begin_ns, now_ns;
  bool right = do_round(h, what);

  begin_ns = now_ns = clock_now_ns();
  do {
    right = do_round(h, what) && right;
    rounds++;
    now_ns = clock_now_ns();
  } while (now_ns < h->all->end_ns);
  h->wrong = !right;
  h->per_s = h->all->s->work[what].operations * (double)rounds *
             (double)NS_PER_S / (double)(now_ns - begin_ns);
}

static void *hand_main(void *arg)
{
  struct hand *h = arg;
  struct scaling_hands *all = h->all;
  uint32_t seen = 0;

  thread_set_name("scaling");
  h->pinned = pin(all->s->topology.cpu[h->index]);
  for (;;) {
    while (atomic_load(&all->turn) == seen)
      wait_while(&all->turn, seen, UINT64_MAX);
    seen = atomic_load(&all->turn);
    if (all->quit)
      return NULL;
    if (h->index < all->threads)
      work(h);
    /* The sample may change as soon as all have said that they know it. */
    (void)atomic_fetch_add(&all->done, 1);
    wait_wake_all(&all->done);
  }
}

static void next_turn(struct scaling_hands *h)
{
  (void)atomic_fetch_add(&h->turn, 1);
  wait_wake_all(&h->turn);
}

static int prepare(struct hand *h, struct err *err)
{
  const struct scaling *s = h->all->s;
  int rc = 0;

  for (unsigned i = 0; i < s->works && rc == 0; i++) {
    const struct cpu_kernel *k = s->work[i].kernel;

    if (!k)
      continue;
    h->mem[i] = mem_aligned(1, k->bytes, CACHE_LINE);
    rc = h->mem[i] ? k->prepare(h->mem[i], err)
                   : err_set(err, -ENOMEM,
                             "cannot allocate %zu bytes for the kernel %s",
                             k->bytes, k->name);
  }
  return rc;
}

void scaling_hands_free(struct scaling_hands *h)
{
  if (!h)
    return;
  h->quit = true;
  next_turn(h);
  for (unsigned i = 0; h->of && i < h->n; i++) {
    struct hand *one = &h->of[i];

    if (one->started)
      (void)pthread_join(one->thread, NULL);
    for (unsigned k = 0; k < h->s->works; k++) {
      if (one->mem[k] && h->s->work[k].kernel->done)
        h->s->work[k].kernel->done(one->mem[k]);
      free(one->mem[k]);
    }
  }
  free(h->of);
  free(h);
}

int scaling_hands_new(struct scaling_hands **ret, const struct scaling *s,
                      struct err *err)
{
  struct scaling_hands *h = mem_aligned(1, sizeof(*h), CACHE_LINE);
  int rc = 0;

  if (!h)
    return err_set(err, -ENOMEM, "cannot allocate the threads");
  *ret = h;
  h->s = s;
  h->n = s->topology.cpus;
  h->of = mem_aligned(h->n, sizeof(*h->of), CACHE_LINE);
  if (!h->of)
    return err_set(err, -ENOMEM, "cannot allocate the threads");
  for (unsigned i = 0; i < h->n && rc == 0; i++) {
    struct hand *one = &h->of[i];

    one->all = h;
    one->index = i;
    rc = prepare(one, err);
    if (rc == 0 && i == 0)
      one->pinned = pin(s->topology.cpu[0]);
    else if (rc == 0)
      rc = thread_start(&one->thread, 0, hand_main, one, err);
    one->started = rc == 0 && i > 0;
  }
  return rc;
}

/* Adds up what the hands have done, and looks at their results. */
static int add_up(const struct scaling_hands *h, double *ret_per_s,
                  struct err *err)
{
  double sum = 0;

  for (unsigned i = 0; i < h->threads; i++) {
    const struct hand *one = &h->of[i];

    if (one->pinned < 0)
      return err_set(err, one->pinned,
                     "cannot keep a thread on processor %d, which "
                     "--cpu-scaling needs (does this container allow "
                     "sched_setaffinity?)",
                     h->s->topology.cpu[i]);
    if (one->wrong)
      return err_set(err, -EIO,
                     "the work '%s' has a wrong result on processor %d: it, or "
                     "its memory, is faulty",
                     h->s->work[h->work].name, h->s->topology.cpu[i]);
    sum += one->per_s;
  }
  *ret_per_s = sum;
  return 0;
}

int scaling_hands_play(struct scaling_hands *h, unsigned what, unsigned threads,
                       uint64_t for_ns, double *ret_per_s, struct err *err)
{
  uint32_t done;

  h->work = what;
  h->threads = threads;
  h->end_ns = clock_now_ns() + for_ns;
  atomic_store(&h->done, 0);
  next_turn(h);
  work(&h->of[0]);
  while ((done = atomic_load(&h->done)) + 1 < h->n)
    wait_while(&h->done, done, UINT64_MAX);
  return add_up(h, ret_per_s, err);
}
